//! The symmetries of the square, and what it means for a game to have them.

use std::fmt;

use crate::{Action, Game};

/// One of the eight symmetries of the square: transpose first, then flip rows, then flip columns.
///
/// Bit 2 of the index: transpose; bit 1: flip rows; bit 0: flip columns. Index 0 is the identity.
///
/// ```
/// use selfplay_env::Symmetry;
///
/// let (row, column) = Symmetry::TURN_CLOCKWISE.map(0, 1, 3, 3);
/// assert_eq!((row, column), (1, 2));
/// assert_eq!(Symmetry::TURN_CLOCKWISE.inverse(), Symmetry::TURN_COUNTERCLOCKWISE);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Leaves everything where it is.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// Left and right change places.
    pub const FLIP_COLUMNS: Symmetry = Symmetry(1);
    /// Top and bottom change places.
    pub const FLIP_ROWS: Symmetry = Symmetry(2);
    /// Turned by half.
    pub const HALF_TURN: Symmetry = Symmetry(3);
    /// Mirrored at the diagonal from the top left: rows become columns.
    pub const TRANSPOSE: Symmetry = Symmetry(4);
    /// Turned clockwise by a quarter.
    pub const TURN_CLOCKWISE: Symmetry = Symmetry(5);
    /// Turned counterclockwise by a quarter.
    pub const TURN_COUNTERCLOCKWISE: Symmetry = Symmetry(6);
    /// Mirrored at the diagonal from the top right.
    pub const ANTITRANSPOSE: Symmetry = Symmetry(7);
    /// The whole group, identity first.
    pub const ALL: [Symmetry; 8] =
        [Symmetry(0), Symmetry(1), Symmetry(2), Symmetry(3), Symmetry(4), Symmetry(5), Symmetry(6), Symmetry(7)];
    /// Those of a board with more columns than rows: they keep rows rows. Identity first.
    pub const OF_RECTANGLE: [Symmetry; 4] = [Symmetry(0), Symmetry(1), Symmetry(2), Symmetry(3)];

    /// The index in [`Symmetry::ALL`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Where the cell (`row`, `column`) of a `height` × `width` board goes. Symmetries that transpose need a square
    /// board.
    #[inline]
    pub const fn map(self, row: usize, column: usize, height: usize, width: usize) -> (usize, usize) {
        let (mut r, mut c) = if self.0 & 4 != 0 { (column, row) } else { (row, column) };
        if self.0 & 2 != 0 {
            r = height - 1 - r;
        }
        if self.0 & 1 != 0 {
            c = width - 1 - c;
        }
        (r, c)
    }

    /// Where the cell with index `row · side + column` of a square board goes, as such an index.
    #[inline]
    pub const fn map_cell(self, cell: usize, side: usize) -> usize {
        let (row, column) = self.map(cell / side, cell % side, side, side);
        row * side + column
    }

    /// Where each cell of a board of `N` × `N` goes: at the index `row · N + column` such an index.
    pub fn cell_images<const N: usize>(self) -> &'static [u16] {
        let tables = const { &Self::cell_image_tables::<N>() };
        tables[self.index()].as_flattened()
    }

    const fn cell_image_tables<const N: usize>() -> [[[u16; N]; N]; Self::ALL.len()] {
        let mut tables = [[[0; N]; N]; Self::ALL.len()];
        let mut at = 0;
        while at < Self::ALL.len() * N * N {
            let (symmetry, cell) = (at / (N * N), at % (N * N));
            tables[symmetry][cell / N][cell % N] = Self::ALL[symmetry].map_cell(cell, N) as u16;
            at += 1;
        }
        tables
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        // Transposing swaps the roles of the two flips; without it each symmetry is its own inverse.
        if self.0 & 4 != 0 { Symmetry(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1) } else { self }
    }
}

impl fmt::Debug for Symmetry {
    /// The constant's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Self::IDENTITY => "IDENTITY",
            Self::FLIP_COLUMNS => "FLIP_COLUMNS",
            Self::FLIP_ROWS => "FLIP_ROWS",
            Self::HALF_TURN => "HALF_TURN",
            Self::TRANSPOSE => "TRANSPOSE",
            Self::TURN_CLOCKWISE => "TURN_CLOCKWISE",
            Self::TURN_COUNTERCLOCKWISE => "TURN_COUNTERCLOCKWISE",
            _ => "ANTITRANSPOSE",
        })
    }
}

