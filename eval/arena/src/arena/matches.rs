//! Plays matches over all cores.

use crate::error::ArenaError;
use selfplay_players::EvalError;
use std::ops::Range;
use std::thread::Builder;

use rayon::ThreadPoolBuilder;

use super::chunk::{Chunk, MatchMonitor, Stopwatch};
use super::clock::{Clock, Measure, SystemClock};
use super::collector::{Collector, FixtureMonitor, Job, MatchObserver, MatchProgress, OnProgress, StopRule};
use super::config::MatchConfig;
use super::fixture::{Fixture, Participant};
use super::game_result::{GameResult, MatchReport};
use selfplay_players::PlayerSpec;
use selfplay_players::playable::Playable;
use selfplay_players::player::Player;
use selfplay_players::time_control::ClockKind;

/// How the games of a thread follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pacing {
    /// Many games at the same time, each player deciding in all of them at once: fast, and right for players who do not
    /// look at the clock.
    Lockstep,
    /// One game after the other, each with cores of its own, and every move measured: for players whose moves
    /// depend on time. A match with a [`time`](MatchConfig::time) is always played so.
    OneByOne,
}

impl Pacing {
    /// How games among these players follow each other: one by one if any of them looks at the clock.
    pub fn for_specs<'a>(specs: impl IntoIterator<Item = &'a PlayerSpec>) -> Self {
        let is_timed = specs.into_iter().any(PlayerSpec::depends_on_time);
        if is_timed { Pacing::OneByOne } else { Pacing::Lockstep }
    }
}

/// Plays pairs of matches in another place than this process's threads.
pub trait RemoteExecutor: Sync {
    /// How many chunks of pairs it can be at, at the same time, at least 1.
    fn at_once(&self) -> usize;

    /// The games of `pairs` of the match `fixture`, in their order, as [`play_chunk`] gives them; `None` if
    /// `is_cancelled` says so meanwhile. Called from several threads.
    ///
    /// # Errors
    /// Whatever should end the matches.
    fn play(
        &self,
        fixture: usize,
        pairs: Range<usize>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<GameResult>>, ArenaError>;
}

/// What matches are played with, apart from their configuration.
pub struct MatchSetting<'a> {
    /// Cores to play on, at least 1. Where time does not count, they change nothing but the duration.
    pub cores: usize,
    /// How the games of a thread follow each other.
    pub pacing: Pacing,
    /// What measures the players.
    pub clock: &'a dyn Clock,
    /// What ends each match early, if anything.
    pub stop: Option<&'a StopRule<'a>>,
    /// Who plays instead of this process, where time does not count. The results are the same.
    pub remote: Option<&'a dyn RemoteExecutor>,
}

impl Default for MatchSetting<'_> {
    /// Lockstep on as many cores as rayon's current pool has threads, without an early end.
    fn default() -> Self {
        MatchSetting {
            cores: rayon::current_num_threads(),
            pacing: Pacing::Lockstep,
            clock: &SystemClock,
            stop: None,
            remote: None,
        }
    }
}

/// The players of a thread's last pair and their indices, for its next pair: where games are played one by one, they
/// keep what takes time to come by, such as an opened network and the memory of a table.
type ReusablePlayers = Option<([usize; 2], [Box<dyn Player>; 2])>;

/// Plays several matches, each to its end or its early stop, and returns their reports in order.
///
/// The reports are a function of the fixtures, the players and the stop rule where time does not count: the work is cut
/// into chunks by the configurations, threads only share the chunks out. Threads never share cores, and whatever a
/// player computes in parallel runs in its thread's own pool.
///
/// # Errors
/// Whatever making a player gives, or a player's move if it is not [`EvalError::PlayerFailed`]: that, illegal
/// moves and overstepped times lose the game and no more. [`ArenaError::NoOpening`]; [`ArenaError::NoThreads`]; what
/// the observer reports.
///
/// # Panics
/// If a player answers another number of seats than it was asked, or a fixture names an participant that is not there.
pub fn play_fixtures(
    participants: &[Participant],
    fixtures: &[Fixture],
    setting: &MatchSetting,
    observer: &mut dyn MatchObserver,
) -> Result<Vec<MatchReport>, ArenaError> {
    for (index, fixture) in fixtures.iter().enumerate() {
        observer.match_announced(index, fixture.players.map(|player| participants[player].name()));
    }
    let is_one_by_one =
        setting.pacing == Pacing::OneByOne || fixtures.iter().any(|fixture| fixture.config().time.is_some());
    let to_play = fixtures.iter().map(|fixture| {
        let config = fixture.config();
        (config.pairs, fixture.played.clone(), if is_one_by_one { 1 } else { config.pairs_per_chunk })
    });
    let collector = Collector::new(to_play.collect(), setting.stop, observer);
    let remote = setting.remote.filter(|_| !is_one_by_one);
    let threads = match remote {
        // They only wait.
        Some(others) => Threads { workers: others.at_once().clamp(1, collector.job_count().max(1)), ..Threads::ONE },
        None => Threads::plan(participants, fixtures, setting, is_one_by_one, collector.job_count()),
    };
    let play = |job: &Job, seated: &mut ReusablePlayers| -> Result<Option<Vec<GameResult>>, ArenaError> {
        let fixture = &fixtures[job.fixture];
        let monitor = FixtureMonitor { collector: &collector, fixture: job.fixture };
        if let Some(others) = remote {
            let games = others.play(job.fixture, job.pairs.clone(), &|| monitor.is_cancelled())?;
            for pair in games.iter().flat_map(|games| games.chunks_exact(2)) {
                monitor.game_ended(None);
                monitor.game_ended(Some([&pair[0], &pair[1]]));
            }
            return Ok(games);
        }
        let openings = fixture.openings(job.pairs.clone())?;
        let [a, b] = fixture.players.map(|index| &participants[index]);
        let mut players = match seated.take() {
            Some((known, players)) if known == fixture.players => players,
            _ => [a.make()?, b.make()?],
        };
        let chunk =
            Chunk::begin(fixture.game(), &mut players, job.pairs.clone(), &openings, fixture.config(), &monitor);
        if !is_one_by_one {
            return chunk.play_in_lockstep(&mut players);
        }
        let measure = threads.measure(fixture.config());
        let games = chunk.play_one_by_one(&mut players, Stopwatch { clock: setting.clock, measure })?;
        // In the middle of a game players are not kept: it may still run.
        *seated = games.is_some().then_some((fixture.players, players));
        Ok(games)
    };
    let work = || {
        let mut seated = None;
        while let Some((number, job)) = collector.next_job() {
            collector.deliver(number, play(&job, &mut seated));
        }
    };
    let built = || ThreadPoolBuilder::new().num_threads(threads.per_worker).build();
    // With fewer workers than the cores would feed the games are the same.
    let first = built().map_err(|source| ArenaError::NoThreads { source })?;
    let more = (1..threads.workers).map_while(|_| built().ok());
    let pools: Vec<rayon::ThreadPool> = [first].into_iter().chain(more).collect();
    std::thread::scope(|scope| {
        let others: Vec<_> = pools[1..]
            .iter()
            .map_while(|pool| Builder::new().spawn_scoped(scope, || pool.install(work)).ok())
            .collect();
        pools[0].install(work);
        drop(others);
    });
    let name = |player: usize| participants[player].name().to_owned();
    let report = |(fixture, games): (&Fixture, Vec<GameResult>)| {
        let [a, b] = fixture.players.map(name);
        MatchReport { a, b, games }
    };
    Ok(fixtures.iter().zip(collector.finish()?).map(report).collect())
}

