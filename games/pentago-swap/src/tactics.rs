//! Results that the next three plies decide, found without searching them.
//!
//! An action swaps one pair. After two actions of the side to move and one of the other side, the quadrants therefore
//! lie in one of twelve permutations, known beforehand ([`permutations`](super::permutations)). In each, a run with
//! four stones lacks one cell. The defender has one stone to keep the other side from completing five. If two different
//! cells complete five, whatever is swapped, one of them is left. So counting cells finds every action that may decide
//! the game. It also proves it, unless the defender has four in a run itself. An answer may then complete five in
//! passing, so the position after the action is counted as well.

use super::PentagoSwap;
use super::arrangements::{OWN, RunCounts, Shares, winning_placement};
use super::geometry::{PAIR_COUNT, bits};
use super::permutations::{EVEN, ODD, PARITY_COUNT, Permutation};
use selfplay_registry::{Action, Game, Outcome};
use std::ops::ControlFlow;

/// A position that the next three plies do not decide: the input of the threat-space search.
pub(super) struct OpenPosition {
    answers: Answers,
    /// None with fewer than three stones.
    completions: Option<Completions>,
}

/// The outcome that the next three plies of `position` decide. The game is over, or the side to move wins at once,
/// loses to the opponent's next action or wins with its own second one, whatever is played. Exact, and complete.
pub(super) fn foresee(position: &PentagoSwap) -> ControlFlow<Outcome, OpenPosition> {
    if let Some(outcome) = position.outcome {
        return ControlFlow::Break(outcome);
    }
    let side = position.side_to_move();
    let runs = Runs::new(position);
    if runs.wins_at_once() {
        return ControlFlow::Break(Outcome::Win(side));
    }
    let after_two_swaps = runs.after_two_swaps();
    let answers = Answers::new(&runs, &after_two_swaps);
    if answers.fail() {
        return ControlFlow::Break(Outcome::Win(side.opponent()));
    }
    let completions = (runs.own.count_ones() >= 3).then(|| Completions::new(&runs, &after_two_swaps));
    match &completions {
        Some(completions) if completions.force(position) => ControlFlow::Break(Outcome::Win(side)),
        _ => ControlFlow::Continue(OpenPosition { answers, completions }),
    }
}

impl OpenPosition {
    /// The actions of the side to move that keep the opponent from winning at once, if it threatens to whatever
    /// pair is swapped. `None` where some swap leaves no threat.
    pub(super) fn answers(&self) -> Option<Vec<Action>> {
        self.answers.to_threat()
    }

    /// The actions of the side to move after which it threatens to win with its next one, whatever pair the opponent swaps;
    /// first those that leave an answer after the fewest swaps.
    pub(super) fn attacks(&self) -> Vec<Action> {
        let Some(completions) = &self.completions else { return Vec::new() };
        let mut attacks = Vec::new();
        for bit in bits(completions.cells_at_most(1)) {
            let [threatened, unanswered] = completions.threatened_after(bit);
            for pair in (0..PAIR_COUNT).filter(|&pair| ODD[pair].neighbours & !threatened == 0) {
                let answered_swaps = (ODD[pair].neighbours & !unanswered).count_ones();
                attacks.push((answered_swaps, PentagoSwap::action(bit, pair)));
            }
        }
        attacks.sort_unstable();
        attacks.into_iter().map(|(_, action)| action).collect()
    }
}

/// [`OpenPosition::answers`] of any position: `None` as well where it is over or the side to move wins at once.
pub(super) fn answers(position: &PentagoSwap) -> Option<Vec<Action>> {
    let runs = Runs::new(position);
    match position.outcome.is_some() || runs.wins_at_once() {
        true => None,
        false => Answers::new(&runs, &runs.after_two_swaps()).to_threat(),
    }
}

/// Leaves out those of `actions`, the distinct ones of a running position, that lose at once or let the opponent win at
/// once; none, if they all do.
pub(super) fn retain_tenable(position: &PentagoSwap, actions: &mut Vec<Action>) {
    let runs = Runs::new(position);
    let answers = Answers::new(&runs, &runs.after_two_swaps());
    if answers.cells == [position.empty_cells(); PAIR_COUNT] {
        return;
    }
    let is_tenable = |&action: &Action| answers.include(action);
    if actions.iter().any(is_tenable) {
        actions.retain(is_tenable);
    }
}

/// The cells on which one more stone of `own` completes five where the quadrants lie as in `permutation`; all that are
/// empty if five are there already.
fn completing_cells(counts: RunCounts, permutation: &Permutation, own: u64, empty: u64) -> u64 {
    if counts.fives() & OWN != 0 {
        return empty;
    }
    bits(counts.open_fours() & OWN).fold(0, |cells, run| cells | permutation.runs[run] & !own)
}

