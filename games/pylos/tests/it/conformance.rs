//! Pylos keeps the conformance checks, and its README tells the truth about planes and actions.

use selfplay_pylos::PYLOS;
use selfplay_registry::readme_check::check_readme;

#[test]
fn the_game_conforms() {
    PYLOS.check_conformance(12, 400, 1).unwrap_or_else(|violation| panic!("{violation}"));
}

#[test]
fn the_readme_tells_the_truth() {
    assert_eq!(check_readme(PYLOS, include_str!("../../README.md")), Ok(()));
}
