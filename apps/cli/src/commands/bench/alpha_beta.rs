//! What alpha-beta reaches in a given time, on twenty fixed, even positions of each game, and what a second thread adds.
//!
//! Every position is searched once in each manner; the positions are the sample, so rounds play no part.

use std::time::Instant;

use selfplay_arena::OpeningSuite;
use selfplay_env::rng::rng_for;
use selfplay_env::{ImmediateWin, Position};
use selfplay_players::{AlphaBetaConfig, AlphaBetaLimits, SolveConfig};
use selfplay_registry::GameRef;

use super::measure::{Bench, Report, median};
use crate::error::CliError;

const SECTION: &str = "alphabeta";
/// The games measured, and the figures that are compared with targets: positions in a second, and how much sooner two
/// threads are at the same depth.
const GAMES: [(&str, &str, &str); 6] = [
    ("pentago-swap", "alphabeta_pentago_swap", "alphabeta_threads2_pentago_swap"),
    ("pylos", "alphabeta_pylos", "alphabeta_threads2_pylos"),
    ("pente", "alphabeta_pente", "alphabeta_threads2_pente"),
    ("sum15-4", "alphabeta_sum15_4", "alphabeta_threads2_sum15_4"),
    ("sum15-6", "alphabeta_sum15_6", "alphabeta_threads2_sum15_6"),
    ("connect4", "alphabeta_connect4", "alphabeta_threads2_connect4"),
];
const POSITIONS: usize = 20;
/// Random moves that lead to them.
const OPENING_PLIES: [usize; 4] = [2, 4, 6, 8];
/// Where the connect4 solver is measured.
const SOLVER_PLY: usize = 20;

/// Measures all games, then the solver.
pub fn measure(bench: &Bench, report: &mut Report) -> Result<(), CliError> {
    for (game, rate, threads) in GAMES {
        let Ok(known) = bench.games.find(game) else { continue };
        tracing::info!("alpha-beta in {game}");
        let found = search_positions(known, bench.seconds)?;
        report.row(SECTION, format!("{game}, one thread"), found.nodes_per_second, "positions/s");
        report.row(SECTION, format!("{game}, depth in {} s, median", bench.seconds), found.depth, "plies");
        report.row(SECTION, format!("{game}, branching factor"), found.branching, "");
        report.row(SECTION, format!("{game}, two threads: positions"), found.two_threads_nodes, "times");
        report.row(SECTION, format!("{game}, two threads: sooner at that depth"), found.two_threads_time, "times");
        report.ratio(rate, found.nodes_per_second);
        report.ratio(threads, found.two_threads_time);
    }
    let Ok(connect4) = bench.games.find("connect4") else { return Ok(()) };
    let milliseconds = solver_milliseconds(connect4)?;
    report.row(SECTION, format!("connect4 solved from ply {SOLVER_PLY}, median"), milliseconds, "ms");
    report.ratio("solve_connect4_ms", milliseconds);
    Ok(())
}

struct ReachedDepth {
    nodes_per_second: f64,
    /// Median of the last depths finished.
    depth: f64,
    /// Geometric mean of the growth from one depth to the next.
    branching: f64,
    /// Positions in a second with two threads, over those with one.
    two_threads_nodes: f64,
    /// Time of one thread over that of two to the same depths.
    two_threads_time: f64,
}

/// Searches the positions of a game, each for so many seconds.
fn search_positions(game: GameRef, seconds: f64) -> Result<ReachedDepth, CliError> {
    let time_ms = (1000.0 * seconds).max(1.0) as u64;
    let timed = |threads| AlphaBetaConfig {
        threads,
        ..AlphaBetaConfig::full(AlphaBetaLimits { time_ms: Some(time_ms), ..AlphaBetaLimits::default() })
    };
    let to_depth = |depth, threads| AlphaBetaConfig { threads, ..AlphaBetaConfig::full(AlphaBetaLimits::depth(depth)) };
    let (mut one, mut two, mut to_depth_one, mut to_depth_two) = (Sums::default(), Sums::default(), 0.0, 0.0);
    for position in positions(game)? {
        let depth = one.search(game, &*position, timed(1))?;
        two.search(game, &*position, timed(2))?;
        let (mut single, mut both) = (Sums::default(), Sums::default());
        single.search(game, &*position, to_depth(depth.max(1), 1))?;
        both.search(game, &*position, to_depth(depth.max(1), 2))?;
        to_depth_one += single.seconds;
        to_depth_two += both.seconds;
    }
    let branching =
        if one.growths.is_empty() { 1.0 } else { one.growths.iter().sum::<f64>() / one.growths.len() as f64 };
    Ok(ReachedDepth {
        nodes_per_second: one.nodes / one.seconds,
        depth: median(one.depths.clone()),
        branching: branching.exp(),
        two_threads_nodes: two.nodes / two.seconds / (one.nodes / one.seconds),
        two_threads_time: to_depth_one / to_depth_two,
    })
}

/// What some searches add up to.
#[derive(Default)]
struct Sums {
    nodes: f64,
    seconds: f64,
    depths: Vec<f64>,
    /// Logarithms of the growth of the positions reached from each depth to the next.
    growths: Vec<f64>,
}

impl Sums {
    /// Searches `position` of `game` and returns the last depth that was finished.
    fn search(&mut self, game: GameRef, position: &dyn Position, config: AlphaBetaConfig) -> Result<u32, CliError> {
        let start = Instant::now();
        let (mut last, mut own) = (0.0, 0.0);
        let report = game.alpha_beta(position, &config, &mut |report| {
            // Nodes are counted over all depths: the difference is what this one cost.
            let cost = report.nodes as f64 - last;
            if own > 0.0 && cost > 0.0 {
                self.growths.push((cost / own).ln());
            }
            (last, own) = (report.nodes as f64, cost);
        })?;
        self.seconds += start.elapsed().as_secs_f64();
        self.nodes += report.nodes as f64;
        self.depths.push(report.depth.into());
        Ok(report.depth)
    }
}

/// The fixed positions: as many even ones of each length.
fn positions(game: GameRef) -> Result<Vec<Box<dyn Position>>, CliError> {
    let mut found = Vec::new();
    for actions in OPENING_PLIES {
        let mut suite = OpeningSuite::new(game, actions, 1);
        let openings = suite.draw(POSITIONS / OPENING_PLIES.len())?;
        found.extend(openings.iter().map(|opening| game.after(&opening.actions)));
    }
    Ok(found)
}

/// Median time to solve a connect4 position with twenty discs and no immediate win, in milliseconds.
fn solver_milliseconds(connect4: GameRef) -> Result<f64, CliError> {
    let mut times = Vec::new();
    let mut seed = 0;
    while times.len() < 5 * POSITIONS {
        let mut position = connect4.initial();
        let made = position.play_random(SOLVER_PLY, &mut rng_for(&[seed])).len();
        seed += 1;
        let is_open = made == SOLVER_PLY && position.outcome().is_none();
        if is_open && position.immediate_win() == ImmediateWin::None {
            let start = Instant::now();
            let config = SolveConfig { memory_mib: 64, ..SolveConfig::default() };
            connect4.solve(&*position, SOLVER_PLY, &config, &mut |_| ())?;
            times.push(1000.0 * start.elapsed().as_secs_f64());
        }
    }
    Ok(median(times))
}
