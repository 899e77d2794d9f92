//! Where the time of self-play goes: workers say what they are doing, a watcher looks now and then.
//!
//! [`Staged`] wraps a game and [`StagedEvaluator`] an evaluator; both mark what runs inside them, what is left is the
//! tree. A mark is one store, so the measured program is (nearly) the real one.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use selfplay_env::{Action, Game, NotationError, Outcome, PolicyShape, Side, TensorEncoding};
use selfplay_mcts::{Evaluator, Leaf};

/// What a worker does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Stage {
    /// Selecting, expanding, backing up, and all that is none of the others.
    Tree,
    /// Rules: decisions made, moves listed, results.
    Rules,
    /// Positions written into the network's input.
    Encoding,
    /// The network.
    Network,
    /// Waiting for other workers.
    Idle,
}

impl Stage {
    /// All of them, in the order of their numbers.
    pub const ALL: [Stage; 5] = [Stage::Tree, Stage::Rules, Stage::Encoding, Stage::Network, Stage::Idle];
}

/// What each worker does now.
static WORKERS: [AtomicU8; MOST_WORKERS] = [const { AtomicU8::new(Stage::Idle as u8) }; MOST_WORKERS];
/// Workers watched, at most.
const MOST_WORKERS: usize = 256;
/// Only one watch at a time.
static WATCH: Mutex<()> = Mutex::new(());
const PERIOD: Duration = Duration::from_micros(500);

thread_local! {
    /// Number of this worker; other threads are not watched.
    static WORKER: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Marks that this thread does `stage` until the value is dropped.
struct Mark {
    worker: Option<usize>,
    before: u8,
}

impl Mark {
    fn new(stage: Stage) -> Self {
        let worker = WORKER.get();
        let before = worker.map_or(0, |worker| WORKERS[worker].load(Ordering::Relaxed));
        if let Some(worker) = worker {
            WORKERS[worker].store(stage as u8, Ordering::Relaxed);
        }
        Mark { worker, before }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        if let Some(worker) = self.worker {
            WORKERS[worker].store(self.before, Ordering::Relaxed);
        }
    }
}

/// Runs `worker(number)` on `threads` threads and returns the share of their time in each of [`Stage::ALL`], until the
/// last is done.
pub fn shares(threads: usize, worker: impl Fn(usize) + Sync) -> [f64; Stage::ALL.len()] {
    let _only = WATCH.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let threads = threads.min(MOST_WORKERS);
    let mut seen = [0_u64; Stage::ALL.len()];
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|number| {
                let worker = &worker;
                scope.spawn(move || {
                    WORKER.set(Some(number));
                    WORKERS[number].store(Stage::Tree as u8, Ordering::Relaxed);
                    worker(number);
                    WORKERS[number].store(Stage::Idle as u8, Ordering::Relaxed);
                })
            })
            .collect();
        while !running.iter().all(|thread| thread.is_finished()) {
            for stage in &WORKERS[..threads] {
                seen[usize::from(stage.load(Ordering::Relaxed))] += 1;
            }
            std::thread::sleep(PERIOD);
        }
    });
    let total: u64 = seen.iter().sum();
    seen.map(|count| count as f64 / total.max(1) as f64)
}

/// An evaluator that marks its time as the network's.
#[derive(Clone)]
pub struct StagedEvaluator<E>(pub E);

impl<G: Game, E: Evaluator<G>> Evaluator<G> for StagedEvaluator<E> {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        let _mark = Mark::new(Stage::Network);
        self.0.evaluate(leaves);
    }
}

/// A game that marks the time in its rules and in its encoding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Staged<G>(G);

impl<G: Game> Game for Staged<G> {
    const ID: &'static str = G::ID;
    const TITLE: &'static str = G::TITLE;
    const SIDE_NAMES: [&'static str; 2] = G::SIDE_NAMES;
    const ACTION_COUNT: usize = G::ACTION_COUNT;
    const MAX_DECISIONS: Option<usize> = G::MAX_DECISIONS;

    fn initial() -> Self {
        Staged(G::initial())
    }

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        let _mark = Mark::new(Stage::Rules);
        self.0.outcome()
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        let _mark = Mark::new(Stage::Rules);
        self.0.legal_actions(actions);
    }

    fn distinct_actions(&self, actions: &mut Vec<Action>) {
        let _mark = Mark::new(Stage::Rules);
        self.0.distinct_actions(actions);
    }

    fn canonical_action(&self, action: Action) -> Action {
        let _mark = Mark::new(Stage::Rules);
        self.0.canonical_action(action)
    }

    fn is_legal(&self, action: Action) -> bool {
        let _mark = Mark::new(Stage::Rules);
        self.0.is_legal(action)
    }

    fn illegal_reason(&self, action: Action) -> String {
        self.0.illegal_reason(action)
    }

    fn play(&mut self, action: Action) {
        let _mark = Mark::new(Stage::Rules);
        self.0.play(action);
    }

    fn position_hash(&self) -> u64 {
        self.0.position_hash()
    }

    fn evaluation_key(&self) -> u64 {
        self.0.evaluation_key()
    }

    fn starts_turn(&self) -> bool {
        self.0.starts_turn()
    }

    fn action_name(action: Action) -> String {
        G::action_name(action)
    }

    fn parse_action(text: &str) -> Result<Action, NotationError> {
        G::parse_action(text)
    }

    fn board(&self) -> String {
        self.0.board()
    }
}

impl<G: TensorEncoding> TensorEncoding for Staged<G> {
    const ENCODING_VERSION: u32 = G::ENCODING_VERSION;
    const PLANES: usize = G::PLANES;
    const HEIGHT: usize = G::HEIGHT;
    const WIDTH: usize = G::WIDTH;
    const POLICY: PolicyShape = G::POLICY;
    const PLANE_NAMES: &'static [&'static str] = G::PLANE_NAMES;

    fn encode(&self, planes: &mut [f32]) {
        let _mark = Mark::new(Stage::Encoding);
        self.0.encode(planes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_seen_where_it_goes() {
        let long = Duration::from_millis(60);
        let shares = shares(2, |number| {
            let _mark = Mark::new(if number == 0 { Stage::Rules } else { Stage::Network });
            std::thread::sleep(if number == 0 { long } else { 3 * long });
        });
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        // Worker 1 is in the network all the time, worker 0 idle for most of it.
        let [tree, rules, encoding, network, idle] = shares;
        assert!(network > 0.3 && rules > 0.02 && idle > 0.05 && encoding == 0.0 && tree < 0.3, "{shares:?}");
    }
}
