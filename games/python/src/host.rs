//! The processes that run the file, and the threads that ask them.
//!
//! One of the threads with pending requests carries the requests of all of them to the process and back. A thread that
//! arrives meanwhile waits and joins the next frame. A busy process thus gets few large frames, and a lone thread never
//! waits for others.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::process::Child;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::facts::Facts;
use crate::file::{FileError, GameFile};
use crate::position_facts::InvalidAnswer;
use crate::request::{Op, Request, Trail};
use crate::worker_pipes::{Failure, LIMIT, WorkerPipes};

/// Seconds after [`LIMIT`] in which a process may say itself that it took longer.
const GRACE: u64 = 5;

/// The game's processes and what it says of itself.
struct Host {
    file: GameFile,
    facts: &'static Facts,
    processes: Vec<Process>,
    /// This process: one that was forked from it has the same pipes, and no way to tell its answers from others'.
    owner: u32,
    /// Which process the next new thread asks.
    next: AtomicUsize,
}

static HOST: OnceLock<Host> = OnceLock::new();
static FAILURE: OnceLock<fn(&str)> = OnceLock::new();

thread_local! {
    /// Which process this thread's games are with.
    static MINE: Cell<Option<usize>> = const { Cell::new(None) };
}

fn host() -> &'static Host {
    HOST.get().expect("a position of a game in a file is there only once the file is loaded")
}

/// The file of the game that was loaded.
pub fn loaded() -> Option<&'static GameFile> {
    HOST.get().map(|host| &host.file)
}

/// The file that holds the game called `id`, if that was loaded.
pub fn file_of(id: &str) -> Option<&'static GameFile> {
    HOST.get().filter(|host| host.facts.id == id).map(|host| &host.file)
}

/// What the game says of itself.
pub fn facts() -> &'static Facts {
    host().facts
}

/// The CPU time that the game's processes have taken.
pub fn cpu_time() -> Duration {
    let processes = HOST.get().map_or(&[][..], |host| &host.processes);
    Duration::from_micros(processes.iter().map(|process| process.cpu_micros.load(Ordering::Relaxed)).sum())
}

/// The process of this thread's games.
pub fn my_process() -> &'static Process {
    let host = host();
    let mine = MINE.get().unwrap_or_else(|| host.next.fetch_add(1, Ordering::Relaxed) % host.processes.len());
    MINE.set(Some(mine));
    &host.processes[mine]
}

/// What happens with the sentence about what a game's file did wrong before the thread panics with it, if `told` returns. The
/// first call counts.
pub fn set_failure(told: fn(&str)) {
    FAILURE.get_or_init(|| told);
}

/// Ends with a sentence: what the file did wrong, and where.
pub fn fail(what: &str) -> ! {
    let sentence = format!("{}: {what}", host().file.path.display());
    if let Some(told) = FAILURE.get() {
        told(&sentence);
    }
    resume_unwind(Box::new(sentence))
}

/// Starts a process for each core, and asks the first what the game is, whose name must not be one of those `taken`.
///
/// # Errors
/// [`FileError`]; nothing is loaded then.
pub fn start(file: GameFile, taken: &[&str]) -> Result<(), FileError> {
    let count = thread::available_parallelism().map_or(1, usize::from);
    let (first, facts) = Process::start(&file)?;
    if taken.contains(&&*facts.id) {
        return Err(FileError::Taken { path: file.path, id: facts.id });
    }
    let facts: &'static Facts = Box::leak(Box::new(facts));
    let mut processes = vec![first];
    for _ in 1..count {
        // The same source says the same.
        processes.push(Process::start(&file)?.0);
    }
    let owner = std::process::id();
    if HOST.set(Host { file, facts, processes, owner, next: AtomicUsize::new(0) }).is_ok() {
        let watching = thread::Builder::new().name("watch over rules".into()).spawn(watch);
        // Without it a process that hangs outside Python hangs the program.
        drop(watching);
    }
    Ok(())
}

