//! The current activity of a run, for other processes: `live.json` in the run folder, written about once a second
//! during a phase. It is not part of the run's state, except that it records the cost of a phase that was killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use selfplay_notebooks_export::PhaseView;
use serde::{Deserialize, Serialize};

use crate::events::PhaseStart;
use crate::phase::{PhaseClock, PhaseTime};

const LIVE_FILE: &str = "live.json";
const PERIOD: Duration = Duration::from_secs(1);

/// What `live.json` holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Live {
    /// The phase that is on; `None` between phases.
    pub phase: Option<PhaseView>,
    /// What the phase has cost so far, in this call and in those before that were ended in it.
    #[serde(default)]
    pub spent: PhaseTime,
    /// When this was written, in seconds since 1970.
    pub unix_seconds: u64,
}

impl Live {
    /// What the run in `folder` said last, if anything.
    pub fn read(folder: &Path) -> Option<Live> {
        serde_json::from_slice(&fs::read(folder.join(LIVE_FILE)).ok()?).ok()
    }

    /// Writes the file; errors are ignored.
    fn write(folder: &Path, phase: Option<PhaseView>, spent: PhaseTime) {
        let unix_seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let text = serde_json::to_vec(&Live { phase, spent, unix_seconds }).expect("plain data");
        let temporary = folder.join(format!("{LIVE_FILE}.{}.tmp", std::process::id()));
        let _ = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, folder.join(LIVE_FILE)));
    }
}

/// A phase that is on; says so until it ends.
#[derive(Debug)]
pub struct LivePhase {
    folder: PathBuf,
    /// What does not change.
    view: PhaseView,
    done: AtomicU64,
    clock: PhaseClock,
    /// What it had cost when an earlier call was ended in it.
    before: PhaseTime,
    written: Mutex<Instant>,
}

impl LivePhase {
    /// A phase of the run in `folder` begins, with the [CPU time of other processes](selfplay_registry::Games::cpu_time_elsewhere).
    pub fn begin(folder: &Path, start: &PhaseStart, cpu_time_elsewhere: fn() -> Duration) -> Self {
        let view = PhaseView {
            name: start.phase.title().into(),
            generation: start.generation,
            done: 0,
            total: start.total,
            units: start.phase.units().into(),
            per_second: None,
            seconds_left: None,
        };
        let is_same = |phase: &PhaseView| (&phase.name, phase.generation) == (&view.name, view.generation);
        let ended = Live::read(folder).filter(|last| last.phase.as_ref().is_some_and(is_same));
        let before = ended.map_or(PhaseTime::default(), |last| last.spent);
        Live::write(folder, Some(view.clone()), before);
        let (clock, written) = (PhaseClock::start(cpu_time_elsewhere), Mutex::new(Instant::now()));
        LivePhase { folder: folder.into(), view, done: AtomicU64::new(0), clock, before, written }
    }

    /// What it has cost in this call.
    pub fn time(&self) -> PhaseTime {
        self.clock.stop()
    }

    /// What it had cost before this call, to the second.
    pub fn before(&self) -> PhaseTime {
        self.before
    }

    /// It is done. One that fails is left as one that is killed.
    pub fn end(self) {
        Live::write(&self.folder, None, PhaseTime::default());
    }

    /// So many more units are done; returns how many that are in all.
    pub fn advance(&self, units: u64) -> u64 {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.elapsed() < PERIOD {
            return done;
        }
        *written = Instant::now();
        let time = self.time();
        let rate = done as f64 / time.wall_seconds;
        let left = self.view.total.saturating_sub(done) as f64 / rate;
        let view = PhaseView { done, per_second: Some(rate), seconds_left: Some(left), ..self.view.clone() };
        Live::write(&self.folder, Some(view), self.before + time);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(folder: &Path, start: &PhaseStart) -> LivePhase {
        LivePhase::begin(folder, start, || Duration::ZERO)
    }

    #[test]
    fn a_phase_is_told_while_it_is_on() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Live::read(folder.path()), None);
        let phase =
            begin(folder.path(), &PhaseStart { phase: crate::phase::Phase::SelfPlay, generation: 3, total: 10 });
        let told = Live::read(folder.path()).unwrap().phase.unwrap();
        assert_eq!((told.generation, told.done, told.total, told.seconds_left), (3, 0, 10, None));
        *phase.written.lock().unwrap() -= 2 * PERIOD;
        phase.advance(4);
        let told = Live::read(folder.path()).unwrap().phase.unwrap();
        assert!(told.done == 4 && told.per_second.unwrap() > 0.0 && told.seconds_left.unwrap() > 0.0, "{told:?}");
        phase.end();
        assert_eq!(Live::read(folder.path()).unwrap().phase, None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_phase_had_cost_is_known_to_the_next_call() {
        let folder = tempfile::tempdir().unwrap();
        let start = |generation| PhaseStart { phase: crate::phase::Phase::SelfPlay, generation, total: 10 };
        let cost = PhaseTime { wall_seconds: 7.0, cpu_seconds: 12.5 };
        // Killed: nothing said that it had ended.
        let killed = begin(folder.path(), &start(3));
        Live::write(folder.path(), Some(killed.view.clone()), cost);
        assert_eq!(begin(folder.path(), &start(4)).before(), PhaseTime::default(), "another phase");
        Live::write(folder.path(), Some(begin(folder.path(), &start(3)).view.clone()), cost);
        let again = begin(folder.path(), &start(3));
        assert_eq!(again.before(), cost);
        *again.written.lock().unwrap() -= 2 * PERIOD;
        again.advance(1);
        let spent = Live::read(folder.path()).unwrap().spent;
        assert!(spent.wall_seconds > 7.0 && spent.cpu_seconds >= 12.5, "{spent:?}");
        again.end();
        assert_eq!(begin(folder.path(), &start(3)).before(), PhaseTime::default(), "it ended");
    }
}
