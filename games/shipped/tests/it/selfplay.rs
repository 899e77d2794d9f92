//! Self-play with a knowledge-free network: every shipped game is played by its own rules.

use selfplay_mcts::UniformNetwork;
use selfplay_shipped::shipped_games;
use selfplay_train::shard::read_shard;
use selfplay_train::{GameEnd, Generation, SelfPlayConfig, play_generation};

#[test]
fn every_game_is_played_and_its_records_agree_with_its_rules() {
    let config = SelfPlayConfig {
        games_per_generation: 4,
        lanes: 4,
        games_per_lane_in_flight: 3,
        simulations: 8,
        max_decisions: 60,
        ..SelfPlayConfig::default()
    };
    for game in shipped_games() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let which = Generation { shard: &path, run_seed: 3, generation: 1, earlier: &[], threads: 2 };
        let player = |_| game.actor(Box::new(UniformNetwork(game.id())), &config, 3, 1);
        let records = play_generation(game, which, &config, &player, &|_| {}).unwrap().records;
        assert_eq!(read_shard(&path).unwrap().1.len(), 4);
        for record in &records {
            assert!(record.agrees_with(game), "{}", game.id());
            assert!(record.end != GameEnd::CAPPED || record.decisions.len() == 60, "{}", game.id());
        }
    }
}
