//! 3×3 convolutions with fewer multiplications than their definition has.

mod transforms;

mod tiling;

mod tiles;

mod forward;
mod weight_gradient;
mod weights;

pub(crate) use forward::{Forward, workspace_len};
pub use tiles::Workspace;

#[cfg(test)]
pub(crate) use tiling::PAIRS;
pub use tiling::{Tiling, tiles_that_pay};
pub use transforms::Side;
pub(crate) use weight_gradient::{WeightGradient, gradient_workspace_len};
pub(crate) use weights::transform_weights;
