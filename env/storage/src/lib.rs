//! Files that a crash leaves whole: replaced at once, or appended to and cut behind what is whole.

#![forbid(unsafe_code)]

mod replace;

mod append;

pub use append::{AppendFile, Care};
pub use replace::{may_run, remove_leftovers, remove_leftovers_of_the_dead, sync_folder, write_file, write_file_with};
