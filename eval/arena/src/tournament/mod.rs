//! Tournaments: many players, who meets whom, and who has won.

mod schedule;

mod cross_table;

mod play;

pub use cross_table::{CrossTable, Pairing, Round, Standing};
pub use play::{TournamentConfig, TournamentFormat, TournamentReport, play_tournament};
