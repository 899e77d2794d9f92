//! Prints how often the 95 % intervals of ratings cover the truth, and whether ratings shrink, over simulated leagues.
//!
//! ```text
//! cargo run --release -p selfplay-ratings --example rating_coverage [LEAGUES]
//! ```

#![allow(clippy::print_stdout, reason = "a table on standard output is all it is for")]

#[path = "../tests/it/simulated_league.rs"]
mod simulated_league;

use std::time::Instant;

use simulated_league::{Design, Measured, Schedule, measure};

const PAIRS: [u32; 6] = [1, 2, 4, 10, 20, 50];
/// Share of draws, advantage of the first move and share of pairs that the opening decides.
const GAMES: [(f64, f64, f64); 3] = [(0.0, 0.0, 0.0), (0.4, 100.0, 0.0), (0.0, 0.0, 0.7)];
const SCHEDULES: [(Schedule, &[usize]); 4] = [
    (Schedule::Full, &[2, 3, 6, 12, 40, 60]),
    (Schedule::Neighbours, &[12, 40, 60]),
    (Schedule::Gauntlet, &[6, 12, 40]),
    (Schedule::Run, &[12, 40, 60]),
];
const SAMPLES: usize = 500;

fn main() {
    let leagues = std::env::args().nth(1).map_or(400, |text| text.parse().expect("a number of leagues"));
    println!("| schedule | players | pairs | draws | first move | openings | to anchor | pairwise | slope | seconds |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (schedule, sizes) in SCHEDULES {
        for (&players, (draw_share, first_player_elo, opening_share)) in
            sizes.iter().flat_map(|players| GAMES.map(|games| (players, games)))
        {
            for pairs in PAIRS {
                let design = Design { players, schedule, pairs, draw_share, first_player_elo, opening_share };
                let start = Instant::now();
                // Small leagues hold few intervals.
                let leagues = leagues * 12u64.div_ceil(players as u64);
                let Measured { anchor_coverage, pair_coverage, slope } = measure(&design, leagues, SAMPLES);
                println!(
                    "| {schedule:?} | {players} | {pairs} | {:.0} % | {first_player_elo} | {:.0} % | {:.1} % | \
                     {:.1} % | {slope:.3} | {:.1} |",
                    100.0 * draw_share,
                    100.0 * opening_share,
                    100.0 * anchor_coverage,
                    100.0 * pair_coverage,
                    start.elapsed().as_secs_f64(),
                );
            }
        }
    }
}
