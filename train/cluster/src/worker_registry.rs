//! The workers of a run: `workers.json` in its folder, for other programs to read. It is no part of the run's state.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use selfplay_notebooks_export::WorkerView;

use crate::wire::WorkerState;

const FILE: &str = "workers.json";
/// How long a worker that says nothing stays on the list.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// Workers on the list, at most; further ones play, but are not listed.
const MAX_WORKERS: usize = 4096;
/// Threads of a worker, and of one that has not reported, at most.
const MAX_THREADS: usize = 1024;
/// Characters of what a worker says of its CPU and of why it does not play, at most.
const MAX_TEXT: usize = 300;
/// How long a worker that says nothing counts as being there.
const PRESENT: Duration = Duration::from_secs(15);

/// The workers that have reported to a run.
#[derive(Debug)]
pub struct WorkerRegistry {
    folder: PathBuf,
    workers: BTreeMap<String, Known>,
}

#[derive(Debug)]
struct Known {
    /// Its last report, without its tasks.
    state: WorkerState,
    /// How many tasks that had.
    playing: usize,
    since: Instant,
    heard: Instant,
    games: u64,
    pairs: u64,
}

impl WorkerRegistry {
    /// Of the run in `folder`.
    pub fn new(folder: &Path) -> Self {
        WorkerRegistry { folder: folder.into(), workers: BTreeMap::new() }
    }

    /// A worker says what it does; true if it was not known before, or declines to play now.
    pub fn heard(&mut self, state: WorkerState) -> bool {
        if state.leaves {
            self.workers.remove(&state.worker);
            return false;
        }
        let (now, playing) = (Instant::now(), state.playing.len());
        let state = bounded(state);
        if self.workers.len() >= MAX_WORKERS && !self.workers.contains_key(&state.worker) {
            return false;
        }
        match self.workers.get_mut(&state.worker) {
            Some(known) => {
                let is_new = known.state.refusal != state.refusal;
                (known.state, known.playing) = (state, playing);
                known.heard = now;
                is_new
            }
            None => {
                let known = Known { state: state.clone(), playing, since: now, heard: now, games: 0, pairs: 0 };
                self.workers.insert(state.worker, known);
                true
            }
        }
    }

    /// Counts the stored games and pairs of a worker.
    pub fn did(&mut self, worker: &str, games: u64, pairs: u64) {
        if let Some(known) = self.workers.get_mut(worker) {
            known.games += games;
            known.pairs += pairs;
            known.heard = Instant::now();
        }
    }

    /// Tasks that the workers present can do at once.
    pub fn threads(&self) -> usize {
        let present =
            self.workers.values().filter(|known| known.heard.elapsed() < PRESENT && known.state.refusal.is_none());
        present.map(|known| known.state.threads).sum()
    }

    /// The threads that a worker has announced.
    pub fn threads_of(&self, worker: &str) -> usize {
        self.workers.get(worker).map_or(MAX_THREADS, |known| known.state.threads.max(1))
    }

    /// Writes the file. A failure is ignored: the file is for information only.
    pub fn write(&mut self) {
        self.workers.retain(|_, known| known.heard.elapsed() < FORGOTTEN);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let views: Vec<WorkerView> = self.workers.values().map(|known| known.view(now)).collect();
        let temporary = self.folder.join(format!("{FILE}.{}.tmp", std::process::id()));
        let text = serde_json::to_vec(&views).expect("plain data");
        let _ = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, self.folder.join(FILE)));
    }

    /// Removes all workers and the file.
    pub fn clear(&mut self) {
        self.workers.clear();
        let _ = fs::remove_file(self.folder.join(FILE));
    }

    /// What the run in `folder` said last of its workers.
    pub fn read(folder: &Path) -> Vec<WorkerView> {
        let bytes = fs::read(folder.join(FILE)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

/// The state within the bounds of the list.
fn bounded(mut state: WorkerState) -> WorkerState {
    let short = |text: &mut String| *text = text.chars().take(MAX_TEXT).collect();
    short(&mut state.cpu);
    state.refusal.as_mut().map(short);
    state.threads = state.threads.min(MAX_THREADS);
    // Not needed here, and the greatest part.
    state.playing = Vec::new();
    state.unreadable = Vec::new();
    state
}

impl Known {
    fn view(&self, now: u64) -> WorkerView {
        let hours = self.since.elapsed().as_secs_f64() / 3600.0;
        WorkerView {
            name: self.state.worker.clone(),
            cpu: self.state.cpu.clone(),
            threads: self.state.threads as u64,
            playing: self.playing as u64,
            games: self.games,
            pairs: self.pairs,
            games_per_hour: self.games as f64 / hours.max(1.0 / 3600.0),
            heard_unix_seconds: now.saturating_sub(self.heard.elapsed().as_secs()),
            refusal: self.state.refusal.clone(),
        }
    }
}
