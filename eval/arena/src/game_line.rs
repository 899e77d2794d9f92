//! A game as a line of JSON in a file of games, and the line before all games.
//!
//! ```json
//! {"match":0,"game":1,"players":[0,1],"a_side":"second","opening":1,"decisions":"b2 a1 …","result":"1","end":"rules",
//!  "final":"…"}
//! ```
//! `game` is its number in its match, counted from 0; `players` are A and B as indices into the header's list; `opening`
//! is how many of the `decisions` are random; `result` is `1` (the first player won), `2`, `0` (drawn) or `*` (stopped);
//! `end` is a [`Termination`]; `final` is the board. Where time counts there are also `used_ms`, what the first and the
//! second player used, and `ms`, what each decision after the opening cost.

use selfplay_env::{Outcome, Side};
use serde::{Deserialize, Serialize};

use crate::arena::Termination;

/// Version of the lines, written into every header.
pub const GAMES_FORMAT: u32 = 1;

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
    pub decisions: String,
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
    /// The result; `None` if the game was stopped. The sentence says what is wrong with it.
    pub fn outcome(&self) -> Result<Option<Outcome>, String> {
        match self.result.as_str() {
            "1" => Ok(Some(Outcome::Win(Side::First))),
            "2" => Ok(Some(Outcome::Win(Side::Second))),
            "0" => Ok(Some(Outcome::Draw)),
            "*" => Ok(None),
            other => Err(format!("`result` is `{other}`: expected 1, 2, 0 or *")),
        }
    }
}
