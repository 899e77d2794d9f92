//! How a position becomes the network's input, and how the policy vector lies on the board.

use crate::{Exchangeable, Side};

/// How the entries of a policy vector are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PolicyShape {
    /// This many planes: action count = planes · height · width and action index = (plane · height + row) · width +
    /// column, so a convolution can produce the policy.
    Planes(usize),
    /// Actions are not tied to cells; a fully connected layer produces the policy.
    Dense,
}

/// The shape of a game's encoding and the meaning of its planes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EncodingSpec {
    /// Changes whenever the meaning of a plane or of an action index changes; stored in every checkpoint.
    pub version: u32,
    /// What each input plane holds, one short phrase per plane. The README of the game's folder lists the same
    /// phrases, checked by a test.
    pub plane_names: &'static [&'static str],
    /// Rows of a plane.
    pub height: usize,
    /// Columns of a plane.
    pub width: usize,
    /// Layout of the policy vector.
    pub policy: PolicyShape,
}

impl EncodingSpec {
    /// Version 1 of an encoding with these planes of `height` × `width`, and a dense policy.
    pub const fn new(plane_names: &'static [&'static str], height: usize, width: usize) -> Self {
        EncodingSpec { version: 1, plane_names, height, width, policy: PolicyShape::Dense }
    }

    /// The encoding of a game with a [grid](crate::GameSpec::grid): own pieces, opponent's pieces, ones (which let a
    /// convolution see the border), and, unless [both sides are alike](Exchangeable::sides_are_alike), ones or zeros
    /// for the first or second player to move. The policy is one plane if there are as many actions as cells.
    ///
    /// # Panics
    /// If the game has no grid.
    pub fn for_grid<G: Exchangeable>() -> Self {
        let (spec, planes) = (G::spec(), if G::sides_are_alike() { ALIKE } else { UNLIKE });
        let (height, width) = spec.grid_size();
        let encoding = EncodingSpec::new(planes, height, width);
        if spec.action_count == height * width { encoding.policy(PolicyShape::Planes(1)) } else { encoding }
    }

    /// Sets the version.
    pub const fn version(self, version: u32) -> Self {
        EncodingSpec { version, ..self }
    }

    /// Sets the layout of the policy vector.
    pub const fn policy(self, policy: PolicyShape) -> Self {
        EncodingSpec { policy, ..self }
    }

    /// Number of input planes.
    pub const fn planes(&self) -> usize {
        self.plane_names.len()
    }

    /// Cells of a plane.
    pub const fn cells(&self) -> usize {
        self.height * self.width
    }

    /// Numbers in one encoded position: planes × height × width.
    pub const fn encoded_len(&self) -> usize {
        self.planes() * self.cells()
    }
}

/// The tensor view of a position, from the side to move's view.
///
/// ```
/// use selfplay_env::fixtures::TicTacToe;
/// use selfplay_env::{Action, Game, TensorEncoding};
///
/// let encoding = TicTacToe::encoding();
/// assert_eq!((encoding.planes(), encoding.height, encoding.width), (3, 3, 3));
/// let mut planes = vec![0.0; encoding.encoded_len()];
/// TicTacToe::after(&[Action(4)]).encode(&mut planes);
/// // The second player is to move: the mark in the centre is the opponent's.
/// assert_eq!((planes[4], planes[9 + 4]), (0.0, 1.0));
/// ```
///
/// The defaults encode any game with a
/// [grid](crate::GameSpec::grid).
pub trait TensorEncoding: Exchangeable {
    /// The shape of the encoding; that of the [grid](EncodingSpec::for_grid) by default.
    fn encoding() -> EncodingSpec {
        EncodingSpec::for_grid::<Self>()
    }

    /// Writes the position into `planes`, laid out `[plane, row, column]`; every number is overwritten and lies in
    /// −1..=1 (most are 0 or 1).
    ///
    /// # Panics
    /// If `planes` does not have [`encoded_len`](EncodingSpec::encoded_len) numbers.
    fn encode(&self, planes: &mut [f32]) {
        let encoding = EncodingSpec::for_grid::<Self>();
        assert_eq!(planes.len(), encoding.encoded_len());
        let cells = encoding.cells();
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
    let mut planes = vec![f32::NAN; G::encoding().encoded_len()];
    position.encode(&mut planes);
    planes
}
