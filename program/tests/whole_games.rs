//! Tables of whole games from the command line: made, refused, checked, asked.

use std::path::Path;
use std::process::Command;

/// What the program prints in `folder`, and what it says on standard error; whether it succeeds.
fn selfplay(folder: &Path, args: &[&str]) -> (bool, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_selfplay")).args(args).current_dir(folder).env_clear().output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_table_is_made_once_and_answers_every_question() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |args: &[&str]| selfplay(folder.path(), args);
    let (made, told, _) = ask(&["tabulate", "tictactoe", "--out", "t.table"]);
    assert!(made && told.starts_with("drawn; 627 positions"), "{told}");
    let (made, _, reason) = ask(&["tabulate", "tictactoe", "--out", "t.table"]);
    assert!(!made && reason.contains("t.table is there already") && reason.contains("--force"), "{reason}");
    assert!(ask(&["tabulate", "tictactoe", "--out", "t.table", "--force"]).0);

    let (right, told, _) = ask(&[
        "table",
        "tictactoe",
        "t.table",
        "--check",
        "--plot",
        "turns.svg",
        "--sample",
        "100",
        "--search",
        "50",
        "--json",
    ]);
    let told = json(&told);
    assert!(right && told["value"] == 0 && told["check"]["wrong"] == 0, "{told}");
    assert_eq!((&told["check"]["positions"], &told["sample"]["positions"]), (&627.into(), &100.into()));
    assert_eq!(told["search"]["disagreements"], 0);
    assert!(folder.path().join("turns.svg").exists());

    let (_, told, _) = ask(&["solve", "tictactoe", "--table", "t.table", "a1", "b1"]);
    assert!(told.contains("X to move: X wins in 5 turns") && told.contains("3 decisions, X wins in 5 turns"), "{told}");
    let (_, told, _) = ask(&["solve", "tictactoe", "--table", "t.table", "--json", "a1", "b1"]);
    assert_eq!((&json(&told)["value"], &json(&told)["turns"]), (&1.into(), &5.into()));
    let (_, told, _) = ask(&["analyse", "tictactoe", "table:t.table", "--json", "a1", "b1"]);
    assert_eq!((&json(&told)["moves"][0]["proven"], &json(&told)["moves"][0]["turns"]), (&1.into(), &5.into()));
    let (_, told, reason) = ask(&[
        "mistakes",
        "tictactoe",
        "table:t.table",
        "--table",
        "t.table",
        "--decisions",
        "0..6",
        "--positions",
        "100",
        "--json",
    ]);
    let told = json(if told.is_empty() { &reason } else { &told });
    assert_eq!((&told["kept"]["kept"], &told["kept"]["positions"]), (&100.into(), &100.into()));
    assert!(told["by_turns"].as_object().is_some_and(|turns| !turns.is_empty()));
    let (_, told, _) = ask(&["mistakes", "tictactoe", "random", "--table", "t.table", "--decisions", "0..6"]);
    assert!(told.contains("by pieces on the board:") && told.contains("values by t.table"), "{told}");
}

#[test]
fn what_cannot_be_tabulated_or_is_no_table_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("no.table"), "hello\n").unwrap();
    for (args, expected) in [
        (&["tabulate", "connect4", "--out", "c.table"][..], "no numbering"),
        (&["tabulate", "pylos", "--out", "p.table", "--rules", "none"], "expected one of advanced, squares-only"),
        (&["tabulate", "pylos", "--out", "p.table", "--memory", "100"], "100 are allowed"),
        (&["table", "tictactoe", "no.table"], "no.table: it is no table"),
        (&["solve", "tictactoe", "--table", "no.table"], "no.table: it is no table"),
        (&["analyse", "tictactoe", "table:no.table"], "no.table: it is no table"),
        (&["serve", "--port", "0", "--table", "no.table"], "no.table: it is no table"),
        (
            &["mistakes", "tictactoe", "random", "--table", "no.table", "--decisions", "0..6"],
            "no.table: it is no table",
        ),
    ] {
        let (succeeded, _, reason) = selfplay(folder.path(), args);
        assert!(!succeeded && reason.contains(expected), "{args:?}: {reason}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}
