//! What a run shows: events as it goes, a report afterwards, also when files are damaged or gone, and ratings.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::runs::fixture::RunFixture;

fn selfplay(work: &RunFixture, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selfplay")).current_dir(work.folder()).args(args).output().unwrap()
}

fn succeeds(output: Output) -> [String; 2] {
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success() && !error.contains("panicked"), "{out}{error}");
    [out, error]
}

/// The events of `metrics.jsonl`: kind and generation, or player.
fn events(run: &Path) -> Vec<String> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let parsed = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let described = ["event", "generation", "step", "a", "b", "player"];
    parsed.map(|event| described.map(|key| event[key].to_string()).join(" ")).collect()
}

#[test]
fn events_are_written_once_also_by_a_run_that_goes_on() {
    let work = RunFixture::new();
    let run = work.path("checkpoints/a");
    work.trains("a", &["--set", "generations=1"]);
    let before = events(&run);
    assert!(before.contains(&r#""self_play" 1 null null null null"#.to_owned()), "{before:?}");
    // A line that a kill has torn, and an event that it has kept from being written.
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    fs::write(run.join("metrics.jsonl"), &text[..text.len() - 30]).unwrap();
    work.trains("a", &[]);
    let mut after = events(&run);
    assert!(after.len() > before.len() && before.iter().all(|event| after.contains(event)), "{after:?}");
    after.sort();
    let all = after.len();
    after.dedup();
    assert_eq!(after.len(), all);
    // The file of the call before is emptied: whoever reads it finds the new one.
    let curves = fs::read_dir(run.join("tensorboard")).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
    assert_eq!(curves.filter(|&bytes| bytes > 0).count(), 1);

    let [lines, _] = succeeds(selfplay(&work, &["watch", "checkpoints/a", "--lines"]));
    assert!(lines.contains("finished") && lines.lines().count() > 6, "{lines}");
    let live = fs::read_to_string(run.join("live.json")).unwrap();
    assert!(live.contains(r#""phase":null"#), "{live}");
}

#[test]
fn a_report_tells_what_is_left_of_a_damaged_run() {
    let work = RunFixture::new();
    work.trains("a", &[]);
    let run = work.path("checkpoints/a");
    let [out, error] = succeeds(selfplay(&work, &["report", "checkpoints/a"]));
    assert!(out.contains("report.html") && error.is_empty(), "{out}{error}");
    let page = fs::read_to_string(run.join("report/report.html")).unwrap();
    for wanted in ["tictactoe", "seed", "num_simulations = 12", "tables/elo.csv", "<svg"] {
        assert!(page.contains(wanted), "{wanted} is not in the page");
    }
    let openings = fs::read_to_string(run.join("report/tables/opening_policy.csv")).unwrap();
    assert_eq!(openings.lines().count(), 1 + 3 * 9, "three networks, nine cells");
    let sum: f64 =
        openings.lines().skip(1).take(9).map(|row| row.rsplit(',').next().unwrap().parse::<f64>().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    for table in ["calibration", "value_error", "throughput", "ladder", "generations"] {
        let rows = fs::read_to_string(run.join(format!("report/tables/{table}.csv"))).unwrap().lines().count();
        assert!(rows > 2, "{table} has {rows} rows");
    }

    fs::write(run.join("phases/gen-00001.learn.json"), "{\"losses\": [").unwrap();
    fs::remove_file(run.join("phases/gen-00001.gate.json")).unwrap();
    fs::remove_dir_all(run.join("networks/gen-00002")).unwrap();
    let [_, error] = succeeds(selfplay(&work, &["report", "checkpoints/a", "--out", "damaged"]));
    for name in ["gen-00001.learn.json", "gen-00001.gate.json"] {
        assert!(error.contains(name), "{name} is not named: {error}");
    }
    let page = fs::read_to_string(work.path("damaged/report.html")).unwrap();
    assert!(page.contains("gen-00001.learn.json"));

    // Tables alone, one of them torn.
    fs::create_dir(work.path("left")).unwrap();
    for table in ["elo", "losses", "selfplay"] {
        fs::copy(run.join(format!("{table}.csv")), work.path(&format!("left/{table}.csv"))).unwrap();
    }
    let torn = fs::read_to_string(run.join("matches.csv")).unwrap();
    fs::write(work.path("left/matches.csv"), &torn[..torn.len() - 20]).unwrap();
    let [_, error] = succeeds(selfplay(&work, &["report", "left", "checkpoints/a", "--out", "both"]));
    assert!(error.contains("matches.csv") && error.contains("no config"), "{error}");
    assert!(work.path("both/left/tables/elo.csv").exists());

    let refused = selfplay(&work, &["report", "nowhere"]);
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("nowhere"));
    let refused = selfplay(&work, &["report", "left", "checkpoints/a"]);
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("--out"));
}
