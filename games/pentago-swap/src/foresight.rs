//! Results that the next three decisions decide, found without searching them.
//!
//! A decision swaps one pair, so where the quadrants lie when the side to move has decided twice, and the other once, is
//! one of twelve permutations, known beforehand ([`permutations`](super::permutations)). In each, a run with four stones
//! lacks one cell. Whoever must keep the other from completing five has one stone for it: where two different cells
//! complete, whatever is swapped, one of them is left. So counting cells finds every decision that may decide the game.
//! It proves it as well, unless the other side has four in a run itself: an answer may then complete five in passing, and
//! all answers are tried.

use super::PentagoSwap;
use super::arrangements::{OWN, RunCounts, Shares};
use super::geometry::{BOARD, PAIR_COUNT, bits};
use super::heuristic::winning_placement;
use super::permutations::{EVEN, ODD, PARITY_COUNT, Permutation};
use selfplay_kit::{Action, Game, Outcome};

/// The result of a running position whose side to move cannot win at once, if it loses to the opponent's next decision
/// or wins with its own second one, whatever is played. Exact, and complete.
pub(super) fn forced_outcome(position: &PentagoSwap) -> Option<Outcome> {
    let (own, opponent) = position.own_and_opponent();
    let side = position.side_to_move();
    let answers = Answers::of(own, opponent);
    if answers.cells == [0; PAIR_COUNT] && (answers.doubtful == 0 || loses_next(position)) {
        return Some(Outcome::Win(side.opponent()));
    }
    has_forcing_decision(position, own, opponent).then_some(Outcome::Win(side))
}

/// Leaves out those of `actions`, the distinct ones of a running position, that lose at once or let the opponent win at
/// once; none, if they all do.
pub(super) fn retain_tenable(position: &PentagoSwap, actions: &mut Vec<Action>) {
    let (own, opponent) = position.own_and_opponent();
    let answers = Answers::of(own, opponent);
    if answers.cells == [position.empty_cells(); PAIR_COUNT] {
        return;
    }
    let is_tenable = |&action: &Action| answers.include(position, action);
    if actions.iter().any(is_tenable) {
        actions.retain(is_tenable);
    }
}

/// The decisions of the side to move, which cannot win at once, that keep the opponent from winning at once, if it threatens to
/// whatever pair is swapped. `None` where some swap leaves no threat.
pub(super) fn answers(position: &PentagoSwap) -> Option<Vec<Action>> {
    let (own, opponent) = position.own_and_opponent();
    let answers = Answers::of(own, opponent);
    let empty = position.empty_cells();
    if answers.cells.contains(&empty) {
        return None;
    }
    let mut actions = Vec::new();
    for (pair, cells) in answers.cells.into_iter().enumerate() {
        let decisions = bits(cells | answers.doubtful).map(|bit| PentagoSwap::action(bit, pair));
        actions.extend(decisions.filter(|&action| answers.include(position, action)));
    }
    Some(actions)
}

