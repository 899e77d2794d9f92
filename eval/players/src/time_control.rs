//! The time that a match gives its players, and how much of it to spend on a move.

use std::fmt;
use std::time::Duration;

use selfplay_mcts::TimePlan;
use serde::{Deserialize, Serialize};

/// The longest time that can be given, in milliseconds: an hour.
const MAX_TIME_MS: u64 = 3_600_000;

/// Milliseconds from a text such as `500ms` or `2s`; `None` if it is anything else, zero or above an hour.
pub fn parse_time_ms(text: &str) -> Option<u64> {
    let (digits, ms_per_unit) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 1),
        None => (text.strip_suffix('s')?, 1000),
    };
    let ms = digits.parse::<u64>().ok()?.checked_mul(ms_per_unit)?;
    (1..=MAX_TIME_MS).contains(&ms).then_some(ms)
}

/// Which clock runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockKind {
    /// Time that passes.
    Wall,
    /// Time that the player's threads compute.
    Cpu,
}

/// What a time is given for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeSpan {
    /// Each turn anew: all actions that a player makes before the other one moves.
    #[serde(alias = "move")]
    Turn,
    /// All moves of one player in one game.
    Game,
}

/// A time for a player, measured by a clock: what a match gives, or what is left of it before a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// Milliseconds, at least 1 in a match; 0 where nothing is left.
    pub ms: u64,
    /// What they are for.
    pub span: TimeSpan,
    /// How they are measured.
    pub clock: ClockKind,
}

/// With a time per game, a player plans for about this many moves of its own: most games are decided long before
/// their longest possible end, and time that is left then is lost.
const PLANNED_MOVES: usize = 10;
/// And at any time for this many more, so that a longer game divides what is left again and again.
const MIN_PLANNED: usize = 5;

/// With a time per game, a hard move may take so many times its share.
const MAX_SHARES: f64 = 1.6;

/// Kept back from every time, for what happens between a player's clock and the match's.
const MARGIN: Duration = Duration::from_millis(10);
/// The largest share of the time left that is kept back: with next to nothing left, most of it still goes to thinking.
const MARGIN_SHARE: f64 = 0.25;

impl TimeControl {
    /// How long to think about one move, if about `moves_to_go` (this one included, at least 1) are still to
    /// be made with this time; with a time for the turn, all of it. Always less than the time itself.
    pub fn thinking_time(&self, moves_to_go: usize) -> Duration {
        let left = Duration::from_millis(self.ms);
        let usable = left - MARGIN.min(left.mul_f64(MARGIN_SHARE));
        match self.span {
            TimeSpan::Turn => usable,
            TimeSpan::Game => usable / u32::try_from(moves_to_go.max(1)).unwrap_or(u32::MAX),
        }
    }

    /// How long to think about one move, as [`thinking_time`](Self::thinking_time) says, and how long if it is hard:
    /// with a time per game 1.6 times as long, but at least half of what would otherwise be left stays.
    pub fn plan(&self, moves_to_go: usize) -> TimePlan {
        let planned = self.thinking_time(moves_to_go);
        let spared = self.thinking_time(1).saturating_sub(planned) / 2;
        TimePlan { planned, most: planned.mul_f64(MAX_SHARES).min(planned + spared) }
    }
}

/// As in `2s a turn` or `100s CPU a game`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = if self.clock == ClockKind::Cpu { " CPU" } else { "" };
        let span = if self.span == TimeSpan::Game { "game" } else { "turn" };
        match self.ms % 1000 {
            0 => write!(f, "{}s{clock} a {span}", self.ms / 1000),
            _ => write!(f, "{}ms{clock} a {span}", self.ms),
        }
    }
}

/// About how many moves a player still makes after `made` of both players in a game of at most `max_plies`; at
/// least 1.
pub fn moves_to_go(max_plies: Option<usize>, made: usize) -> usize {
    let most = max_plies.map_or(usize::MAX, |most| most.saturating_sub(made).div_ceil(2));
    let planned = PLANNED_MOVES.saturating_sub(made / 2).max(MIN_PLANNED);
    most.clamp(1, planned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_five_moves_take_half_of_a_games_time_and_ten_take_most() {
        let mut left = 1.0;
        let shares: Vec<f64> = (0..10)
            .map(|own| {
                let share = left / moves_to_go(None, 2 * own) as f64;
                left -= share;
                share
            })
            .collect();
        assert!(shares[..6].iter().all(|share| (share - 1.0 / 10.0).abs() < 1e-9), "{shares:?}");
        assert!((0.13..0.2).contains(&left), "{left}");
    }

    #[test]
    fn a_hard_move_takes_more_of_a_games_time_but_not_of_a_moves() {
        let plan = |span, actions| TimeControl { ms: 3210, span, clock: ClockKind::Wall }.plan(actions);
        let ms = Duration::from_millis;
        let exactly = TimePlan::exactly;
        assert_eq!(plan(TimeSpan::Turn, 16), exactly(ms(3200)));
        assert_eq!(plan(TimeSpan::Game, 1), exactly(ms(3200)), "the last move may take all");
        assert_eq!(plan(TimeSpan::Game, 16), TimePlan { planned: ms(200), most: ms(320) });
        assert_eq!(plan(TimeSpan::Game, 2), TimePlan { planned: ms(1600), most: ms(2400) });
        let nothing = TimeControl { ms: 0, span: TimeSpan::Game, clock: ClockKind::Cpu }.plan(9);
        assert_eq!(nothing, exactly(Duration::ZERO));
    }
}
