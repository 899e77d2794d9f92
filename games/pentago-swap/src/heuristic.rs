//! Runs of five that are still open, on the board as it is and after each swap, and wins with one placement and swap.
//!
//! The opponent's wins if it were its turn say little: our action swaps quadrants too, and one more swap never reaches
//! the same arrangement. So no side counts as threatened here; searching such positions deeper costs more than it
//! finds. ([`tactics`] counts what two swaps reach.) Results are not settled early either: with a cell or two empty,
//! some arrangement still has room for five.

use super::PentagoSwap;
use super::arrangements::{RunCounts, count_halves, winning_placement};
use super::geometry::{CELLS, PAIR_COUNT, QUADRANT_CENTRES, RUNS_AFTER_SWAP};
use super::{chains, equivalence, tactics};
use selfplay_registry::tactics::{HEURISTIC_LIMIT, LOSING_HINT, WINNING_HINT};
use selfplay_registry::{Action, Game, ImmediateWin, Outcome, Tactics};

/// An open run with two stones, in one of the seven arrangements.
const TWO: i32 = 1;
/// An open run with three stones.
const THREE: i32 = 8;
/// An open run with four stones.
const FOUR: i32 = 32;
/// A stone in the middle of a quadrant: six runs cross it wherever the quadrant goes, which no other cell can say.
const CENTRE: i32 = 5;

/// A hint's parts: for each open run through the cell in the arrangement after the swap, by its stones and whose they
/// are.
const OWN_TWO_HINT: i32 = 2;
const OWN_THREE_HINT: i32 = 8;
const THEIR_THREE_HINT: i32 = 6;
const THEIR_FOUR_HINT: i32 = 30;

impl Tactics for PentagoSwap {
    /// Own terms minus the opponent's. On the board as it is and after each of the six swaps, a run of five without the
    /// other side's stone counts 1, 8 or 32 for two, three or four stones. A stone in the middle of a quadrant counts 5.
    fn heuristic(&self) -> i32 {
        let (own, opponent) = self.own_and_opponent();
        let arrangements = RunCounts::by_arrangement(own, opponent);
        let difference = |[own, opponent]: [i32; 2]| own - opponent;
        let runs = TWO * difference(count_halves(arrangements.map(RunCounts::open_twos)))
            + THREE * difference(count_halves(arrangements.map(RunCounts::open_threes)))
            + FOUR * difference(count_halves(arrangements.map(RunCounts::open_fours)));
        let centres = |stones: u64| (stones & QUADRANT_CENTRES).count_ones() as i32;
        let score = runs + CENTRE * (centres(own) - centres(opponent));
        score.clamp(1 - HEURISTIC_LIMIT, HEURISTIC_LIMIT - 1)
    }

    fn immediate_win(&self) -> ImmediateWin {
        let (own, opponent) = self.own_and_opponent();
        if own.count_ones() < 4 {
            return ImmediateWin::None;
        }
        let [_, after_swaps @ ..] = RunCounts::by_arrangement(own, opponent);
        match winning_placement(&after_swaps, own, opponent) {
            Some((bit, pair)) => ImmediateWin::By(self.canonical_action(Self::action(bit, pair))),
            None => ImmediateWin::None,
        }
    }

    /// Wins first, swaps that complete five for the opponent last, the rest by the open runs through the cell in the
    /// arrangement after the swap.
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        let (own, opponent) = self.own_and_opponent();
        let [_, after_swaps @ ..] = RunCounts::by_arrangement(own, opponent);
        let both = |runs: u64| [runs as u32, (runs >> 32) as u32];
        let by_pair = after_swaps.map(|counts| {
            (both(counts.open_twos()), both(counts.open_threes()), both(counts.open_fours()), both(counts.fives()))
        });
        hints.clear();
        hints.extend(actions.iter().map(|&action| {
            let (pair, cell) = (action.index() / CELLS % PAIR_COUNT, action.index() % CELLS);
            let (twos, threes, fours, fives) = by_pair[pair];
            let through = RUNS_AFTER_SWAP[pair][cell];
            let count = |runs: u32| (runs & through).count_ones() as i32;
            let completes = fives[0] != 0 || fours[0] & through != 0;
            match (completes, fives[1] != 0) {
                (true, false) => WINNING_HINT,
                (false, true) => 2 * LOSING_HINT,
                _ => {
                    OWN_TWO_HINT * count(twos[0])
                        + OWN_THREE_HINT * count(threes[0])
                        + THEIR_THREE_HINT * count(threes[1])
                        + THEIR_FOUR_HINT * count(fours[1])
                }
            }
        }));
    }

    fn tactical_outcome(&self) -> Option<Outcome> {
        tactics::foresee(self).break_value()
    }

    fn threat_outcome(&self) -> Option<Outcome> {
        chains::threat_outcome(self)
    }

    fn non_losing_actions(&self, actions: &mut Vec<Action>) {
        equivalence::distinct_actions(self, actions);
        if self.outcome.is_none() {
            tactics::retain_tenable(self, actions);
        }
    }
}
