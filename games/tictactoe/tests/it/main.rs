//! The integration tests of this crate, in one program.

mod conformance;
mod readme_check;
mod reference;
mod replay_check;
