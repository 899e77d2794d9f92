//! Tablebases from the command line: made, rejected, checked, asked.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// What the program prints in `folder`, and what it says on standard error; whether it succeeds.
fn selfplay(folder: &Path, args: &[&str]) -> (bool, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_selfplay")).args(args).current_dir(folder).env_clear().output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// What a program that was just written does. Other tests start programs meanwhile, which until they have begun hold
/// what is being written open, too, and then the system does not run it.
fn run_written(program: &Path, argument: &str) -> Output {
    loop {
        match Command::new(program).arg(argument).output() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => std::thread::sleep(Duration::from_millis(5)),
            told => return told.unwrap(),
        }
    }
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_table_is_made_once_and_answers_every_question() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |args: &[&str]| selfplay(folder.path(), args);
    let (made, told, _) = ask(&["tablebase", "build", "tictactoe", "--out", "t.table"]);
    assert!(made && told.starts_with("drawn; 627 turn-start positions"), "{told}");
    let (made, _, reason) = ask(&["tablebase", "build", "tictactoe", "--out", "t.table"]);
    assert!(!made && reason.contains("t.table already exists") && reason.contains("--force"), "{reason}");
    assert!(ask(&["tablebase", "build", "tictactoe", "--out", "t.table", "--force"]).0);

    let (right, told, _) = ask(&[
        "tablebase",
        "inspect",
        "tictactoe",
        "t.table",
        "--check",
        "--plot",
        "turns.svg",
        "--sample",
        "100",
        "--search",
        "50",
        "--time",
        "--json",
    ]);
    let told = json(&told);
    assert!(told["look_up_us"].as_f64().is_some_and(|time| time > 0.0) && told["check"]["zugzwang"].is_null());
    let line = told["longest"]["moves"].as_str().unwrap();
    assert!(line.split(' ').count() == 5 && told["longest"]["board"].as_str().unwrap().contains('X'), "{told}");
    assert!(right && told["value"] == 0 && told["check"]["wrong"] == 0, "{told}");
    assert_eq!((&told["check"]["positions"], &told["sample"]["positions"]), (&627.into(), &100.into()));
    assert_eq!(told["search"]["disagreements"], 0);
    assert!(folder.path().join("turns.svg").exists());

    let (_, told, _) = ask(&["solve", "tictactoe", "--table", "t.table", "a1", "b1"]);
    assert!(told.contains("X to move: X wins in 5 turns") && told.contains("3 moves, X wins in 5 turns"), "{told}");
    let (_, told, _) = ask(&["solve", "tictactoe", "--table", "t.table", "--json", "a1", "b1"]);
    assert_eq!((&json(&told)["value"], &json(&told)["turns"]), (&1.into(), &5.into()));
    let (_, told, _) = ask(&["analyse", "tictactoe", "table:t.table", "--json", "a1", "b1"]);
    assert_eq!((&json(&told)["moves"][0]["proven"], &json(&told)["moves"][0]["turns"]), (&1.into(), &5.into()));
    let (_, told, reason) = ask(&[
        "accuracy",
        "tictactoe",
        "table:t.table",
        "--table",
        "t.table",
        "--after",
        "0..6",
        "--positions",
        "100",
        "--json",
    ]);
    let told = json(if told.is_empty() { &reason } else { &told });
    let row = &told["rows"][0];
    assert_eq!((&row["any"]["preserved"], &row["any"]["positions"]), (&100.into(), &100.into()));
    assert!(row["any_by_turns"].as_object().is_some_and(|turns| !turns.is_empty()));
    let (_, told, _) = ask(&["accuracy", "tictactoe", "random", "--table", "t.table", "--after", "0..6"]);
    assert!(told.contains("by pieces on the board:") && told.contains("Values: t.table"), "{told}");
}

