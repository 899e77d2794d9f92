//! Everything that a game is asked, in one bound.

use crate::{Advice, AuxiliaryTargets, Drawable, Exchangeable, Symmetric};

/// A game with all its traits.
pub trait WholeGame: AuxiliaryTargets + Symmetric + Exchangeable + Advice + Drawable {}
impl<G: AuxiliaryTargets + Symmetric + Exchangeable + Advice + Drawable> WholeGame for G {}
