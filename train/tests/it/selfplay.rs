//! Self-play with a knowledge-free evaluator: the same games whatever the threads, the kills and the game.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use selfplay_env::fixtures::{ConnectFour, InARow, PutWithEitherHand, Stones, TicTacToe};
use selfplay_env::rng::derive_seed;
use selfplay_env::{Action, CompleteGame, Game, Outcome, Tactics, Typed, Wdl, rules};
use selfplay_mcts::{
    Batch, CacheStats, EvaluationCache, Evaluator, Leaf, Search, SearchConfig, UniformEvaluator, UniformNetwork,
};
use selfplay_train::shard::read_shard;
use selfplay_train::{
    Actors, Batching, EndReason, EvaluationSymmetry, GameContext, GameEnd, GameQueue, GameRecord, Played, PlyRecord,
    ResignConfig, SelfPlayConfig, SelfPlaySummary, StartConfig, Trainable, play_games, play_generation, summarise,
};

fn config(games: u32, simulations: u32) -> SelfPlayConfig {
    SelfPlayConfig {
        games_per_generation: games,
        concurrent_games: 3,
        num_simulations: simulations,
        ..SelfPlayConfig::default()
    }
}

/// The first generation of a run, without games before it.
fn first(config: &SelfPlayConfig) -> GameContext<'_> {
    GameContext { config, run_seed: 3, generation: 1, earlier: &[] }
}

/// Plays a generation with a cache of its own; each actor makes an evaluator of its own.
fn played<G: CompleteGame, E: Evaluator<G> + Send + Sync>(
    shard: &Path,
    context: GameContext<'_>,
    threads: usize,
    evaluator: impl Fn() -> E + Sync,
) -> Played {
    let cache = EvaluationCache::new(context.config.cache_mib);
    let actors = Actors { threads, batching: Batching::PerThread, cache: &cache };
    let play = |queue: &dyn GameQueue| play_games::<G, E>(&evaluator, 0, context, actors, queue);
    play_generation(rules::<G>(), shard, context, play, &|_| {}).unwrap()
}

fn play<G: CompleteGame>(shard: &Path, config: &SelfPlayConfig, threads: usize) -> Vec<GameRecord> {
    played::<G, _>(shard, first(config), threads, || UniformEvaluator).records
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
    assert!(one.windows(2).any(|pair| pair[0].plies != pair[1].plies), "games differ");
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
fn stored_games_are_not_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.shard");
    let config = config(10, 12);
    play::<TicTacToe>(&path, &config, 2);
    struct Never;
    impl Evaluator<TicTacToe> for Never {
        fn evaluate(&mut self, _: &mut [Leaf<TicTacToe>]) {
            panic!("a complete shard needs no evaluation");
        }
    }
    let played = played::<TicTacToe, _>(&path, first(&config), 2, || Never);
    assert_eq!((played.records.len(), played.new_simulations), (10, 0));
}

/// Judges each position by its hash, and counts.
struct Counting<'a> {
    evaluations: &'a AtomicUsize,
}

impl Evaluator<ConnectFour> for Counting<'_> {
    fn evaluate(&mut self, leaves: &mut [Leaf<ConnectFour>]) {
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

/// With a cache of any size, however many threads and games at once: the same games, from fewer evaluations.
#[test]
fn neither_cache_nor_threads_nor_games_in_flight_change_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let generation_with = |cache_mib: u32, threads: usize, concurrent_games: u32| {
        let shard = folder.path().join(format!("{cache_mib}-{threads}-{concurrent_games}"));
        let evaluations = AtomicUsize::new(0);
        let config = SelfPlayConfig { cache_mib, concurrent_games, ..config(12, 60) };
        let evaluator = || Counting { evaluations: &evaluations };
        let played = played::<ConnectFour, _>(&shard, first(&config), threads, evaluator);
        assert!(played.stats.cpu_time > Duration::ZERO);
        let sizes = played.stats.batches.iter().zip(0_u64..);
        assert_eq!(sizes.map(|(count, size)| count * size).sum::<u64>(), evaluations.load(Ordering::Relaxed) as u64);
        (played.records, played.stats.cache, evaluations.into_inner() as u64, std::fs::read(&shard).unwrap())
    };
    let (games, nothing, all, bytes) = generation_with(0, 1, 3);
    assert_eq!(nothing, CacheStats::default());
    for threads in [1, 2, 3, 8] {
        for concurrent_games in [1, 2, 5, 512] {
            for cache_mib in [0, 1, 8] {
                let (found, cache, evaluations, found_bytes) = generation_with(cache_mib, threads, concurrent_games);
                let setting = (threads, concurrent_games, cache_mib);
                assert!((&found, &found_bytes) == (&games, &bytes), "{setting:?}");
                let lookups = if cache_mib == 0 { 0 } else { all };
                assert_eq!((cache.lookups, cache.hits), (lookups, all - evaluations), "{setting:?}");
                assert!(cache_mib == 0 || cache.hit_rate() > 0.01, "{setting:?}");
            }
        }
    }
}

