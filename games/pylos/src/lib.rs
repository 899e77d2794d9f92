//! Pylos, advanced rules: fifteen spheres a side on a pyramid of 4×4, 3×3, 2×2 and 1; the apex wins.
//!
//! The files stand in dependency order.

#![forbid(unsafe_code)]

mod tables;

mod support;

mod history;

mod notation;

mod position_index;

mod rules;

mod symmetry;

mod encoding;

mod auxiliary;

mod heuristic;

mod view;

#[cfg(test)]
mod tests;

pub use rules::Pylos;

use selfplay_registry::{GameRef, game};

/// The game for programs.
pub static PYLOS: GameRef = game::<Pylos>();
