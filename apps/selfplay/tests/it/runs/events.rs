//! `train --events json`: what programs read of a run.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use selfplay_pipeline::{Event, Phase};
use serde_json::Value;

use crate::runs::fixture::RunFixture;

const JSON: [&str; 2] = ["--events", "json"];

/// Its name and, where it has one, its generation; progress counts as what it belongs to, so it is left out.
fn outline(events: &[Event]) -> Vec<(String, Option<u64>)> {
    let values = events.iter().map(|event| serde_json::to_value(event).unwrap());
    let named = values.map(|value| (value["event"].as_str().unwrap().to_owned(), value["generation"].as_u64()));
    named.filter(|(name, _)| name != "progress" && name != "warning" && name != "champion_changed").collect()
}

fn parsed(line: &str) -> Event {
    assert_eq!(serde_json::from_str::<Value>(line).unwrap()["version"], 1);
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn a_run_reports_each_of_its_parts_to_programs_in_order() {
    let work = RunFixture::new();
    let events: Vec<Event> = work.trains("a", &JSON).lines().map(parsed).collect();
    let mut expected = vec![("run_opened".to_owned(), None), ("checkpoint_written".into(), Some(0))];
    expected.extend([("phase_started".into(), Some(0)), ("baselines_finished".into(), None)]);
    expected.extend([("phase_started".into(), Some(0)), ("gate_finished".into(), Some(0))]);
    for generation in [1, 2] {
        let names = [
            "generation_started",
            "phase_started",
            "self_play_finished",
            "phase_started",
            "learning_finished",
            "checkpoint_written",
            "phase_started",
            "gate_finished",
        ];
        expected.extend(names.map(|name| (name.to_owned(), Some(generation))));
    }
    expected.push(("finished".into(), None));
    assert_eq!(outline(&events), expected);
    // Self-play and learning do all that they announce, and the progress of a phase never goes back.
    for generation in [1, 2] {
        for of in [Phase::SelfPlay, Phase::Learn] {
            let reached = events.iter().filter_map(|event| match *event {
                Event::Progress { phase, generation: g, done, total } if (phase, g) == (of, generation) => {
                    Some((done, total))
                }
                _ => None,
            });
            let reached: Vec<(u64, u64)> = reached.collect();
            assert!(reached.is_sorted() && reached.last().is_some_and(|(done, total)| done == total), "{reached:?}");
        }
    }
    // A promotion names the champion, which is the one at the end.
    let mut champions = events.iter().filter_map(|event| match event {
        Event::ChampionChanged { generation, .. } => Some(*generation),
        _ => None,
    });
    let Some(Event::Finished(finished)) = events.last() else { panic!("{events:?}") };
    let champion = finished.champion.as_ref().unwrap();
    assert_eq!(champions.next_back(), Some(champion.generation));
    assert!(work.path(&champion.checkpoint).join("weights.safetensors").is_file());
    assert!(finished.tables.iter().all(|table| work.path(table).is_file()) && !finished.tables.is_empty());
    // People read the same, but for how long it took.
    let texts = |output: &str| {
        let texts = output.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["text"].take());
        texts.filter_map(|text| Some(text.as_str()?.to_owned() + "\n")).collect::<String>()
    };
    let again = [work.trains("a", &[]), texts(&work.trains("a", &JSON))];
    assert_eq!(again[0], again[1]);
    assert!(again[0].starts_with("tictactoe in checkpoints/a\n\nElo by "), "{}", again[0]);
}

#[test]
fn a_run_that_is_ended_or_fails_reports_that_last() {
    let work = RunFixture::new();
    let long = ["--set", "generations=100000", "--step"];
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let mut child = work.command("a", &[&JSON[..], &long].concat());
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut events = BufReader::new(child.stdout.take().unwrap()).lines().map(|line| parsed(&line.unwrap()));
        assert!(events.any(|event| matches!(event, Event::Waiting { .. })));
        child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        assert!(events.any(|event| matches!(event, Event::PhaseStarted(_))));
        let killed = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(events.last(), Some(Event::Interrupted { status }));
        assert_eq!(child.wait().unwrap().code(), Some(status));
    }
    let mut child = work.command("a", &[&JSON[..], &long].concat());
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdin.take());
    let events: Vec<Event> =
        BufReader::new(child.stdout.take().unwrap()).lines().map(|line| parsed(&line.unwrap())).collect();
    assert!(matches!(events[..], [.., Event::Stopped { .. }, Event::Finished(_)]), "{events:?}");
    assert!(child.wait().unwrap().success());
    let refused = work.train("a", &[&JSON[..], &["--set", "seed=12"]].concat());
    let output = String::from_utf8(refused.stdout).unwrap();
    let Event::Failed { error } = parsed(output.lines().last().unwrap()) else { panic!("{output}") };
    assert!(error.contains("seed") && !refused.status.success(), "{error}");
}
