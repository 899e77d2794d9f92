//! The clock of one move: a player's own limit and what the match gives, whichever ends first.

use std::time::{Duration, Instant};

use selfplay_mcts::CancelToken;
use selfplay_mcts::cpu_time::ThreadTime;

use crate::player::MoveRequest;
use crate::time_control::{ClockKind, moves_to_go};
use crate::turn_share;

/// Runs from its start; tells when to stop thinking.
#[derive(Debug)]
pub struct MoveClock {
    wall: Option<(Instant, Duration)>,
    cpu: Option<(ThreadTime, Duration)>,
    cancel: Option<CancelToken>,
}

impl MoveClock {
    /// A clock for the move of `request`, by a player with its own limit `time_ms` a turn (wall clock, milliseconds) and what
    /// the match leaves it; never over if there is neither.
    pub fn start(time_ms: Option<u64>, request: &MoveRequest) -> Self {
        let own = time_ms.map(|ms| turn_share::share_of_limit(request, Duration::from_millis(ms)));
        let given = |kind| {
            let clock = turn_share::share_of_clock(request).filter(|time| time.clock == kind);
            let max_plies = request.position.rules().max_plies();
            clock.map(|time| time.thinking_time(moves_to_go(max_plies, request.history.len())))
        };
        let wall = own.into_iter().chain(given(ClockKind::Wall)).min();
        MoveClock {
            wall: wall.map(|limit| (Instant::now(), limit)),
            cpu: given(ClockKind::Cpu).map(|limit| (ThreadTime::now(), limit)),
            cancel: None,
        }
    }

    /// The same clock, over once `token` is cancelled.
    pub fn with_cancel_token(self, token: Option<CancelToken>) -> Self {
        MoveClock { cancel: token, ..self }
    }

    /// Whether there is a limit of time.
    pub fn has_limit(&self) -> bool {
        self.wall.is_some() || self.cpu.is_some()
    }

    /// Whether anything but the number of simulations may end the thinking.
    pub fn is_running(&self) -> bool {
        self.has_limit() || self.cancel.is_some()
    }

    /// Whether it is time to decide.
    pub fn is_over(&self) -> bool {
        let is_wall_over = self.wall.as_ref().is_some_and(|(start, limit)| start.elapsed() >= *limit);
        is_wall_over
            || self.cancel.as_ref().is_some_and(CancelToken::is_cancelled)
            || self.cpu.as_ref().is_some_and(|(start, limit)| start.elapsed() >= *limit)
    }
}
