//! A turn as one word of GTP: the names of its actions one after the other, as in `c2-b1-e3`.
//!
//! The move to stop, `-`, is left out at the end: `c2-b1` removes one sphere and stops. In games where a turn is one
//! move its word is the move's name.

use selfplay_env::{Action, NotationError, PlayError, Position, Rules, Side};

/// Notation of the move that ends a turn early.
const STOP: &str = "-";

/// What GTP calls `side`: the colour that the game gives it, or black for the first player where the game has no black
/// and white.
pub fn gtp_color(rules: &dyn Rules, side: Side) -> &'static str {
    match rules.side_names().map(|name| name.eq_ignore_ascii_case("black")) {
        [false, true] => ["white", "black"][side.index()],
        _ => ["black", "white"][side.index()],
    }
}

/// The word of a turn that is made of `moves`.
pub fn turn_word(rules: &dyn Rules, actions: &[Action]) -> String {
    let names: Vec<String> = actions.iter().map(|&action| rules.action_name(action)).collect();
    match names.split_last() {
        Some((last, rest)) if last == STOP && !rest.is_empty() => rest.concat(),
        _ => names.concat(),
    }
}

/// Why a word is no turn.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// It names no move of the game.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The rules forbid it.
    #[error("{reason}")]
    Illegal {
        /// The rule that it breaks.
        reason: String,
    },
    /// It is a move, and the turn has more.
    #[error("`{word}` is not a complete turn here")]
    NotWhole {
        /// The word.
        word: String,
    },
}

/// The moves of a whole turn that `word` stands for in the running `position`, each canonical. A coordinate with the
/// letter first, as in `N9`, is read as `9N` where the game writes it so.
///
/// # Errors
/// [`TurnError`]: why the word is not a legal turn.
pub fn parse_turn(position: &dyn Position, word: &str) -> Result<Vec<Action>, TurnError> {
    let mut actions = Vec::new();
    let number_first = with_number_first(word);
    for spelling in [Some(word), number_first.as_deref()].into_iter().flatten() {
        if read_turn(position, spelling, &mut actions) {
            return Ok(actions);
        }
    }
    let rules = position.rules();
    let action = rules.parse_action(word).or_else(|error| match &number_first {
        Some(spelling) => rules.parse_action(spelling).map_err(|_| error),
        None => Err(error),
    });
    match action {
        Ok(action) if !position.is_legal(action) => Err(TurnError::Illegal { reason: position.illegal_reason(action) }),
        Ok(_) => Err(TurnError::NotWhole { word: word.into() }),
        Err(error) => Err(error.into()),
    }
}

/// Every legal turn of the running `position`, as its actions in the order of the legal actions.
pub fn legal_turns(position: &dyn Position) -> Vec<Vec<Action>> {
    let mut turns = Vec::new();
    add_turns(position, &mut Vec::new(), &mut turns);
    turns
}

fn add_turns(position: &dyn Position, before: &mut Vec<Action>, turns: &mut Vec<Vec<Action>>) {
    let mut legal = Vec::new();
    position.legal_actions(&mut legal);
    for action in legal {
        let mut after = position.boxed();
        after.play(action);
        before.push(action);
        if after.starts_turn() || after.outcome().is_some() {
            turns.push(before.clone());
        } else {
            add_turns(&*after, before, turns);
        }
        before.pop();
    }
}

/// Appends the canonical moves from `position` to the end of the turn whose names make up `text`; false, with
/// `moves` as before, if there are none.
fn read_turn(position: &dyn Position, text: &str, actions: &mut Vec<Action>) -> bool {
    let mut legal = Vec::new();
    position.legal_actions(&mut legal);
    for action in legal {
        let name = position.rules().action_name(action);
        let rest = match text.strip_prefix(name.as_str()) {
            Some(rest) => rest,
            None if text.is_empty() && name == STOP => "",
            None => continue,
        };
        let mut after = position.boxed();
        after.play(action);
        let ends_turn = after.starts_turn() || after.outcome().is_some();
        actions.push(position.canonical_action(action));
        if if ends_turn { rest.is_empty() } else { read_turn(&*after, rest, actions) } {
            return true;
        }
        actions.pop();
    }
    false
}

/// `9N` from `N9` or `n9`; `None` if `word` is not a letter and digits.
fn with_number_first(word: &str) -> Option<String> {
    let letter = word.chars().next().filter(char::is_ascii_alphabetic)?;
    let digits = &word[1..];
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| format!("{digits}{}", letter.to_ascii_uppercase()))
}

/// Whole turns: who made each, and its word.
pub type Turns = Vec<(Side, String)>;

/// The whole turns that `moves` from `position` make up, each with its side and word, and the position after them.
/// Moves of an unfinished last turn are left out.
///
/// # Errors
/// [`PlayError`] with the move that is not legal.
pub fn turns(position: &dyn Position, actions: &[Action]) -> Result<(Turns, Box<dyn Position>), PlayError> {
    let mut turns = Vec::new();
    let (mut position, mut whole) = (position.boxed(), position.boxed());
    let mut start = 0;
    for (index, &action) in actions.iter().enumerate() {
        let side = position.side_to_move();
        position.try_play(action)?;
        if position.starts_turn() || position.outcome().is_some() {
            turns.push((side, turn_word(position.rules(), &actions[start..=index])));
            start = index + 1;
            whole = position.clone();
        }
    }
    Ok((turns, whole))
}
