//! Spheres in reserve, patterns about to be completed, spheres that can climb, and what each action does to them.
//!
//! No side is ever threatened with an immediate win: when the apex can be filled, the side to move fills it, or has no
//! sphere left and has lost.

use super::Pylos;
use super::rules::Phase;
use super::support::supported;
use super::tables::{ACTIONS, APEX, ActionKind, CELLS, LEVEL_START, PATTERNS, PATTERNS_THROUGH};
use selfplay_registry::tactics::WINNING_HINT;
use selfplay_registry::{Action, Game, ImmediateWin, Side, Tactics};

/// A sphere in reserve: who runs out of them first does not reach the apex.
const RESERVE: i32 = 100;
/// A square or line that one sphere on a fillable cell completes: it gives back two spheres unless the opponent takes
/// the cell.
const THREAT: i32 = 45;
/// A sphere that can be raised now: a turn that costs no sphere.
const RAISABLE: i32 = 30;
/// A sphere on which nothing rests: it can come back to the reserve.
const FREE: i32 = 20;
/// A sphere above the bottom level: it rests on spheres that cannot come back before it.
const HIGH: i32 = 25;

/// Hints for a sphere that completes a square or line, that takes such a cell from the opponent, that is raised, and that
/// leaves a square or line one short.
const COMPLETE_HINT: i32 = 200;
const STOP_HINT: i32 = 120;
const RAISE_HINT: i32 = 60;
const PREPARE_HINT: i32 = 30;
/// For a sphere that lets the opponent complete a square or line on the level above.
const OPEN_HINT: i32 = -80;
/// For a removal of a sphere from a square or line that is one short.
const WASTE_HINT: i32 = -20;
/// For removing one sphere where two could go.
const STOP_REMOVING_HINT: i32 = -50;

impl Tactics for Pylos {
    /// Own terms minus the opponent's, in points:
    /// * Each sphere in reserve counts 100. Pending removals count as made.
    /// * Each square or line that lacks one sphere, on a cell that can be filled, counts 45.
    /// * Each free sphere that can be raised counts 30, each free sphere 20 and each sphere above the bottom level 25.
    fn heuristic(&self) -> i32 {
        let side = self.side_to_move();
        score(self, side) - score(self, side.opponent())
    }

    /// The apex, for who has a sphere in reserve. While the opponent has one as well, it cannot be left without a move.
    fn immediate_win(&self) -> ImmediateWin {
        let side = self.side_to_move();
        if self.phase() == Phase::Build && self.fillable() >> APEX & 1 == 1 && self.reserve(side) > 0 {
            return ImmediateWin::By(Action(u16::from(APEX)));
        }
        if self.reserve(side.opponent()) > 0 { ImmediateWin::None } else { ImmediateWin::Unknown }
    }

    /// Completed squares and lines, then cells taken from the opponent, raises and preparations.
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        let side = self.side_to_move();
        let (own, opponent) = (self.spheres(side), self.spheres(side.opponent()));
        let completing = self.completing(side.opponent());
        hints.clear();
        hints.extend(actions.iter().map(|&action| match ACTIONS[action.index()] {
            ActionKind::Place { to: APEX } => WINNING_HINT,
            ActionKind::Place { to } => self.build_hint(own, to, completing),
            ActionKind::Raise { from, to } => RAISE_HINT + self.build_hint(own & !(1 << from), to, completing),
            ActionKind::Remove { from } => {
                let is_one_short = |&pattern: &u32| (pattern & !own).is_power_of_two() && pattern & opponent == 0;
                let wasted = patterns_through(from).filter(is_one_short).count() as i32;
                WASTE_HINT * wasted
            }
            ActionKind::Stop => STOP_REMOVING_HINT,
        }));
    }
}

impl Pylos {
    /// The hint for a sphere on `to`, with `own` the other spheres of the side to move, where the cells
    /// `completing` are those that complete a pattern of the opponent's.
    fn build_hint(&self, own: u32, to: u8, completing: u32) -> i32 {
        let opponent = self.spheres(self.side_to_move().opponent());
        let after = own | 1 << to;
        let missing = |pattern: u32| (pattern & !after).count_ones();
        let completes = patterns_through(to).any(|pattern| missing(pattern) == 0);
        let prepared = patterns_through(to).filter(|&pattern| missing(pattern) == 1 && pattern & opponent == 0).count();
        let opened = supported(after | opponent) & !supported(own | opponent);
        let opens = completing & opened != 0;
        COMPLETE_HINT * i32::from(completes)
            + STOP_HINT * i32::from(completing >> to & 1 == 1)
            + PREPARE_HINT * prepared as i32
            + OPEN_HINT * i32::from(opens)
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
    let count = |cells: u32| cells.count_ones() as i32;
    let threats = PATTERNS.iter().filter(|&&pattern| is_threat(pattern & !own, fillable)).count() as i32;
    RESERVE * (position.reserve(side) as i32 + removals_due)
        + THREAT * threats
        + RAISABLE * count(position.raisable(side))
        + FREE * count(position.free(side))
        + HIGH * count(own >> LEVEL_START[1])
}

/// Whether the cells that a pattern lacks are one cell and it can be filled.
fn is_threat(missing: u32, fillable: u32) -> bool {
    missing.is_power_of_two() && missing & fillable != 0
}

/// The squares and lines that `cell` belongs to.
fn patterns_through(cell: u8) -> impl Iterator<Item = u32> {
    // Unused entries have more cells than the pyramid.
    PATTERNS_THROUGH[usize::from(cell)].into_iter().filter(|pattern| pattern >> CELLS == 0)
}
