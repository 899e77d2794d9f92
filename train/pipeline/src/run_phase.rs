//! A phase is done once: what it left tells that it is done, and what is not there is done now.

use selfplay_arena::MatchSummary;
use selfplay_train::SelfPlaySummary;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::RunError;
use crate::events::{Event, MatchResult, PhaseStart};
use crate::live::LivePhase;
use crate::observer::Observer;
use crate::phase::{BaselinesReport, GateReport, LearnReport, Phase, PhaseTime, SelfPlayReport};
use crate::training::Training;

/// What a phase leaves.
pub trait PhaseReport: Serialize + DeserializeOwned {
    /// The phase that leaves it.
    const PHASE: Phase;

    /// The time that the phase took.
    fn time(&mut self) -> &mut PhaseTime;

    /// The event that the phase of `generation` ends with.
    fn event(&self, generation: u32) -> Event;
}

/// A phase report, and whether it was made in this call.
pub struct PhaseResult<R> {
    /// The report.
    pub report: R,
    /// False if it was found in the run folder.
    pub is_new: bool,
}

/// Counts what the phase that is on has done.
pub struct Progress<'a> {
    observer: &'a dyn Observer,
    start: PhaseStart,
    live: LivePhase,
}

impl Progress<'_> {
    /// One more thing is done.
    pub fn tick(&self) {
        let PhaseStart { phase, generation, total } = self.start;
        let done = self.live.advance(1);
        self.observer.on_event(&Event::Progress { phase, generation, done, total });
    }
}

impl Training<'_> {
    /// What the phase of the reports `R` left for `generation`, or else leaves now: `make` does its work, `total` things,
    /// and returns what makes the report from the time that took. The report is written last: its presence is the run's
    /// state.
    ///
    /// # Errors
    /// Those of `make`; if a file cannot be read or written.
    pub fn run_phase<R: PhaseReport, M: FnOnce(PhaseTime) -> R>(
        &self,
        generation: u32,
        total: u64,
        make: impl FnOnce(&Progress<'_>) -> Result<M, RunError>,
    ) -> Result<PhaseResult<R>, RunError> {
        let phase = R::PHASE;
        if let Some(report) = self.run.completed(generation, phase)? {
            return Ok(PhaseResult { report, is_new: false });
        }
        let start = PhaseStart { phase, generation, total };
        self.observer.on_event(&Event::PhaseStarted(start));
        let live = LivePhase::begin(self.run.path(), &start, self.games.cpu_time_elsewhere());
        let progress = Progress { observer: self.observer, start, live };
        let made = make(&progress);
        let time = progress.live.time();
        let mut report = made?(time);
        *report.time() = *report.time() + progress.live.before();
        progress.live.end();
        self.run.complete(generation, phase, &report)?;
        self.observer.on_event(&report.event(generation));
        Ok(PhaseResult { report, is_new: true })
    }
}

impl PhaseReport for BaselinesReport {
    const PHASE: Phase = Phase::Baselines;

    fn time(&mut self) -> &mut PhaseTime {
        &mut self.time
    }

    fn event(&self, _generation: u32) -> Event {
        Event::BaselinesFinished { matches: results(&self.matches), wall_seconds: self.time.wall_seconds }
    }
}

impl PhaseReport for SelfPlayReport {
    const PHASE: Phase = Phase::SelfPlay;

    fn time(&mut self) -> &mut PhaseTime {
        &mut self.time
    }

    fn event(&self, generation: u32) -> Event {
        let SelfPlaySummary { games, positions, first_wins, draws, second_wins, truncated, .. } = self.summary;
        Event::SelfPlayFinished {
            generation,
            games,
            positions,
            first_wins,
            draws,
            second_wins,
            truncated,
            simulations_per_second: self.simulations_per_second,
            cache_hit_share: self.cache_hit_share,
            wall_seconds: self.time.wall_seconds,
        }
    }
}

impl PhaseReport for LearnReport {
    const PHASE: Phase = Phase::Learn;

    fn time(&mut self) -> &mut PhaseTime {
        &mut self.time
    }

    fn event(&self, generation: u32) -> Event {
        let last = self.losses.last();
        Event::LearningFinished {
            generation,
            steps: self.steps,
            policy_loss: last.map(|last| last.policy_loss),
            value_loss: last.map(|last| last.value_loss),
            replay_positions: self.replay_positions,
            wall_seconds: self.time.wall_seconds,
        }
    }
}

impl PhaseReport for GateReport {
    const PHASE: Phase = Phase::Gate;

    fn time(&mut self) -> &mut PhaseTime {
        &mut self.time
    }

    fn event(&self, generation: u32) -> Event {
        Event::GateFinished {
            generation,
            decision: self.verdict.decision,
            verdict: self.verdict.to_string(),
            ladder_score: self.ladder.score().map(|found| found.score),
            champion: self.champion,
            matches: results(&self.matches),
            wall_seconds: self.time.wall_seconds,
        }
    }
}

fn results(matches: &[MatchSummary]) -> Vec<MatchResult> {
    matches.iter().map(MatchResult::from).collect()
}
