//! Why a GTP command fails.

use std::borrow::Cow;

use selfplay_players::EvalError;
use selfplay_players::program::quoted;

/// The reason in an answer that begins with `?`.
#[derive(Debug, thiserror::Error)]
pub(super) enum GtpError {
    /// The command has other arguments.
    #[error("syntax error: expected {0}")]
    Syntax(Cow<'static, str>),
    /// The word names neither colour.
    #[error("syntax error: `{}` is no colour, expected {} or {}", quoted(.word), .expected[0], .expected[1])]
    UnknownColor {
        /// The word.
        word: String,
        /// What names the first and the second player.
        expected: [String; 2],
    },
    /// The command does not exist.
    #[error("unknown command `{}`", quoted(.0))]
    UnknownCommand(String),
    /// The game has a board of another size.
    #[error("unacceptable size: the board of {game} has size {width}")]
    BoardSize {
        /// The game.
        game: &'static str,
        /// Its columns.
        width: usize,
    },
    /// The colour may not move.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// The colour of `play` may not move.
    #[error("illegal move: {0}")]
    IllegalTurn(TurnError),
    /// The word of `play` is no legal move.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// No turn has been played.
    #[error("cannot undo")]
    NothingToUndo,
    /// Only finished games have a score.
    #[error("cannot score: the game is not over")]
    NotOver,
    /// The player failed.
    #[error(transparent)]
    Player(#[from] EvalError),
}

/// Why a colour may not move.
#[derive(Debug, thiserror::Error)]
pub(super) enum TurnError {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// The other colour is to move.
    #[error("it is {0}'s turn")]
    OtherColor(&'static str),
}
