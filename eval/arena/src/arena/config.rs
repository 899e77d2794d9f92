//! How a match is played: openings, limits, time.

use selfplay_config::{InvalidKey, check};
use selfplay_env::rng::derive_seed;
use serde::{Deserialize, Serialize};

use selfplay_players::time_control::{ClockKind, TimeControl, TimeSpan};

/// What the seeds of a match are for.
const OPENINGS: u64 = 0;
const GAMES: u64 = 1;

/// The list of pairs, and what is known of each, is kept in memory.
const MAX_PAIRS: usize = 1_000_000;

/// How a match is played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatchConfig {
    /// Game pairs, 1 to 1,000,000; the two games of a pair share their opening and swap colours. Default 50.
    pub pairs: usize,
    /// Random moves before the players take over. Default 4.
    pub opening_plies: usize,
    /// Decides openings and all random choices of the players. Default 0.
    pub seed: u64,
    /// Pairs played in lockstep by one pair of player objects, at least 1; the unit that threads share out. It decides
    /// the size of batches: a player has up to twice as many games to decide in at once. Where time counts, each pair
    /// is a unit of its own. Default 2: few enough that all cores have something to do in short matches.
    pub pairs_per_chunk: usize,
    /// Moves, opening included, after which a game is stopped and counts as a draw; above `opening_plies`.
    /// Default 1000.
    pub max_plies: usize,
    /// The time that each player gets; who oversteps it loses the game. Openings cost no time. Default none.
    pub time: Option<TimeControl>,
    /// Milliseconds for a player's first turn of a game, in place of those in `time`, which must be given for each
    /// turn. Default none: as for all others.
    pub first_move_ms: Option<u64>,
    /// Milliseconds by which a turn may overstep its time by the wall clock, for what other programs do in between.
    /// Times per game and CPU times are kept exactly. Default 100.
    pub tolerance_ms: u64,
    /// Whether a game that is drawn by the rules goes to the player with more time left; equal times leave it drawn.
    /// Needs a time per game. Default false.
    pub time_breaks_draws: bool,
}

impl Default for MatchConfig {
    fn default() -> Self {
        MatchConfig {
            pairs: 50,
            opening_plies: 4,
            seed: 0,
            pairs_per_chunk: 2,
            max_plies: 1000,
            time: None,
            first_move_ms: None,
            tolerance_ms: 100,
            time_breaks_draws: false,
        }
    }
}

impl MatchConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        check((1..=MAX_PAIRS).contains(&self.pairs), "pairs", self.pairs as f64, "1 to 1,000,000")?;
        check(self.pairs_per_chunk >= 1, "pairs_per_chunk", self.pairs_per_chunk as f64, "at least 1")?;
        let is_longer = self.max_plies > self.opening_plies;
        check(is_longer, "max_plies", self.max_plies as f64, "more than `opening_plies`")?;
        let has_span = |span| self.time.is_some_and(|time| time.span == span);
        check(self.time.is_none_or(|time| time.ms >= 1), "time.ms", 0.0, "at least 1")?;
        if let Some(ms) = self.first_move_ms {
            let expected = "at least 1, beside a `time` for each turn";
            check(ms >= 1 && has_span(TimeSpan::Turn), "first_move_ms", ms as f64, expected)?;
        }
        let is_possible = !self.time_breaks_draws || has_span(TimeSpan::Game);
        check(is_possible, "time_breaks_draws", 1.0, "false unless `time` is for the whole game")
    }

    /// Seed of the match's openings.
    pub fn suite_seed(&self) -> u64 {
        derive_seed(&[self.seed, OPENINGS])
    }

    /// Seed of player A (0) or B (1) in one game.
    pub(super) fn player_seed(&self, game: usize, player: usize) -> u64 {
        derive_seed(&[self.seed, GAMES, game as u64, player as u64])
    }

    /// Milliseconds of tolerance for a turn under `time`.
    pub(super) fn tolerance_under(&self, time: &TimeControl) -> u64 {
        match (time.span, time.clock) {
            (TimeSpan::Turn, ClockKind::Wall) => self.tolerance_ms,
            _ => 0,
        }
    }
}