/// Ends processes that neither answer nor notice it.
fn watch() {
    loop {
        thread::sleep(Duration::from_secs(1));
        for process in &host().processes {
            let since = process.busy_since.load(Ordering::Relaxed);
            if since > 0 && process.clock() > since + (LIMIT + GRACE) * 1000 {
                let _ = lock(&process.child).kill();
            }
        }
    }
}

/// A process that runs the file.
#[derive(Debug)]
pub struct Process {
    child: Mutex<Child>,
    line: Mutex<WorkerPipes>,
    queue: Mutex<RequestQueue>,
    places: Mutex<Places>,
    begun: Instant,
    /// Milliseconds after `begun` since when a frame is not answered; 0 if none is.
    busy_since: AtomicU64,
    /// As in its line, which may be in use.
    cpu_micros: AtomicU64,
    /// The sentence about what went wrong first: nothing is answered after that.
    failure: OnceLock<Arc<str>>,
}

/// Where requests wait.
#[derive(Default, Debug)]
struct RequestQueue {
    waiting: Vec<Arc<PendingRequest>>,
    /// Whether a thread is carrying requests or has been chosen to.
    is_carried: bool,
}

/// What one thread wants.
#[derive(Debug)]
struct PendingRequest {
    requests: Vec<Request>,
    /// What led to the position that the first is about.
    trail: Trail,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
enum State {
    Waits,
    /// It is this thread's turn to carry.
    Carries,
    /// All answers to the frame, and where this thread's begin.
    Answered(Arc<Vec<u8>>, usize),
    /// The sentence about it.
    Failed(Arc<str>),
}

/// Places for positions in a process: 0 is the initial one's.
#[derive(Debug)]
struct Places {
    free: Vec<u32>,
    used: u32,
}

impl Process {
    fn start(file: &GameFile) -> Result<(Process, Facts), FileError> {
        let (child, line, facts) = WorkerPipes::start(file)?;
        let process = Process {
            child: Mutex::new(child),
            line: Mutex::new(line),
            queue: Mutex::default(),
            places: Mutex::new(Places { free: Vec::new(), used: 1 }),
            begun: Instant::now(),
            busy_since: AtomicU64::new(0),
            cpu_micros: AtomicU64::new(0),
            failure: OnceLock::new(),
        };
        Ok((process, facts))
    }

    fn clock(&self) -> u64 {
        1 + u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX - 1)
    }

    /// Does what is requested, in this order, of a position that `trail` led to, and shows the first answer to `read`, which
    /// may find that it is nonsense. What the game does wrong ends here ([`fail`]).
    pub fn ask<T>(
        &self,
        requests: Vec<Request>,
        trail: &Trail,
        read: impl FnOnce(&mut &[u8]) -> Result<T, InvalidAnswer>,
    ) -> T {
        if host().owner != std::process::id() {
            fail(
                "a process that was forked cannot go on with the game: start it by \"spawn\", and read the file there",
            );
        }
        let pending =
            PendingRequest { requests, trail: trail.clone(), state: Mutex::new(State::Waits), changed: Condvar::new() };
        let pending = Arc::new(pending);
        let mut queue = lock(&self.queue);
        queue.waiting.push(Arc::clone(&pending));
        if !queue.is_carried {
            queue.is_carried = true;
            *lock(&pending.state) = State::Carries;
        }
        drop(queue);
        let mut state = lock(&pending.state);
        loop {
            match std::mem::replace(&mut *state, State::Waits) {
                State::Waits => state = pending.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                State::Carries => {
                    drop(state);
                    self.carry();
                    state = lock(&pending.state);
                }
                State::Answered(bytes, start) => {
                    let end = start.saturating_add(4).saturating_add(length_at(&bytes, start));
                    let found = read(&mut bytes.get(start + 4..end).unwrap_or_default());
                    return found
                        .unwrap_or_else(|what| fail(&pending.sentence(&what.to_string(), pending.requests.len())));
                }
                State::Failed(sentence) => fail(&sentence),
            }
        }
    }

