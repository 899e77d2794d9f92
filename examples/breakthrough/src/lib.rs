//! Breakthrough on 6×6 (Dan Troyka, 2000): pawns step one square forward, straight or diagonally, and capture diagonally.
//! The side that reaches the far row or captures every enemy pawn wins.
//!
//! Unlike in a game of placing, a move is a step from one square to another, and the two sides do not have the same
//! steps: White's go up, Black's down.

mod tactics;

use selfplay::kit::grid::cell_name;
use selfplay::kit::view::Click;
use selfplay::kit::{
    Action, AuxiliaryTargets, Drawable, EncodingSpec, Exchangeable, Game, GameSpec, Outcome, PolicyShape, Side,
    Symmetric, Symmetry, TensorEncoding, zobrist,
};

const SIZE: usize = 6;
const CELLS: usize = SIZE * SIZE;
/// Directions of steps as (rows down, columns right): White's three, then Black's.
const STEPS: [(isize, isize); 6] = [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)];
const KEYS: [u64; 2 * CELLS + 1] = zobrist::keys(0x0062_7265_616b);
const BLACK_TO_MOVE: usize = 2 * CELLS;

/// A position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breakthrough {
    /// The squares with pawns of White and of Black, as bits; square = row · 6 + column, rows from the top.
    pawns: [u64; 2],
    to_move: Side,
    outcome: Option<Outcome>,
    hash: u64,
}

/// The square from which `action` steps and the one where it ends; `None` if that is beyond the board.
fn step(action: Action) -> (usize, Option<usize>) {
    let (from, (down, right)) = (action.index() % CELLS, STEPS[action.index() / CELLS]);
    let row = (from / SIZE).checked_add_signed(down).filter(|&row| row < SIZE);
    let column = (from % SIZE).checked_add_signed(right).filter(|&column| column < SIZE);
    (from, row.zip(column).map(|(row, column)| row * SIZE + column))
}

impl Breakthrough {
    fn new(pawns: [u64; 2], to_move: Side, outcome: Option<Outcome>) -> Self {
        let cells = |side: Side| (0..CELLS).filter(move |cell| pawns[side.index()] >> cell & 1 == 1);
        let keys =
            Side::BOTH.into_iter().flat_map(|side| cells(side).map(move |cell| KEYS[side.index() * CELLS + cell]));
        let turn = if to_move == Side::Second { KEYS[BLACK_TO_MOVE] } else { 0 };
        Breakthrough { pawns, to_move, outcome, hash: keys.fold(turn, |hash, key| hash ^ key) }
    }

    fn has_pawn(&self, side: Side, cell: usize) -> bool {
        self.pawns[side.index()] >> cell & 1 == 1
    }

    /// Whether the side to move may step so, the game's end aside.
    fn may_step(&self, action: Action) -> bool {
        let (from, Some(to)) = step(action) else { return false };
        let is_ours = action.index() / (3 * CELLS) == self.to_move.index() && self.has_pawn(self.to_move, from);
        let is_straight = from % SIZE == to % SIZE;
        let is_blocked = self.has_pawn(self.to_move, to) || is_straight && self.has_pawn(self.to_move.opponent(), to);
        is_ours && !is_blocked
    }
}

/// Rules and notation for players.
const README: &str = "A pawn steps one square forward, straight or diagonally, and captures diagonally forward. \
    Whoever reaches the far row or takes every pawn of the other side wins.\n\n\
    Notation: the squares from and to, as in `b5-c4`; columns from the left, rows from the top. White begins below.";

impl Game for Breakthrough {
    fn spec() -> GameSpec {
        GameSpec::new("breakthrough", "Breakthrough, 6×6", STEPS.len() * CELLS)
            .side_names(["White", "Black"])
            .grid(SIZE, SIZE)
            .readme(README)
    }

    fn initial() -> Self {
        let two_rows = (1 << (2 * SIZE)) - 1;
        Self::new([two_rows << (CELLS - 2 * SIZE), two_rows], Side::First, None)
    }

    fn side_to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend((0..Self::spec().action_count).map(Action::from_index).filter(|&action| self.is_legal(action)));
    }

    fn is_legal(&self, action: Action) -> bool {
        self.outcome.is_none() && action.index() < Self::spec().action_count && self.may_step(action)
    }

    fn play(&mut self, action: Action) {
        let (from, to) = step(action);
        let (side, to) = (self.to_move, to.unwrap_or(from));
        let mut pawns = self.pawns;
        pawns[side.index()] = pawns[side.index()] & !(1 << from) | 1 << to;
        pawns[side.opponent().index()] &= !(1 << to);
        let is_through = to / SIZE == [0, SIZE - 1][side.index()] || pawns[side.opponent().index()] == 0;
        *self = Self::new(pawns, side.opponent(), is_through.then_some(Outcome::Win(side)));
    }

    fn position_hash(&self) -> u64 {
        self.hash
    }

    fn action_name(action: Action) -> String {
        let (from, to) = step(action);
        let to = to.map_or_else(|| format!("off{}", action.index() / CELLS), |to| cell_name(to, SIZE));
        format!("{}-{to}", cell_name(from, SIZE))
    }

    fn owner(&self, cell: usize) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.has_pawn(side, cell))
    }
}

/// Left and right are alike; up and down are not.
impl Symmetric for Breakthrough {
    fn symmetries() -> &'static [Symmetry] {
        &[Symmetry::IDENTITY, Symmetry::FLIP_COLUMNS]
    }

    fn transform(&self, symmetry: Symmetry) -> Self {
        let image = |pawns: u64| {
            let cells = (0..CELLS).filter(|cell| pawns >> cell & 1 == 1);
            cells.fold(0, |image, cell| image | 1 << symmetry.map_cell(cell, SIZE))
        };
        Self::new(self.pawns.map(image), self.to_move, self.outcome)
    }

    fn transform_action(action: Action, symmetry: Symmetry) -> Action {
        let (from, (down, right)) = (action.index() % CELLS, STEPS[action.index() / CELLS]);
        let right = if symmetry == Symmetry::FLIP_COLUMNS { -right } else { right };
        let direction = STEPS.iter().position(|&there| there == (down, right)).unwrap_or_default();
        Action::from_index(direction * CELLS + symmetry.map_cell(from, SIZE))
    }
}

/// The planes are the default ones; a step is a direction at a square, so a convolution can tell them apart.
impl TensorEncoding for Breakthrough {
    fn encoding() -> EncodingSpec {
        EncodingSpec::for_grid::<Self>().policy(PolicyShape::Planes(STEPS.len()))
    }
}

/// A step is made by pointing at its two squares.
impl Drawable for Breakthrough {
    fn clicks(&self, action: Action) -> Vec<Click> {
        let (from, to) = step(action);
        [Some(from), to].into_iter().flatten().map(Click::Place).collect()
    }
}

impl Exchangeable for Breakthrough {}
impl AuxiliaryTargets for Breakthrough {}
