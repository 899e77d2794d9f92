//! Positions with values from outside: a CSV file that any solver can write.
//!
//! Lines that begin with `#` are comments. `preserving` lists every distinct action that preserves the value, or `*` for
//! all of them; `turns` is the number of turns of both sides to the end under perfect play, and may be empty:
//! ```csv
//! actions,value,turns,preserving
//! 4 4 4 4 4 2,1,35,4
//! ```

use crate::error::ArenaError;
use std::fmt::Display;
use std::path::Path;

use selfplay_env::Rules;
use serde::Deserialize;

use crate::solved_file::read_position;
use crate::solved_positions::SolvedPosition;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueLine {
    actions: String,
    value: i8,
    turns: Option<u32>,
    preserving: String,
}

/// Reads all positions of the game of `rules` from the file at `path`, in its order.
///
/// # Errors
/// [`ArenaError::File`] with the line that is wrong: no CSV, an illegal action, or a value that no action preserves.
pub fn read_values(path: &Path, rules: &dyn Rules) -> Result<Vec<SolvedPosition>, ArenaError> {
    let failed = |error: csv::Error| ArenaError::for_file(path, error);
    let reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path);
    let mut reader = reader.map_err(failed)?;
    let mut positions = Vec::new();
    let headers = reader.headers().map_err(failed)?.clone();
    for record in reader.records() {
        let record = record.map_err(failed)?;
        let line = record.position().map_or(0, csv::Position::line) as usize;
        let wrong = |reason: &dyn Display| ArenaError::for_line(path, line, reason);
        let found: ValueLine = record.deserialize(Some(&headers)).map_err(|error| wrong(&error))?;
        let solved = read_position(rules, &found.actions, found.value, &found.preserving, found.turns);
        positions.push(solved.map_err(|error| wrong(&error))?);
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use selfplay_env::rules;
    use selfplay_tictactoe::TicTacToe;

    use super::*;

    fn read(text: &str) -> Result<Vec<SolvedPosition>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("values.csv");
        std::fs::write(&path, text).unwrap();
        read_values(&path, rules::<TicTacToe>()).map_err(|error| error.to_string())
    }

    #[test]
    fn values_from_outside_are_read_and_checked_against_the_rules() {
        let text = "# by hand\nactions,value,turns,preserving\na1 b1 a2 b2,1,1,a3\na1,0,,b2\na1 b1 a2 b2 c3 a3,1,3,*\n";
        let [won, drawn, lost] = &read(text).unwrap()[..] else { panic!("three positions") };
        assert_eq!((won.history.len(), won.value, won.turns, won.is_critical), (4, 1, Some(1), true));
        assert_eq!((drawn.value, drawn.turns, drawn.preserving.len()), (0, None, 1));
        assert_eq!((lost.is_critical, lost.preserving.len()), (false, 3));
        for (from, to, expected) in [
            ("a1 b1", "a1 a1", "line 3"),
            (",a3", ",a1", "line 3"),
            (",b2", ",", "line 4: invalid solution: value 0 preserved by ``"),
            (",0,,", ",2,,", "line 4"),
            ("turns", "distance", "line 3"),
        ] {
            let reason = read(&text.replacen(from, to, 1)).unwrap_err();
            assert!(reason.contains("values.csv") && reason.contains(expected), "{from} -> {to}: {reason}");
        }
    }
}
