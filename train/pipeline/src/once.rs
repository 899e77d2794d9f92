//! A phase is done once: what it left tells that it is done, and what is not there is done now.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::RunError;
use crate::live::LivePhase;
use crate::observer::{Event, Observer, PhaseStart};
use crate::phase::{BaselinesReport, GateReport, LearnReport, Phase, PhaseTime, SelfPlayReport};
use crate::training::Training;

/// What a phase leaves.
pub trait PhaseReport: Serialize + DeserializeOwned {
    /// The phase that leaves it.
    const PHASE: Phase;

    /// The time that the phase took.
    fn time(&mut self) -> &mut PhaseTime;

    /// What came of the phase, in half a line for people.
    fn result(&self) -> String;
}

/// A phase report, and whether it was made in this call.
pub struct Once<R> {
    /// The report.
    pub report: R,
    /// False if it was found in the run folder.
    pub is_new: bool,
}

/// Counts what the phase that is on has done.
pub struct Progress<'a> {
    observer: &'a dyn Observer,
    live: LivePhase,
}

impl Progress<'_> {
    /// One more thing is done.
    pub fn tick(&self) {
        self.observer.advanced(1);
        self.live.advance(1);
    }
}

impl Training<'_> {
    /// What the phase of the reports `R` left for `generation`, or else leaves now: `make` does its work, `total` things,
    /// and returns what makes the report from the time that took. The report is written last: its presence is the run's
    /// state.
    ///
    /// # Errors
    /// Those of `make`; if a file refuses.
    pub fn once<R: PhaseReport, M: FnOnce(PhaseTime) -> R>(
        &self,
        generation: u32,
        total: u64,
        make: impl FnOnce(&Progress<'_>) -> Result<M, RunError>,
    ) -> Result<Once<R>, RunError> {
        let phase = R::PHASE;
        if let Some(report) = self.run.completed(generation, phase)? {
            return Ok(Once { report, is_new: false });
        }
        let start = PhaseStart { phase, generation, total };
        self.observer.began(&start);
        let progress = Progress { observer: self.observer, live: LivePhase::begin(self.run.path(), &start) };
        let made = make(&progress);
        let time = progress.live.time();
        self.observer.ended();
        let mut report = made?(time);
        *report.time() = *report.time() + progress.live.before();
        progress.live.end();
        self.run.complete(generation, phase, &report)?;
        self.observer.told(&Event::Done { phase, generation, result: report.result() });
        Ok(Once { report, is_new: true })
    }
}

impl PhaseReport for BaselinesReport {
    const PHASE: Phase = Phase::Baselines;

    fn time(&mut self) -> &mut PhaseTime {
        &mut self.time
    }

    fn result(&self) -> String {
        format!("{} matches, {:.1} s", self.matches.len(), self.time.wall_seconds)
    }
}

impl PhaseReport for SelfPlayReport {
    const PHASE: Phase = Phase::SelfPlay;

    fn time(&mut self) -> &mut PhaseTime {
        &mut self.time
    }

    fn result(&self) -> String {
        let SelfPlayReport { summary, time, .. } = self;
        let share = |games: u64| 100.0 * games as f64 / summary.games.max(1) as f64;
        let rate = self.simulations_per_second.map_or(String::new(), |rate| format!(", {rate:.0} simulations/s"));
        let known =
            self.cache_hit_share.map_or(String::new(), |hits| format!(", {:.0} % from the cache", 100.0 * hits));
        format!(
            "{} games, {} positions, first/draw/second {:.0}/{:.0}/{:.0} %, {} cut at the cap, {:.1} s{rate}{known}",
            summary.games,
            summary.positions,
            share(summary.first_wins),
            share(summary.draws),
            share(summary.second_wins),
            summary.truncated,
            time.wall_seconds,
        )
    }
}

impl PhaseReport for LearnReport {
    const PHASE: Phase = Phase::Learn;

    fn time(&mut self) -> &mut PhaseTime {
        &mut self.time
    }

    fn result(&self) -> String {
        let losses = self.losses.last().map_or("losses not known".into(), |last| {
            format!("policy loss {:.3}, value loss {:.3}", last.policy_loss, last.value_loss)
        });
        let LearnReport { steps, replay_positions, time, .. } = self;
        format!("{steps} steps, {losses}, window {replay_positions} positions, {:.1} s", time.wall_seconds)
    }
}

impl PhaseReport for GateReport {
    const PHASE: Phase = Phase::Gate;

    fn time(&mut self) -> &mut PhaseTime {
        &mut self.time
    }

    fn result(&self) -> String {
        // Later ones stand in the verdict, compared with the best champion's.
        let first = self.ladder.score().filter(|_| self.champion.is_none());
        let ladder = first.map_or(String::new(), |found| format!(", ladder {:.3}", found.score));
        format!("{}{ladder}, {:.1} s", self.verdict, self.time.wall_seconds)
    }
}