/// `kill -9` as soon as something is saved, ten times, each time into what the kill before left.
#[test]
fn a_table_whose_making_is_killed_ten_times_has_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "tablebase",
        "build",
        "pylos",
        "--rules",
        "three-levels",
        "--out",
        "t.table",
        "--save-every",
        "1ms",
        "--threads",
        "2",
    ];
    assert!(selfplay(folder.path(), &arguments).0);
    let [table, unfinished] = ["t.table", "t.table.unfinished"].map(|name| folder.path().join(name));
    let whole = std::fs::read(&table).unwrap();
    std::fs::remove_file(&table).unwrap();
    let saved = || std::fs::metadata(&unfinished).and_then(|found| found.modified()).ok();
    let (mut kills, mut resumed) = (0, 0);
    for _ in 0..1000 {
        let before = saved();
        let mut child = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() && saved() == before {
            std::thread::sleep(Duration::from_micros(20));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if table.exists() {
            // It was faster than the kill, which is no fault: the next ones restart.
            assert_eq!(std::fs::read(&table).unwrap(), whole);
            std::fs::remove_file(&table).unwrap();
            continue;
        }
        assert!(saved().is_some());
        kills += 1;
        resumed += usize::from(before.is_some());
        if kills == 10 {
            break;
        }
    }
    assert!(kills == 10 && resumed > 0, "{kills} kills, {resumed} of them in a run that went on");
    assert!(selfplay(folder.path(), &arguments).0);
    assert_eq!(std::fs::read(&table).unwrap(), whole);
    assert!(!unfinished.exists());
}

