//! Decisions made in a second by perft, each a call of `play` on a copy of the position.

use std::time::Instant;

use selfplay_env::perft::{PerftCount, perft};
use selfplay_env::registry::GAME_IDS;
use selfplay_env::{GameVisitor, PlayableGame, with_game};

use super::measure::{Bench, Rate, Report};

/// Names of the figures that are compared with targets.
const TARGETS: [(&str, &str); 4] = [
    ("connect4", "perft_connect4"),
    ("pentago-swap", "perft_pentago_swap"),
    ("pylos", "perft_pylos"),
    ("pente", "perft_pente"),
];

/// Measures every registered game from its initial position.
pub fn measure(bench: &Bench, report: &mut Report) {
    let mut rates: Vec<Rate<'_>> = Vec::new();
    for id in GAME_IDS {
        rates.push(Box::new(move || with_game(id, Speed { seconds: bench.seconds }).expect("the registry's own id")));
    }
    for (id, rate) in GAME_IDS.iter().zip(bench.medians(&mut rates)) {
        report.row("env", format!("{id}, perft"), rate, "decisions/s");
        if let Some((_, name)) = TARGETS.iter().find(|&(game, _)| *game == *id) {
            report.ratio(name, rate);
        }
    }
}

struct Speed {
    seconds: f64,
}

impl GameVisitor for Speed {
    type Output = f64;

    /// Goes deeper and deeper until a perft takes long enough to be measured.
    fn visit<G: PlayableGame>(self) -> f64 {
        let mut depth = 1;
        loop {
            let start = Instant::now();
            let PerftCount { decisions, .. } = perft(&G::initial(), depth);
            let seconds = start.elapsed().as_secs_f64();
            if seconds > self.seconds / 8.0 || G::MAX_DECISIONS.is_some_and(|most| depth >= most) {
                return decisions as f64 / seconds;
            }
            depth += 1;
        }
    }
}
