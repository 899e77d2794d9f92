//! Events from rows, and the newest numbers of a run.

use selfplay_notebooks_export::{Event, Opponent, RunState, RunView, Seen};

use crate::live::sample;

#[test]
fn events_come_generation_by_generation_and_each_has_a_key_of_its_own() {
    let rows = sample::run(12);
    let events = rows.events();
    let all = rows.selfplay.len() + rows.losses.len() + rows.matches.len() + rows.elo.len() + rows.diagnostics.len();
    assert_eq!(events.len(), all);
    assert!(events.is_sorted_by_key(Event::generation));
    let mut keys: Vec<String> = events.iter().map(Event::key).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), all);
}

#[test]
fn a_match_knows_whether_it_was_against_a_baseline() {
    let rows = sample::run(3);
    for event in rows.events() {
        if let Event::Match { row, opponent } = event {
            let expected = if row.b.starts_with("gen-") { Opponent::Generation } else { Opponent::Baseline };
            assert_eq!(opponent, expected, "{}", row.b);
        }
    }
}

#[test]
fn events_are_taken_once_even_if_they_are_given_twice_at_once() {
    let (old, new) = (sample::run(3), sample::run(4));
    let mut seen = Seen::default();
    let twice = [old.events(), old.events()].concat();
    assert_eq!(seen.fresh(&twice), old.events());
    seen.take(&old.events());
    let fresh = seen.fresh(&new.events());
    assert!(!fresh.is_empty() && fresh.iter().all(|event| event.generation() == 4), "{fresh:?}");
    seen.take(&fresh);
    assert!(seen.fresh(&new.events()).is_empty());
}

#[test]
fn the_newest_numbers_are_those_of_the_last_rows() {
    let state = RunState::Stopped { since_unix_seconds: 1_700_000_000 };
    let view = RunView { run: "r".into(), state, rows: sample::run(5), ..RunView::default() };
    let status = view.status();
    assert_eq!((status.generation, status.totals.games), (Some(5), 1000));
    assert_eq!(status.newest.as_ref().unwrap().generation, Some(5));
    assert_eq!(status.champion.as_ref().unwrap().generation, Some(4), "5 was rejected");
    assert_eq!(status.learning.as_ref().unwrap().step, 200);
    let shares = status.self_play.as_ref().unwrap();
    let sum = shares.first_share + shares.second_share + shares.draw_share + shares.truncated_share;
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    assert_eq!(status.matches.len(), 4);
    assert!(status.matches.iter().all(|played| played.row.generation == 5));
    let json = serde_json::to_value(&status).unwrap();
    assert_eq!((&json["state"], &json["since_unix_seconds"]), (&"stopped".into(), &1_700_000_000.into()));
}

#[test]
fn a_run_without_rows_has_no_numbers() {
    let status = RunView::default().status();
    assert_eq!((status.generation, status.self_play, status.newest), (None, None, None));
    assert!(status.matches.is_empty() && status.diagnostics.is_empty());
}
