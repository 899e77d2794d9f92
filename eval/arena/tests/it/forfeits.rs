//! Clocks, and games lost for something other than their position. Time is moved by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use selfplay_arena::{
    ArenaError, Clock, Fixture, MatchConfig, MatchReport, MatchSetting, Measure, Pacing, Participant, SystemClock,
    Termination, play_fixtures, play_match,
};
use selfplay_env::{Action, Outcome, Side, Typed};
use selfplay_players::{ClockKind, Decision, EvalError, MoveRequest, Player, TimeControl, TimeSpan};
use selfplay_tictactoe::TicTacToe;

use crate::{Log, player};

/// A clock whose three hands its players move, in microseconds.
#[derive(Default)]
struct HandClock {
    hands: [AtomicU64; 3],
}

impl HandClock {
    fn hand(&self, measure: Measure) -> &AtomicU64 {
        &self.hands[measure as usize]
    }
}

impl Clock for HandClock {
    fn read(&self, measure: Measure) -> Duration {
        Duration::from_micros(self.hand(measure).load(Ordering::Relaxed))
    }
}

/// Plays like another player, but each move advances a manual clock.
struct Slow {
    inner: Box<dyn Player>,
    clock: Arc<HandClock>,
    measure: Measure,
    us: u64,
    threads: usize,
    cpu_time_ms: Option<u64>,
    seen: Option<Arc<std::sync::Mutex<Vec<TimeControl>>>>,
}

impl Slow {
    fn new(clock: &Arc<HandClock>, measure: Measure, us: u64) -> Self {
        let (inner, clock) = (player::<TicTacToe>("random").unwrap(), clock.clone());
        Slow { inner, clock, measure, us, threads: 1, cpu_time_ms: None, seen: None }
    }
}

impl Player for Slow {
    fn name(&self) -> String {
        format!("{} us", self.us)
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.inner.new_game(table, seed);
    }

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        if let (Some(seen), Some(time_left)) = (&self.seen, seat.time_left) {
            seen.lock().unwrap().push(time_left);
        }
        self.clock.hand(self.measure).fetch_add(self.us, Ordering::Relaxed);
        let choice = self.inner.choose(seat)?;
        Ok(Decision::from_program(choice.action, self.cpu_time_ms))
    }
}

type Made = Result<Box<dyn Player>, EvalError>;

/// A match on one core, timed by `clock`.
fn play(clock: &HandClock, make: [&(dyn Fn() -> Made + Sync); 2], config: MatchConfig) -> MatchReport {
    let participants = make.map(|make| Participant::new(make).unwrap());
    let fixtures = [Fixture::new(&Typed::<TicTacToe>::IT, [0, 1], config).unwrap()];
    let setting = MatchSetting { cores: 1, pacing: Pacing::Lockstep, clock, ..MatchSetting::default() };
    play_fixtures(&participants, &fixtures, &setting, &mut Log::default()).unwrap().remove(0)
}

fn timed(ms: u64, span: TimeSpan, clock: ClockKind) -> MatchConfig {
    let time = Some(TimeControl { ms, span, clock });
    MatchConfig { pairs: 2, opening_plies: 0, time, ..MatchConfig::default() }
}

#[test]
fn a_move_may_exceed_its_time_by_the_tolerance_only() {
    let clock = Arc::new(HandClock::default());
    let make = |us| {
        let clock = clock.clone();
        move || -> Made { Ok(Box::new(Slow::new(&clock, Measure::Wall, us))) }
    };
    let config = MatchConfig { tolerance_ms: 5, ..timed(10, TimeSpan::Turn, ClockKind::Wall) };
    let report = play(&clock, [&make(15_000), &make(10)], config.clone());
    assert!(report.games.iter().all(|game| game.termination == Termination::Rules));
    for game in &report.games {
        assert_eq!(game.move_times.len(), game.actions.len());
        let by_a = game.move_times.iter().filter(|time| **time == Duration::from_millis(15)).count() as u32;
        assert_eq!(game.time_used[game.a_side.index()], by_a * Duration::from_millis(15));
    }
    let report = play(&clock, [&make(15_001), &make(10)], config);
    for game in &report.games {
        assert_eq!(game.termination, Termination::TimeForfeit { used_ms: 15, allowed_ms: 10 });
        assert_eq!(game.outcome, Some(Outcome::Win(game.a_side.opponent())));
        assert_eq!(game.actions.len(), game.a_side.index(), "the late move is not made");
        assert_eq!(game.move_times.len(), game.actions.len() + 1);
    }
    assert_eq!((report.forfeits(), report.losses()), ([4, 0], 4));
}

