//! The games in flight of all threads: who advances which.
//!
//! A thread takes its share of the games, brings each to its next evaluation, and puts them back. As long as there are games to
//! begin, it gets back what it brought. At the end, those left are spread evenly, so that no thread waits while another has two.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::game_queue::GameQueue;

/// Games of type `S` in flight, of which each thread takes some.
pub(crate) struct GamesInFlight<'a, S> {
    queue: &'a dyn GameQueue,
    threads: usize,
    /// Most games that a thread has at once.
    most: usize,
    state: Mutex<State<S>>,
    returned: Condvar,
}

struct State<S> {
    /// Games that no thread has.
    waiting: VecDeque<S>,
    /// Games that threads have.
    taken: usize,
}

/// What a thread has taken. Dropping it puts back what is in `games`.
pub(crate) struct Share<'a, 's, S> {
    from: &'s GamesInFlight<'a, S>,
    /// Games in flight.
    pub games: Vec<S>,
    /// Numbers of games to begin.
    pub new: Vec<u32>,
    taken: usize,
}

impl<'a, S> GamesInFlight<'a, S> {
    /// No games yet, for so many threads with `most` games at once.
    pub(crate) fn new(queue: &'a dyn GameQueue, threads: usize, most: usize) -> Self {
        let state = State { waiting: VecDeque::new(), taken: 0 };
        GamesInFlight { queue, threads, most, state: Mutex::new(state), returned: Condvar::new() }
    }

    /// The next games for a thread; waits while others have all there are. `None` once no game is left.
    pub(crate) fn take(&self) -> Option<Share<'a, '_, S>> {
        let mut state = self.lock();
        loop {
            let share = (state.waiting.len() + state.taken).div_ceil(self.threads).min(state.waiting.len());
            let games: Vec<S> = state.waiting.drain(..share).collect();
            let room = self.most.saturating_sub(games.len());
            let new: Vec<u32> = std::iter::from_fn(|| self.queue.next()).take(room).collect();
            let taken = games.len() + new.len();
            if taken > 0 {
                state.taken += taken;
                return Some(Share { from: self, games, new, taken });
            }
            if state.taken == 0 {
                return None;
            }
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Drop for Share<'_, '_, S> {
    fn drop(&mut self) {
        let mut state = self.from.lock();
        state.taken -= self.taken;
        state.waiting.extend(self.games.drain(..));
        drop(state);
        self.from.returned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::game_queue::GameCost;
    use crate::record::GameRecord;

    /// So many games, none of which is played.
    struct Numbers(AtomicU32);

    impl GameQueue for Numbers {
        fn next(&self) -> Option<u32> {
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).ok()
        }
        fn finish(&self, _: GameRecord, _: GameCost) {}
    }

    #[test]
    fn threads_are_full_while_there_are_games_and_share_the_last() {
        let queue = Numbers(AtomicU32::new(10));
        let pool = GamesInFlight::new(&queue, 2, 4);
        let begin = |share: &mut Share<'_, '_, u32>| {
            let new = std::mem::take(&mut share.new);
            share.games.extend(new);
            share.games.len()
        };
        let (mut one, mut two) = (pool.take().unwrap(), pool.take().unwrap());
        assert_eq!((begin(&mut one), begin(&mut two)), (4, 4));
        drop(two);
        let mut two = pool.take().unwrap();
        assert_eq!(
            (two.games.len(), begin(&mut two)),
            (4, 4),
            "its own, and nothing to begin but what it has no room for"
        );
        // All games of one thread end: three of the last six go over.
        one.games.clear();
        drop(one);
        let mut one = pool.take().unwrap();
        assert_eq!(begin(&mut one), 2);
        drop(two);
        drop(one);
        let (one, two) = (pool.take().unwrap(), pool.take().unwrap());
        assert_eq!((one.games.len(), two.games.len()), (3, 3));
    }

    #[test]
    fn a_thread_waits_for_games_of_others_and_ends_with_the_last() {
        let queue = Numbers(AtomicU32::new(3));
        let pool = GamesInFlight::new(&queue, 2, 8);
        let mut all = pool.take().unwrap();
        all.games = std::mem::take(&mut all.new);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| pool.take().map(|share| share.games.len()));
            drop(all);
            assert_eq!(waiting.join().unwrap(), Some(2));
        });
        let mut all = pool.take().unwrap();
        all.games.clear();
        let mut rest = pool.take().unwrap();
        rest.games.clear();
        drop((all, rest));
        assert!(pool.take().is_none());
    }
}
