//! Pente keeps the conformance checks, and its README tells the truth about planes and actions.

use selfplay_pente::{PENTE, PENTE_9, PENTE_13};
use selfplay_registry::readme_check::check_readme;

#[test]
fn the_game_conforms() {
    PENTE.check_conformance(12, 400, 1).unwrap_or_else(|violation| panic!("{violation}"));
    PENTE_13.check_conformance(12, 400, 1).unwrap_or_else(|violation| panic!("{violation}"));
    PENTE_9.check_conformance(60, 400, 1).unwrap_or_else(|violation| panic!("{violation}"));
}

#[test]
fn the_readme_tells_the_truth() {
    let readme = include_str!("../../README.md");
    assert_eq!(check_readme(PENTE, readme), Ok(()));
    assert_eq!(check_readme(PENTE_13, readme), Ok(()));
    assert_eq!(check_readme(PENTE_9, readme), Ok(()));
}
