//! Perft tables and recorded games of independent implementations: every line agrees.

use selfplay_pylos::PYLOS;
use selfplay_registry::reference::{check_games, check_perft};

#[test]
fn perft_tables_agree() {
    assert_eq!(check_perft(PYLOS, include_str!("../data/perft/pylos.txt")), Ok(30));
}

#[test]
fn recorded_games_agree_in_every_manner() {
    assert_eq!(check_games(PYLOS, include_str!("../data/games/pylos.txt")), Ok(600));
}

#[test]
fn a_draw_by_repetition_replays_in_every_manner() {
    // Both complete a square at b2 and take the sphere back, until the board has stood three times.
    let line = "a1 b3 a2 c2 b1 c3 b2 -b2 - b2 -b2 - b2 -b2 - b2 -b2 - = 0";
    assert_eq!(check_games(PYLOS, line), Ok(1));
}
