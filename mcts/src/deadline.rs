//! When the search of one action ends: simulations, clocks, and whether going on could change anything.

use std::sync::Arc;
use std::time::{Duration, Instant};

use selfplay_env::{Action, Tactics};

use crate::cancel::CancelToken;
use crate::cpu_time::ProcessTime;
use crate::limits::Limits;
use crate::pace::Pace;
use crate::search::{RootSummary, Search};

/// A clock: the time since some fixed moment, never less than before.
pub type ReadClock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A lead smaller than this share of the leader's visits is small.
const SMALL_LEAD: f32 = 0.125;
/// A leader is new during this share of the simulations.
const NEW_LEADER: f32 = 0.25;
/// The summary of the root is judged again after this share of the simulations, at least one.
const JUDGED_SHARE: u32 = 32;
/// The search may become this much quicker, and still nothing changes after it has ended early.
const SPEED_MARGIN: f64 = 1.25;

/// How long one action may take on one clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimePlan {
    /// After this time the search ends if its answer is clear.
    pub planned: Duration,
    /// After this time it ends in any case; at least `planned`.
    pub most: Duration,
}

impl TimePlan {
    /// Exactly `time`, however clear the answer is.
    pub fn exactly(time: Duration) -> Self {
        TimePlan { planned: time, most: time }
    }

    /// This plan, but never more than `time`.
    pub fn at_most(self, time: Duration) -> Self {
        TimePlan { planned: self.planned.min(time), most: self.most.min(time) }
    }
}

/// Whether a search ends as soon as its answer is certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenCertain {
    /// It ends once the second move can no longer overtake the first in visits: time is saved, and the answer is the same
    /// unless a proof would have come.
    Stop,
    /// It continues to its limit, for callers that report values or draw the move by visits.
    GoOn,
}

/// What ends the search of one action. It runs from when it is made, through all the calls of
/// [`run_until`](crate::run_until) with it; what happens between these takes its time as well.
pub struct Deadline {
    simulations: Option<u32>,
    wall: Option<Timer>,
    cpu: Option<Timer>,
    when_certain: WhenCertain,
    cancel: Option<CancelToken>,
    /// Share of simulations and time after which the search pauses, in 0..=1.
    stage: f64,
    verdict: Verdict,
}

/// One clock, since the action began.
struct Timer {
    read: ReadClock,
    start: Duration,
    plan: TimePlan,
    pace: Pace,
}

/// A time on each of the clocks that run; `None` where there is none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Allotment {
    /// Time that passes.
    pub wall: Option<Duration>,
    /// Computing time.
    pub cpu: Option<Duration>,
}

impl Allotment {
    /// The shortest of the times.
    pub fn least(&self) -> Option<Duration> {
        self.wall.into_iter().chain(self.cpu).min()
    }
}

impl Deadline {
    /// The limits and no more: all of the time is used.
    pub fn new(limits: &Limits) -> Self {
        let exactly = |ms| TimePlan::exactly(Duration::from_millis(ms));
        let (wall, cpu) = (limits.time_ms.map(exactly), limits.cpu_time_ms.map(exactly));
        Self::planned(limits.simulations, wall, cpu, WhenCertain::GoOn).with_cancel_token(limits.cancel.clone())
    }

    /// At most so many simulations, time as planned on the system's wall clock, and on that of the computing time of
    /// this process, all its threads together.
    pub fn planned(
        simulations: Option<u32>,
        wall: Option<TimePlan>,
        cpu: Option<TimePlan>,
        when_certain: WhenCertain,
    ) -> Self {
        let started = Instant::now();
        let read_cpu: ReadClock = Arc::new(|| ProcessTime::now().as_duration());
        Deadline {
            simulations,
            wall: wall.map(|plan| Timer::start(Arc::new(move || started.elapsed()), plan)),
            cpu: cpu.map(|plan| Timer::start(read_cpu, plan)),
            when_certain,
            cancel: None,
            stage: 1.0,
            verdict: Verdict::default(),
        }
    }

    /// The same on another clock, read in place of the system's.
    pub fn on_clock(mut self, read: &ReadClock) -> Self {
        for timer in [&mut self.wall, &mut self.cpu].into_iter().flatten() {
            *timer = Timer::start(read.clone(), timer.plan);
        }
        self
    }

    /// The same, ended early once `token` is cancelled.
    pub fn with_cancel_token(self, token: Option<CancelToken>) -> Self {
        Deadline { cancel: token, ..self }
    }

    /// The token that ends the search early, if there is one.
    pub fn cancel_token(&self) -> Option<&CancelToken> {
        self.cancel.as_ref()
    }

    /// The limit of simulations, if there is one.
    pub fn simulations(&self) -> Option<u32> {
        self.simulations
    }

    /// Lets searches pause after this share of the simulations and of the time, in 0..=1; with 1, they end where all ends.
    pub fn pause_at(&mut self, share: f64) {
        self.stage = share.clamp(0.0, 1.0);
    }

    /// Whether any clock runs.
    pub fn is_timed(&self) -> bool {
        self.timers().next().is_some()
    }

