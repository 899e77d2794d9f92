//! The conformance checks that every game keeps: the program relies on them, and this is how a mistake in the rules shows itself.

use selfplay::kit::conformance::check_conformance;
use selfplay::kit::{Game, Outcome, Side, game_text::play_line};
use squava::Squava;

#[test]
fn random_games_conform() {
    check_conformance::<Squava>(200, 100, 1).unwrap_or_else(|violation| panic!("{violation}"));
}

/// The outcome after these moves.
fn after(actions: &[&str]) -> Option<Outcome> {
    play_line::<Squava>(actions).unwrap_or_else(|error| panic!("{error}")).0.outcome()
}

#[test]
fn four_in_a_row_win_and_three_lose() {
    assert_eq!(after(&["a1", "a5", "b1", "b5"]), None);
    assert_eq!(after(&["a1", "a5", "b1", "b5", "c1"]), Some(Outcome::Win(Side::Second)), "X has three");
    assert_eq!(after(&["a1", "a5", "b1", "b5", "d1", "d5", "c1"]), Some(Outcome::Win(Side::First)), "X has four");
}