/// How many threads play, and how many each of them computes with.
struct Threads {
    workers: usize,
    per_worker: usize,
    /// The most that an participant says it uses.
    per_player: usize,
}

impl Threads {
    const ONE: Threads = Threads { workers: 1, per_worker: 1, per_player: 1 };

    fn plan(
        participants: &[Participant],
        fixtures: &[Fixture],
        setting: &MatchSetting,
        is_one_by_one: bool,
        jobs: usize,
    ) -> Self {
        let players = fixtures.iter().flat_map(|fixture| fixture.players);
        let per_player = players.map(|player| participants[player].threads()).max().unwrap_or(1);
        let mut plan = Threads { per_worker: per_player, per_player, ..Threads::ONE };
        // The CPU time of several threads is known for the whole process only, so nothing else may run in it.
        let is_process_timed = fixtures.iter().any(|fixture| plan.measure(fixture.config()) == Measure::ProcessCpu);
        if !(is_one_by_one && is_process_timed) {
            plan.workers = (setting.cores / per_player).clamp(1, jobs.max(1));
        }
        if !is_one_by_one {
            plan.per_worker = per_player.max(setting.cores / plan.workers);
        }
        plan
    }

    /// What is measured in a match.
    fn measure(&self, config: &MatchConfig) -> Measure {
        match config.time.map(|time| time.clock) {
            Some(ClockKind::Cpu) if self.per_player > 1 => Measure::ProcessCpu,
            Some(ClockKind::Cpu) => Measure::ThreadCpu,
            Some(ClockKind::Wall) | None => Measure::Wall,
        }
    }
}

/// Plays some pairs of a match at `game` on this thread, in lockstep, between the players that `make_a` and `make_b` make: the
/// games that [`play_match`] plays of them, where time does not count.
///
/// # Errors
/// Those of [`play_match`].
///
/// # Panics
/// If a player answers another number of seats than it was asked.
pub fn play_chunk(
    game: &'static dyn Playable,
    make_a: impl Fn() -> Result<Box<dyn Player>, EvalError>,
    make_b: impl Fn() -> Result<Box<dyn Player>, EvalError>,
    config: &MatchConfig,
    pairs: Range<usize>,
) -> Result<Vec<GameResult>, ArenaError> {
    let fixture = Fixture::new(game, [0, 1], config.clone())?;
    let openings = fixture.openings(pairs.clone())?;
    let mut players = [make_a()?, make_b()?];
    let chunk = Chunk::begin(game, &mut players, pairs, &openings, fixture.config(), &Unwatched);
    Ok(chunk.play_in_lockstep(&mut players)?.expect("nobody cancels"))
}

/// Watches over nothing.
struct Unwatched;

impl MatchMonitor for Unwatched {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn game_ended(&self, _pair: Option<[&GameResult; 2]>) {}
}

/// Plays one match at `game` between the players that `make_a` and `make_b` make, one of each for every chunk of pairs, or where
/// games are played one by one, for every thread. `progress` is called after every game.
///
/// # Errors
/// A wrong `config`; those of [`play_fixtures`].
///
/// # Panics
/// If a player answers another number of seats than it was asked.
pub fn play_match(
    game: &'static dyn Playable,
    make_a: impl Fn() -> Result<Box<dyn Player>, EvalError> + Sync,
    make_b: impl Fn() -> Result<Box<dyn Player>, EvalError> + Sync,
    config: &MatchConfig,
    setting: &MatchSetting,
    progress: impl Fn(MatchProgress) + Sync,
) -> Result<MatchReport, ArenaError> {
    let fixtures = [Fixture::new(game, [0, 1], config.clone())?];
    let participants = [Participant::new(make_a)?, Participant::new(make_b)?];
    let reports = play_fixtures(&participants, &fixtures, setting, &mut OnProgress(&progress))?;
    Ok(reports.into_iter().next().expect("one report for one fixture"))
}