    /// This share of the planned time on each clock, but no more than is left in any case.
    pub fn allot(&self, share: f64) -> Allotment {
        let allotted = |timer: &Timer| timer.plan.planned.mul_f64(share).min(timer.left());
        Allotment { wall: self.wall.as_ref().map(allotted), cpu: self.cpu.as_ref().map(allotted) }
    }

    /// What is left on each clock in any case.
    pub fn left(&self) -> Allotment {
        Allotment { wall: self.wall.as_ref().map(Timer::left), cpu: self.cpu.as_ref().map(Timer::left) }
    }

    /// Time used so far, on the wall clock if it runs; `None` without a clock.
    pub fn time_used(&self) -> Option<Duration> {
        self.timers().next().map(Timer::elapsed)
    }

    /// About the time that the evaluation of one leaf takes, on the clock where it takes longest; `None` if there was
    /// none.
    pub fn evaluation_time(&self) -> Option<Duration> {
        self.timers().filter_map(|timer| timer.pace.quickest_batch()).max()
    }

    /// Leaves time that passed since the last batch out of account when it comes to how long batches take, and judges
    /// the summary of the root anew.
    pub(crate) fn resume(&mut self) {
        self.verdict.due = 0;
        for timer in [&mut self.wall, &mut self.cpu].into_iter().flatten() {
            timer.pace.pass(timer.elapsed());
        }
    }

    /// How many leaves `search` may evaluate at once now; 0 if it is to end or pause.
    pub(crate) fn room<G: Tactics>(&mut self, search: &Search<G>) -> usize {
        if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            return 0;
        }
        let done = search.simulations();
        let in_stage = |limit: u32| (f64::from(limit) * self.stage).ceil() as u32;
        let room = self.simulations.map_or(usize::MAX, |limit| in_stage(limit).saturating_sub(done) as usize);
        if !self.is_timed() || room == 0 {
            return room;
        }
        if self.verdict.is_due(done) {
            let verdict = self.verdict.judge(search.root_summary(), done);
            let to_come = |timer: &Timer| timer.pace.simulations_until(verdict.limit(&timer.plan));
            let to_come = self.timers().map(|timer| to_come(timer).unwrap_or(u32::MAX)).min().unwrap_or(u32::MAX);
            let left = self.simulations.map_or(u32::MAX, |limit| limit.saturating_sub(done));
            let to_come = ((f64::from(to_come) * SPEED_MARGIN) as u32).min(left);
            self.verdict = Verdict { is_certain: verdict.lead > to_come, ..verdict };
        }
        if self.verdict.is_certain && self.when_certain == WhenCertain::Stop {
            return 0;
        }
        let room_until = |timer: &Timer| timer.pace.room(self.verdict.limit(&timer.plan).mul_f64(self.stage));
        self.timers().map(room_until).fold(room, usize::min)
    }

    /// Notes the time after a batch of `leaves`, which may be none, that finished `simulations`.
    pub(crate) fn lap(&mut self, leaves: usize, simulations: u32) {
        for timer in [&mut self.wall, &mut self.cpu].into_iter().flatten() {
            let elapsed = timer.elapsed();
            timer.pace.lap(elapsed, leaves, simulations);
        }
    }

    fn timers(&self) -> impl Iterator<Item = &Timer> {
        self.wall.iter().chain(&self.cpu)
    }
}

impl Timer {
    fn start(read: ReadClock, plan: TimePlan) -> Self {
        Timer { start: read(), read, plan, pace: Pace::new() }
    }

    fn elapsed(&self) -> Duration {
        (self.read)().saturating_sub(self.start)
    }

    fn left(&self) -> Duration {
        self.plan.most.saturating_sub(self.elapsed())
    }
}

/// What was last thought of the summary of the root of a search.
#[derive(Clone, Copy, Default, Debug)]
struct Verdict {
    leader: Option<Action>,
    /// Simulations when it took the lead.
    since: u32,
    /// Simulations from which on the summary of the root is judged again.
    due: u32,
    /// Visits that the leader is ahead.
    lead: u32,
    /// Whether more time might well change the answer: another move has the greater value, the leader is new, or its lead
    /// is small.
    is_wavering: bool,
    /// Whether no time that is left can change the answer.
    is_certain: bool,
}

impl Verdict {
    /// Whether the summary of the root after `simulations` is to be judged. A search that restarts is judged anew.
    fn is_due(&self, simulations: u32) -> bool {
        simulations >= self.due || simulations < self.since
    }

    /// What to think of `root_summary` after `simulations`; whether it is certain remains to be seen.
    fn judge(&self, root_summary: Option<RootSummary>, simulations: u32) -> Self {
        let due = simulations + (simulations / JUDGED_SHARE).max(1);
        let Some(root_summary) = root_summary else { return Verdict { due, ..Verdict::default() } };
        let leader = Some(root_summary.leader);
        let since = if self.leader == leader { self.since } else { simulations };
        let is_new = (simulations - since) as f32 <= NEW_LEADER * simulations as f32;
        let is_close = (root_summary.lead as f32) < SMALL_LEAD * root_summary.visits as f32;
        let is_wavering = root_summary.is_outvalued || is_close || is_new;
        Verdict { leader, since, due, lead: root_summary.lead, is_wavering, is_certain: false }
    }

    fn limit(&self, plan: &TimePlan) -> Duration {
        if self.is_wavering { plan.most } else { plan.planned }
    }
}
