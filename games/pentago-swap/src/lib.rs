//! Pentago-Swap: place a stone on 6×6, then let two of the four quadrants change places; five in a row wins.
//!
//! Lines are looked at only after the swap, for both colours.

#![forbid(unsafe_code)]

mod geometry;

mod arrangements;
mod equivalence;
mod notation;
mod permutations;

mod tactics;

mod chains;

mod encoding;
mod heuristic;

mod auxiliary;
mod view;

#[cfg(test)]
mod tests;

use geometry::{ACTION_IMAGES, BIT_OF_CELL, BOARD, CELL_OF_BIT, CELLS, PAIR_COUNT, bits, has_five, swap};
use selfplay_registry::rng::splitmix64;
use selfplay_registry::{
    Action, Exchangeable, Game, GameRef, GameSpec, NotationError, Outcome, Side, Symmetric, Symmetry, game,
};

/// The game for programs.
pub static PENTAGO_SWAP: GameRef = game::<PentagoSwap>();

/// A Pentago-Swap position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PentagoSwap {
    /// Stones of each side as masks, first player's first; bits as in [`geometry`].
    stones: [u64; 2],
    /// Number of stones.
    plies: u8,
    to_move: Side,
    outcome: Option<Outcome>,
}

impl PentagoSwap {
    /// The cells, as 6 · row + column with row 0 at the top, where `side` has stones.
    pub fn cells_of(&self, side: Side) -> impl Iterator<Item = usize> + use<> {
        bits(self.stones[side.index()]).map(|bit| usize::from(CELL_OF_BIT[bit]))
    }

    fn empty_cells(&self) -> u64 {
        BOARD & !(self.stones[0] | self.stones[1])
    }

    /// Masks of the side to move's stones and of the opponent's.
    fn own_and_opponent(&self) -> (u64, u64) {
        let side = self.side_to_move();
        (self.stones[side.index()], self.stones[side.opponent().index()])
    }

    /// The action that places on the cell with number `bit` and swaps the quadrants of `pair`.
    fn action(bit: usize, pair: usize) -> Action {
        Action((pair * CELLS) as u16 + u16::from(CELL_OF_BIT[bit]))
    }

    /// The pair of quadrants that `action` swaps, and the bit number of the cell it places on.
    #[inline]
    fn pair_and_bit(action: Action) -> (usize, usize) {
        (action.index() / CELLS, usize::from(BIT_OF_CELL[action.index() % CELLS]))
    }
}

impl Game for PentagoSwap {
    fn spec() -> GameSpec {
        GameSpec::new("pentago-swap", "Pentago-Swap, 6×6", PAIR_COUNT * CELLS)
            .side_names(["White", "Black"])
            .max_plies(CELLS)
            .readme(include_str!("../README.md"))
    }

    fn initial() -> Self {
        PentagoSwap { stones: [0; 2], plies: 0, to_move: Side::First, outcome: None }
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        self.to_move
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    #[inline]
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.outcome.is_some() {
            return;
        }
        let mut cells = [0; CELLS];
        let mut count = 0;
        for bit in bits(self.empty_cells()) {
            cells[count] = u16::from(CELL_OF_BIT[bit]);
            count += 1;
        }
        for pair in 0..PAIR_COUNT {
            actions.extend(cells[..count].iter().map(|&cell| Action((pair * CELLS) as u16 + cell)));
        }
    }

    fn distinct_actions(&self, actions: &mut Vec<Action>) {
        equivalence::distinct_actions(self, actions);
    }

    fn canonical_action(&self, action: Action) -> Action {
        equivalence::canonical_action(self, action)
    }

    fn is_legal(&self, action: Action) -> bool {
        let (_, bit) = Self::pair_and_bit(action);
        action.index() < Self::spec().action_count && self.empty_cells() >> bit & 1 == 1 && self.outcome.is_none()
    }

    fn illegal_reason(&self, _action: Action) -> String {
        "the cell is taken".into()
    }

    #[inline]
    fn play(&mut self, action: Action) {
        let (pair, bit) = Self::pair_and_bit(action);
        self.stones[self.to_move.index()] |= 1 << bit;
        self.to_move = self.to_move.opponent();
        self.plies += 1;
        self.stones = self.stones.map(|stones| swap(stones, pair));
        self.outcome = match self.stones.map(has_five) {
            [false, false] if usize::from(self.plies) < CELLS => None,
            [true, false] => Some(Outcome::Win(Side::First)),
            [false, true] => Some(Outcome::Win(Side::Second)),
            _ => Some(Outcome::Draw),
        };
    }

    fn position_hash(&self) -> u64 {
        // Both mixes are bijections. A swap moves many stones at once, so keys kept up by XOR would cost more.
        splitmix64(splitmix64(self.stones[0]) ^ self.stones[1])
    }

    fn action_name(action: Action) -> String {
        notation::action_name(action)
    }

    fn parse_action(text: &str) -> Result<Action, NotationError> {
        notation::parse_action(text)
    }

    fn board(&self) -> String {
        notation::board(self)
    }
}

impl Symmetric for PentagoSwap {
    fn symmetries() -> &'static [Symmetry] {
        &Symmetry::ALL
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        PentagoSwap { stones: self.stones.map(|stones| geometry::image(stones, symmetry)), ..*self }
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        Action(ACTION_IMAGES[symmetry.index()][action.index()].into())
    }

    fn transform_actions(&self, actions: &mut [Action], symmetry: Symmetry) {
        for action in &mut *actions {
            *action = Self::transform_action(*action, symmetry);
        }
        if !equivalence::are_all_distinct(self) {
            let image = self.transform(symmetry);
            for action in actions {
                *action = image.canonical_action(*action);
            }
        }
    }
}

impl Exchangeable for PentagoSwap {
    fn sides_are_alike() -> bool {
        true
    }

    fn exchanged(&self) -> Self {
        let [first, second] = self.stones;
        let outcome = self.outcome.map(Outcome::exchanged);
        PentagoSwap { stones: [second, first], to_move: self.to_move.opponent(), outcome, ..*self }
    }
}
