//! The integration tests of this crate, in one program.

mod laws;
mod reference;
mod search;
mod twin;
