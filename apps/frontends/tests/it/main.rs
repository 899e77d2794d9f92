//! The integration tests of this crate, in one program.

mod protocols;
mod serve;
mod terminal;
