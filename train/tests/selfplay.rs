//! Self-play with a knowledge-free evaluator: the same games whatever the threads, the kills and the game.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use selfplay_env::games::{connect4::Connect4, pylos::Pylos, tictactoe::TicTacToe};
use selfplay_env::registry::GAME_IDS;
use selfplay_env::rng::derive_seed;
use selfplay_env::{Action, Game, GameVisitor, PlayableGame, Wdl, with_game};
use selfplay_mcts::{CacheStats, Evaluator, Leaf, TemperatureSchedule, UniformEvaluator};
use selfplay_train::shard::read_shard;
use selfplay_train::{GameEnd, GameRecord, Generation, SelfPlayConfig, SelfPlaySummary, play_generation};

fn config(games: u32, simulations: u32) -> SelfPlayConfig {
    SelfPlayConfig {
        games_per_generation: games,
        lanes: 4,
        games_per_lane_in_flight: 3,
        simulations,
        ..SelfPlayConfig::default()
    }
}

fn play<G: PlayableGame>(shard: &Path, config: &SelfPlayConfig, threads: usize) -> Vec<GameRecord> {
    let which = Generation { shard, run_seed: 3, generation: 1, threads };
    let mut records = play_generation::<G, _>(which, config, || UniformEvaluator, &|_| {}).unwrap().records;
    records.sort_by_key(|record| record.game_number);
    records
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(21, 20);
    let one = play::<TicTacToe>(&folder.path().join("1"), &config, 1);
    let three = play::<TicTacToe>(&folder.path().join("3"), &config, 3);
    assert_eq!(one, three);
    assert_eq!(std::fs::read(folder.path().join("1")).unwrap(), std::fs::read(folder.path().join("3")).unwrap());
    let numbers: Vec<u32> = one.iter().map(|record| record.game_number).collect();
    assert_eq!(numbers, (0..21).collect::<Vec<_>>());
    assert!(one.windows(2).any(|pair| pair[0].decisions != pair[1].decisions), "games differ");
}

#[test]
fn a_shard_cut_anywhere_is_completed_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(10, 12);
    let path = folder.path().join("games.shard");
    let whole_records = play::<TicTacToe>(&path, &config, 2);
    let whole = std::fs::read(&path).unwrap();
    for cut in (0..=whole.len()).step_by(whole.len() / 23) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert_eq!(play::<TicTacToe>(&path, &config, 2), whole_records, "cut at {cut}");
        assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {cut}");
    }
}

#[test]
fn whole_lanes_are_not_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.shard");
    let config = config(10, 12);
    play::<TicTacToe>(&path, &config, 2);
    let which = Generation { shard: &path, run_seed: 3, generation: 1, threads: 2 };
    struct Never;
    impl Evaluator<TicTacToe> for Never {
        fn evaluate(&mut self, _: &mut [Leaf<TicTacToe>]) {
            panic!("a complete shard needs no evaluation");
        }
    }
    let played = play_generation::<TicTacToe, _>(which, &config, || Never, &|_| {}).unwrap();
    assert_eq!((played.records.len(), played.found), (10, 10));
}

/// Judges each position by its hash, and counts.
struct Counting<'a> {
    evaluations: &'a AtomicUsize,
}

impl Evaluator<Connect4> for Counting<'_> {
    fn evaluate(&mut self, leaves: &mut [Leaf<Connect4>]) {
        self.evaluations.fetch_add(leaves.len(), Ordering::Relaxed);
        for leaf in leaves {
            let number = |stream: u64| (derive_seed(&[leaf.position.position_hash(), stream]) % 256 + 1) as f32;
            let win = number(1000) / 256.0;
            leaf.wdl = Wdl { win, draw: 0.0, loss: 1.0 - win };
            leaf.priors.clear();
            leaf.priors.extend(leaf.actions.iter().map(|action| number(action.0.into())));
            let sum: f32 = leaf.priors.iter().sum();
            leaf.priors.iter_mut().for_each(|prior| *prior /= sum);
        }
    }
}

