//! One file a command (or a small family of commands); each writes to the output it is given.

pub mod ablate;
pub mod accuracy;
pub mod analyse;
pub mod bench;
pub mod check_players;

pub mod check;
pub mod clean;
pub mod config;
pub mod docs;
pub mod doctor;
pub mod elo;
pub mod export;
pub mod games;
pub mod gtp;
pub mod matches;
pub mod new;
pub mod play;
pub mod refute;
pub mod report;
pub mod rules;
pub mod serve;
pub mod shell;
pub mod solve;
pub mod table;
pub mod tabulate;
pub mod tournament;
pub mod train;
pub mod watch;
#[cfg(feature = "cluster")]
pub mod worker;