#[test]
fn the_first_move_may_have_its_own_time_limit() {
    let clock = Arc::new(HandClock::default());
    let seen = Arc::default();
    let make = || -> Made {
        let slow = Slow::new(&clock, Measure::Wall, 20_000);
        Ok(Box::new(Slow { seen: Some(Arc::clone(&seen)), ..slow }))
    };
    let quick = || player::<TicTacToe>("random");
    let time = timed(10, TimeSpan::Turn, ClockKind::Wall);
    let config = MatchConfig { pairs: 1, first_move_ms: Some(30), tolerance_ms: 0, ..time };
    let report = play(&clock, [&make, &quick], config);
    for game in &report.games {
        assert_eq!(game.termination, Termination::TimeForfeit { used_ms: 20, allowed_ms: 10 });
        assert_eq!(game.actions.len(), 2 + game.a_side.index(), "the first move was in time");
    }
    let seen: Vec<u64> = seen.lock().unwrap().iter().map(|time| time.ms).collect();
    assert_eq!(seen, [30, 10, 30, 10]);
}

#[test]
fn a_game_is_lost_when_nothing_is_left() {
    let clock = Arc::new(HandClock::default());
    let seen = Arc::default();
    let make = || -> Made {
        let slow = Slow::new(&clock, Measure::ThreadCpu, 2_500);
        Ok(Box::new(Slow { seen: Some(Arc::clone(&seen)), ..slow }))
    };
    // Nobody can win in two plies; the third takes the last of 7.5 ms.
    let first = |legal: &[Action]| legal[0];
    let other = || -> Made { Ok(Box::new(crate::Scripted(first))) };
    let config = MatchConfig { pairs: 1, tolerance_ms: 1000, ..timed(7, TimeSpan::Game, ClockKind::Cpu) };
    let report = play(&clock, [&make, &other], config.clone());
    assert_eq!(report.games[0].termination, Termination::TimeForfeit { used_ms: 7, allowed_ms: 7 });
    assert_eq!(report.games[0].actions.len(), 4);
    assert_eq!(report.games[0].time_used, [Duration::from_micros(7_500), Duration::ZERO]);
    let seen: Vec<u64> = seen.lock().unwrap()[..3].iter().map(|time| time.ms).collect();
    assert_eq!(seen, [7, 4, 2]);
    // Exactly all of it is too much as well.
    let make = || -> Made { Ok(Box::new(Slow::new(&clock, Measure::ThreadCpu, 7_000))) };
    let report = play(&clock, [&make, &other], config);
    assert_eq!(report.games[0].termination, Termination::TimeForfeit { used_ms: 7, allowed_ms: 7 });
}

#[test]
fn each_clock_counts_its_own() {
    let clock = Arc::new(HandClock::default());
    let lost = |measure: Measure, threads: usize, cpu_time_ms: Option<u64>, kind: ClockKind| {
        let make = || -> Made {
            let slow = Slow::new(&clock, measure, 50_000);
            Ok(Box::new(Slow { threads, cpu_time_ms, ..slow }))
        };
        let config = MatchConfig { tolerance_ms: 0, ..timed(20, TimeSpan::Turn, kind) };
        play(&clock, [&make, &|| player::<TicTacToe>("random")], config).forfeits()[0] == 4
    };
    use ClockKind::{Cpu, Wall};
    use Measure::{ProcessCpu, ThreadCpu};
    assert!(lost(Measure::Wall, 1, None, Wall) && lost(Measure::Wall, 1, Some(0), Wall));
    assert!(!lost(ThreadCpu, 1, None, Wall) && !lost(ThreadCpu, 1, Some(50), Wall));
    assert!(lost(ThreadCpu, 1, None, Cpu) && !lost(ProcessCpu, 1, None, Cpu) && !lost(Measure::Wall, 1, None, Cpu));
    assert!(lost(ProcessCpu, 2, None, Cpu) && !lost(ThreadCpu, 2, None, Cpu), "threads add up in the process");
    // What a program outside reports replaces the clock.
    assert!(!lost(ThreadCpu, 1, Some(20), Cpu) && lost(Measure::Wall, 1, Some(21), Cpu));
}

