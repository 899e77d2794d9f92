//! The clock of a session: what each side has left, whose time runs, and who has lost by it.

use std::time::{Duration, Instant};

use selfplay_env::Side;
use serde::Deserialize;

use super::dto::ClockDto;
use super::error::Refusal;

/// The longest time for a game, and the longest increment, in seconds.
const MAX_SECONDS: f64 = 4.0 * 3600.0;
const MAX_INCREMENT: f64 = 600.0;

/// What a request for a clock says.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockRequest {
    /// Seconds for each side and the complete game, 1 to 14,400.
    pub seconds: f64,
    /// Seconds that a side gains with each of its turns, 0 to 600.
    #[serde(default)]
    pub increment: f64,
}

/// The clock of a game. It starts after the first move, which costs no time.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    increment: Duration,
    /// What each side had left after each number of plies.
    left: Vec<[Duration; 2]>,
    /// The side whose time runs, and since when.
    running: Option<(Side, Instant)>,
    fallen: Option<Side>,
}

impl Clock {
    /// The clock that `request` asks for.
    ///
    /// # Errors
    /// A time out of its range.
    pub(super) fn new(request: ClockRequest) -> Result<Self, Refusal> {
        let ClockRequest { seconds, increment } = request;
        if !(1.0..=MAX_SECONDS).contains(&seconds) || !(0.0..=MAX_INCREMENT).contains(&increment) {
            let error = format!("the clock has {seconds} seconds and {increment} more for each turn");
            return Err(Refusal::bad_request(error, "1 to 14,400 seconds and 0 to 600 more"));
        }
        let seconds = Duration::from_secs_f64(seconds);
        let increment = Duration::from_secs_f64(increment);
        Ok(Clock { increment, left: vec![[seconds; 2]], running: None, fallen: None })
    }

    /// Records an action of `mover`. `next` is the side to move after it, `None` if the game is over; `ends_turn` marks
    /// the last action of a turn.
    pub(super) fn decided(&mut self, mover: Side, ends_turn: bool, next: Option<Side>, now: Instant) {
        let mut left = self.newest();
        if let Some((side, since)) = self.running {
            left[side.index()] = left[side.index()].saturating_sub(now.duration_since(since));
        }
        if ends_turn {
            left[mover.index()] += self.increment;
        }
        self.left.push(left);
        self.running = next.map(|side| (side, now));
    }

    /// Looks whether the time that runs is over; who has lost by it.
    pub(super) fn look(&mut self, now: Instant) -> Option<Side> {
        if let Some((side, since)) = self.running
            && now.duration_since(since) >= self.newest()[side.index()]
        {
            self.fallen = Some(side);
            self.running = None;
        }
        self.fallen
    }

    /// Who has lost by time.
    pub(super) fn fallen(&self) -> Option<Side> {
        self.fallen
    }

    /// What `side` has left now.
    pub(super) fn left(&self, side: Side, now: Instant) -> Duration {
        let left = self.newest()[side.index()];
        match self.running {
            _ if self.fallen == Some(side) => Duration::ZERO,
            Some((running, since)) if running == side => left.saturating_sub(now.duration_since(since)),
            _ => left,
        }
    }

    /// No time runs any more.
    pub(super) fn stop(&mut self, now: Instant) {
        if let Some((side, _)) = self.running {
            let left = self.left(side, now);
            if let Some(newest) = self.left.last_mut() {
                newest[side.index()] = left;
            }
        }
        self.running = None;
    }

    /// Sets the clock to the position after `ply` actions, with `next` to move, `None` if the game is over. It restores
    /// the times recorded at that ply, or keeps the current times if none were recorded.
    pub(super) fn stand_at(&mut self, ply: usize, next: Option<Side>, now: Instant) {
        let newest = self.newest();
        self.left.resize(ply + 1, newest);
        self.fallen = None;
        self.running = next.filter(|_| ply > 0).map(|side| (side, now));
    }

    pub(super) fn dto(&self, now: Instant) -> ClockDto {
        ClockDto {
            left: Side::BOTH.map(|side| self.left(side, now).as_secs_f64()),
            increment: self.increment.as_secs_f64(),
            running: self.running.map(|(side, _)| side.index()),
        }
    }

    fn newest(&self) -> [Duration; 2] {
        self.left.last().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn time_runs_from_the_first_move_and_can_lose_the_game() {
        let start = Instant::now();
        let at = |after: u64| start + seconds(after);
        let mut clock = Clock::new(ClockRequest { seconds: 60.0, increment: 2.0 }).unwrap();
        assert_eq!(clock.look(at(1000)), None, "nobody has begun");
        clock.decided(Side::First, true, Some(Side::Second), at(1000));
        assert_eq!(clock.dto(at(1010)).left, [62.0, 50.0]);
        clock.decided(Side::Second, true, Some(Side::First), at(1010));
        clock.decided(Side::First, false, Some(Side::First), at(1020));
        assert_eq!(clock.dto(at(1020)), ClockDto { left: [52.0, 52.0], increment: 2.0, running: Some(0) });
        assert_eq!(clock.look(at(1071)), None);
        assert_eq!(clock.look(at(1072)), Some(Side::First));
        assert_eq!(clock.dto(at(2000)), ClockDto { left: [0.0, 52.0], increment: 2.0, running: None });
        clock.stand_at(2, Some(Side::First), at(3000));
        assert_eq!((clock.fallen(), clock.left(Side::First, at(3002))), (None, seconds(60)));
        clock.stop(at(3004));
        assert_eq!((clock.look(at(9000)), clock.left(Side::First, at(9000))), (None, seconds(58)));
    }

    #[test]
    fn times_out_of_range_are_refused() {
        for (seconds, increment) in [(0.0, 0.0), (f64::NAN, 0.0), (1e9, 0.0), (60.0, -1.0), (60.0, f64::INFINITY)] {
            assert!(Clock::new(ClockRequest { seconds, increment }).is_err(), "{seconds} {increment}");
        }
    }
}
