//! The integration tests of this crate, in one program.

mod colliding_hashes;
mod conformance;
mod fixtures;
