//! The symmetries of the square, and what it means for a game to have them.

use std::fmt;

use crate::{Action, Game};

/// One of the eight symmetries of the square: transpose first, then flip rows, then flip columns.
///
/// Bit 2 of the index: transpose; bit 1: flip rows; bit 0: flip columns. Index 0 is the identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Leaves everything where it is.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// Left and right change places.
    pub const FLIP_COLUMNS: Symmetry = Symmetry(1);
    /// The whole group, identity first.
    pub const ALL: [Symmetry; 8] =
        [Symmetry(0), Symmetry(1), Symmetry(2), Symmetry(3), Symmetry(4), Symmetry(5), Symmetry(6), Symmetry(7)];

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

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        // Transposing swaps the roles of the two flips; without it each symmetry is its own inverse.
        if self.0 & 4 != 0 { Symmetry(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1) } else { self }
    }
}

impl fmt::Display for Symmetry {
    /// What was done to the board, such as `mirrored left to right`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            0 => "left as it is",
            1 => "mirrored left to right",
            2 => "mirrored top to bottom",
            3 => "turned by half",
            4 => "mirrored at the diagonal from the top left",
            5 => "turned clockwise",
            6 => "turned counterclockwise",
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
    const SYMMETRIES: &'static [Symmetry] = &[Symmetry::IDENTITY];

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
    fn each_is_called_what_it_does() {
        let names = [(1, (0, 4)), (2, (4, 0)), (3, (4, 4)), (4, (0, 0)), (5, (0, 4)), (6, (4, 0)), (7, (4, 4))];
        for (index, corner) in names {
            assert_eq!(Symmetry(index).map(0, 0, 5, 5), corner, "{}", Symmetry(index));
        }
        // One to the right of the corner: turned clockwise it stands below the new corner.
        assert_eq!(Symmetry(5).map(0, 1, 5, 5), (1, 4), "{}", Symmetry(5));
        assert_eq!(Symmetry(6).map(0, 1, 5, 5), (3, 0), "{}", Symmetry(6));
    }

    #[test]
    fn the_eight_are_different() {
        let images: std::collections::HashSet<Vec<usize>> =
            Symmetry::ALL.iter().map(|s| (0..9).map(|cell| s.map_cell(cell, 3)).collect()).collect();
        assert_eq!(images.len(), 8);
    }
}