/// A position's stones in every run, wherever the quadrants lie after one swap, and what those after more are counted from.
struct Runs {
    own: u64,
    opponent: u64,
    empty: u64,
    shares: Shares,
    /// `[odd]`: after one swap; the first of the odd permutations.
    after_swap: [RunCounts; PAIR_COUNT],
}

impl Runs {
    #[inline]
    fn new(position: &PentagoSwap) -> Runs {
        let (own, opponent) = position.own_and_opponent();
        let shares = Shares::new(own, opponent);
        let after_swap = std::array::from_fn(|pair| shares.counts(ODD[pair].quadrants));
        Runs { own, opponent, empty: position.empty_cells(), shares, after_swap }
    }

    /// Whether the side to move wins with this action.
    fn wins_at_once(&self) -> bool {
        winning_placement(&self.after_swap, self.own, self.opponent).is_some()
    }

    /// `[even]`: after two swaps.
    #[inline]
    fn after_two_swaps(&self) -> [RunCounts; PARITY_COUNT] {
        std::array::from_fn(|even| self.shares.counts(EVEN[even].quadrants))
    }

    /// After three swaps, or one: in the odd permutation of this index.
    #[inline]
    fn after_three_swaps(&self, odd: usize) -> RunCounts {
        match self.after_swap.get(odd) {
            Some(&counts) => counts,
            None => self.shares.counts(ODD[odd].quadrants),
        }
    }
}

/// What the side to move can do against what the opponent completes with the action after.
struct Answers {
    /// `[pair]`: if that pair is swapped, the cells on which a stone neither loses at once nor lets the opponent win at once.
    cells: [u64; PAIR_COUNT],
    /// Whether the opponent completes something whatever pair is swapped.
    is_threatened: bool,
}

impl Answers {
    #[inline]
    fn new(runs: &Runs, after_two_swaps: &[RunCounts; PARITY_COUNT]) -> Self {
        let &Runs { own, opponent, empty, .. } = runs;
        if opponent.count_ones() < 4 {
            return Answers { cells: [empty; PAIR_COUNT], is_threatened: false };
        }
        // `[even]`: whether the opponent completes five once it has swapped, and on which cells a stone is enough against it: on
        // the one cell where it does, or where one completes five in passing, which makes a draw.
        let after_opponent: [(bool, u64); PARITY_COUNT] = std::array::from_fn(|even| {
            let counts = after_two_swaps[even];
            let completing = completing_cells(counts.exchanged(), &EVEN[even], opponent, empty);
            match completing.count_ones() {
                0 => (false, empty),
                1 => (true, completing | completing_cells(counts, &EVEN[even], own, empty)),
                _ => (true, completing_cells(counts, &EVEN[even], own, empty)),
            }
        });
        let is_last = empty.count_ones() < 2;
        let mut is_threatened = true;
        let cells = std::array::from_fn(|pair| {
            let (counts, permutation) = (runs.after_swap[pair], &ODD[pair]);
            let decides = completing_cells(counts, permutation, own, empty);
            if counts.exchanged().fives() & OWN != 0 {
                return decides;
            }
            let (completes, enough) = bits(permutation.neighbours).fold((false, empty), |(completes, enough), even| {
                let (completes_there, enough_there) = after_opponent[even];
                (completes | completes_there, enough & enough_there)
            });
            is_threatened &= completes;
            if is_last { empty } else { decides | enough }
        });
        Answers { cells, is_threatened }
    }

    /// Whether each action of the side to move loses at once or lets the opponent win at once.
    fn fail(&self) -> bool {
        self.cells == [0; PAIR_COUNT]
    }

    /// [`OpenPosition::answers`].
    fn to_threat(&self) -> Option<Vec<Action>> {
        self.is_threatened.then(|| {
            let actions = |(pair, cells)| bits(cells).map(move |bit| PentagoSwap::action(bit, pair));
            self.cells.into_iter().enumerate().flat_map(actions).collect()
        })
    }

    /// Whether `action` leaves the opponent nothing to win with at once.
    fn include(&self, action: Action) -> bool {
        let (pair, bit) = PentagoSwap::pair_and_bit(action);
        self.cells[pair] >> bit & 1 == 1
    }
}

