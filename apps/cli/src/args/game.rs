//! How commands are told their game.

use std::path::Path;

use selfplay_python_game::{ENDING, FileError, load};

/// The id of the game that is meant: as given, or that of the game in the file given, which the program knows from then on.
///
/// # Errors
/// If there is no game in the file.
pub fn game(text: &str) -> Result<String, FileError> {
    let is_file = Path::new(text).extension().is_some_and(|ending| ending == ENDING);
    if is_file { Ok(load(Path::new(text))?.id().to_owned()) } else { Ok(text.to_owned()) }
}
