//! 3×3 convolutions with fewer multiplications than their definition has.

mod transforms;

mod tiling;

mod forward;
mod weights;

pub use forward::Workspace;
pub(crate) use forward::{Forward, workspace_len};
pub use tiling::Tiling;
pub use transforms::Side;
pub(crate) use weights::transform_weights;
