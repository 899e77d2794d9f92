//! Tic-tac-toe keeps the conformance checks, and its README tells the truth about planes and actions.

use selfplay_registry::readme_check::check_readme;
use selfplay_tictactoe::TIC_TAC_TOE;

#[test]
fn the_game_conforms() {
    TIC_TAC_TOE.check_conformance(60, 400, 1).unwrap_or_else(|violation| panic!("{violation}"));
}

#[test]
fn the_readme_tells_the_truth() {
    assert_eq!(check_readme(TIC_TAC_TOE, include_str!("../../README.md")), Ok(()));
}