/// Judges each position also by the others in its batch, and sees that all threads are in one.
struct ByCompany;

impl Evaluator<ConnectFour> for ByCompany {
    fn evaluate(&mut self, leaves: &mut [Leaf<ConnectFour>]) {
        let company: Vec<u64> = leaves.iter().map(|leaf| leaf.position.position_hash()).collect();
        Counting { evaluations: &AtomicUsize::new(0) }.evaluate(leaves);
        leaves.iter_mut().for_each(|leaf| leaf.wdl.win *= (derive_seed(&company) % 256) as f32 / 256.0);
    }
}

#[test]
fn what_is_in_a_shared_batch_depends_on_the_games_alone() {
    let config = SelfPlayConfig { concurrent_games: 5, ..config(12, 20) };
    let games = [1, 2, 4].map(|threads| {
        let folder = tempfile::tempdir().unwrap();
        let cache = EvaluationCache::new(1);
        let actors = Actors { threads, batching: Batching::Shared, cache: &cache };
        let context = first(&config);
        let play = |queue: &dyn GameQueue| play_games::<ConnectFour, _>(&|| ByCompany, 0, context, actors, queue);
        play_generation(rules::<ConnectFour>(), &folder.path().join("games"), context, play, &|_| {}).unwrap()
    });
    assert_eq!(games[0].records, games[1].records);
    assert_eq!(games[0].records, games[2].records);
    assert_eq!(games[2].stats.batches.len(), 6, "no batch has more than five positions");
}

#[test]
fn every_game_is_played_and_its_records_agree_with_its_rules() {
    let config = SelfPlayConfig { max_plies: 60, ..config(4, 8) };
    let games: [&dyn Trainable; 4] = [
        &Typed::<TicTacToe>::IT,
        &Typed::<ConnectFour>::IT,
        &Typed::<InARow<PutWithEitherHand, 6, 6, 5>>::IT,
        &Typed::<Stones>::IT,
    ];
    for game in games {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.shard");
        let actors = Actors { threads: 2, batching: Batching::PerThread, cache: &EvaluationCache::new(1) };
        let context = first(&config);
        let play = |queue: &dyn GameQueue| game.play_games(&UniformNetwork(game.id()), context, actors, queue);
        let records = play_generation(game, &path, context, play, &|_| {}).unwrap().records;
        assert_eq!(read_shard(&path).unwrap().1.len(), 4);
        for record in &records {
            assert!(record.agrees_with(game), "{}", game.id());
            assert!(record.end != GameEnd::CAPPED || record.plies.len() == 60, "{}", game.id());
        }
    }
}

/// What a long search proves.
fn proven_outcome(position: &ConnectFour) -> Option<Outcome> {
    let mut search = Search::new(SearchConfig::default());
    search.set_position(position);
    let mut batch = Batch::new();
    while search.proven().is_none() && search.simulations() < 100_000 {
        batch.clear();
        search.gather(1, &mut batch);
        UniformEvaluator.evaluate(batch.leaves_mut());
        search.apply(batch.leaves());
    }
    search.proven()
}

/// Records of connect4 by `config`, with these games before.
fn connect4(config: &SelfPlayConfig, earlier: &[&GameRecord]) -> Vec<GameRecord> {
    let folder = tempfile::tempdir().unwrap();
    let context = GameContext { config, run_seed: 3, generation: 2, earlier };
    let records = played::<ConnectFour, _>(&folder.path().join("games"), context, 2, || UniformEvaluator).records;
    assert!(records.iter().all(|record| record.agrees_with(rules::<ConnectFour>())));
    records
}

#[test]
fn fast_searches_teach_nothing_and_cost_little() {
    let config = SelfPlayConfig { playout_cap_full_prob: 0.25, playout_cap_fast_visits: 5, ..config(40, 50) };
    let summary = summarise(rules::<ConnectFour>(), &connect4(&config, &[]));
    let share = summary.positions as f64 / summary.plies as f64;
    assert!((0.2..0.3).contains(&share), "{summary:?}");
    let full = summary.positions * 50 + (summary.plies - summary.positions) * 5;
    assert!(summary.simulations <= full && summary.simulations * 10 > full * 7, "{summary:?}");
}

