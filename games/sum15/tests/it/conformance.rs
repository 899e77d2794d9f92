//! Sum15 keeps the conformance checks, and its README tells the truth about planes and actions.

use selfplay_registry::readme_check::check_readme;
use selfplay_sum15::{SUM15_4, SUM15_6};

#[test]
fn the_game_conforms() {
    SUM15_4.check_conformance(60, 400, 1).unwrap_or_else(|violation| panic!("{violation}"));
    SUM15_6.check_conformance(12, 400, 1).unwrap_or_else(|violation| panic!("{violation}"));
}

#[test]
fn the_readme_tells_the_truth() {
    let readme = include_str!("../../README.md");
    assert_eq!(check_readme(SUM15_4, readme), Ok(()));
    assert_eq!(check_readme(SUM15_6, readme), Ok(()));
}