impl fmt::Display for Symmetry {
    /// What was done to the board, such as `mirrored left to right`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Self::IDENTITY => "left as it is",
            Self::FLIP_COLUMNS => "mirrored left to right",
            Self::FLIP_ROWS => "mirrored top to bottom",
            Self::HALF_TURN => "turned by half",
            Self::TRANSPOSE => "mirrored at the diagonal from the top left",
            Self::TURN_CLOCKWISE => "turned clockwise",
            Self::TURN_COUNTERCLOCKWISE => "turned counterclockwise",
            _ => "mirrored at the diagonal from the top right",
        })
    }
}

/// The symmetries of a game's board under which its rules do not change; only the identity, unless it names more.
///
/// Law: `play` commutes with every symmetry, `transform(s)` then `transform(s.inverse())` is the identity, and
/// outcome and side to move do not change.
pub trait Symmetric: Game {
    /// The symmetries the rules keep, identity first.
    fn symmetries() -> &'static [Symmetry] {
        &[Symmetry::IDENTITY]
    }

    /// The position seen through `symmetry`.
    fn transform(&self, _symmetry: Symmetry) -> Self {
        self.clone()
    }

    /// The action that does in the transformed position what `action` does in the original.
    ///
    /// If the game has several actions for one successor, the result may not be the canonical one: pass it through
    /// [`Game::canonical_action`].
    fn transform_action(action: Action, _symmetry: Symmetry) -> Action {
        action
    }

    /// The position seen through `symmetry` as far as an evaluation goes: encoding, evaluation key and distinct actions. A game
    /// overrides it where it can leave out a history.
    fn image_to_evaluate(&self, symmetry: Symmetry) -> Self {
        self.transform(symmetry)
    }

    /// [`Game::evaluation_key`] of the position seen through `symmetry`. A game overrides it where the key alone is cheaper.
    fn image_key(&self, symmetry: Symmetry) -> u64 {
        self.transform(symmetry).evaluation_key()
    }

    /// Replaces each of `actions` by the distinct action that does the same in the position seen through `symmetry`. A game
    /// overrides it where that is cheaper for a list than one by one.
    fn transform_actions(&self, actions: &mut [Action], symmetry: Symmetry) {
        let image = self.transform(symmetry);
        for action in actions {
            *action = image.canonical_action(Self::transform_action(*action, symmetry));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_undoes_every_symmetry() {
        for symmetry in Symmetry::ALL {
            for cell in 0..25 {
                assert_eq!(symmetry.inverse().map_cell(symmetry.map_cell(cell, 5), 5), cell, "{symmetry:?}");
            }
        }
    }

    #[test]
    fn the_images_of_all_cells_are_those_of_each_cell() {
        for symmetry in Symmetry::ALL {
            for (cell, &there) in symmetry.cell_images::<5>().iter().enumerate() {
                assert_eq!(usize::from(there), symmetry.map_cell(cell, 5), "{symmetry:?}, {cell}");
            }
        }
    }

    #[test]
    fn each_is_called_what_it_does() {
        // Where the corner goes, and the cell to the right of it.
        let images = [
            (Symmetry::IDENTITY, (0, 0), (0, 1)),
            (Symmetry::FLIP_COLUMNS, (0, 4), (0, 3)),
            (Symmetry::FLIP_ROWS, (4, 0), (4, 1)),
            (Symmetry::HALF_TURN, (4, 4), (4, 3)),
            (Symmetry::TRANSPOSE, (0, 0), (1, 0)),
            (Symmetry::TURN_CLOCKWISE, (0, 4), (1, 4)),
            (Symmetry::TURN_COUNTERCLOCKWISE, (4, 0), (3, 0)),
            (Symmetry::ANTITRANSPOSE, (4, 4), (3, 4)),
        ];
        for (symmetry, corner, beside) in images {
            assert_eq!(
                [(0, 0), (0, 1)].map(|(row, column)| symmetry.map(row, column, 5, 5)),
                [corner, beside],
                "{symmetry:?}"
            );
        }
    }

    #[test]
    fn those_of_a_rectangle_keep_rows_rows() {
        let keeps_rows = |symmetry: &Symmetry| symmetry.map(1, 0, 5, 5).0 == symmetry.map(1, 3, 5, 5).0;
        let kept: Vec<Symmetry> = Symmetry::ALL.into_iter().filter(keeps_rows).collect();
        assert_eq!(kept, Symmetry::OF_RECTANGLE);
    }

    #[test]
    fn the_eight_are_different() {
        let images: std::collections::HashSet<Vec<usize>> =
            Symmetry::ALL.iter().map(|s| (0..9).map(|cell| s.map_cell(cell, 3)).collect()).collect();
        assert_eq!(images.len(), 8);
    }
}