#[test]
fn simulations_grow_with_the_generations() {
    let few = SelfPlayConfig { initial_num_simulations: 10, growth_generations: 4, ..config(20, 50) };
    let [few, many] = [few, config(20, 50)].map(|config| summarise(rules::<ConnectFour>(), &connect4(&config, &[])));
    // Generation 2 is a quarter of the way from 10 to 50.
    let for_each = |summary: &SelfPlaySummary| summary.simulations as f64 / summary.plies as f64;
    assert!(for_each(&few) <= 20.0 && for_each(&many) > 35.0, "{few:?} {many:?}");
}

#[test]
fn proven_games_end_at_once_with_their_result() {
    let played_out = summarise(rules::<ConnectFour>(), &connect4(&config(40, 200), &[]));
    let records = connect4(&SelfPlayConfig { stop_proven: true, ..config(40, 200) }, &[]);
    let stopped = summarise(rules::<ConnectFour>(), &records);
    assert!(played_out.proven == 0 && stopped.proven > 20, "{stopped:?}");
    assert!(stopped.mean_game_plies + 1.0 < played_out.mean_game_plies, "{stopped:?} {played_out:?}");
    for record in records.iter().filter(|record| record.end.reason == EndReason::Proven) {
        let mut position = ConnectFour::initial();
        for ply in &record.plies {
            assert_eq!(position.tactical_outcome(), None, "a look told the result before");
            position.play(Action(ply.action));
        }
        assert_eq!(proven_outcome(&position), Some(record.end.value_outcome()));
    }
}

#[test]
fn an_opening_and_its_image_are_one() {
    let game = |actions: [u16; 4]| GameRecord {
        plies: actions.map(|action| PlyRecord { action, target: None }).into(),
        ..GameRecord::new(0)
    };
    let share = |games: &[GameRecord]| summarise(rules::<ConnectFour>(), games).commonest_opening_share;
    let (opening, mirrored) = (game([3, 2, 0, 6]), game([3, 4, 6, 0]));
    assert_eq!(share(&[opening.clone(), mirrored]), 1.0);
    assert_eq!(share(&[opening, game([3, 2, 6, 0])]), 0.5);
}

#[test]
fn hopeless_games_are_resigned_but_for_some_that_are_played_on() {
    let resign = ResignConfig { threshold: -0.2, consecutive_searches: 2, playthrough_prob: 0.3 };
    let records = connect4(&SelfPlayConfig { resign, ..config(120, 40) }, &[]);
    let summary = summarise(rules::<ConnectFour>(), &records);
    assert!(summary.resigned > 8 && summary.resignations_checked > 3, "{summary:?}");
    assert!(summary.resignations_wrong < summary.resignations_checked, "{summary:?}");
    let is_played_on = |record: &&GameRecord| {
        record.end.reason != EndReason::Resigned
            && record.resignation.is_some_and(|given_up| given_up.after as usize + 1 < record.plies.len())
    };
    assert_eq!(summary.resignations_checked, records.iter().filter(is_played_on).count() as u64);
    for record in records.iter().filter(|record| record.end.reason == EndReason::Resigned) {
        let resignation = record.resignation.unwrap();
        assert_eq!((resignation.concedes, resignation.after + 1), (record.end.result, record.plies.len() as u32));
    }
}

#[test]
fn games_begin_where_the_config_says() {
    let before = connect4(&config(10, 10), &[]);
    let earlier: Vec<&GameRecord> = before.iter().collect();
    let starts = StartConfig { random_opening_prob: 0.4, random_opening_plies: 3, go_exploit_prob: 0.5 };
    let records = connect4(&SelfPlayConfig { starts, ..config(60, 10) }, &earlier);
    let without_target = |record: &GameRecord| record.plies.iter().take_while(|d| d.target.is_none()).count();
    let restarted = records.iter().filter(|record| without_target(record) > 3).count();
    let from_the_start = records.iter().filter(|record| without_target(record) == 0).count();
    assert!(restarted > 8 && (1..20).contains(&from_the_start), "{restarted} {from_the_start}");
}

#[test]
fn evaluations_under_random_symmetries_are_a_function_of_the_seed() {
    let folder = tempfile::tempdir().unwrap();
    let evaluations = AtomicUsize::new(0);
    let games = |symmetry: EvaluationSymmetry, run_seed: u64, threads: usize| {
        let shard = folder.path().join(format!("{symmetry:?}-{run_seed}-{threads}"));
        let config = SelfPlayConfig { evaluation_symmetry: symmetry, ..config(8, 30) };
        let evaluator = || Counting { evaluations: &evaluations };
        let context = GameContext { run_seed, ..first(&config) };
        played::<ConnectFour, _>(&shard, context, threads, evaluator).records
    };
    let drawn = games(EvaluationSymmetry::Random, 3, 1);
    assert_eq!(drawn, games(EvaluationSymmetry::Random, 3, 2));
    assert_ne!(drawn, games(EvaluationSymmetry::Canonical, 3, 1));
}
