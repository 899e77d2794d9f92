//! The clocks of a GTP game: what `time_settings` and `time_left` say, less what our own turns took.

use std::time::Duration;

use selfplay_env::Side;
use selfplay_players::{ClockKind, TimeControl, TimeSpan};

/// The longest time that is believed, in milliseconds: ten days. More is cut down to it.
const MAX_MS: f64 = 864e6;

/// Time for a number of turns, renewed when they are made: Canadian byo-yomi.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Period {
    ms: u64,
    turns: u64,
}

/// What one side has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SideClock {
    /// For the rest of the game, before the first period.
    main_ms: u64,
    /// What is left of the present period; `None` if there are no periods.
    period: Option<Period>,
    /// What the next period has.
    next_period: Option<Period>,
}

/// The clocks of both sides, first player's first; `None` where a side plays without.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct GtpClock([Option<SideClock>; 2]);

impl GtpClock {
    /// `time_settings MAIN BYO_YOMI STONES`, in seconds. As in GTP, byo-yomi time without stones means no clock. Three
    /// zeros mean no clock too, instead of an immediate loss on time.
    pub(super) fn set(&mut self, main_ms: u64, byo_yomi_ms: u64, stones: u64) {
        let period = (byo_yomi_ms > 0).then_some(Period { ms: byo_yomi_ms, turns: stones });
        let is_off = stones == 0 && (byo_yomi_ms > 0 || main_ms == 0);
        let clock = SideClock { main_ms, period, next_period: period };
        self.0 = [(!is_off).then_some(clock); 2];
    }

    /// `time_left COLOR TIME STONES`: for `stones` turns, or for the rest of the game (before byo-yomi) if they are 0.
    pub(super) fn tell(&mut self, side: Side, ms: u64, stones: u64) {
        let known = self.0[side.index()].and_then(|clock| clock.next_period);
        let told = Period { ms, turns: stones };
        self.0[side.index()] = Some(match stones {
            0 => SideClock { main_ms: ms, period: known, next_period: known },
            _ => SideClock { main_ms: 0, period: Some(told), next_period: known.or(Some(told)) },
        });
    }

    /// What `side` has for its turn.
    pub(super) fn time_left(&self, side: Side) -> Option<TimeControl> {
        let clock = self.0[side.index()]?;
        let control = |ms, span| TimeControl { ms, span, clock: ClockKind::Wall };
        Some(match clock.period {
            Some(period) if clock.main_ms == 0 => control(period.ms / period.turns.max(1), TimeSpan::Turn),
            _ => control(clock.main_ms, TimeSpan::Game),
        })
    }

    /// Takes what a turn of `side` took.
    pub(super) fn spend(&mut self, side: Side, spent: Duration) {
        let Some(clock) = &mut self.0[side.index()] else { return };
        let spent_ms = spent.as_millis() as u64;
        if clock.main_ms > spent_ms {
            clock.main_ms -= spent_ms;
            return;
        }
        let beyond_main_ms = spent_ms - clock.main_ms;
        clock.main_ms = 0;
        if let Some(period) = &mut clock.period {
            period.ms = period.ms.saturating_sub(beyond_main_ms);
            period.turns = period.turns.saturating_sub(1);
            if period.turns == 0 {
                clock.period = clock.next_period;
            }
        }
    }
}

/// Milliseconds from a number of seconds, whole as GTP has it or with decimals; `None` if it is negative or no number.
pub(super) fn read_seconds(text: &str) -> Option<u64> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0)?;
    Some((seconds * 1000.0).min(MAX_MS) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(clock: &GtpClock, side: Side) -> Option<(u64, TimeSpan)> {
        clock.time_left(side).map(|time| (time.ms, time.span))
    }

    #[test]
    fn main_time_comes_before_periods_that_renew_themselves() {
        let mut clock = GtpClock::default();
        assert_eq!(left(&clock, Side::First), None);
        clock.set(10_000, 6_000, 3);
        assert_eq!(left(&clock, Side::First), Some((10_000, TimeSpan::Game)));
        clock.spend(Side::First, Duration::from_secs(4));
        assert_eq!(left(&clock, Side::First), Some((6_000, TimeSpan::Game)));
        assert_eq!(left(&clock, Side::Second), Some((10_000, TimeSpan::Game)));
        clock.spend(Side::First, Duration::from_secs(8));
        assert_eq!(left(&clock, Side::First), Some((2_000, TimeSpan::Turn)));
        clock.spend(Side::First, Duration::from_secs(1));
        assert_eq!(left(&clock, Side::First), Some((3_000, TimeSpan::Turn)));
        clock.spend(Side::First, Duration::from_secs(60));
        assert_eq!(left(&clock, Side::First), Some((2_000, TimeSpan::Turn)), "the next period");
    }

    #[test]
    fn what_is_told_counts() {
        let mut clock = GtpClock::default();
        clock.tell(Side::Second, 500, 1);
        assert_eq!(left(&clock, Side::Second), Some((500, TimeSpan::Turn)));
        clock.spend(Side::Second, Duration::from_millis(499));
        assert_eq!(left(&clock, Side::Second), Some((500, TimeSpan::Turn)));
        clock.tell(Side::Second, 1500, 0);
        assert_eq!(left(&clock, Side::Second), Some((1500, TimeSpan::Game)));
        clock.set(100, 0, 0);
        clock.spend(Side::First, Duration::from_secs(1));
        assert_eq!(left(&clock, Side::First), Some((0, TimeSpan::Game)));
        for (main, byo_yomi) in [(0, 0), (0, 1000), (500, 1000)] {
            clock.set(main, byo_yomi, 0);
            assert_eq!(left(&clock, Side::First), None, "{main} {byo_yomi}");
        }
    }

    #[test]
    fn seconds_may_have_decimals() {
        assert_eq!(["5", "0.01", "9.500", "1e99"].map(read_seconds), [5_000, 10, 9_500, 864_000_000].map(Some));
        assert_eq!(["-1", "x", "", "nan", "inf"].map(read_seconds), [None; 5]);
    }
}