#[test]
fn time_left_breaks_draws_if_it_is_to() {
    let clock = Arc::new(HandClock::default());
    let make = |us| {
        let clock = clock.clone();
        move || -> Made {
            let slow = Slow::new(&clock, Measure::Wall, us);
            Ok(Box::new(Slow { inner: player::<TicTacToe>("alphabeta:depth=9")?, ..slow }))
        }
    };
    let end = |a, b, time_breaks_draws| {
        let time = timed(1000, TimeSpan::Game, ClockKind::Wall);
        let report = play(&clock, [&make(a), &make(b)], MatchConfig { pairs: 1, time_breaks_draws, ..time });
        [0, 1].map(|game: usize| (report.games[game].termination.clone(), report.games[game].outcome.unwrap()))
    };
    let by_rules = (Termination::Rules, Outcome::Draw);
    let by_time = |side| (Termination::MoreTimeLeft, Outcome::Win(side));
    assert_eq!(end(1000, 2000, false), [by_rules.clone(), by_rules.clone()]);
    assert_eq!(end(1000, 2000, true), [by_time(Side::First), by_time(Side::Second)]);
    // The first player decides five times, the second four times: 20 ms each in the first game.
    assert_eq!(end(4000, 5000, true), [by_rules, by_time(Side::Second)]);
}

/// Fails, cheats or reports nonsense in one game and plays at random in all others.
struct Troubled {
    inner: Box<dyn Player>,
    trouble: fn(usize) -> Result<Decision, EvalError>,
}

impl Player for Troubled {
    fn name(&self) -> String {
        "troubled".into()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.inner.new_game(table, seed);
    }

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        if seat.table == 3 && seat.history.len() >= 2 { (self.trouble)(seat.table) } else { self.inner.choose(seat) }
    }
}

fn play_troubled(
    trouble: fn(usize) -> Result<Decision, EvalError>,
    time: MatchConfig,
) -> Result<MatchReport, ArenaError> {
    let make = || -> Made { Ok(Box::new(Troubled { inner: player::<TicTacToe>("random")?, trouble })) };
    play_match(
        &Typed::<TicTacToe>::IT,
        make,
        || player::<TicTacToe>("random"),
        &MatchConfig { pairs: 3, seed: 2, ..time },
        &MatchSetting::default(),
        |_| (),
    )
}

#[test]
fn an_illegal_move_or_a_failure_loses_only_its_game() {
    let fails = |table| Err(EvalError::PlayerFailed { player: "troubled".into(), table, reason: "no answer".into() });
    let illegal = |_| Ok(Decision::new(Action(500)));
    let lockstep = MatchConfig { opening_plies: 1, ..MatchConfig::default() };
    let by_clock = MatchConfig { opening_plies: 1, ..timed(1_000_000, TimeSpan::Game, ClockKind::Cpu) };
    for config in [lockstep, by_clock] {
        let report = play_troubled(fails, config.clone()).unwrap();
        let reason = "no answer".to_owned();
        assert_eq!(report.games[3].termination, Termination::PlayerFailed { reason });
        let report_of_illegal = play_troubled(illegal, config).unwrap();
        let Termination::IllegalMove { reason } = &report_of_illegal.games[3].termination else { panic!() };
        assert!(reason.contains("is not legal here"), "{reason}");
        for report in [report, report_of_illegal] {
            assert_eq!(report.games[3].outcome, Some(Outcome::Win(Side::First)));
            assert_eq!(report.forfeits(), [1, 0]);
            let others = report.games.iter().filter(|game| game.number() != 3);
            assert!(others.clone().count() == 5 && others.clone().all(|game| game.termination == Termination::Rules));
        }
    }
}

