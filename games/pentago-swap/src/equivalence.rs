//! Which actions lead to the same successor.
//!
//! Two actions can only agree when both place on the same cell inside their quadrant and those two quadrants look alike
//! before: otherwise the successors hold different sets of quadrants. Given that, whether they agree depends on nothing
//! but which quadrants look alike and which of them, if any, looks like the quadrant that received the stone. So a table
//! over these few cases tells it exactly. The representative of equal actions is the one with the lowest index; actions
//! with the same pair always differ, so it is the one with the lowest pair.

use super::PentagoSwap;
use super::geometry::{PAIR_COUNT, QUADRANT, QUADRANT_CELLS, QUADRANT_COUNT, QUADRANTS_OF_PAIR, bits};
use selfplay_registry::{Action, Game};

/// The representatives in all positions and for all cells that are the same case.
#[derive(Clone, Copy)]
struct Representatives {
    /// `[pair][quadrant]`: for placing in that quadrant and swapping that pair, the pair and the quadrant of the
    /// representative; the cell inside the quadrant stays.
    of: [[(u8, u8); QUADRANT_COUNT]; PAIR_COUNT],
    /// `[pair]`: all cells of the quadrants whose placements represent themselves.
    cells: [u64; PAIR_COUNT],
}

/// The equivalent cell when no quadrant looks like the one that received the stone.
const NONE_EQUALISED: usize = QUADRANT_COUNT;
/// `[alike_pairs][equalised]`: see [`alike_pairs`] and [`equalising_cells`].
static REPRESENTATIVES: [[Representatives; QUADRANT_COUNT + 1]; 1 << PAIR_COUNT] = representatives();

/// Bit = pair, set when its two quadrants hold the same stones.
fn alike_pairs(position: &PentagoSwap) -> usize {
    let [first, second] = position.stones;
    (0..PAIR_COUNT).fold(0, |alike, pair| {
        let [low, high] = QUADRANTS_OF_PAIR[pair];
        let distance = QUADRANT_CELLS * (high - low);
        let differing = (first ^ first >> distance) | (second ^ second >> distance);
        alike | usize::from(differing >> (QUADRANT_CELLS * low) & QUADRANT == 0) << pair
    })
}

/// `[equalised]`: the cells on which a stone makes their quadrant look like the quadrant `equalised` (and, at [`NONE_EQUALISED`], like
/// none). Cells with two equivalent cells, which then look alike, are in both masks.
fn equalising_cells(position: &PentagoSwap) -> [u64; QUADRANT_COUNT + 1] {
    let (own, opponent) = position.own_and_opponent();
    let part = |stones: u64, quadrant: usize| stones >> (QUADRANT_CELLS * quadrant) & QUADRANT;
    let [a, b, c, d] = [0, 1, 2, 3].map(|equalised| {
        let quadrants_alike_for_opponent =
            (0..QUADRANT_COUNT).filter(|&q| part(opponent, q) == part(opponent, equalised));
        quadrants_alike_for_opponent.fold(0, |cells, quadrant| {
            let added = part(own, equalised) & !part(own, quadrant);
            let is_one_stone = added.is_power_of_two() && part(own, quadrant) | added == part(own, equalised);
            cells | if is_one_stone { added << (QUADRANT_CELLS * quadrant) } else { 0 }
        })
    });
    [a, b, c, d, position.empty_cells() & !(a | b | c | d)]
}

/// Whether no two actions have the same successor: four different quadrants and no stone that changes it, as in nearly every
/// position but the first few of a game.
pub(super) fn are_all_distinct(position: &PentagoSwap) -> bool {
    alike_pairs(position) == 0 && equalising_cells(position)[NONE_EQUALISED] == position.empty_cells()
}

