//! How a position becomes the network's input, and how the policy vector lies on the board.

use crate::Game;

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
pub trait TensorEncoding: Game {
    /// Changes whenever the meaning of a plane or of an action index changes; stored in every checkpoint.
    const ENCODING_VERSION: u32;
    /// Number of input planes.
    const PLANES: usize;
    /// Rows of a plane.
    const HEIGHT: usize;
    /// Columns of a plane.
    const WIDTH: usize;
    /// Layout of the policy vector.
    const POLICY: PolicyShape;
    /// What each plane holds, one short phrase a plane; `PLANE_NAMES.len() == PLANES`. The README of the game's
    /// folder lists the same phrases, checked by a test.
    const PLANE_NAMES: &'static [&'static str];
    /// Numbers in one encoded position.
    const ENCODED_LEN: usize = Self::PLANES * Self::HEIGHT * Self::WIDTH;

    /// Writes the position into `planes`, laid out `[plane, row, column]`; every number is overwritten and lies in
    /// −1..=1 (most are 0 or 1).
    ///
    /// # Panics
    /// If `planes.len() != ENCODED_LEN`.
    fn encode(&self, planes: &mut [f32]);
}

/// The encoded position as a list of its own, for comparisons; a number that [`TensorEncoding::encode`] does not write
/// is NaN.
pub fn encoding_of<G: TensorEncoding>(position: &G) -> Vec<f32> {
    let mut planes = vec![f32::NAN; G::ENCODED_LEN];
    position.encode(&mut planes);
    planes
}
