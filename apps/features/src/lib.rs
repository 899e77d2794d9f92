//! The features that the workspace's packages need of libraries together, for the program alone.
//!
//! It holds no code. `cargo build` builds the program, `cargo test --workspace` the Python module as well, whose library for
//! arrays asks for more features of libraries below Burn. With these features in both builds, both have the same Burn
//! (docs/decisions/025-shared-features.md).

#![forbid(unsafe_code)]

use {ndarray as _, num_complex as _, num_integer as _};
