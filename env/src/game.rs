//! The rules of a game as one trait: a value of the implementing type is a position.

use std::borrow::Cow;
use std::fmt;

use crate::position_index::PositionIndex;
use crate::{Action, GameSpec, Outcome, Side, grid};

/// A two-player game of perfect information; a value is a position.
///
/// Contract of every game (checked for any game by [`conformance`](crate::conformance)):
/// * `legal_actions` lists exactly the actions for which `is_legal` holds, each once. It is empty exactly when
///   `outcome` is `Some`.
/// * `distinct_actions` is a subset of `legal_actions` with one action for each different successor.
/// * `parse_action(action_name(a)) == a` for every action.
/// * `position_hash` is a function of the position as `==` sees it, however it was reached.
/// * Positions with the same `evaluation_key` have the same encoding and the same distinct actions.
///
/// `==` compares everything that affects later play, except the history of repetitions. Equal positions therefore have
/// the same legal actions and the same successors.
///
/// In this example, two players add 1 or 2 to a sum, and the player who reaches 10 wins:
///
/// ```
/// use selfplay_env::{Action, Game, GameSpec, Outcome, Side};
///
/// #[derive(Clone, PartialEq, Eq, Debug)]
/// struct RaceToTen {
///     sum: u64,
///     to_move: Side,
/// }
///
/// impl Game for RaceToTen {
///     fn spec() -> GameSpec {
///         GameSpec::new("race-to-ten", "Race to ten", 2).max_plies(10)
///     }
///     fn initial() -> Self {
///         RaceToTen { sum: 0, to_move: Side::First }
///     }
///     fn side_to_move(&self) -> Side {
///         self.to_move
///     }
///     fn outcome(&self) -> Option<Outcome> {
///         (self.sum >= 10).then_some(Outcome::Win(self.to_move.opponent()))
///     }
///     fn legal_actions(&self, actions: &mut Vec<Action>) {
///         actions.clear();
///         actions.extend((0..2).map(Action).filter(|action| self.sum + u64::from(action.0) + 1 <= 10));
///     }
///     fn play(&mut self, action: Action) {
///         self.sum += u64::from(action.0) + 1;
///         self.to_move = self.to_move.opponent();
///     }
///     fn position_hash(&self) -> u64 {
///         2 * self.sum + self.to_move.index() as u64
///     }
///     fn action_name(action: Action) -> String {
///         format!("+{}", action.0 + 1)
///     }
///     fn board(&self) -> String {
///         format!("sum {}\n", self.sum)
///     }
/// }
///
/// let position = RaceToTen::after(&[Action(0), Action(1)]);
/// assert_eq!((position.sum, position.side_to_move()), (3, Side::First));
/// assert_eq!(RaceToTen::parse_action("+2"), Ok(Action(1)));
/// ```
pub trait Game: Clone + Eq + fmt::Debug + Send + Sync + 'static {
    /// The facts about the game that never change.
    fn spec() -> GameSpec;

    /// The position before the first action.
    fn initial() -> Self;

    /// The position that `actions` lead to from the initial one. The caller vouches that they are legal, as for
    /// [`play`](Game::play).
    fn after(actions: &[Action]) -> Self {
        let mut position = Self::initial();
        actions.iter().for_each(|&action| position.play(action));
        position
    }

    /// Who decides now. May stay the same after [`play`](Game::play) (Pylos removals): signs follow the side, never
    /// the number of plies made.
    fn side_to_move(&self) -> Side;

    /// The result, or `None` while the game runs.
    fn outcome(&self) -> Option<Outcome>;

    /// Replaces the contents of `actions` by every legal action, in a fixed order; empty when the game is over.
    fn legal_actions(&self, actions: &mut Vec<Action>);

    /// Replaces the contents of `actions` by one legal action for each different successor, in a fixed order.
    ///
    /// Search and policy targets use this list, perft and legality use [`legal_actions`](Game::legal_actions).
    fn distinct_actions(&self, actions: &mut Vec<Action>) {
        self.legal_actions(actions);
    }

    /// The action of [`distinct_actions`](Game::distinct_actions) that leads to the same successor as the legal
    /// `action`.
    fn canonical_action(&self, action: Action) -> Action {
        action
    }

    /// Whether the rules allow `action` here. False for every action once the game is over.
    ///
    /// Looks it up in the list of legal actions; a game that can tell without a list overrides it.
    fn is_legal(&self, action: Action) -> bool {
        let mut legal = Vec::new();
        self.legal_actions(&mut legal);
        legal.contains(&action)
    }

    /// Half a sentence that says which rule forbids the illegal `action` here, for people.
    fn illegal_reason(&self, _action: Action) -> String {
        "the rules do not allow it".into()
    }

    /// Makes the action. The caller vouches that `action` is legal; otherwise the position is meaningless
    /// afterwards (never undefined behaviour).
    fn play(&mut self, action: Action);

    /// Makes the action after checking it.
    ///
    /// # Errors
    /// [`PlayError::GameOver`] or [`PlayError::Illegal`] with the rule broken; the position is then unchanged.
    fn try_play(&mut self, action: Action) -> Result<(), PlayError> {
        if self.is_legal(action) {
            self.play(action);
            return Ok(());
        }
        let name = Self::action_name(action);
        if self.outcome().is_some() {
            return Err(PlayError::GameOver { action: name });
        }
        Err(PlayError::Illegal { reason: self.illegal_reason(action), action: name })
    }

    /// A 64-bit hash of the position as `==` sees it, kept up incrementally (or cheap to compute).
    fn position_hash(&self) -> u64;

    /// A 64-bit hash of everything an evaluation may depend on: the position as `==` sees it and whatever of its history
    /// the tensor encoding shows. Positions with the same key have the same distinct actions and the same encoding, so
    /// caches of evaluations are keyed by it.
    fn evaluation_key(&self) -> u64 {
        self.position_hash()
    }

    /// Whether the next action starts a turn. False in the middle of one (Pylos removals).
    fn starts_turn(&self) -> bool {
        true
    }

    /// The position index of all turn starts, for games with so few that a table can hold what each is worth; it goes by
    /// [`number`](Self::number) and [`at_number`](Self::at_number).
    /// [`NumberedByRules`](crate::NumberedByRules) makes one of these two alone.
    fn position_index() -> Option<&'static dyn PositionIndex> {
        None
    }

    /// The number of a running game's turn start, where the game has a [`position_index`](Self::position_index); not asked of other
    /// positions.
    fn number(&self) -> Option<u64> {
        None
    }

    /// A turn start with this number; `None` if there is none.
    fn at_number(_number: u64) -> Option<Self> {
        None
    }

    /// The game's notation for `action`.
    fn action_name(action: Action) -> String;

    /// Reads the game's notation; whether the action is legal somewhere is another question.
    ///
    /// # Errors
    /// [`NotationError`] with the text and what would be right.
    fn parse_action(text: &str) -> Result<Action, NotationError> {
        let mut actions = (0..Self::spec().action_count).map(Action::from_index);
        actions.find(|&action| Self::action_name(action) == text).ok_or_else(|| NotationError {
            text: text.into(),
            game: Self::spec().id,
            expected: format!("an action in the game's notation, such as `{}`", Self::action_name(Action(0))).into(),
        })
    }

    /// Whose piece stands on the cell with the number row · columns + column of the [grid](GameSpec::grid); not asked of games
    /// without one.
    fn owner(&self, _cell: usize) -> Option<Side> {
        None
    }

    /// The position drawn with plain characters over several lines, with coordinates, ending in a line break.
    fn board(&self) -> String {
        let symbol = |side: Side| Self::spec().side_names[side.index()].chars().next().unwrap_or('?');
        grid::picture(Self::spec().grid_size(), |cell| self.owner(cell).map_or('.', symbol))
    }
}

/// Why an action cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The rules forbid it.
    #[error("{action} is not legal here: {reason}")]
    Illegal {
        /// The action in the game's notation.
        action: String,
        /// The rule it breaks.
        reason: String,
    },
    /// Nothing can be played any more.
    #[error("cannot play {action}: the game is over")]
    GameOver {
        /// The action in the game's notation.
        action: String,
    },
}

/// A text that names no action of the game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an action of {game}: expected {expected}")]
pub struct NotationError {
    /// The text that was read.
    pub text: String,
    /// Id of the game.
    pub game: &'static str,
    /// What would have been right, with an example.
    pub expected: Cow<'static, str>,
}
