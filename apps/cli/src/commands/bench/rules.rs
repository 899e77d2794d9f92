//! Actions played in a second by perft, each a call of `play` on a copy of the position.

use std::time::Instant;

use selfplay_env::Rules;
use selfplay_env::perft::PerftCount;

use super::measure::{Bench, Rate, Report};

/// Names of the figures that are compared with targets.
const TARGETS: [(&str, &str); 4] = [
    ("connect4", "perft_connect4"),
    ("pentago-swap", "perft_pentago_swap"),
    ("pylos", "perft_pylos"),
    ("pente", "perft_pente"),
];

/// Measures every game of the program from its initial position.
pub fn measure(bench: &Bench, report: &mut Report) {
    let mut rates: Vec<Rate<'_>> = Vec::new();
    for game in bench.games.iter() {
        rates.push(Box::new(move || actions_rate(game, bench.seconds / 8.0)));
    }
    for (game, rate) in bench.games.iter().zip(bench.medians(&mut rates)) {
        report.row("env", format!("{}, perft", game.id()), rate, "actions/s");
        if let Some((_, name)) = TARGETS.iter().find(|&&(id, _)| id == game.id()) {
            report.ratio(*name, rate);
        }
    }
}

/// Goes deeper and deeper until a perft takes more than so many seconds.
fn actions_rate(rules: &dyn Rules, long_enough: f64) -> f64 {
    let mut depth = 1;
    loop {
        let start = Instant::now();
        let PerftCount { actions, .. } = rules.initial().perft(depth);
        let seconds = start.elapsed().as_secs_f64();
        if seconds > long_enough || rules.max_plies().is_some_and(|most| depth >= most) {
            return actions as f64 / seconds;
        }
        depth += 1;
    }
}
