//! The sizes of the tensors that go into and come out of a game's network.

use std::fmt;

use crate::{AuxiliaryTargets, FinalState, PolicyShape};

/// What a network must know of its game: [`TensorEncoding`](crate::TensorEncoding) as plain numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameShape {
    /// Id of the game.
    pub game: &'static str,
    /// [`EncodingSpec::version`](crate::EncodingSpec::version).
    pub encoding_version: u32,
    /// Number of input planes.
    pub planes: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Columns of a plane.
    pub width: usize,
    /// Layout of the policy vector.
    pub policy: PolicyShape,
    /// Length of the policy vector.
    pub action_count: usize,
    /// The target of the auxiliary head `final_state`.
    pub final_state: FinalState,
}

impl GameShape {
    /// The shape of the game `G`.
    ///
    /// # Panics
    /// If `G` declares a policy in planes whose size is not its action count: a mistake in the game's source.
    pub fn for_game<G: AuxiliaryTargets>() -> Self {
        let (spec, encoding) = (G::spec(), G::encoding());
        if let PolicyShape::Planes(planes) = encoding.policy {
            assert_eq!(planes * encoding.cells(), spec.action_count, "policy planes of {}", spec.id);
        }
        GameShape {
            game: spec.id,
            encoding_version: encoding.version,
            planes: encoding.planes(),
            height: encoding.height,
            width: encoding.width,
            policy: encoding.policy,
            action_count: spec.action_count,
            final_state: G::final_state_kind(),
        }
    }

    /// Cells of a plane.
    pub const fn cells(&self) -> usize {
        self.height * self.width
    }

    /// Numbers in one target of the kind [`final_state`](Self::final_state).
    pub const fn final_state_len(&self) -> usize {
        self.final_state.target_len(self.cells())
    }

    /// Numbers in one encoded position.
    pub const fn encoded_len(&self) -> usize {
        self.planes * self.cells()
    }
}

impl fmt::Display for GameShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GameShape { planes, height, width, action_count, .. } = self;
        write!(f, "{planes} planes of {height}×{width} and {action_count} actions ")?;
        match self.policy {
            PolicyShape::Planes(policy_planes) => write!(f, "in {policy_planes} policy planes"),
            PolicyShape::Dense => write!(f, "in a dense policy"),
        }
    }
}
