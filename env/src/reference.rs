//! Holds a game against what independent implementations of it recorded: perft tables and games.

use crate::failed_check::failed;
use crate::game_text::split_result;
use crate::perft::PerftCount;
use crate::{FailedCheck, Rules};

/// Counts again what a table says, whose lines are `DEPTH NODES FIRST SECOND DRAW : action …`: [`PerftCount`]'s fields
/// after these actions. Returns the number of lines.
///
/// # Errors
/// The first line that is not in the format, cannot be played or has other counts.
pub fn check_perft(rules: &dyn Rules, table: &str) -> Result<usize, FailedCheck> {
    for line in table.lines() {
        let (numbers, moves) = line.split_once(':').ok_or_else(|| failed!("no `:` in: {line}"))?;
        let numbers: Result<Vec<u64>, _> = numbers.split_whitespace().map(str::parse).collect();
        let Ok(&[depth, ref counts @ ..]) = numbers.as_deref() else {
            return Err(failed!("no numbers before the `:` in: {line}"));
        };
        let moves: Vec<&str> = moves.split_whitespace().collect();
        let (position, _) = rules.play_line(&moves).map_err(|error| failed!("{error} in: {line}"))?;
        let PerftCount { nodes, first, second, draw, .. } = position.perft(depth as usize);
        if counts != [nodes, first, second, draw] {
            return Err(failed!("{nodes} {first} {second} {draw} counted here, not as in: {line}"));
        }
    }
    Ok(table.lines().count())
}

/// Replays games, each a line as in [`game_text`](crate::game_text), and then in every manner, as
/// [`check_game`](crate::replay_check::check_game) does. Returns their number.
///
/// # Errors
/// The first game that is not as recorded, or not the same in another manner.
pub fn check_games(rules: &dyn Rules, games: &str) -> Result<usize, FailedCheck> {
    for (number, line) in (1..).zip(games.lines()) {
        rules.replay_line(line).map_err(|error| failed!("game {number}: {error}"))?;
        let moves: Vec<&str> = split_result(line).0.split_whitespace().collect();
        let (position, actions) = rules.play_line(&moves).map_err(|error| failed!("game {number}: {error}"))?;
        let checked = rules.check_game(&actions, position.outcome());
        checked.map_err(|error| failed!("game {number}: {error}"))?;
    }
    Ok(games.lines().count())
}