    /// Carries what waits, once; then it is another thread's turn, if one waits.
    fn carry(&self) {
        let pending_requests = std::mem::take(&mut lock(&self.queue).waiting);
        let mut frame = Vec::new();
        pending_requests.iter().flat_map(|pending| &pending.requests).for_each(|request| request.write(&mut frame));
        self.busy_since.store(self.clock(), Ordering::Relaxed);
        let mut line = lock(&self.line);
        let answer = line.exchange(&frame);
        self.cpu_micros.store(line.cpu_micros, Ordering::Relaxed);
        drop(line);
        self.busy_since.store(0, Ordering::Relaxed);
        self.hand_out(&pending_requests, answer);
        let mut queue = lock(&self.queue);
        match queue.waiting.first() {
            Some(next) => next.becomes(State::Carries),
            None => queue.is_carried = false,
        }
    }

    fn hand_out(&self, pending_requests: &[Arc<PendingRequest>], answer: std::io::Result<Result<Vec<u8>, Failure>>) {
        let failure = match answer {
            Ok(Ok(bytes)) => {
                let bytes = Arc::new(bytes);
                let mut start = 0;
                for pending in pending_requests {
                    pending.becomes(State::Answered(Arc::clone(&bytes), start));
                    for _ in pending.requests.iter().filter(|request| request.op != Op::Step) {
                        start += 4 + length_at(&bytes, start);
                    }
                }
                return;
            }
            Ok(Err(failure)) => failure,
            Err(_) if self.failure.get().is_some() => Failure { what: String::new(), record: 0 },
            Err(_) => Failure { what: self.last_words(), record: 0 },
        };
        // All get the same message, about the position at fault, whichever thread fails first.
        let mut record = failure.record;
        let at_fault = pending_requests.iter().find(|pending| {
            let is_its = record < pending.requests.len();
            record -= if is_its { 0 } else { pending.requests.len() };
            is_its
        });
        let sentence = at_fault.map_or(failure.what.clone(), |pending| pending.sentence(&failure.what, record + 1));
        let sentence = self.failure.get_or_init(|| sentence.into());
        pending_requests.iter().for_each(|pending| pending.becomes(State::Failed(Arc::clone(sentence))));
    }

    /// What is said of a process that is gone.
    fn last_words(&self) -> String {
        let mut child = lock(&self.child);
        let _ = child.kill();
        match child.wait() {
            Ok(status) => format!("the process that runs it has ended ({status})"),
            Err(error) => format!("the process that runs it is gone: {error}"),
        }
    }

    /// A place for a position.
    pub fn new_place(&self) -> u32 {
        let mut places = lock(&self.places);
        places.free.pop().unwrap_or_else(|| {
            places.used += 1;
            places.used - 1
        })
    }

    /// Gives a place back; what is there stays until another position comes.
    pub fn free_place(&self, place: u32) {
        lock(&self.places).free.push(place);
    }

    /// Positions that are kept.
    pub fn kept(&self) -> usize {
        let places = lock(&self.places);
        places.used as usize - places.free.len()
    }
}

impl PendingRequest {
    fn becomes(&self, state: State) {
        *lock(&self.state) = state;
        self.changed.notify_one();
    }

    /// What went wrong, and where: after so many of the requests.
    fn sentence(&self, what: &str, done: usize) -> String {
        let mut line = self.trail.actions();
        let played = self.requests[..done].iter().filter(|request| matches!(request.op, Op::Play | Op::Step));
        line.extend(played.map(|request| request.action));
        let names = &facts().names;
        let name = |action: &u16| names.get(usize::from(*action)).map_or("?", String::as_str);
        match line.is_empty() {
            true => format!("{what}, in the initial position"),
            false => format!("{what}, after {}", line.iter().map(name).collect::<Vec<_>>().join(" ")),
        }
    }
}

/// The length that stands there; more than there is where nothing stands.
fn length_at(bytes: &[u8], start: usize) -> usize {
    let four = bytes.get(start..start + 4).map(|four| u32::from_le_bytes(four.try_into().expect("four bytes")));
    four.map_or(bytes.len(), |len| len as usize)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
