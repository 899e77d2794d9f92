//! Tells two positions apart that should be the same in every respect, history included.

use crate::{Game, Outcome, Side};

/// The first respect in which a position is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// The two are not equal, as `drawn_apart` shows.
    #[error("the position is another:\n{found}instead of\n{expected}")]
    Position {
        /// As it should be, drawn.
        expected: String,
        /// As it is, drawn.
        found: String,
    },
    /// Another side decides.
    #[error("{found:?} is to move instead of {expected:?}")]
    SideToMove {
        /// Who should decide.
        expected: Side,
        /// Who does.
        found: Side,
    },
    /// One is in the middle of a turn.
    #[error("only one of the two starts a turn")]
    TurnStart,
    /// Another result, or only one of the two is over.
    #[error("the outcome is {found:?} instead of {expected:?}")]
    Outcome {
        /// As it should be.
        expected: Option<Outcome>,
        /// As it is.
        found: Option<Outcome>,
    },
    /// Equal positions, and yet another hash.
    #[error("the position hash is another")]
    PositionHash,
    /// What the encoding shows of the history differs.
    #[error("the evaluation key is another")]
    EvaluationKey,
}

/// How a game stands: what playing one action after the other has to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayState {
    side_to_move: Side,
    starts_turn: bool,
    outcome: Option<Outcome>,
}

impl ReplayState {
    /// How the game stands in `position`.
    pub fn new<G: Game>(position: &G) -> Self {
        ReplayState {
            side_to_move: position.side_to_move(),
            starts_turn: position.starts_turn(),
            outcome: position.outcome(),
        }
    }

    /// The same with the two sides in each other's place.
    pub fn exchanged(self) -> Self {
        let ReplayState { side_to_move, starts_turn, outcome } = self;
        ReplayState { side_to_move: side_to_move.opponent(), starts_turn, outcome: outcome.map(Outcome::exchanged) }
    }

    /// Checks that the game stands so in `position`.
    ///
    /// # Errors
    /// The first [`Difference`].
    pub fn check<G: Game>(self, position: &G) -> Result<(), Difference> {
        let found = ReplayState::new(position);
        if found.side_to_move != self.side_to_move {
            return Err(Difference::SideToMove { expected: self.side_to_move, found: found.side_to_move });
        }
        if found.outcome != self.outcome {
            return Err(Difference::Outcome { expected: self.outcome, found: found.outcome });
        }
        if found.starts_turn != self.starts_turn {
            return Err(Difference::TurnStart);
        }
        Ok(())
    }
}

/// Compares everything that can be asked of a position without looking ahead.
///
/// # Errors
/// The first [`Difference`].
pub fn check_same<G: Game>(expected: &G, found: &G) -> Result<(), Difference> {
    ReplayState::new(expected).check(found)?;
    if expected != found {
        let [expected, found] = drawn_apart(expected, found);
        return Err(Difference::Position { expected, found });
    }
    if expected.position_hash() != found.position_hash() {
        return Err(Difference::PositionHash);
    }
    if expected.evaluation_key() != found.evaluation_key() {
        return Err(Difference::EvaluationKey);
    }
    Ok(())
}

/// How far `Debug` indents the fields of a value.
const FIELD_INDENT: usize = 4;
/// As many lines of a position are shown.
const MAX_LINES: usize = 12;

/// Two positions that are not equal, for people: their boards, or where these are alike what else their types hold, in
/// lines of its own. Each text ends in a line break.
pub fn drawn_apart<G: Game>(one: &G, other: &G) -> [String; 2] {
    let boards = [one.board(), other.board()];
    if boards[0] != boards[1] {
        return boards;
    }
    let told = [format!("{one:#?}"), format!("{other:#?}")];
    let lines: [Vec<&str>; 2] = [told[0].lines().collect(), told[1].lines().collect()];
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let ahead = lines[0].iter().zip(&lines[1]).take_while(same).count();
    let behind = lines[0].iter().rev().zip(lines[1].iter().rev()).take_while(same).count();
    // Lists stand over several lines: the name of the field is above, less indented.
    let is_field = |line: &&str| line.len() - line.trim_start().len() <= FIELD_INDENT;
    let start = lines[0][..ahead]
        .iter()
        .rposition(is_field)
        .filter(|&above| above > 0 && lines[0][above].ends_with(['[', '{', '(']));
    let start = start.unwrap_or(ahead);
    lines.map(|lines| {
        let end = lines.len().saturating_sub(behind).clamp(start, start + MAX_LINES);
        let apart: String = lines[start..end].iter().map(|line| format!("{line}\n")).collect();
        if apart.is_empty() {
            "the same board, which `==` tells apart\n".into()
        } else {
            format!("the same board, with\n{apart}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, GameSpec};

    /// One of two fields is on the board, whatever the rules are.
    #[derive(Clone, PartialEq, Eq, Debug)]
    struct Hidden {
        shown: u8,
        counts: [u8; 2],
        hash: u64,
    }

    impl Game for Hidden {
        fn spec() -> GameSpec {
            GameSpec::new("hidden", "hidden", 1).side_names(["X", "O"])
        }

        fn initial() -> Self {
            Hidden { shown: 0, counts: [0; 2], hash: 0 }
        }
        fn side_to_move(&self) -> Side {
            Side::First
        }
        fn outcome(&self) -> Option<Outcome> {
            None
        }
        fn legal_actions(&self, _actions: &mut Vec<Action>) {}
        fn play(&mut self, _action: Action) {}
        fn position_hash(&self) -> u64 {
            self.hash
        }
        fn action_name(_action: Action) -> String {
            "pass".into()
        }
        fn board(&self) -> String {
            format!("{}\n", self.shown)
        }
    }

    #[test]
    fn what_no_board_shows_is_told() {
        let one = Hidden::initial();
        assert_eq!(drawn_apart(&one, &Hidden { shown: 3, ..one.clone() }), ["0\n", "3\n"]);
        let other_hash = drawn_apart(&one, &Hidden { hash: 7, ..one.clone() });
        assert_eq!(other_hash, [0, 7].map(|hash| format!("the same board, with\n    hash: {hash},\n")));
        let other_count = drawn_apart(&one, &Hidden { counts: [0, 5], ..one.clone() });
        assert_eq!(
            other_count,
            [0, 5].map(|count| format!("the same board, with\n    counts: [\n        0,\n        {count},\n"))
        );
    }
}
