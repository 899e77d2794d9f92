//! Everything that a game is asked, in one bound.

use crate::{AuxiliaryTargets, Drawable, Exchangeable, Symmetric, Tactics};

/// A game with all its traits.
pub trait CompleteGame: AuxiliaryTargets + Symmetric + Exchangeable + Tactics + Drawable {}
impl<G: AuxiliaryTargets + Symmetric + Exchangeable + Tactics + Drawable> CompleteGame for G {}
