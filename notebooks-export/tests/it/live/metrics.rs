//! `metrics.jsonl`: whole lines, each event once, the keys that the docs list.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use selfplay_notebooks_export::scalars_of;
use selfplay_notebooks_export::{EloRow, Event, ExportError, LossRow, MatchRow, MetricsFile, SelfPlayRow, TableRow};
use serde_json::Value;

use crate::live::sample;

const DOCS: &str = include_str!("../../../../docs/metrics.md");

fn objects(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_file_written_as_it_goes_is_the_file_written_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let (grown, whole) = (folder.path().join("grown.jsonl"), folder.path().join("whole.jsonl"));
    let mut file = MetricsFile::rewrite(&grown, &[]).unwrap();
    assert_eq!(fs::read(&grown).unwrap(), b"");
    let rows = sample::run(4);
    let events = rows.events();
    for end in (0..events.len()).step_by(7).chain([events.len()]) {
        // All so far are given each time.
        file.append(&events[..end]).unwrap();
    }
    assert_eq!(file.append(&events).unwrap(), 0);
    MetricsFile::rewrite(&whole, &events).unwrap();
    assert_eq!(fs::read(&grown).unwrap(), fs::read(&whole).unwrap());
    assert_eq!(objects(&grown).len(), events.len());
}

#[test]
fn a_resumed_run_drops_a_torn_line_and_repeats_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metrics.jsonl");
    let (before, after) = (sample::run(3), sample::run(5));
    MetricsFile::rewrite(&path, &before.events()).unwrap();
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"event\":\"self_pl").unwrap();

    let mut file = MetricsFile::rewrite(&path, &before.events()).unwrap();
    assert_eq!(objects(&path).len(), before.events().len());
    let old_diagnostic = 1;
    assert_eq!(file.append(&after.events()).unwrap(), after.events().len() + old_diagnostic - before.events().len());
    let found = objects(&path);
    assert_eq!(found.iter().filter(|object| object["event"] == "self_play").count(), 5);
    let generations: Vec<&Value> =
        found.iter().filter(|object| object["event"] == "self_play").map(|object| &object["generation"]).collect();
    assert_eq!(generations, [1, 2, 3, 4, 5]);
}

#[test]
fn a_line_is_the_row_with_the_name_of_the_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metrics.jsonl");
    let rows = sample::run(2);
    MetricsFile::rewrite(&path, &rows.events()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let line = |event: &str, row: String| format!("{{\"event\":\"{event}\",{}\n", &row[1..]);
    for row in &rows.selfplay {
        assert!(text.contains(&line("self_play", serde_json::to_string(row).unwrap())), "{row:?}");
    }
    for row in &rows.elo {
        assert!(text.contains(&line("rating", serde_json::to_string(row).unwrap())), "{row:?}");
    }
}

#[test]
fn a_number_that_is_none_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metrics.jsonl");
    let mut file = MetricsFile::rewrite(&path, &sample::run(1).events()).unwrap();
    let before = fs::read(&path).unwrap();
    let mut rows = sample::run(2);
    rows.losses.last_mut().unwrap().value_loss = f64::NAN;
    let error = file.append(&rows.events()).unwrap_err();
    assert!(matches!(error, ExportError::NotFinite { column: "value_loss", .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    let error = MetricsFile::rewrite(&path, &rows.events()).unwrap_err();
    assert!(matches!(error, ExportError::NotFinite { table: "losses", .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// The words in backticks in the first column of the table under this heading.
fn documented(heading: &str) -> BTreeSet<String> {
    let section = DOCS.split("\n## ").find(|part| part.starts_with(heading));
    let section = section.unwrap_or_else(|| panic!("docs/metrics.md lacks a section `{heading}`"));
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn the_docs_list_every_event_and_no_other() {
    let rows = sample::run(2);
    let mut names = BTreeSet::new();
    for event in rows.events() {
        // What a line holds besides a row's columns is listed too.
        let json = serde_json::to_value(event).unwrap();
        let columns: Vec<&str> = match event {
            Event::SelfPlay(_) => SelfPlayRow::COLUMNS.into(),
            Event::Learning(_) => LossRow::COLUMNS.into(),
            Event::Match { .. } => MatchRow::COLUMNS.into(),
            Event::Rating(_) => EloRow::COLUMNS.into(),
            Event::Diagnostic(_) => Vec::new(),
        };
        let name = json["event"].as_str().unwrap();
        let line = DOCS.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap();
        for key in json.as_object().unwrap().keys().filter(|key| *key != "event" && !columns.contains(&key.as_str())) {
            assert!(line.contains(&format!("`{key}`")), "{name}: {key}");
        }
        names.insert(name.to_owned());
    }
    assert_eq!(documented("Events"), names);
}

#[test]
fn the_docs_list_every_curve_that_is_no_column_and_no_other() {
    let rows = sample::run(2);
    let columns = [SelfPlayRow::DESCRIBED, LossRow::DESCRIBED, EloRow::DESCRIBED].concat();
    let of_columns: BTreeSet<&str> = columns.iter().filter_map(|column| column.curve).collect();
    let events = rows.events();
    let tags = events.iter().flat_map(|event| scalars_of(event).1).map(|scalar| scalar.tag);
    let tags = tags.filter(|tag| !of_columns.contains(&**tag));
    let tags: BTreeSet<String> =
        tags.map(|tag| if tag.starts_with("ladder/") { "ladder/BASELINE".into() } else { tag }).collect();
    assert_eq!(documented("TensorBoard"), tags);
}

#[test]
fn a_column_with_a_curve_is_a_point_of_it() {
    let mut rows = sample::run(1);
    rows.losses.truncate(1);
    rows.losses[0].value_baseline_loss = Some(0.625);
    let (step, scalars) = scalars_of(&Event::Learning(&rows.losses[0]));
    let at = |tag: &str| scalars.iter().find(|scalar| scalar.tag == tag).map(|scalar| scalar.value);
    assert_eq!((step, at("loss/value_baseline_loss"), at("loss/moves_left")), (rows.losses[0].step, Some(0.625), None));
    assert_eq!(at("loss/policy"), Some(rows.losses[0].policy_loss));
}
