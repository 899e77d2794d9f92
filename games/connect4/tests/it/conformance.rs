//! Connect Four keeps the conformance checks, and its README tells the truth about planes and actions.

use selfplay_connect4::CONNECT4;
use selfplay_registry::readme_check::check_readme;

#[test]
fn the_game_conforms() {
    CONNECT4.check_conformance(60, 400, 1).unwrap_or_else(|violation| panic!("{violation}"));
}

#[test]
fn the_readme_tells_the_truth() {
    assert_eq!(check_readme(CONNECT4, include_str!("../../README.md")), Ok(()));
}
