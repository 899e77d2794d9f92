//! Matches: game pairs between two players, from seeded openings, over all cores and with the same result on any.
//!
//! A match has one order of events, that of its pairs: whatever order the threads finish in, results are taken, shown
//! to the [`MatchObserver`] and put to the [`StopRule`] pair by pair. So the report is a function of the configuration
//! and the players, unless time plays a part.

mod config;

mod clock;
mod game_result;

mod fixture;
mod game_in_flight;

mod chunk;
mod collector;

mod matches;

pub use clock::{Clock, Measure, SystemClock};
pub use collector::{MatchObserver, MatchProgress, OnProgress, StopRule};
pub use config::MatchConfig;
pub use fixture::{Fixture, Participant};
pub use game_result::{GameResult, MatchReport, Termination};
pub(crate) use game_result::{count_pair, more_time_left};
pub use matches::{MatchSetting, Pacing, RemoteExecutor, play_chunk, play_fixtures, play_match};
