//! Known counts, every direction of a win, and the corners of the rules.

use super::*;
use selfplay_kit::advice::{ANSWERING_HINT, WINNING_HINT};
use selfplay_kit::game_text::play_line;
use selfplay_kit::perft::perft;
use selfplay_kit::{Advice, ImmediateWin};

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
    // Which rows suit a side goes with the side that is to move, so that is exchanged as well.
    let position = after("4 3 4 2 5 3 6 1 4");
    let exchanged = Connect4 { own: position.occupied ^ position.own, plies: position.plies + 1, ..position };
    assert_ne!(position.heuristic(), 0);
    assert_eq!(exchanged.heuristic(), -position.heuristic());
}

#[test]
fn the_heuristic_counts_windows_threats_and_the_middle() {
    assert_eq!(after("4").heuristic(), -3);
    // Red 4 5 along the bottom: the windows 2-5, 3-6 and 4-7, the one from 1 has a single disc; Yellow's pair on top
    // of them likewise, and an upright pair for nobody. Each has one disc in the middle.
    assert_eq!(after("4 4 5 5").heuristic(), 0);
    // Red adds the bottom of 6: two windows of three and one of two (2-5), and column 3 or 7 completes four on the
    // first row, which suits Red.
    let position = after("4 4 5 5 6");
    assert_eq!(position.heuristic(), 3 * 20 + 3 - (20 + 2 * 50 + 2 * 60 + 3));
    assert!(position.is_threatened());
    // Yellow's own three on the second row wait for cells nobody can play yet, on a row that suits Yellow.
    let position = after("4 4 5 5 1 6 1 6");
    assert!(!position.is_threatened());
    assert_eq!(position.immediate_win(), ImmediateWin::None);
}

#[test]
fn hints_put_wins_before_answers_and_losing_discs_last() {
    let all: Vec<Action> = (0..7).map(Action).collect();
    let mut hints = Vec::new();
    // Both have three upright: Red in column 1, Yellow in column 2.
    after("1 2 1 2 1 2").hints(&all, &mut hints);
    assert!(hints[0] >= WINNING_HINT && (ANSWERING_HINT..WINNING_HINT).contains(&hints[1]), "{hints:?}");
    // Yellow's three on the second row: a disc below either end lets Yellow win there.
    after("4 4 5 5 1 6 1 6").hints(&all, &mut hints);
    assert!(hints[6] < 0 && hints[2] < 0 && hints[3] >= 0, "{hints:?}");
}

#[test]
fn a_board_without_room_for_four_is_settled() {
    let full = "1 2 1 2 1 2 2 1 2 1 2 1 3 4 3 4 3 4 4 3 4 3 4 3 5 6 5 6 5 6 6 5 6 5 6 5 7 7 7 7";
    assert_eq!(after(full).outcome(), None);
    assert_eq!(after(full).settled_outcome(), Some(Outcome::Draw));
    assert_eq!(after("4 4 4 4 4 4").settled_outcome(), None);
}