/// With and without a cache, on one thread and on several: the same games, from fewer evaluations.
#[test]
fn the_cache_saves_evaluations_and_changes_no_game() {
    let folder = tempfile::tempdir().unwrap();
    let generation_with = |cache_mib: u32, threads: usize| {
        let shard = folder.path().join(format!("{cache_mib}-{threads}"));
        let which = Generation { shard: &shard, run_seed: 3, generation: 1, threads };
        let evaluations = AtomicUsize::new(0);
        let config = SelfPlayConfig { cache_mib, ..config(12, 60) };
        let evaluator = || Counting { evaluations: &evaluations };
        let played = play_generation::<Connect4, _>(which, &config, evaluator, &|_| {}).unwrap();
        (played, evaluations.into_inner() as u64)
    };
    let (without, all) = generation_with(0, 1);
    assert_eq!(without.cache, CacheStats::default());
    let (cached, evaluations) = generation_with(8, 1);
    assert_eq!(cached.records, without.records);
    assert_eq!(cached.cache, CacheStats { lookups: all, hits: all - evaluations });
    assert!(cached.cache.hit_rate() > 0.01, "{:?}", cached.cache);
    assert_eq!(generation_with(8, 3).0, cached, "nothing is shared between lanes");
}

struct EveryGame;

impl GameVisitor for EveryGame {
    type Output = ();

    fn visit<G: PlayableGame>(self) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let config = SelfPlayConfig { max_decisions: 60, ..config(4, 8) };
        let records = play::<G>(&path, &config, 2);
        assert_eq!(read_shard(&path).unwrap().1.len(), 4);
        for record in &records {
            assert!(record.agrees_with_rules::<G>(), "{}", G::ID);
            assert!(record.end != GameEnd::Truncated || record.decisions.len() == 60, "{}", G::ID);
        }
    }
}

#[test]
fn every_game_is_played_and_its_records_agree_with_its_rules() {
    for id in GAME_IDS {
        with_game(id, EveryGame).unwrap();
    }
}

/// Always wants the same decision in the same position, so that games which do not end soon go in circles.
#[derive(Clone)]
struct Stubborn {
    seed: u64,
}

impl Evaluator<Pylos> for Stubborn {
    fn evaluate(&mut self, leaves: &mut [Leaf<Pylos>]) {
        for leaf in leaves {
            let wish = |action: &Action| derive_seed(&[self.seed, leaf.position.position_hash(), u64::from(action.0)]);
            let favourite = leaf.actions.iter().max_by_key(|action| wish(action)).copied();
            let others = 0.1 / leaf.actions.len() as f32;
            leaf.priors.clear();
            leaf.priors.extend(leaf.actions.iter().map(|&a| others + if Some(a) == favourite { 0.9 } else { 0.0 }));
        }
    }
}

/// Turns of several decisions and draws by repetition both occur, and records of them are sound.
#[test]
fn pylos_removals_and_repetitions_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    // Two simulations: the root and its favourite.
    let mut config = SelfPlayConfig { max_decisions: 5000, ..config(1, 2) };
    config.temperature = TemperatureSchedule::constant(0.0);
    config.search.dirichlet_fraction = 0.0;
    let mut records = Vec::new();
    for generation in 0..400 {
        let shard = folder.path().join(generation.to_string());
        let which = Generation { shard: &shard, run_seed: 3, generation, threads: 1 };
        let stubborn = Stubborn { seed: generation.into() };
        records.extend(play_generation::<Pylos, _>(which, &config, || stubborn.clone(), &|_| {}).unwrap().records);
    }
    assert!(records.iter().all(GameRecord::agrees_with_rules::<Pylos>));
    let summary = SelfPlaySummary::of(&records);
    assert!(summary.draws > 0 && summary.truncated == 0, "no repetition in {summary:?}");
    let removals = records.iter().flat_map(|r| &r.decisions).filter(|d| d.action >= 247).count();
    assert!(removals > 0, "no removal in {summary:?}");
}
