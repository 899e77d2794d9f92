//! The Pente file agent: what it writes, who decides, and that its time never runs out.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use selfplay_arena::{Clock, Measure};
use selfplay_courses::homework::MoveSource;
use selfplay_courses::players::pente_random;
use selfplay_courses::program::input_text;
use selfplay_courses::{HomeworkConfig, HomeworkReport, calibrate, play_homework};
use selfplay_env::game_text::play_line;
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Game, Outcome, Side, random_play::play_random, rules};
use selfplay_pente::Pente;
use selfplay_players::{AlphaBetaConfig, AlphaBetaLimits, AlphaBetaPlayer};
use selfplay_players::{Decision, EvalError, MoveRequest, Player, RandomPlayer};
use tempfile::TempDir;

use crate::Made;
use crate::support::{Failing, FirstLegal};

/// How a player is made, and what its failure is called.
type Failure = (fn() -> Made, &'static str);

/// A process's CPU time whose hands only the test moves, in microseconds.
#[derive(Clone, Default)]
struct FakeClock(Arc<AtomicU64>);

impl FakeClock {
    fn spend(&self, time: Duration) {
        self.0.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
    }
}

impl Clock for FakeClock {
    fn read(&self, measure: Measure) -> Duration {
        assert_eq!(measure, Measure::ProcessCpu);
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}

fn folder() -> (TempDir, HomeworkConfig) {
    let folder = tempfile::tempdir().unwrap();
    let config = HomeworkConfig { folder: folder.path().into(), ..HomeworkConfig::default() };
    (folder, config)
}

fn after(line: &str) -> (Pente<19>, Vec<Action>) {
    play_line(&line.split_whitespace().collect::<Vec<_>>()).unwrap()
}

fn output(folder: &Path) -> String {
    fs::read_to_string(folder.join("output.txt")).unwrap()
}

/// One move in `position` with `seconds` left.
fn move_in(config: &HomeworkConfig, position: &Pente<19>, seconds: f64, make: impl FnOnce() -> Made) -> HomeworkReport {
    fs::write(config.folder.join("input.txt"), input_text(position, Duration::from_secs_f64(seconds))).unwrap();
    play_homework(config, &FakeClock::default(), make).unwrap()
}

#[test]
fn the_player_moves_where_there_is_time_and_instinct_where_there_is_none() {
    let (folder, config) = folder();
    let (position, _) = after("10K");
    let make = || -> Made { Ok(Box::new(FirstLegal)) };
    let report = move_in(&config, &position, 100.0, make);
    assert_eq!((report.source, output(folder.path()).as_str()), (MoveSource::Player, "19A\n"));
    let made = move_in(&config, &position, 0.05, || panic!("no player is made without time"));
    assert_eq!(made.source, MoveSource::Instinct);
    assert!(position.is_legal(made.action));
    // White's first stone is no choice.
    let made = move_in(&config, &Pente::initial(), 300.0, || panic!("nor where nothing is to be chosen"));
    assert_eq!((made.source, output(folder.path()).as_str()), (MoveSource::Instinct, "10K\n"));
    // Nothing else is left in the folder.
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["input.txt", "output.txt", "playdata.txt"]);
}

#[test]
fn a_player_that_fails_in_any_way_costs_no_game() {
    let (folder, config) = folder();
    // Four white stones in a row with one end open: Black must answer.
    let (position, _) = after("10K 10J 10N 1C 10L 2F 10M");
    let failures: [Failure; 3] = [
        (|| Ok(Box::new(Failing)), "out of order"),
        (|| Err(EvalError::PlayerFailed { player: "x".into(), table: 0, reason: "no weights".into() }), "no weights"),
        (|| panic!("weights of another machine"), "panicked"),
    ];
    for (make, expected) in failures {
        let report = move_in(&config, &position, 100.0, make);
        assert!(matches!(&report.source, MoveSource::PlayerFailed(reason) if reason.contains(expected)), "{report:?}");
        assert_eq!(output(folder.path()), "10O\n");
    }
}

#[test]
fn the_game_is_remembered_and_foreign_notes_are_not_believed() {
    let (folder, config) = folder();
    // It checks that its history leads to its position.
    let make = || -> Made { Ok(Box::new(FirstLegal)) };
    let (mut position, _) = after("10K");
    for _ in 0..4 {
        let report = move_in(&config, &position, 100.0, make);
        assert_eq!(report.source, MoveSource::Player);
        position.play(report.action);
        play_random(&mut position, 1, &mut rng_for(&[3]));
    }
    let notes = fs::read_to_string(folder.path().join("playdata.txt")).unwrap();
    assert_eq!(notes.split_whitespace().count(), 2 + 8, "{notes}");
    for junk in [&b"\xff\xfe\x00junk"[..], b"selfplay-game 1\n10K 99Z\n", &notes.as_bytes()[..notes.len() - 3]] {
        fs::write(folder.path().join("playdata.txt"), junk).unwrap();
        let report = move_in(&config, &position, 100.0, || Ok(Box::new(NoHistory)));
        assert_eq!(report.source, MoveSource::Player);
    }
}

/// Expects no history.
struct NoHistory;

impl Player for NoHistory {
    fn name(&self) -> String {
        "no history".into()
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        assert_eq!(seat.history, []);
        RandomPlayer::new().choose(seat)
    }
}

/// Uses the time that a player plans for a move, and a little more, as real ones do.
struct Spending {
    clock: FakeClock,
    least: Duration,
}

impl Player for Spending {
    fn name(&self) -> String {
        "spending".into()
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        let time = seat.time_left.expect("there is a clock");
        self.clock.spend(time.thinking_time(16).max(self.least));
        selfplay_players::baselines::GreedyPlayer::new().choose(seat)
    }
}

#[test]
fn no_budget_is_ever_used_up() {
    const START: Duration = Duration::from_millis(6);
    const LEAST: Duration = Duration::from_millis(3);
    for seconds in [300.0, 100.0, 5.2, 0.5, 0.01] {
        for side in Side::BOTH {
            let (_folder, config) = folder();
            let budget = Duration::from_secs_f64(seconds);
            let mut used = Duration::ZERO;
            let mut opponent = pente_random(rules::<Pente<19>>()).unwrap();
            let (mut position, mut history) = (Pente::<19>::initial(), Vec::new());
            let mut by_player = 0;
            while position.outcome().is_none() {
                let action = if position.side_to_move() == side {
                    assert!(used < budget, "{seconds} s: all used after {} moves", history.len());
                    fs::write(config.folder.join("input.txt"), input_text(&position, budget - used)).unwrap();
                    // Every process starts anew; a tenth of a millisecond goes before its first line.
                    let clock = FakeClock::default();
                    clock.spend(Duration::from_micros(100));
                    let make = || -> Made {
                        clock.spend(START);
                        Ok(Box::new(Spending { clock: clock.clone(), least: LEAST }))
                    };
                    let report = play_homework(&config, &clock, make).unwrap();
                    by_player += usize::from(report.source == MoveSource::Player);
                    used += report.cpu_used;
                    report.action
                } else {
                    let seat: MoveRequest =
                        MoveRequest { table: 0, position: &position, history: &history, time_left: None };
                    opponent.choose(&seat).unwrap().action
                };
                position.try_play(action).unwrap();
                history.push(action);
            }
            assert_eq!(position.outcome(), Some(Outcome::Win(side)), "{seconds} s");
            assert!(used < budget, "{seconds} s");
            assert_eq!(by_player > 0, seconds >= 0.5, "{seconds} s: {by_player}");
        }
    }
}

#[test]
fn calibration_is_measured_written_and_heeded() {
    let (folder, config) = folder();
    let clock = FakeClock::default();
    let measured = calibrate(&config, &clock, || {
        clock.spend(Duration::from_millis(40));
        Ok(Box::new(Spending { clock: clock.clone(), least: Duration::from_millis(25) }))
    })
    .unwrap();
    assert_eq!((measured.start, measured.move_time), (Duration::from_millis(40), Duration::from_millis(25)));
    let text = fs::read_to_string(folder.path().join("calibration.txt")).unwrap();
    assert_eq!(text, "selfplay-calibration 1\nstart_ms 40.000\nmove_ms 25.000\n");
    // Sixteen starts and sixteen plies take 1.04 s, and 10 ms are kept back.
    let (position, _) = after("10K");
    let make = || -> Made { Ok(Box::new(RandomPlayer::new())) };
    assert_eq!(move_in(&config, &position, 1.04, make).source, MoveSource::Instinct);
    assert_eq!(move_in(&config, &position, 1.06, make).source, MoveSource::Player);
    assert!(calibrate(&config, &clock, || Ok(Box::new(Failing))).is_err());
}

#[test]
fn alpha_beta_plays_from_the_files() {
    let (folder, config) = folder();
    let make = || -> Made {
        let limits = AlphaBetaLimits::nodes(2_000);
        Ok(Box::new(AlphaBetaPlayer::<Pente<19>>::new("ab".into(), AlphaBetaConfig::full(limits))?))
    };
    // Four pairs captured and one to be captured: the fifth pair wins.
    let (position, _) = after("10K 11L 1A 12M");
    let text = input_text(&position, Duration::from_secs(100)).replacen("0,0", "4,4", 1);
    fs::write(folder.path().join("input.txt"), text).unwrap();
    let report = play_homework(&config, &FakeClock::default(), make).unwrap();
    assert_eq!((report.source, output(folder.path()).as_str()), (MoveSource::Player, "13N\n"));
}

#[test]
fn an_input_that_cannot_be_read_changes_nothing() {
    let (folder, config) = folder();
    fs::write(folder.path().join("output.txt"), "as it was").unwrap();
    let play =
        || play_homework(&config, &FakeClock::default(), || panic!("no player is needed")).unwrap_err().to_string();
    assert!(play().starts_with("cannot read "), "{}", play());
    fs::write(folder.path().join("input.txt"), "BLACK\n1.0\n0,0\n....\n").unwrap();
    assert!(play().ends_with("input.txt, line 4: found 4 intersections, expected 19"), "{}", play());
    fs::write(folder.path().join("input.txt"), vec![b'.'; 1_000_000]).unwrap();
    assert!(play().contains("larger than 65536 bytes"), "{}", play());
    fs::remove_file(folder.path().join("input.txt")).unwrap();
    fs::create_dir(folder.path().join("input.txt")).unwrap();
    assert!(play().contains("not a regular file"), "{}", play());
    assert_eq!(output(folder.path()), "as it was");
}
