//! Lines instead of a screen.

use std::time::Duration;

use selfplay_notebooks_export::{RunState, RunView, Seen};
use selfplay_tui::{Colours, WatchOptions, follow, lines};

use crate::dashboard::sample;

fn view(generations: u32) -> RunView {
    RunView { run: "sample".into(), rows: sample::run(generations), ..RunView::default() }
}

#[test]
fn each_event_is_told_once() {
    let mut seen = Seen::default();
    let first = lines(&view(2), &mut seen);
    assert_eq!(first.len(), view(2).rows.events().len());
    assert!(lines(&view(2), &mut seen).is_empty());
    let second = lines(&view(3), &mut seen);
    let self_play = "generation 3 self-play: 200 games, 4920 positions, ";
    assert!(second[0].starts_with(self_play), "{second:#?}");
    assert!(second[0].ends_with("first 57 %, second 33 %, draws 10 %"), "{second:#?}");
    let gate = "generation 3 match: gen-00003 against gen-00001: ";
    assert!(second.iter().any(|line| line.starts_with(gate) && line.ends_with("gate: promote")), "{second:#?}");
    assert!(second.iter().any(|line| line.starts_with("rating: gen-00003 Elo ")), "{second:#?}");
    assert!(second.iter().any(|line| line.starts_with("generation 3 diagnostic: 61 %")), "{second:#?}");
    assert!(second.iter().all(|line| !line.contains('\n')));
    let state = RunState::Finished { since_unix_seconds: 5 };
    let finished = RunView { state, ..view(3) };
    assert_eq!(lines(&finished, &mut seen), ["sample is finished"]);
    assert!(lines(&finished, &mut seen).is_empty());
}

#[test]
fn a_run_is_followed_to_its_end_over_failures() {
    let stopped = RunView { state: RunState::Stopped { since_unix_seconds: 5 }, ..view(2) };
    let told = [Ok(view(1)), Err("gone"), Err("gone"), Err("lost"), Ok(view(2)), Ok(stopped)];
    let mut told = told.into_iter();
    let mut source = || told.next().expect("it ends with the run").map_err(Into::into);
    let options = WatchOptions { refresh: Duration::ZERO, colours: Colours::None };
    let mut out = Vec::new();
    follow(&mut source, options, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.matches("not updated: gone").count(), 1, "{text}");
    assert_eq!(text.matches("not updated: lost").count(), 1, "{text}");
    assert_eq!(text.matches("generation 1 self-play").count(), 1, "{text}");
    assert!(text.ends_with("sample is stopped\n"), "{text}");
}
