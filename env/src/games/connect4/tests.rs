//! Known counts, every direction of a win, and the corners of the rules.

use super::*;
use crate::Heuristic;
use crate::game_text::play_line;
use crate::perft::perft;

fn after(columns: &str) -> Connect4 {
    let decisions: Vec<&str> = columns.split_whitespace().collect();
    play_line(&decisions).unwrap().0
}

#[test]
fn the_tree_has_the_known_counts() {
    // The counts other perft programs publish for this counting of nodes.
    let known = [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234];
    for (depth, nodes) in (1..).zip(known) {
        assert_eq!(perft(&Connect4::initial(), depth).nodes, nodes, "depth {depth}");
    }
}

#[test]
fn four_in_any_direction_wins() {
    let wins = [
        ("upright", "4 5 4 5 4 5 4"),
        ("along the row", "1 1 2 2 3 3 4"),
        ("along the row at the right edge", "4 4 5 5 6 6 7"),
        ("rising", "1 2 2 3 3 4 3 4 4 7 4"),
        ("falling", "7 6 6 5 5 4 5 4 4 1 4"),
    ];
    for (direction, columns) in wins {
        let position = after(columns);
        assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)), "{direction}\n{}", position.board());
    }
    assert_eq!(after("1 4 2 4 7 4 2 4").outcome(), Some(Outcome::Win(Side::Second)));
}

#[test]
fn lines_do_not_run_over_an_edge() {
    // Red holds the top three cells of column 1 and the bottom cell of column 2, which are neighbours as numbers but
    // not on the board.
    let position = after("3 1 3 1 4 1 1 5 1 5 1 5 2");
    assert_eq!(position.outcome(), None, "{}", position.board());
}

#[test]
fn a_full_board_is_a_draw() {
    let position = after("1 2 1 2 1 2 2 1 2 1 2 1 3 4 3 4 3 4 4 3 4 3 4 3 5 6 5 6 5 6 6 5 6 5 6 5 7 7 7 7 7 7");
    assert_eq!(position.outcome(), Some(Outcome::Draw), "{}", position.board());
}

#[test]
fn a_full_column_takes_no_disc() {
    let mut position = after("1 1 1 1 1 1");
    let refusal = position.try_play(Action(0)).unwrap_err().to_string();
    assert_eq!(refusal, "1 is not legal here: the column is full");
}

#[test]
fn the_heuristic_changes_sign_with_the_sides() {
    let position = after("4 3 4 2 5 3 6 1 4");
    let exchanged = Connect4 { own: position.occupied ^ position.own, ..position };
    assert_eq!(exchanged.heuristic(), -position.heuristic());
    // The middle column and the seven windows through its bottom cell: one upright, four along the row, two diagonal.
    assert_eq!(after("4").heuristic(), -(3 + 7));
}