#[test]
fn a_table_is_exported_as_a_program_that_plays_perfectly() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |args: &[&str]| selfplay(folder.path(), args);
    assert!(ask(&["tablebase", "build", "tictactoe", "--out", "t.table"]).0);
    let (exported, told, reason) = ask(&["export", "tictactoe", "t.table", "--out", "perfect", "--name", "oracle"]);
    assert!(exported && told.starts_with("perfect, "), "{reason}");
    let (refused, _, reason) = ask(&["export", "tictactoe", "t.table", "--out", "t.onnx", "--format", "onnx"]);
    assert!(!refused && reason.contains("only be exported as a program"), "{reason}");
    let (refused, _, reason) = ask(&["export", "pylos", "t.table", "--out", "p"]);
    assert!(!refused && reason.contains("a table of tictactoe"), "{reason}");

    let program = folder.path().join("perfect");
    let told = run_written(&program, "info");
    assert!(String::from_utf8(told.stdout).unwrap().starts_with("oracle plays tictactoe\nperfect play by a table"));
    let game = ["name", "play X a1", "play O b1", "genmove X", "quit", ""].join("\n");
    std::fs::write(folder.path().join("game"), game).unwrap();
    let input = std::fs::File::open(folder.path().join("game")).unwrap();
    let told = Command::new(&program).arg("gtp").stdin(input).output().unwrap();
    let replies = String::from_utf8(told.stdout).unwrap();
    let winning = ["= b2", "= a3", "= a2"].iter().any(|reply| replies.contains(reply));
    assert!(replies.starts_with("= oracle") && winning, "{replies}");

    // Its page analyses with it.
    let mut server = Command::new(&program).args(["serve", "--port", "0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split(['/', ' ']).nth(2).unwrap().to_owned();
    let mut connection = TcpStream::connect(&address).unwrap();
    connection.write_all(format!("GET /api/games HTTP/1.0\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    let games = json(answer.split("\r\n\r\n").nth(1).unwrap());
    let games = games["games"].as_array().unwrap();
    let game = games.iter().find(|game| game["id"] == "tictactoe").unwrap();
    assert_eq!(game["analyst"], "agent", "{game}");

    // A damaged head is rejected; a damaged table where it is looked up.
    let whole = std::fs::read(&program).unwrap();
    let table = std::fs::metadata(folder.path().join("t.table")).unwrap().len() as usize;
    let start = whole.windows(14).rposition(|bytes| bytes == b"selfplay_table").unwrap();
    for place in [start + table - 100, whole.len() - 80] {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        std::fs::write(&program, &damaged).unwrap();
        let told = run_written(&program, "info");
        assert!(!told.status.success() && !told.stderr.is_empty());
    }
}

#[test]
fn a_run_is_measured_by_a_table_and_learns_from_one_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |args: &[&str]| selfplay(folder.path(), args);
    std::fs::write(
        folder.path().join("c.toml"),
        "game = \"tictactoe\"\ngenerations = 2\n[network]\nblocks = 1\nchannels = 4\n\
         [selfplay]\ngames_per_generation = 20\nnum_simulations = 8\n[gate]\nnum_simulations = 8\npairs = 2\neval_pairs = 2\n",
    )
    .unwrap();
    let (trained, _, reason) =
        ask(&["train", "c.toml", "--run", "r", "--set", "learner.targets={tablebase=\"t.table\"}"]);
    assert!(!trained && reason.contains("t.table"), "{reason}");
    assert!(ask(&["tablebase", "build", "tictactoe", "--out", "t.table"]).0);
    let taught = ask(&["train", "c.toml", "--run", "taught", "--set", "learner.targets={tablebase=\"t.table\"}"]);
    let played = ask(&["train", "c.toml", "--run", "played"]);
    assert!(taught.0 && played.0, "{} {}", taught.2, played.2);
    let file = |path: &str| std::fs::read(folder.path().join("checkpoints").join(path)).unwrap();
    let [first, second] = [1, 2].map(|number| format!("games/gen-0000{number}.shard"));
    assert_eq!(
        file(&format!("taught/{first}")),
        file(&format!("played/{first}")),
        "the same network plays the same games"
    );
    assert_ne!(file(&format!("taught/{second}")), file(&format!("played/{second}")), "it has learned something else");

    let (sound, told, _) = ask(&["doctor", "checkpoints/played", "--table", "t.table"]);
    assert!(sound && told.contains("  generation 2: ") && told.contains("agree with the tablebase"), "{told}");
    let (done, _, reason) =
        ask(&["report", "checkpoints/played", "--table", "t.table", "--positions", "50", "--out", "report"]);
    assert!(done, "{reason}");
    let rows = std::fs::read_to_string(folder.path().join("report/tables/mistakes.csv")).unwrap();
    let starts: Vec<&str> = rows.lines().skip(1).map(|row| &row[..6]).collect();
    assert_eq!(starts, ["0,0,50", "0,8,50", "1,0,50", "1,8,50", "2,0,50", "2,8,50"]);
    let page = std::fs::read_to_string(folder.path().join("report/report.html")).unwrap();
    assert!(page.contains("Moves against perfect play") && folder.path().join("report/plots/mistakes.svg").exists());
    for args in [
        &["doctor", "checkpoints/played", "--table", "c.toml"][..],
        &["report", "checkpoints/played", "--table", "c.toml"],
    ] {
        let (done, _, reason) = ask(args);
        assert!(!done && reason.contains("c.toml: it is no table"), "{reason}");
    }
}

#[test]
fn a_game_without_a_tablebase_and_a_damaged_one_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("no.table"), "hello\n").unwrap();
    for (args, expected) in [
        (&["tablebase", "build", "connect4", "--out", "c.table"][..], "no position index"),
        (
            &["tablebase", "build", "pylos", "--out", "p.table", "--rules", "none"],
            "expected one of advanced, squares-only",
        ),
        (&["tablebase", "build", "pylos", "--out", "p.table", "--memory", "100"], "100 are allowed"),
        (&["tablebase", "inspect", "tictactoe", "no.table"], "no.table: it is no table"),
        (&["solve", "tictactoe", "--table", "no.table"], "no.table: it is no table"),
        (&["analyse", "tictactoe", "table:no.table"], "no.table: it is no table"),
        (&["serve", "--port", "0", "--table", "no.table"], "no.table: it is no table"),
        (&["accuracy", "tictactoe", "random", "--table", "no.table", "--after", "0..6"], "no.table: it is no table"),
    ] {
        let (succeeded, _, reason) = selfplay(folder.path(), args);
        assert!(!succeeded && reason.contains(expected), "{args:?}: {reason}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}