#[test]
fn other_errors_end_the_match() {
    let error = |table| Err(EvalError::GameOver { player: "troubled".into(), table });
    let error = play_troubled(error, MatchConfig::default()).unwrap_err();
    assert!(matches!(error, ArenaError::Player(EvalError::GameOver { table: 3, .. })), "{error}");
}

/// Counts how many of its kind decide at the same time.
struct Crowd {
    threads: usize,
    busy: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Player for Crowd {
    fn name(&self) -> String {
        "crowd".into()
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        assert_eq!(rayon::current_num_threads(), self.threads, "a player computes with its own threads alone");
        self.most.fetch_max(self.busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::yield_now();
        let mut legal = Vec::new();
        seat.position.legal_actions(&mut legal);
        self.busy.fetch_sub(1, Ordering::SeqCst);
        Ok(Decision::new(legal[0]))
    }
}

#[test]
fn where_time_counts_games_do_not_share_cores() {
    let most = |cores, threads, config: MatchConfig| {
        let (busy, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let make = || -> Made { Ok(Box::new(Crowd { threads, busy: busy.clone(), most: most.clone() })) };
        let participants = [Participant::new(make).unwrap()];
        let fixtures = [Fixture::new(&Typed::<TicTacToe>::IT, [0, 0], MatchConfig { pairs: 40, ..config }).unwrap()];
        let setting = MatchSetting { cores, pacing: Pacing::OneByOne, ..MatchSetting::default() };
        let report = play_fixtures(&participants, &fixtures, &setting, &mut Log::default()).unwrap().remove(0);
        assert_eq!(report.games.len(), 80);
        assert!(report.games.iter().all(|game| !game.move_times.is_empty()));
        most.load(Ordering::SeqCst)
    };
    let untimed = MatchConfig::default();
    let cpu = timed(1_000_000, TimeSpan::Game, ClockKind::Cpu);
    assert!(most(3, 1, untimed.clone()) <= 3 && most(5, 2, untimed.clone()) <= 2 && most(1, 4, untimed) == 1);
    assert!(most(3, 1, cpu.clone()) <= 3);
    assert_eq!(most(8, 2, cpu), 1, "the CPU time of several threads is the whole process's");
}

#[test]
fn the_systems_clocks_count_what_they_say() {
    let read = |measure| SystemClock.read(measure);
    let before = [Measure::Wall, Measure::ThreadCpu, Measure::ProcessCpu].map(read);
    while read(Measure::ThreadCpu) < before[1] + Duration::from_millis(5) {
        std::hint::black_box((0..1000).sum::<u64>());
    }
    assert!(read(Measure::ProcessCpu) >= before[2] + Duration::from_millis(4));
    assert!(read(Measure::Wall) >= before[0] + Duration::from_millis(4));
    let before = [Measure::Wall, Measure::ThreadCpu].map(read);
    std::thread::sleep(Duration::from_millis(60));
    assert!(read(Measure::Wall) >= before[0] + Duration::from_millis(50));
    assert!(read(Measure::ThreadCpu) < before[1] + Duration::from_millis(30), "sleep costs no CPU time");
    // Another thread's work is not this thread's.
    let before = [Measure::ThreadCpu, Measure::ProcessCpu].map(read);
    let work = || {
        let start = SystemClock.read(Measure::ThreadCpu);
        while SystemClock.read(Measure::ThreadCpu) < start + Duration::from_millis(60) {}
    };
    std::thread::scope(|scope| scope.spawn(work).join().unwrap());
    assert!(read(Measure::ThreadCpu) < before[0] + Duration::from_millis(30));
    assert!(read(Measure::ProcessCpu) >= before[1] + Duration::from_millis(50));
}