/// What a side completes with its second action, by where the quadrants lie then, or before it.
struct Completions {
    /// `[odd]`: the cells that complete five there, with the stones that are there now.
    single: [u64; PARITY_COUNT],
    /// `[odd]`: the runs that lack two cells.
    open_threes: [u64; PARITY_COUNT],
    /// `[even]`: the cells that complete five where the quadrants lie after the opponent's swap, which then loses.
    passed: [u64; PARITY_COUNT],
    /// Whether the opponent might complete five with one stone, or the board be full before three plies are made.
    can_opponent_complete: bool,
    own: u64,
    empty: u64,
}

impl Completions {
    #[inline]
    fn new(runs: &Runs, after_two_swaps: &[RunCounts; PARITY_COUNT]) -> Self {
        let &Runs { own, empty, .. } = runs;
        let (mut single, mut open_threes) = ([0; PARITY_COUNT], [0; PARITY_COUNT]);
        let mut passed = [0; PARITY_COUNT];
        let mut advanced = 0;
        for index in 0..PARITY_COUNT {
            let (odd, even) = (&ODD[index], &EVEN[index]);
            let counts = runs.after_three_swaps(index);
            single[index] = completing_cells(counts, odd, own, empty);
            open_threes[index] = counts.open_threes() & OWN;
            advanced |= counts.open_fours() | counts.fives();
            let counts = after_two_swaps[index];
            passed[index] = completing_cells(counts, even, own, empty);
            advanced |= counts.open_fours() | counts.fives();
        }
        let can_opponent_complete = advanced & !OWN != 0 || empty.count_ones() < 3;
        Completions { single, open_threes, passed, can_opponent_complete, own, empty }
    }

    /// Whether the side to move at `position` has an action after which the opponent loses whatever it does, with its next
    /// action or to the one after.
    fn force(&self, position: &PentagoSwap) -> bool {
        bits(self.cells_at_most(2)).any(|bit| {
            let [_, unanswered] = self.threatened_after(bit);
            (0..PAIR_COUNT).any(|pair| {
                if ODD[pair].neighbours & !unanswered != 0 {
                    return false;
                }
                if !self.can_opponent_complete {
                    return true;
                }
                let mut after = *position;
                after.play(PentagoSwap::action(bit, pair));
                let runs = Runs::new(&after);
                after.outcome.is_none() && !runs.wins_at_once() && Answers::new(&runs, &runs.after_two_swaps()).fail()
            })
        })
    }

    /// Cells among which are all those with at least `least` completions (1 or 2) whatever the opponent swaps, once some pair
    /// is swapped. Quick, because it counts two runs that lack the same two cells as two completions.
    fn cells_at_most(&self, least: usize) -> u64 {
        // Cells that at least one, and at least two of the runs in each odd permutation lack.
        let lacking: [[u64; 2]; PARITY_COUNT] = std::array::from_fn(|odd| {
            bits(self.open_threes[odd]).fold([0, 0], |[once, twice], run| {
                let missing = ODD[odd].runs[run] & !self.own;
                [once | missing, twice | once & missing]
            })
        });
        let enough: [u64; PARITY_COUNT] = std::array::from_fn(|even| {
            let (mut single, mut once, mut twice) = (0, 0, 0);
            for odd in bits(EVEN[even].neighbours) {
                single |= self.single[odd];
                twice |= lacking[odd][1] | once & lacking[odd][0];
                once |= lacking[odd][0];
            }
            // By how many complete five without the stone.
            let by_count = [twice, once | single, self.empty, self.empty];
            by_count[single.count_ones().min(2) as usize + 2 - least] | self.passed[even]
        });
        let once_swapped =
            |after: &Permutation| bits(after.neighbours).fold(self.empty, |cells, even| cells & enough[even]);
        ODD[..PAIR_COUNT].iter().fold(0, |cells, after| cells | once_swapped(after))
    }

    /// After one more own stone on the cell with number `bit`: the even permutations (bit = index) in which some cell completes
    /// five, and those in which no single stone of the opponent is enough against it.
    fn threatened_after(&self, bit: usize) -> [u64; 2] {
        let stone = 1 << bit;
        let cells: [u64; PARITY_COUNT] = std::array::from_fn(|odd| {
            bits(self.open_threes[odd]).fold(self.single[odd], |cells, run| {
                let missing = ODD[odd].runs[run] & !self.own;
                if missing & stone == 0 { cells } else { cells | missing ^ stone }
            })
        });
        (0..PARITY_COUNT).fold([0, 0], |[threatened, unanswered], even| {
            let complete = bits(EVEN[even].neighbours).fold(0, |all, odd| all | cells[odd]);
            let is_five = (complete | self.passed[even]) & stone != 0;
            let is_at_least = |cells: u32| u64::from(is_five || complete.count_ones() >= cells) << even;
            [threatened | is_at_least(1), unanswered | is_at_least(2)]
        })
    }
}
