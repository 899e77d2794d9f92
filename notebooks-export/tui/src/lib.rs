//! A running training on the terminal: curves, numbers and the phase it is in, or a line for each event.
//!
//! Knows nothing of games, networks or run folders: the owner of the numbers returns a
//! [`RunView`](selfplay_notebooks_export::RunView) whenever it is asked for one.
//!
//! The modules stand in dependency order: a file imports only from files above it.

#![forbid(unsafe_code)]

mod colours;

mod text;

mod trend;

mod chart;

mod numbers;

mod panels;

mod draw;

mod lines;

mod watch;

pub use colours::Colours;
pub use draw::{UiState, draw};
pub use lines::lines;
pub use watch::{Source, WatchOptions, follow, watch};
