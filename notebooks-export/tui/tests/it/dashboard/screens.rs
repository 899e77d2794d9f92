//! Screens: what is on them, letter by letter. `UPDATE_EXPECT=1` rewrites the pictures.

use std::path::Path;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use selfplay_notebooks_export::{PhaseView, RunRows, RunState, RunView, WorkerView};
use selfplay_tui::{Colours, UiState, draw};

use crate::dashboard::sample;

const SIZES: [(u16, u16); 5] = [(120, 40), (80, 24), (40, 12), (20, 5), (10, 1)];
const NOW: u64 = 1_700_000_000;

fn view(generations: u32) -> RunView {
    let rows = if generations == 0 { RunRows::default() } else { sample::run(generations) };
    RunView {
        run: "connect4-cpu".into(),
        game: "Connect Four".into(),
        state: RunState::Running,
        last_generation: Some(500),
        phase: (generations == 1).then(|| PhaseView {
            name: "self-play".into(),
            generation: 2,
            done: 120,
            total: 400,
            units: "games".into(),
            per_second: Some(12.5),
            seconds_left: Some(22.4),
        }),
        diagnostics: rows.diagnostics.iter().map(|diagnostic| diagnostic.text.clone()).collect(),
        rows,
        cpu_share: (generations > 0).then_some(0.93),
        replay_generations: (generations > 0).then_some(18.4),
        workers: Vec::new(),
    }
}

fn screen(columns: u16, rows: u16, view: &RunView, ui: &UiState) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(frame, view, ui)).unwrap();
    terminal
}

/// The rows of the screen without the spaces at their ends.
fn letters(terminal: &Terminal<TestBackend>) -> String {
    let buffer = terminal.backend().buffer();
    let row = |y: u16| -> String { (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect() };
    (0..buffer.area.height).map(|y| row(y).trim_end().to_owned() + "\n").collect()
}

fn ui() -> UiState {
    UiState { now_unix_seconds: NOW, colours: Colours::None, source_error: None }
}

#[track_caller]
fn assert_picture(name: &str, letters: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/dashboard/pictures").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, letters).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(letters, expected, "{} differs:\n{letters}", path.display());
}

#[test]
fn a_run_looks_right_at_every_size_and_age() {
    for (columns, rows) in SIZES {
        for generations in [0, 1, 500] {
            let screen = screen(columns, rows, &view(generations), &ui());
            assert_picture(&format!("{columns}x{rows}-{generations}"), &letters(&screen));
        }
    }
}

#[test]
fn the_machines_that_play_are_told_with_what_they_do() {
    let worker = |name: &str, threads: u64, refusal: Option<&str>| WorkerView {
        name: name.into(),
        cpu: "some CPU".into(),
        threads,
        playing: threads,
        games: 40,
        pairs: 6,
        games_per_hour: 361.4,
        heard_unix_seconds: NOW - 3,
        refusal: refusal.map(str::to_owned),
    };
    let refused = "it computes otherwise: the learner has one CPU, this machine another";
    let workers = vec![worker("cellar", 2, None), worker("attic", 1, None), worker("phone", 8, Some(refused))];
    let view = RunView { workers, ..view(500) };
    for (columns, rows) in [(120, 40), (80, 50)] {
        let screen = screen(columns, rows, &view, &ui());
        assert_picture(&format!("{columns}x{rows}-workers"), &letters(&screen));
    }
}

#[test]
fn a_run_that_stopped_and_a_source_that_fails_are_told() {
    let state = RunState::Stopped { since_unix_seconds: NOW - 250 };
    let stopped = RunView { state, ..view(40) };
    let failing = UiState { source_error: Some("phases/gen-00041.learn.json is damaged".into()), ..ui() };
    assert_picture("80x24-stopped", &letters(&screen(80, 24, &stopped, &failing)));
    let small = letters(&screen(20, 5, &stopped, &failing));
    assert!(small.starts_with("stopped, gen 40\n"), "{small}");
    assert!(small.contains("not updated: phases/"), "{small}");
    let finished = RunView { state: RunState::Finished { since_unix_seconds: NOW - 7500 }, ..view(40) };
    assert!(letters(&screen(80, 24, &finished, &ui())).contains("finished 2 h 05 min ago"));
    let first_failed = letters(&screen(80, 24, &RunView::default(), &failing));
    assert!(first_failed.starts_with("waiting for the run\n"), "{first_failed}");
}

#[test]
fn every_size_is_survived_at_every_age() {
    for generations in [0, 1, 2, 500] {
        let view = view(generations);
        for columns in (0..=130).step_by(if generations == 500 { 13 } else { 3 }) {
            for rows in (0..=45).step_by(if generations == 500 { 9 } else { 2 }) {
                for source_error in [None, Some("it is gone".to_owned())] {
                    screen(columns, rows, &view, &UiState { source_error, ..ui() });
                }
            }
        }
    }
}

#[test]
fn only_what_is_smaller_than_a_word_is_too_small() {
    assert_eq!(letters(&screen(9, 3, &view(1), &ui())), "too small\n\n\n");
    assert!(letters(&screen(20, 5, &view(1), &ui())).contains("Elo"));
}

#[test]
fn odd_rows_are_drawn() {
    let mut odd = view(3);
    for row in &mut odd.rows.elo {
        (row.elo, row.elo_low, row.elo_high) = (0.0, 0.0, 0.0);
    }
    odd.rows.elo.reverse();
    odd.rows.selfplay.iter_mut().for_each(|row| (row.games, row.wall_seconds) = (0, 0.0));
    odd.run = "名前".repeat(40);
    odd.diagnostics = vec!["x".repeat(300), String::new()];
    odd.phase = Some(PhaseView {
        name: "gate".into(),
        generation: 4,
        done: 500,
        total: 0,
        units: "games".into(),
        per_second: None,
        seconds_left: Some(f64::INFINITY),
    });
    for (columns, rows) in SIZES {
        screen(columns, rows, &odd, &ui());
    }
}

#[test]
fn without_colours_nothing_is_coloured_and_with_them_something_is() {
    let coloured = |colours| {
        let terminal = screen(120, 40, &view(40), &UiState { colours, ..ui() });
        let cells = terminal.backend().buffer().content();
        cells.iter().filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count()
    };
    assert_eq!(coloured(Colours::None), 0);
    assert!(coloured(Colours::Sixteen) > 100);
}
