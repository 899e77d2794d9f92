//! The integration tests of what holds for every shipped game, in one program.

mod selfplay;
mod tablebase;
