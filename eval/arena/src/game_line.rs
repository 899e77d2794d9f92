//! A game as a line of JSON in a file of games, and the line before all games.
//!
//! ```json
//! {"match":0,"game":1,"players":[0,1],"a_side":"second","opening":1,"moves":"b2 a1 …","result":"1","end":"rules",
//!  "final":"…"}
//! ```
//! `game` is its number in its match, counted from 0; `players` are A and B as indices into the header's list; `opening`
//! is how many of the `moves` are random; `result` is `1` (the first player won), `2`, `0` (drawn) or `*` (stopped);
//! `end` is a [`Termination`]; `final` is the board. Where time counts there are also `used_ms`, what the first and the
//! second player used, and `ms`, what each move after the opening cost.

use selfplay_env::game_text::Disagreement;
use selfplay_env::{Outcome, Side};
use serde::{Deserialize, Serialize};

use crate::arena::Termination;

/// Version of the lines, written into every header.
pub const GAMES_FORMAT: u32 = 2;

/// What all games of a file have in common.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesHeader {
    /// [`GAMES_FORMAT`].
    pub format: u32,
    /// Id of the game.
    pub game: String,
    /// Names of all players, in the order to which the games' `players` refer.
    pub players: Vec<String>,
    /// All that decides what is played: configurations, seeds, rules for stopping.
    pub plan: serde_json::Value,
}

impl GamesHeader {
    /// A header in the present format for games of the game with the id `game`.
    pub fn new(game: &str, players: Vec<String>, plan: serde_json::Value) -> Self {
        GamesHeader { format: GAMES_FORMAT, game: game.to_owned(), players, plan }
    }
}

/// Why a line of a file of games is not a game, or not one that belongs there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameLineError {
    /// It is not in the format.
    #[error("invalid game record: {0}")]
    Format(serde_json::Error),
    /// Its result is not one of the four.
    #[error("`result` is `{found}`: expected 1, 2, 0 or *")]
    Result {
        /// What is there.
        found: String,
    },
    /// The rules do not allow it.
    #[error(transparent)]
    Rules(#[from] Disagreement),
    /// It cannot have ended as it says.
    #[error("{0}")]
    End(&'static str),
    /// Its result does not follow from its end.
    #[error("the recorded result is {recorded}, but its termination implies {expected}")]
    OtherResult {
        /// What is there.
        recorded: &'static str,
        /// What would be right.
        expected: &'static str,
    },
    /// Parts of it do not agree.
    #[error("inconsistent record: expected {expected}")]
    Contradiction {
        /// The line that would be right.
        expected: String,
    },
    /// It is of another match than the others.
    #[error("the record belongs to another match")]
    OtherMatch,
    /// The header does not have its players.
    #[error("the players are {a} and {b}: the header has {known}, counted from 0", a = players[0], b = players[1])]
    UnknownPlayers {
        /// Its players.
        players: [usize; 2],
        /// How many there are.
        known: usize,
    },
    /// The wrong player moves first.
    #[error("`a_side` is wrong in game {game}: A moves first in even games")]
    Side {
        /// Number of the game.
        game: usize,
    },
    /// It stands twice.
    #[error("duplicate game {game} of match {match_number}")]
    Repeated {
        /// Number of the game.
        game: usize,
        /// Number of the match.
        match_number: usize,
    },
    /// The two games of its pair have different players.
    #[error(
        "the players are {a} and {b}: in the other game of the pair they are {other:?}",
        a = players[0], b = players[1]
    )]
    OtherPlayers {
        /// Its players.
        players: [usize; 2],
        /// Those of the other game.
        other: [usize; 2],
    },
}

/// A game as its line in the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameLine {
    #[serde(rename = "match")]
    pub match_number: usize,
    pub game: usize,
    pub players: [usize; 2],
    pub a_side: SideName,
    pub opening: usize,
    pub moves: String,
    pub result: String,
    pub end: Termination,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ms: Option<[f64; 2]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ms: Vec<f64>,
    #[serde(rename = "final")]
    pub final_board: String,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SideName {
    First,
    Second,
}

impl GameLine {
    /// The result; `None` if the game was stopped.
    pub fn outcome(&self) -> Result<Option<Outcome>, GameLineError> {
        match self.result.as_str() {
            "1" => Ok(Some(Outcome::Win(Side::First))),
            "2" => Ok(Some(Outcome::Win(Side::Second))),
            "0" => Ok(Some(Outcome::Draw)),
            "*" => Ok(None),
            other => Err(GameLineError::Result { found: other.to_owned() }),
        }
    }
}
