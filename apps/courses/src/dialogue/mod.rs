//! Dialogues of courses: a program asks a person who begins, then both play in turn, line by line.
//!
//! The modules stand in dependency order: a file imports only from files above it.

mod prompt;

pub mod number_cards;

pub mod pylos;

pub use number_cards::{NumberCardsConfig, play_number_cards};
pub use prompt::DialogueEnd;
pub use pylos::{PylosConfig, play_pylos};
