//! What a match leaves behind: its games, how each of them ended, and what they add up to.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::time::Duration;

use selfplay_env::{Action, Outcome, Side};
use serde::{Deserialize, Serialize};

use selfplay_ratings::pair_counts::PairCounts;

/// Why a game was over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Termination {
    /// By the rules of the game.
    Rules,
    /// Drawn by the rules; it goes to the side with more time left.
    MoreTimeLeft,
    /// Stopped at `max_plies`; counts as a draw.
    Capped,
    /// The side to move overstepped its time and lost; its move was not made.
    TimeForfeit {
        /// Milliseconds used for the move, or for all moves if the time is per game.
        used_ms: u64,
        /// Milliseconds given for the same.
        allowed_ms: u64,
    },
    /// The side to move made a move that the rules forbid, and lost.
    IllegalMove {
        /// The rule it breaks.
        reason: String,
    },
    /// The side to move gave no move, and lost.
    PlayerFailed {
        /// What happened.
        reason: String,
    },
}

impl Termination {
    /// Whether the side to move lost for something other than its position.
    pub fn is_forfeit(&self) -> bool {
        use Termination::{IllegalMove, PlayerFailed, TimeForfeit};
        matches!(self, TimeForfeit { .. } | IllegalMove { .. } | PlayerFailed { .. })
    }
}

/// One game of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameResult {
    /// Number of the pair, and of its opening.
    pub opening: usize,
    /// How many of `moves` are the opening's.
    pub opening_len: usize,
    /// The side that player A had.
    pub a_side: Side,
    /// All moves from the initial position, each as the canonical action of those with the same effect.
    pub actions: Vec<Action>,
    /// The result; `None` if the game was stopped at `max_plies`, which counts as a draw.
    pub outcome: Option<Outcome>,
    /// Why it was over.
    pub termination: Termination,
    /// What each move after the opening cost its player, in whole microseconds; one more where the last answer was
    /// forfeited. Empty where time does not count.
    pub move_times: Vec<Duration>,
    /// What all moves of the first and the second player cost them.
    pub time_used: [Duration; 2],
}

impl GameResult {
    /// Number of the game in its match.
    pub fn number(&self) -> usize {
        2 * self.opening + self.a_side.index()
    }

    /// 1 if A won, 0 for a draw, −1 if A lost.
    pub fn a_value(&self) -> i8 {
        self.outcome.map_or(0, |outcome| outcome.value_for(self.a_side))
    }
}

/// The side that used less of the same time; `None` if both used as much.
pub(crate) fn more_time_left(used: &[Duration; 2]) -> Option<Side> {
    match used[0].cmp(&used[1]) {
        Ordering::Less => Some(Side::First),
        Ordering::Equal => None,
        Ordering::Greater => Some(Side::Second),
    }
}

/// Counts a pair of games, that with A as the first player before the other.
pub(crate) fn count_pair(counts: &mut PairCounts, pair: [&GameResult; 2]) {
    counts.add_pair(pair[0].a_value(), pair[1].a_value());
}

/// All games of a match between the players A and B, pair by pair: in games `2i` and `2i + 1` pair `i` is played, first
/// with A as the first player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchReport {
    /// Name of player A.
    pub a: String,
    /// Name of player B.
    pub b: String,
    /// The games.
    pub games: Vec<GameResult>,
}

impl MatchReport {
    /// Games that A won.
    pub fn wins(&self) -> u32 {
        self.count(|game| game.a_value() == 1)
    }

    /// Games drawn, those stopped included.
    pub fn draws(&self) -> u32 {
        self.count(|game| game.a_value() == 0)
    }

    /// Games that A lost.
    pub fn losses(&self) -> u32 {
        self.count(|game| game.a_value() == -1)
    }

    /// Games stopped at `max_plies`.
    pub fn capped(&self) -> u32 {
        self.count(|game| game.termination == Termination::Capped)
    }

    /// Games lost by A and by B for time, illegal moves or none at all.
    pub fn forfeits(&self) -> [u32; 2] {
        [-1, 1].map(|value| self.count(|game| game.termination.is_forfeit() && game.a_value() == value))
    }

    fn count(&self, is_counted: impl Fn(&GameResult) -> bool) -> u32 {
        self.games.iter().filter(|game| is_counted(game)).count() as u32
    }

    /// The results pair by pair, from A's view.
    pub fn pair_counts(&self) -> PairCounts {
        let mut counts = PairCounts::default();
        for pair in self.games.chunks_exact(2) {
            count_pair(&mut counts, [&pair[0], &pair[1]]);
        }
        counts
    }

    /// A's points per game in 0..=1.
    pub fn score(&self) -> f64 {
        self.pair_counts().score()
    }

    /// Share of games in 0..=1 whose moves were all played in an earlier game of the match. Such games say nothing
    /// new, and every error bar is too small by them.
    pub fn duplicates(&self) -> f64 {
        let distinct: HashSet<&[Action]> = self.games.iter().map(|game| &game.actions[..]).collect();
        self.share((self.games.len() - distinct.len()) as f64)
    }

    /// Points per game in 0..=1 of the player with the first move.
    pub fn first_player_share(&self) -> f64 {
        let values = self.games.iter().map(|game| game.outcome.map_or(0, |outcome| outcome.value_for(Side::First)));
        self.share(values.map(|value| f64::from(value + 1) / 2.0).sum())
    }

    fn share(&self, part: f64) -> f64 {
        part / self.games.len().max(1) as f64
    }
}
