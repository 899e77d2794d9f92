//! Checks whether two machines compute bit-identical results: each plays a few actions, and the games are compared.
//!
//! The name of a CPU does not decide that. Its vector width, the system's maths library and the program do. So the
//! probe compares the computation that tasks will request.

use selfplay_mcts::{EvaluationCache, Network};
use selfplay_pipeline::RunConfig;
use selfplay_registry::GameRef;
use selfplay_train::shard::shard_bytes;
use selfplay_train::{Actors, Batching, GameContext, GameRange, SelfPlayConfig, ShardHeader, StartConfig};

use crate::packing::digest;
use crate::wire::Announcement;

/// Games of the probe, their actions, and the simulations of each, at most: a part of a second.
const GAMES: u32 = 2;
const PLIES: u32 = 16;
const SIMULATIONS: u32 = 48;

/// Hash of a few actions that are played as the run of `config` plays, with `network`.
pub fn probe(game: GameRef, config: &RunConfig, network: &dyn Network) -> String {
    let selfplay = &config.selfplay;
    let shortened = SelfPlayConfig {
        games_per_generation: GAMES,
        concurrent_games: GAMES,
        num_simulations: selfplay.num_simulations.min(SIMULATIONS),
        initial_num_simulations: 0,
        playout_cap_fast_visits: selfplay.playout_cap_fast_visits.min(SIMULATIONS),
        max_plies: selfplay.max_plies.min(PLIES),
        starts: StartConfig { go_exploit_prob: 0.0, ..selfplay.starts },
        ..selfplay.clone()
    };
    let context = GameContext { config: &shortened, run_seed: config.seed, generation: 1, earlier: &[] };
    let actors = Actors { threads: 1, batching: Batching::PerThread, cache: &EvaluationCache::new(0) };
    let queue = GameRange::new(0..GAMES);
    game.play_games(network, context, actors, &queue);
    let records = queue.into_records();
    digest(&shard_bytes(&ShardHeader::new(game, config.seed, 1), &records))
}

/// The admission hash that a result must carry to be considered. It shows that the worker computes as the run's learner
/// does or, where machines may be mixed, has the same program. `probe` is the hash that this machine computed.
pub fn admission(run: &Announcement, probe: &str, is_mixed: bool) -> String {
    let Announcement { protocol, version, game, encoding_version, engine_version, .. } = run;
    let probe = if is_mixed { "" } else { probe };
    digest(format!("{protocol} {version} {game} {encoding_version} {engine_version} {probe}").as_bytes())
}

/// The kind of this machine's CPU, for people.
pub fn cpu_kind() -> String {
    #[cfg(target_arch = "x86_64")]
    let vectors = if std::arch::is_x86_feature_detected!("avx512f") {
        " with AVX-512"
    } else if std::arch::is_x86_feature_detected!("avx2") {
        " with AVX2"
    } else {
        ""
    };
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = "";
    format!("{}, {}{vectors}", selfplay_pipeline::provenance::cpu_name(), std::env::consts::ARCH)
}
