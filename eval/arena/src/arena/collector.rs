//! Hands out the work of matches and takes their results in the order of their pairs, whatever order they come in.

use crate::error::ArenaError;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::chunk::MatchMonitor;
use super::game_result::{GameResult, count_pair};
use selfplay_ratings::pair_counts::PairCounts;

/// How far a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchProgress {
    /// Games finished, in any order, those played before included. A match that stops early may have finished some
    /// that its report leaves out.
    pub games_done: usize,
    /// Games of the match if nothing stops it.
    pub games: usize,
    /// The pairs among the finished games, from A's view.
    pub pair_counts: PairCounts,
}

/// Follows matches while they are played; called from any thread, by one at a time.
pub trait MatchObserver: Send {
    /// Match `fixture` is among those about to be played; the names are those of players A and B.
    fn match_announced(&mut self, fixture: usize, players: [&str; 2]);

    /// The next pair of match `fixture` is finished: first the game that A began. Comes once for each pair that was not
    /// played before, in the order of matches and pairs; pairs beyond a stop never come.
    ///
    /// # Errors
    /// Whatever should end the matches, such as a full disk.
    fn pair_finished(&mut self, fixture: usize, games: &[GameResult]) -> Result<(), ArenaError>;

    /// A game of match `fixture` has ended, in whatever order games end.
    fn progressed(&mut self, fixture: usize, progress: MatchProgress);
}

/// Calls a function after every game, whatever its match.
pub struct OnProgress<F>(pub F);

impl<F: Fn(MatchProgress) + Send> MatchObserver for OnProgress<F> {
    fn match_announced(&mut self, _fixture: usize, _players: [&str; 2]) {}

    fn pair_finished(&mut self, _fixture: usize, _games: &[GameResult]) -> Result<(), ArenaError> {
        Ok(())
    }

    fn progressed(&mut self, _fixture: usize, progress: MatchProgress) {
        (self.0)(progress);
    }
}

/// Ends a match before all its pairs are played.
pub struct StopRule<'a> {
    /// The rule with all its numbers; matches with different rules are different matches.
    pub name: String,
    /// Whether the match is decided after these pairs; a function of them alone. Asked after each pair in order.
    pub is_decided: Box<dyn Fn(&PairCounts) -> bool + Sync + 'a>,
}

/// Some pairs of a match, to be played by one thread.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) fixture: usize,
    pub(super) pairs: Range<usize>,
}

/// One match as far as it is known.
struct MatchState {
    pairs: usize,
    /// The games taken, in order, and what they add up to.
    games: Vec<GameResult>,
    counts: PairCounts,
    /// What was ever finished.
    games_done: usize,
    counts_done: PairCounts,
}

struct State<'a> {
    next_to_play: usize,
    next_to_take: usize,
    waiting: BTreeMap<usize, Vec<GameResult>>,
    matches: Vec<MatchState>,
    observer: &'a mut dyn MatchObserver,
    error: Option<ArenaError>,
}

/// Shared by all threads that play.
pub(super) struct Collector<'a> {
    jobs: Vec<Job>,
    stop: Option<&'a StopRule<'a>>,
    /// For each match, whether nothing more of it is wanted.
    is_stopped: Vec<AtomicBool>,
    state: Mutex<State<'a>>,
}

impl<'a> Collector<'a> {
    /// For matches of `pairs` pairs, of which `played` are there, to be assigned by `pairs_per_job`; one entry in
    /// each list a match.
    pub(super) fn new(
        matches: Vec<(usize, Vec<GameResult>, usize)>,
        stop: Option<&'a StopRule<'a>>,
        observer: &'a mut dyn MatchObserver,
    ) -> Self {
        let is_stopped: Vec<AtomicBool> = matches.iter().map(|_| AtomicBool::new(false)).collect();
        let mut jobs = Vec::new();
        let mut states = Vec::new();
        for (fixture, (pairs, played, pairs_per_job)) in matches.into_iter().enumerate() {
            let mut state = MatchState::new(pairs);
            for pair in played.chunks_exact(2) {
                state.finished(2, Some([&pair[0], &pair[1]]));
                if state.take(pair, stop) {
                    is_stopped[fixture].store(true, Ordering::Relaxed);
                    break;
                }
            }
            let starts = (played.len() / 2..pairs).step_by(pairs_per_job);
            jobs.extend(
                starts.map(|start| Job { fixture, pairs: start..pairs.min(start.saturating_add(pairs_per_job)) }),
            );
            states.push(state);
        }
        let state = State {
            next_to_play: 0,
            next_to_take: 0,
            waiting: BTreeMap::new(),
            matches: states,
            observer,
            error: None,
        };
        Collector { jobs, stop, is_stopped, state: Mutex::new(state) }
    }

