//! What a run is doing now, for whoever looks at it from outside: `live.json` in its folder, written about once a second
//! while a phase goes on. It is no part of the run's state.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use selfplay_notebooks_export::PhaseView;
use serde::{Deserialize, Serialize};

use crate::observer::PhaseStart;

const LIVE_FILE: &str = "live.json";
const PERIOD: Duration = Duration::from_secs(1);

/// What `live.json` holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Live {
    /// The phase that is on; `None` between phases.
    pub phase: Option<PhaseView>,
    /// When this was written, in seconds since 1970.
    pub unix_seconds: u64,
}

impl Live {
    /// What the run in `folder` said last, if anything.
    pub fn read(folder: &Path) -> Option<Live> {
        serde_json::from_slice(&fs::read(folder.join(LIVE_FILE)).ok()?).ok()
    }

    /// Says it; whoever cannot be told goes without.
    fn write(folder: &Path, phase: Option<PhaseView>) {
        let unix_seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let text = serde_json::to_vec(&Live { phase, unix_seconds }).expect("plain data");
        let temporary = folder.join(format!("{LIVE_FILE}.{}.tmp", std::process::id()));
        let _ = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, folder.join(LIVE_FILE)));
    }
}

/// A phase that is on; says so until it is dropped.
#[derive(Debug)]
pub struct LivePhase {
    folder: PathBuf,
    /// What does not change.
    view: PhaseView,
    done: AtomicU64,
    started: Instant,
    written: Mutex<Instant>,
}

impl LivePhase {
    /// A phase of the run in `folder` begins.
    pub fn begin(folder: &Path, start: &PhaseStart) -> Self {
        let view = PhaseView {
            name: start.phase.title().into(),
            generation: start.generation,
            done: 0,
            total: start.total,
            units: start.phase.units().into(),
            per_second: None,
            seconds_left: None,
        };
        Live::write(folder, Some(view.clone()));
        let now = Instant::now();
        LivePhase { folder: folder.into(), view, done: AtomicU64::new(0), started: now, written: Mutex::new(now) }
    }

    /// So many more units are done.
    pub fn advance(&self, units: u64) {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.elapsed() < PERIOD {
            return;
        }
        *written = Instant::now();
        let rate = done as f64 / self.started.elapsed().as_secs_f64();
        let left = self.view.total.saturating_sub(done) as f64 / rate;
        let view = PhaseView { done, per_second: Some(rate), seconds_left: Some(left), ..self.view.clone() };
        Live::write(&self.folder, Some(view));
    }
}

impl Drop for LivePhase {
    fn drop(&mut self) {
        Live::write(&self.folder, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_told_while_it_is_on() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Live::read(folder.path()), None);
        let phase = LivePhase::begin(
            folder.path(),
            &PhaseStart { phase: crate::phase::Phase::SelfPlay, generation: 3, total: 10 },
        );
        let told = Live::read(folder.path()).unwrap().phase.unwrap();
        assert_eq!((told.generation, told.done, told.total, told.seconds_left), (3, 0, 10, None));
        *phase.written.lock().unwrap() -= 2 * PERIOD;
        phase.advance(4);
        let told = Live::read(folder.path()).unwrap().phase.unwrap();
        assert!(told.done == 4 && told.per_second.unwrap() > 0.0 && told.seconds_left.unwrap() > 0.0, "{told:?}");
        drop(phase);
        assert_eq!(Live::read(folder.path()).unwrap().phase, None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