/// See [`Game::distinct_actions`]; a subsequence of the legal actions.
pub(super) fn distinct_actions(position: &PentagoSwap, actions: &mut Vec<Action>) {
    actions.clear();
    if position.outcome.is_some() {
        return;
    }
    if are_all_distinct(position) {
        position.legal_actions(actions);
        return;
    }
    let equalising_cells = equalising_cells(position);
    let representatives = &REPRESENTATIVES[alike_pairs(position)];
    for pair in 0..PAIR_COUNT {
        let cells =
            equalising_cells.iter().zip(representatives).fold(0, |all, (cells, case)| all | cells & case.cells[pair]);
        actions.extend(bits(cells).map(|bit| PentagoSwap::action(bit, pair)));
    }
}

/// See [`Game::canonical_action`].
pub(super) fn canonical_action(position: &PentagoSwap, action: Action) -> Action {
    let (pair, bit) = PentagoSwap::pair_and_bit(action);
    let equalised = equalising_cells(position).iter().position(|cells| cells >> bit & 1 == 1).unwrap_or(NONE_EQUALISED);
    let representatives = &REPRESENTATIVES[alike_pairs(position)][equalised];
    let (pair, quadrant) = representatives.of[pair][bit / QUADRANT_CELLS];
    PentagoSwap::action(usize::from(quadrant) * QUADRANT_CELLS + bit % QUADRANT_CELLS, usize::from(pair))
}

const fn representatives() -> [[Representatives; QUADRANT_COUNT + 1]; 1 << PAIR_COUNT] {
    let unset = Representatives { of: [[(0, 0); QUADRANT_COUNT]; PAIR_COUNT], cells: [0; PAIR_COUNT] };
    let mut all = [[unset; QUADRANT_COUNT + 1]; 1 << PAIR_COUNT];
    let mut alike = 0;
    while alike < all.len() {
        let looks = looks(alike);
        let mut equalised = 0;
        while equalised <= NONE_EQUALISED {
            let received = if equalised == NONE_EQUALISED { NONE_EQUALISED } else { looks[equalised] };
            all[alike][equalised] = representatives_among(&successors(looks, received));
            equalised += 1;
        }
        alike += 1;
    }
    all
}

/// A name for what each quadrant holds: the first quadrant that looks like it.
const fn looks(alike: usize) -> [usize; QUADRANT_COUNT] {
    let mut looks = [0, 1, 2, 3];
    // Backwards, so that the first quadrant has the last word.
    let mut pair = PAIR_COUNT;
    while pair > 0 {
        pair -= 1;
        if alike >> pair & 1 == 1 {
            let [low, high] = QUADRANTS_OF_PAIR[pair];
            looks[high] = low;
        }
    }
    looks
}

/// `[pair · 4 + quadrant]`: the looks after `quadrant` came to look like `received` and `pair` changed places, one octal
/// digit a quadrant.
const fn successors(looks: [usize; QUADRANT_COUNT], received: usize) -> [usize; PAIR_COUNT * QUADRANT_COUNT] {
    let mut successors = [0; PAIR_COUNT * QUADRANT_COUNT];
    let mut action = 0;
    while action < successors.len() {
        let mut after = looks;
        after[action % QUADRANT_COUNT] = received;
        let [low, high] = QUADRANTS_OF_PAIR[action / QUADRANT_COUNT];
        (after[low], after[high]) = (after[high], after[low]);
        successors[action] = after[0] | after[1] << 3 | after[2] << 6 | after[3] << 9;
        action += 1;
    }
    successors
}

const fn representatives_among(successors: &[usize; PAIR_COUNT * QUADRANT_COUNT]) -> Representatives {
    let mut among = Representatives { of: [[(0, 0); QUADRANT_COUNT]; PAIR_COUNT], cells: [0; PAIR_COUNT] };
    let mut action = 0;
    while action < successors.len() {
        // Ends at the action itself at the latest.
        let mut earliest = 0;
        while successors[earliest] != successors[action] {
            earliest += 1;
        }
        let (pair, quadrant) = (action / QUADRANT_COUNT, action % QUADRANT_COUNT);
        among.of[pair][quadrant] = ((earliest / QUADRANT_COUNT) as u8, (earliest % QUADRANT_COUNT) as u8);
        if earliest == action {
            among.cells[pair] |= QUADRANT << (QUADRANT_CELLS * quadrant);
        }
        action += 1;
    }
    among
}
