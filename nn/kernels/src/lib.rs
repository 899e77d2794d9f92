//! The arithmetic of inference and training on a CPU: products of board-shaped inputs with packed weights, on the
//! widest vectors the CPU has, chosen at run time.
//!
//! Numbers are slices in NHWC order (a board's cells one after the other, each with all its channels); what they mean
//! is the caller's business. No product allocates, nothing starts threads, and every output number is summed in the
//! same order whatever else is computed in the same call: an answer depends on its own position alone, bit for bit.
//!
//! Nearly all of the project's `unsafe` code is here (besides, `tablebase` maps files and `wasm` lends a page its memory): each
//! use is a pointer or an instruction whose conditions are checked in the safe function around it.
//!
//! The modules stand in dependency order: a file imports only from files above it.

pub mod peak;

pub mod grid;

pub mod packed;

pub mod boards;

pub mod batch_norm;
pub mod bytes;
pub mod dot;

mod product;
mod weight_gradient;

mod winograd;

pub mod convolution;

pub use boards::{Bias, Boards, Cells, Layout};
pub use bytes::{ByteOutput, BytePath, ByteProduct, PackedBytes};
pub use convolution::{Convolution, Finish, Window};
pub use grid::{Grid, Rows};
pub use winograd::{Side, Workspace};
