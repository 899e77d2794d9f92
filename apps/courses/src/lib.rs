//! What courses ask of a player and offer it: their baselines, homework files, dialogues, servers and judges.
//!
//! The courses' games are those of Pentago-Swap, Pylos, Pente and Sum-15; nothing outside this room knows of them but by
//! the games' own names.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

mod files;

pub mod book;

pub mod book_builder;

pub mod players;

pub mod program;

pub mod kinds;

pub mod dialogue;
pub mod homework;
pub mod pentago;
pub mod pente_referee;

pub mod native;

mod book_command;
mod referee;

mod course;

pub use book::Book;
pub use book_builder::{BookConfig, BookPlay, build_book};
pub use course::COURSES;
pub use homework::{Calibration, HomeworkConfig, HomeworkError, HomeworkReport, calibrate, play_homework};
pub use kinds::PLAYER_KINDS;