    /// How many jobs there are at most.
    pub(super) fn job_count(&self) -> usize {
        self.jobs.len()
    }

    /// The next job, with its number; `None` if there is nothing left to do.
    pub(super) fn next_job(&self) -> Option<(usize, Job)> {
        let mut state = self.lock();
        while let Some(job) = self.jobs.get(state.next_to_play) {
            let number = state.next_to_play;
            state.next_to_play += 1;
            if !self.is_stopped(job.fixture) {
                return Some((number, job.clone()));
            }
        }
        None
    }

    /// The result of job `number`; `None` if it was cancelled.
    pub(super) fn deliver(&self, number: usize, result: Result<Option<Vec<GameResult>>, ArenaError>) {
        let mut state = self.lock();
        match result {
            Ok(Some(games)) => {
                state.waiting.insert(number, games);
                self.take_in_order(&mut state);
            }
            Ok(None) => {}
            Err(error) => self.abort(&mut state, error),
        }
    }

    /// The games of each match.
    ///
    /// # Errors
    /// The first that was met.
    pub(super) fn finish(self) -> Result<Vec<Vec<GameResult>>, ArenaError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.error {
            Some(error) => Err(error),
            None => Ok(state.matches.into_iter().map(|state| state.games).collect()),
        }
    }

    fn take_in_order(&self, state: &mut State) {
        while let Some(job) = self.jobs.get(state.next_to_take) {
            let games = state.waiting.remove(&state.next_to_take);
            if !self.is_stopped(job.fixture) {
                let Some(games) = games else { return };
                for pair in games.chunks_exact(2) {
                    if let Err(error) = state.observer.pair_finished(job.fixture, pair) {
                        return self.abort(state, error);
                    }
                    if state.matches[job.fixture].take(pair, self.stop) {
                        self.is_stopped[job.fixture].store(true, Ordering::Relaxed);
                        break;
                    }
                }
            }
            state.next_to_take += 1;
        }
    }

    fn abort(&self, state: &mut State, error: ArenaError) {
        state.error.get_or_insert(error);
        for is_stopped in &self.is_stopped {
            is_stopped.store(true, Ordering::Relaxed);
        }
    }

    fn is_stopped(&self, fixture: usize) -> bool {
        self.is_stopped[fixture].load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MatchState {
    fn new(pairs: usize) -> Self {
        let [counts, counts_done] = [PairCounts::default(); 2];
        MatchState { pairs, games: Vec::new(), counts, games_done: 0, counts_done }
    }

    fn finished(&mut self, games: usize, pair: Option<[&GameResult; 2]>) {
        self.games_done += games;
        if let Some(pair) = pair {
            count_pair(&mut self.counts_done, pair);
        }
    }

    /// Takes the next pair in order; true if it decides the match.
    fn take(&mut self, pair: &[GameResult], stop: Option<&StopRule>) -> bool {
        count_pair(&mut self.counts, [&pair[0], &pair[1]]);
        self.games.extend_from_slice(pair);
        stop.is_some_and(|stop| (stop.is_decided)(&self.counts))
    }
}

/// The collector as a chunk of one match sees it.
pub(super) struct FixtureMonitor<'c, 'a> {
    pub(super) collector: &'c Collector<'a>,
    pub(super) fixture: usize,
}

impl MatchMonitor for FixtureMonitor<'_, '_> {
    fn is_cancelled(&self) -> bool {
        self.collector.is_stopped(self.fixture)
    }

    fn game_ended(&self, pair: Option<[&GameResult; 2]>) {
        let mut state = self.collector.lock();
        let match_state = &mut state.matches[self.fixture];
        match_state.finished(1, pair);
        let progress = MatchProgress {
            games_done: match_state.games_done,
            games: 2 * match_state.pairs,
            pair_counts: match_state.counts_done,
        };
        state.observer.progressed(self.fixture, progress);
    }
}
