//! Self-play with a knowledge-free network: every shipped game is played by its own rules.

use selfplay_mcts::{EvaluationCache, UniformNetwork};
use selfplay_shipped::shipped_games;
use selfplay_train::shard::read_shard;
use selfplay_train::{Actors, Batching, GameContext, GameEnd, GameQueue, SelfPlayConfig, play_generation};

#[test]
fn every_game_is_played_and_its_records_agree_with_its_rules() {
    let config = SelfPlayConfig {
        games_per_generation: 4,
        concurrent_games: 3,
        num_simulations: 8,
        max_plies: 60,
        ..SelfPlayConfig::default()
    };
    for game in shipped_games() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let context = GameContext { config: &config, run_seed: 3, generation: 1, earlier: &[] };
        let actors = Actors { threads: 2, batching: Batching::PerThread, cache: &EvaluationCache::new(1) };
        let play = |queue: &dyn GameQueue| game.play_games(&UniformNetwork(game.id()), context, actors, queue);
        let records = play_generation(game, &path, context, play, &|_| {}).unwrap().records;
        assert_eq!(read_shard(&path).unwrap().1.len(), 4);
        for record in &records {
            assert!(record.agrees_with(game), "{}", game.id());
            assert!(record.end != GameEnd::CAPPED || record.plies.len() == 60, "{}", game.id());
        }
    }
}
