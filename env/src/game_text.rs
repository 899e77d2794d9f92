//! Games as text: one game a line, actions separated by spaces, then `= R` (1 first won, 2 second won, 0 draw,
//! `*` unfinished).

use crate::{Action, Game, NotationError, Outcome, PlayError, Side};

/// The actions in the game's notation, separated by spaces.
pub fn format_line<G: Game>(actions: &[Action]) -> String {
    actions.iter().map(|&action| G::action_name(action)).collect::<Vec<_>>().join(" ")
}

/// Writes one game as a line without its line break.
pub fn format_game<G: Game>(actions: &[Action], outcome: Option<Outcome>) -> String {
    let gap = if actions.is_empty() { "" } else { " " };
    format!("{}{gap}= {}", format_line::<G>(actions), result_mark(outcome))
}

/// `1`, `2`, `0` or `*`.
pub fn result_mark(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Win(Side::First)) => "1",
        Some(Outcome::Win(Side::Second)) => "2",
        Some(Outcome::Draw) => "0",
        None => "*",
    }
}

/// The actions of a line, and the mark behind its last `=`, if there is one by itself: names of actions may have one.
pub fn split_result(line: &str) -> (&str, Option<&str>) {
    let stands_alone = |(before, _): &(&str, &str)| before.is_empty() || before.ends_with(char::is_whitespace);
    let parts = line.rsplit_once('=').filter(stands_alone);
    parts.map_or((line, None), |(moves, mark)| (moves, Some(mark.trim())))
}

/// Where a recorded game and the rules here part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Disagreement {
    /// The line is not in the format.
    #[error("no `= R` with R one of 1, 2, 0, * at the end of the line")]
    NoResult,
    /// An action cannot be read.
    #[error("action {number}: {error}")]
    Notation {
        /// Counted from 1.
        number: usize,
        /// What is wrong with it.
        error: NotationError,
    },
    /// An action is not legal here.
    #[error("action {number}: {error}")]
    Illegal {
        /// Counted from 1.
        number: usize,
        /// The rule it breaks.
        error: PlayError,
    },
    /// The game ends otherwise here.
    #[error("the recorded result is {recorded}, but after ply {plies} the rules give {here}")]
    Result {
        /// Length of the game.
        plies: usize,
        /// The mark in the file.
        recorded: String,
        /// The mark by the rules here.
        here: &'static str,
    },
}

/// Plays the actions of a list of notations from the initial position.
///
/// # Errors
/// The first action that cannot be read or is not legal.
pub fn play_line<G: Game>(moves: &[&str]) -> Result<(G, Vec<Action>), Disagreement> {
    let mut position = G::initial();
    let mut actions = Vec::with_capacity(moves.len());
    for (index, text) in moves.iter().enumerate() {
        let number = index + 1;
        let action = G::parse_action(text).map_err(|error| Disagreement::Notation { number, error })?;
        position.try_play(action).map_err(|error| Disagreement::Illegal { number, error })?;
        actions.push(action);
    }
    Ok((position, actions))
}

/// Replays one recorded line and compares its result with the rules here.
///
/// # Errors
/// The first [`Disagreement`].
pub fn replay_line<G: Game>(line: &str) -> Result<(), Disagreement> {
    let (moves, Some(recorded)) = split_result(line) else { return Err(Disagreement::NoResult) };
    if !["1", "2", "0", "*"].contains(&recorded) {
        return Err(Disagreement::NoResult);
    }
    let moves: Vec<&str> = moves.split_whitespace().collect();
    let (position, _) = play_line::<G>(&moves)?;
    let here = result_mark(position.outcome());
    if here != recorded {
        return Err(Disagreement::Result { plies: moves.len(), recorded: recorded.to_owned(), here });
    }
    Ok(())
}
