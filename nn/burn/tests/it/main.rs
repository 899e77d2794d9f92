//! The integration tests of this crate, in one program.

mod gradients;
mod growth;
mod inference;