/// The decisions of the side to move after which it threatens to win with its next one, whatever pair the opponent swaps; first
/// those that leave an answer after the fewest swaps.
pub(super) fn attacks(position: &PentagoSwap) -> Vec<Action> {
    let (own, opponent) = position.own_and_opponent();
    if own.count_ones() < 3 {
        return Vec::new();
    }
    let completions = Completions::of(own, opponent);
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

/// Whether each decision of the side to move, which cannot win at once, loses at once or lets the opponent win at once.
fn loses_next(position: &PentagoSwap) -> bool {
    let decisions = |bit: usize| (0..PAIR_COUNT).map(move |pair| PentagoSwap::action(bit, pair));
    bits(position.empty_cells()).flat_map(decisions).all(|action| loses_by(position, action))
}

/// Whether `action` loses at once or lets the opponent win at once.
fn loses_by(position: &PentagoSwap, action: Action) -> bool {
    let mut after = *position;
    after.play(action);
    let (opponent, own) = after.own_and_opponent();
    let opponent_wins = Outcome::Win(position.side_to_move().opponent());
    after.outcome.map_or_else(|| winning_placement(opponent, own).is_some(), |outcome| outcome == opponent_wins)
}

/// The cells on which one more stone of `own` completes five where the quadrants lie as in `permutation`; all that are
/// empty if five are there already.
fn completing_cells(counts: RunCounts, permutation: &Permutation, own: u64, empty: u64) -> u64 {
    if counts.fives() & OWN != 0 {
        return empty;
    }
    bits(counts.open_fours() & OWN).fold(0, |cells, run| cells | permutation.runs[run] & !own)
}

/// What the side to move can do against what the opponent completes with the decision after.
struct Answers {
    /// `[pair]`: if that pair is swapped, the cells on which a stone leaves nothing to complete.
    cells: [u64; PAIR_COUNT],
    /// The cells on which a stone may do as well, because it completes five in passing or fills the board.
    doubtful: u64,
}

impl Answers {
    fn of(own: u64, opponent: u64) -> Self {
        let empty = BOARD & !(own | opponent);
        if opponent.count_ones() < 4 {
            return Answers { cells: [empty; PAIR_COUNT], doubtful: 0 };
        }
        let shares = Shares::of(opponent, own);
        let mut doubtful = if empty.count_ones() < 2 { empty } else { 0 };
        let mut counts_in = |permutation: &Permutation| {
            let counts = shares.counts(permutation.quadrants);
            doubtful |= completing_cells(counts.exchanged(), permutation, own, empty);
            counts
        };
        let completing: [u64; PARITY_COUNT] =
            std::array::from_fn(|even| completing_cells(counts_in(&EVEN[even]), &EVEN[even], opponent, empty));
        let cells = std::array::from_fn(|pair| {
            if counts_in(&ODD[pair]).fives() & OWN != 0 {
                return 0;
            }
            let threatened = bits(ODD[pair].neighbours).fold(0, |cells, even| cells | completing[even]);
            [empty, threatened, 0][threatened.count_ones().min(2) as usize]
        });
        Answers { cells, doubtful }
    }

    /// Whether `action`, one of `position`, leaves the opponent nothing to win with at once.
    fn include(&self, position: &PentagoSwap, action: Action) -> bool {
        let (pair, bit) = PentagoSwap::pair_and_bit(action);
        self.cells[pair] >> bit & 1 == 1 || self.doubtful >> bit & 1 == 1 && !loses_by(position, action)
    }
}

/// Whether the side to move, which has the stones `own`, has a decision after which the opponent loses whatever it does,
/// with its next decision or to the one after.
fn has_forcing_decision(position: &PentagoSwap, own: u64, opponent: u64) -> bool {
    if own.count_ones() < 3 {
        return false;
    }
    let completions = Completions::of(own, opponent);
    bits(completions.cells_at_most(2)).any(|bit| {
        let [_, unanswered] = completions.threatened_after(bit);
        (0..PAIR_COUNT).any(|pair| {
            if ODD[pair].neighbours & !unanswered != 0 {
                return false;
            }
            if !completions.can_opponent_complete {
                return true;
            }
            let mut after = *position;
            after.play(PentagoSwap::action(bit, pair));
            let (answering, waiting) = after.own_and_opponent();
            after.outcome.is_none() && winning_placement(answering, waiting).is_none() && loses_next(&after)
        })
    })
}

/// What a side completes with its second decision, by where the quadrants lie then, or before it.
struct Completions {
    /// `[odd]`: the cells that complete five there, with the stones that are there now.
    single: [u64; PARITY_COUNT],
    /// `[odd]`: the runs that lack two cells.
    open_threes: [u64; PARITY_COUNT],
    /// `[even]`: the cells that complete five where the quadrants lie after the opponent's swap, which then loses.
    passed: [u64; PARITY_COUNT],
    /// Whether the opponent might complete five with one stone, or the board be full before three decisions are made.
    can_opponent_complete: bool,
    own: u64,
    empty: u64,
}

impl Completions {
    fn of(own: u64, opponent: u64) -> Self {
        let empty = BOARD & !(own | opponent);
        let shares = Shares::of(own, opponent);
        let (mut single, mut open_threes) = ([0; PARITY_COUNT], [0; PARITY_COUNT]);
        let mut passed = [0; PARITY_COUNT];
        let mut advanced = 0;
        for index in 0..PARITY_COUNT {
            let (odd, even) = (&ODD[index], &EVEN[index]);
            let counts = shares.counts(odd.quadrants);
            single[index] = completing_cells(counts, odd, own, empty);
            open_threes[index] = counts.open_threes() & OWN;
            advanced |= counts.open_fours() | counts.fives();
            let counts = shares.counts(even.quadrants);
            passed[index] = completing_cells(counts, even, own, empty);
            advanced |= counts.open_fours() | counts.fives();
        }
        let can_opponent_complete = advanced & !OWN != 0 || empty.count_ones() < 3;
        Completions { single, open_threes, passed, can_opponent_complete, own, empty }
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
