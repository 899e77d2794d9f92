//! How a position becomes the network's input, and how the policy vector lies on the board.

use crate::game::grid_of;
use crate::{Exchangeable, Side};

/// How the entries of a policy vector are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PolicyShape {
    /// `ACTION_COUNT = planes · HEIGHT · WIDTH`; action index = (plane · HEIGHT + row) · WIDTH + column, so a
    /// convolution can produce the policy.
    Planes(usize),
    /// Actions are not tied to cells; a fully connected layer produces the policy.
    Dense,
}

/// The tensor view of a position, from the side to move's view.
///
/// A game with a [`GRID`](crate::Game::GRID) need not say anything: then the planes are own pieces, opponent's pieces, ones (which
/// let a convolution see the border), and, unless [both sides are alike](Exchangeable::SIDES_ARE_ALIKE), ones or zeros
/// that tell whether the first player is to move.
pub trait TensorEncoding: Exchangeable {
    /// Changes whenever the meaning of a plane or of an action index changes; stored in every checkpoint.
    const ENCODING_VERSION: u32 = 1;
    /// Number of input planes.
    const PLANES: usize = Self::PLANE_NAMES.len();
    /// Rows of a plane.
    const HEIGHT: usize = grid_of::<Self>().0;
    /// Columns of a plane.
    const WIDTH: usize = grid_of::<Self>().1;
    /// Layout of the policy vector: one plane if there are as many actions as cells.
    const POLICY: PolicyShape =
        if Self::ACTION_COUNT == Self::HEIGHT * Self::WIDTH { PolicyShape::Planes(1) } else { PolicyShape::Dense };
    /// What each plane holds, one short phrase a plane; `PLANE_NAMES.len() == PLANES`. The README of the game's
    /// folder lists the same phrases, checked by a test.
    const PLANE_NAMES: &'static [&'static str] = if Self::SIDES_ARE_ALIKE { ALIKE } else { UNLIKE };
    /// Numbers in one encoded position.
    const ENCODED_LEN: usize = Self::PLANES * Self::HEIGHT * Self::WIDTH;

    /// [`ENCODING_VERSION`](Self::ENCODING_VERSION).
    fn encoding_version() -> u32 {
        Self::ENCODING_VERSION
    }

    /// [`PLANES`](Self::PLANES).
    fn plane_count() -> usize {
        Self::PLANES
    }

    /// [`HEIGHT`](Self::HEIGHT).
    fn height() -> usize {
        Self::HEIGHT
    }

    /// [`WIDTH`](Self::WIDTH).
    fn width() -> usize {
        Self::WIDTH
    }

    /// [`POLICY`](Self::POLICY).
    fn policy_shape() -> PolicyShape {
        Self::POLICY
    }

    /// [`PLANE_NAMES`](Self::PLANE_NAMES).
    fn plane_names() -> &'static [&'static str] {
        Self::PLANE_NAMES
    }

    /// [`ENCODED_LEN`](Self::ENCODED_LEN).
    fn encoded_len() -> usize {
        Self::ENCODED_LEN
    }

    /// Writes the position into `planes`, laid out `[plane, row, column]`; every number is overwritten and lies in
    /// −1..=1 (most are 0 or 1).
    ///
    /// # Panics
    /// If `planes.len() != ENCODED_LEN`.
    fn encode(&self, planes: &mut [f32]) {
        let (rows, columns) = grid_of::<Self>();
        let cells = rows * columns;
        assert_eq!(planes.len(), cells * if Self::SIDES_ARE_ALIKE { ALIKE.len() } else { UNLIKE.len() });
        let side = self.side_to_move();
        let (pieces, rest) = planes.split_at_mut(2 * cells);
        let (own, opponents) = pieces.split_at_mut(cells);
        for (cell, (own, opponent)) in own.iter_mut().zip(opponents).enumerate() {
            let owner = self.owner(cell);
            *own = f32::from(owner == Some(side));
            *opponent = f32::from(owner == Some(side.opponent()));
        }
        rest[..cells].fill(1.0);
        rest[cells..].fill(f32::from(side == Side::First));
    }
}

/// The planes of games with a grid.
const UNLIKE: &[&str] = &["own pieces", "opponent's pieces", "ones", "ones if the first player is to move"];
const ALIKE: &[&str] = UNLIKE.split_at(3).0;

/// The encoded position as a list of its own, for comparisons; a number that [`TensorEncoding::encode`] does not write
/// is NaN.
pub fn encoding_of<G: TensorEncoding>(position: &G) -> Vec<f32> {
    let mut planes = vec![f32::NAN; G::encoded_len()];
    position.encode(&mut planes);
    planes
}
