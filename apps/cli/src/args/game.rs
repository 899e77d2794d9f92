//! How commands name their game.

use std::path::Path;

use selfplay_python_game::{ENDING, FileError, load};

/// The id of the game that is meant: as given, or that of the game in the file given, which the program knows from then on.
///
/// # Errors
/// If there is no game in the file.
pub fn game(text: &str) -> Result<String, FileError> {
    let is_file = Path::new(text).extension().is_some_and(|ending| ending == ENDING);
    // The program's own games are not known here: their names are compared when this one is added to them.
    if is_file { Ok(load(Path::new(text), &[])?.id().to_owned()) } else { Ok(text.to_owned()) }
}
