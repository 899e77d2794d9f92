//! A wrong README is reported.

use selfplay_registry::readme_check::check_readme;
use selfplay_tictactoe::TIC_TAC_TOE;

const README: &str = include_str!("../../README.md");

/// What is found in the README with `from` replaced by `to`.
fn found(from: &str, to: &str) -> String {
    assert!(README.contains(from), "{from}");
    check_readme(TIC_TAC_TOE, &README.replace(from, to)).map_or_else(|fault| fault.to_string(), |()| "nothing".into())
}

#[test]
fn what_is_wrong_is_found() {
    assert_eq!(
        found("| 1 | opponent's marks |", "| 1 | own marks |"),
        "plane 1 is Some(\"opponent's marks\"), not `own marks`"
    );
    assert_eq!(found("| 2 | ones |", "| 3 | ones |"), "plane 3 is None, not `ones`");
    assert_eq!(found("| 2 | ones |\n", ""), "2 planes are listed of 3");
    assert_eq!(found("| 4 | `b2` |", "| 4 | `b1` |"), "action 4 is Some(\"b2\"), not `b1`");
    assert_eq!(found("| 8 | `c3` |", "| 9 | `c3` |"), "action 9 is None, not `c3`");
    assert_eq!(found("## Actions", "## Moves"), "0 actions are listed, at least 3 must be");
    // The parts that are another game's alone are not read.
    assert_eq!(found("## Actions", "## Actions of `other`"), "0 actions are listed, at least 3 must be");
    assert_eq!(found("## Actions", "## Actions of `tictactoe`"), "nothing");
}
