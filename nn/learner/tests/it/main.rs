//! The integration tests of this crate, in one program.

mod growth;
mod inference;
mod learner;
