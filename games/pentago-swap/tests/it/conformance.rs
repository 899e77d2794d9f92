//! Pentago-Swap keeps the conformance checks, and its README tells the truth about planes and actions.

use selfplay_pentago_swap::PENTAGO_SWAP;
use selfplay_registry::readme_check::check_readme;

#[test]
fn the_game_conforms() {
    PENTAGO_SWAP.check_conformance(12, 400, 1).unwrap_or_else(|violation| panic!("{violation}"));
}

#[test]
fn the_readme_tells_the_truth() {
    assert_eq!(check_readme(PENTAGO_SWAP, include_str!("../../README.md")), Ok(()));
}
