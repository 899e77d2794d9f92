//! Spheres in reserve, patterns about to be completed, spheres that can climb.

use super::Pylos;
use super::rules::Phase;
use super::tables::PATTERNS;
use crate::{Game, Heuristic, Side};

/// A sphere in reserve: who runs out of them first does not reach the apex.
const RESERVE: i32 = 100;
/// A square or line that one sphere on a fillable cell completes: it gives back two spheres unless the opponent takes
/// the cell.
const THREAT: i32 = 30;
/// A sphere that can be raised now: a turn that costs no sphere.
const RAISABLE: i32 = 15;

impl Heuristic for Pylos {
    /// Own terms minus the opponent's. Each side has
    /// 100 for each sphere in reserve, where removals that are due count as made;
    /// 30 for each square or line that lacks one sphere, on a cell that can be filled;
    /// 15 for each free sphere that can be raised.
    fn heuristic(&self) -> i32 {
        let side = self.side_to_move();
        score(self, side) - score(self, side.opponent())
    }
}

fn score(position: &Pylos, side: Side) -> i32 {
    let removals_due = match position.phase() {
        _ if side != position.side_to_move() => 0,
        Phase::Build => 0,
        Phase::FirstRemoval => 2,
        Phase::SecondRemoval => 1,
    };
    let own = position.spheres(side);
    let fillable = position.fillable();
    let threats = PATTERNS.iter().filter(|&&pattern| is_threat(pattern & !own, fillable)).count() as i32;
    RESERVE * (position.reserve(side) as i32 + removals_due)
        + THREAT * threats
        + RAISABLE * position.raisable(side).count_ones() as i32
}

/// Whether the cells that a pattern lacks are one cell and it can be filled.
fn is_threat(missing: u32, fillable: u32) -> bool {
    missing.is_power_of_two() && missing & fillable != 0
}
