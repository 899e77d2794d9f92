//! What the threads of a worker do: they play the games of all tasks in hand side by side, and pairs of matches.
//!
//! Games of tasks that are played with the same network wait in one queue. A thread keeps as many of them in flight as the run's
//! config says and begins the next as one ends, whatever task it belongs to, so that its batches stay full. Jobs go first: while
//! some wait, threads begin no more games.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use selfplay_train::{GameCost, GameQueue, GameRecord};
use tokio::sync::{Notify, oneshot};

use crate::playing::TaskGames;
use crate::wire::GAMES_PER_TASK;

/// Work for one thread.
type Job = Box<dyn FnOnce() + Send>;

/// The games of a task, by their numbers, and what they cost.
pub type PlayedGames = (Vec<GameRecord>, GameCost);

/// Shares out work among threads.
pub struct Scheduler {
    threads: usize,
    state: Mutex<State>,
    /// There is something to do, or no more.
    changed: Condvar,
    /// There may be room for another task.
    room: Notify,
}

#[derive(Default)]
struct State {
    /// Tasks that were fetched and have not come yet.
    coming: usize,
    jobs: VecDeque<Job>,
    /// Threads that have nothing to do.
    idle: usize,
    /// Threads that begin no more games, for the sake of jobs.
    leaving: usize,
    queues: Vec<Queue>,
    next_queue: u64,
    has_ended: bool,
}

/// Games that are played alike.
struct Queue {
    id: u64,
    games: Arc<TaskGames>,
    /// The numbers of the games that have not been started.
    waiting: VecDeque<u32>,
    /// Tasks with games that have not ended.
    tasks: Vec<OpenTask>,
}

/// A task of which some games have not ended.
struct OpenTask {
    numbers: Range<u32>,
    records: Vec<GameRecord>,
    cost: GameCost,
    done: oneshot::Sender<PlayedGames>,
}

impl Scheduler {
    /// Starts so many threads.
    ///
    /// # Errors
    /// If one cannot be started.
    pub fn start(threads: usize) -> io::Result<Arc<Self>> {
        let (state, changed, room) = (Mutex::default(), Condvar::new(), Notify::new());
        let scheduler = Arc::new(Scheduler { threads, state, changed, room });
        for number in 0..threads {
            let own = scheduler.clone();
            let started = std::thread::Builder::new().name(format!("player {number}")).spawn(move || own.work());
            if let Err(error) = started {
                scheduler.end();
                return Err(error);
            }
        }
        Ok(scheduler)
    }

    /// Waits until there is room for another task, and keeps it.
    pub async fn room(self: &Arc<Self>) -> Room {
        while !self.keep_room() {
            self.room.notified().await;
        }
        Room(self.clone())
    }

    /// Plays the games of a task with these numbers. The receiver fails if they cannot be played.
    pub fn play(&self, games: TaskGames, numbers: Range<u32>) -> oneshot::Receiver<PlayedGames> {
        let (done, receiver) = oneshot::channel();
        let mut state = self.state();
        let known = state.queues.iter().position(|queue| queue.games.is_like(&games));
        let index = known.unwrap_or_else(|| {
            let id = state.next_queue;
            state.next_queue += 1;
            state.queues.push(Queue { id, games: Arc::new(games), waiting: VecDeque::new(), tasks: Vec::new() });
            state.queues.len() - 1
        });
        let queue = &mut state.queues[index];
        queue.waiting.extend(numbers.clone());
        queue.tasks.push(OpenTask { numbers, records: Vec::new(), cost: GameCost::default(), done });
        drop(state);
        self.changed.notify_all();
        receiver
    }

