//! The features that the workspace's packages need of libraries together, for the program alone.
//!
//! It holds no code. `cargo build` builds the program, `cargo test --workspace` the Python module as well, whose library for
//! arrays asks for more features of libraries below Burn, and tests, which need the fixture games of `selfplay-env`. With these
//! features in both builds, both have the same Burn and the same crates of ours
//! (docs/decisions/025-shared-features.md).

#![forbid(unsafe_code)]

use {ndarray as _, num_complex as _, num_integer as _, selfplay_env as _};