    /// Runs `job` on one of the threads.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        self.state().jobs.push_back(Box::new(job));
        self.changed.notify_all();
    }

    /// Nothing more begins; threads end with the games that they have in flight.
    pub fn end(&self) {
        self.state().has_ended = true;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_room(&self) -> bool {
        let mut state = self.state();
        let waiting: usize = state.queues.iter().map(|queue| queue.waiting.len()).sum();
        let tasks = state.coming + state.jobs.len() + waiting.div_ceil(GAMES_PER_TASK as usize);
        let has_room = tasks < self.threads;
        state.coming += usize::from(has_room);
        has_room
    }

    fn work(self: Arc<Self>) {
        while let Some(work) = self.next_work() {
            // The receiver of failed work notices that its sender is gone.
            let _ = catch_unwind(AssertUnwindSafe(|| match work {
                Work::Job(job) => job(),
                Work::Games(queue, games) => {
                    games.play(&Player { scheduler: &self, queue, leaves: AtomicBool::new(false) })
                }
            }));
        }
    }

    /// The next work for a thread; waits for it. `None` at the end.
    fn next_work(&self) -> Option<Work> {
        let mut state = self.state();
        loop {
            if state.has_ended {
                return None;
            }
            if let Some(job) = state.jobs.pop_front() {
                self.room.notify_one();
                return Some(Work::Job(job));
            }
            if let Some(queue) = state.queues.iter().find(|queue| !queue.waiting.is_empty()) {
                return Some(Work::Games(queue.id, queue.games.clone()));
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

/// What a thread does next.
enum Work {
    Job(Job),
    /// Games of the queue with this id.
    Games(u64, Arc<TaskGames>),
}

/// Room for a task that was fetched, until it is dropped.
pub struct Room(Arc<Scheduler>);

impl Drop for Room {
    fn drop(&mut self) {
        self.0.state().coming -= 1;
        self.0.room.notify_one();
    }
}

/// A thread that plays games of a queue.
struct Player<'a> {
    scheduler: &'a Scheduler,
    queue: u64,
    /// Whether it begins no more games.
    leaves: AtomicBool,
}

impl GameQueue for Player<'_> {
    fn next(&self) -> Option<u32> {
        if self.leaves.load(Ordering::Relaxed) {
            return None;
        }
        let mut state = self.scheduler.state();
        if state.has_ended {
            return None;
        }
        if state.jobs.len() > state.leaving + state.idle {
            state.leaving += 1;
            self.leaves.store(true, Ordering::Relaxed);
            return None;
        }
        let number = state.queues.iter_mut().find(|queue| queue.id == self.queue)?.waiting.pop_front();
        self.scheduler.room.notify_one();
        number
    }

    fn finish(&self, game: GameRecord, cost: GameCost) {
        let mut state = self.scheduler.state();
        let Some(queue) = state.queues.iter_mut().find(|queue| queue.id == self.queue) else { return };
        // A task may be given twice, and then has the same games twice.
        let lacks = |task: &OpenTask| {
            let has = |record: &GameRecord| record.game_number == game.game_number;
            task.numbers.contains(&game.game_number) && !task.records.iter().any(has)
        };
        let Some(index) = queue.tasks.iter().position(lacks) else { return };
        let task = &mut queue.tasks[index];
        task.records.push(game);
        task.cost += cost;
        if task.records.len() == task.numbers.len() {
            let OpenTask { mut records, cost, done, .. } = queue.tasks.swap_remove(index);
            records.sort_by_key(|record| record.game_number);
            // The receiver is gone if the worker leaves.
            let _ = done.send((records, cost));
        }
        state.queues.retain(|queue| !queue.tasks.is_empty());
    }
}

impl Drop for Player<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.state();
        state.leaving -= usize::from(self.leaves.load(Ordering::Relaxed));
        if std::thread::panicking() {
            // Its games in flight are lost, and with them the tasks that they belong to, of which it does not know.
            state.queues.retain(|queue| queue.id != self.queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use selfplay_mcts::{EvaluationCache, LeafBatch, Network, UniformNetwork};
    use selfplay_pipeline::RunConfig;
    use selfplay_registry::Games;
    use selfplay_shipped::shipped_games;
    use selfplay_train::{Actors, Batching, GameContext, GameRange};

    use super::*;
    use crate::playing::RunContext;

    fn context() -> Arc<RunContext> {
        let text = "game = \"tictactoe\"\nseed = 5\ngenerations = 2\n[selfplay]\ngames_per_generation = 100\n\
                    concurrent_games = 3\nnum_simulations = 8\n";
        let games = Games::new(&shipped_games());
        let (game, config) = (games.find("tictactoe").unwrap(), RunConfig::parse(text, &games).unwrap());
        Arc::new(RunContext { game, config, cache: EvaluationCache::new(0) })
    }

    fn games_of(
        context: &Arc<RunContext>,
        network: Arc<dyn Network>,
        generation: u32,
        numbers: &Range<u32>,
    ) -> TaskGames {
        let networks = (0..3).map(|learned| (learned, network.clone())).collect();
        TaskGames::new(context.clone(), generation, numbers, &networks, Arc::default()).unwrap()
    }

    /// The same games, played at once.
    fn expected(context: &RunContext, generation: u32, numbers: Range<u32>) -> Vec<GameRecord> {
        let RunContext { game, config, cache } = context;
        let queue = GameRange::new(numbers);
        let how = GameContext { config: &config.selfplay, run_seed: config.seed, generation, earlier: &[] };
        let actors = Actors { threads: 1, batching: Batching::PerThread, cache };
        game.play_games(&UniformNetwork("tictactoe"), how, actors, &queue);
        queue.into_records()
    }

    #[test]
    fn each_task_gets_its_own_games_whatever_is_played_beside_them() {
        let (context, network) = (context(), Arc::new(UniformNetwork("tictactoe")));
        for threads in [1, 3] {
            let scheduler = Scheduler::start(threads).unwrap();
            // One of them is given twice.
            let tasks = [(1, 0..8), (2, 0..8), (1, 8..16), (1, 8..16), (1, 96..100)];
            let begun = tasks.map(|(generation, numbers)| {
                let games = games_of(&context, network.clone(), generation, &numbers);
                (generation, numbers.clone(), scheduler.play(games, numbers))
            });
            let (done, ran) = mpsc::channel();
            scheduler.run(move || done.send(()).unwrap());
            ran.recv_timeout(Duration::from_secs(60)).unwrap();
            for (generation, numbers, played) in begun {
                let (records, cost) = played.blocking_recv().unwrap();
                assert_eq!(records, expected(&context, generation, numbers));
                assert_eq!(cost.cache.lookups, 0);
            }
            scheduler.end();
        }
    }

    /// A network that cannot be asked.
    struct Broken;

    impl Network for Broken {
        fn game(&self) -> &str {
            "tictactoe"
        }
        fn id(&self) -> u64 {
            9
        }
        fn evaluate_batch(&mut self, _: &mut dyn LeafBatch) {
            panic!("on purpose");
        }
        fn clone_box(&self) -> Box<dyn Network> {
            Box::new(Broken)
        }
    }

    #[test]
    fn a_failure_ends_its_own_tasks_and_no_thread() {
        let (context, scheduler) = (context(), Scheduler::start(1).unwrap());
        let (first, second) = (0..8, 8..16);
        let broken = scheduler.play(games_of(&context, Arc::new(Broken), 1, &first), first);
        assert!(broken.blocking_recv().is_err());
        let (done, ran) = oneshot::channel::<()>();
        scheduler.run(move || {
            let _kept = done;
            panic!("on purpose");
        });
        assert!(ran.blocking_recv().is_err());
        let network = Arc::new(UniformNetwork("tictactoe"));
        let whole = scheduler.play(games_of(&context, network, 1, &second), second.clone());
        assert_eq!(whole.blocking_recv().unwrap().0, expected(&context, 1, second));
        scheduler.end();
    }

    #[test]
    fn a_task_has_room_while_few_wait() {
        // No thread takes anything.
        let (state, changed, room) = (Mutex::default(), Condvar::new(), Notify::new());
        let scheduler = Arc::new(Scheduler { threads: 2, state, changed, room });
        let kept = |_| scheduler.keep_room().then(|| Room(scheduler.clone()));
        let [first, second, third] = [(); 3].map(kept);
        assert!(first.is_some() && second.is_some() && third.is_none());
        let numbers = 0..8;
        let games = games_of(&context(), Arc::new(UniformNetwork("tictactoe")), 1, &numbers);
        let _played = scheduler.play(games, numbers);
        drop(first);
        assert!(kept(()).is_none(), "one waits and one comes");
        drop(second);
        assert!(kept(()).is_some());
    }
}
