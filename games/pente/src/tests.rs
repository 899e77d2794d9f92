//! Corners of the rules, each on a position drawn in the test.

use super::Pente;
use selfplay_registry::game_text::play_line;
use selfplay_registry::rng::rng_for;
use selfplay_registry::tactics::{ANSWERING_HINT, WINNING_HINT};
use selfplay_registry::{Action, Game, ImmediateWin, Outcome, Side, Tactics, TensorEncoding, random_play};

/// The 9×9 position with these stones (`w`, `b`, `.`) and captured pairs; White moves when the numbers of stones are
/// even in sum.
fn drawn(rows: [&str; 9], pairs: [u8; 2]) -> Pente<9> {
    let mut stones = [[0; 9]; 2];
    for (row, text) in rows.iter().enumerate() {
        assert_eq!(text.len(), 9);
        for (column, mark) in text.chars().enumerate() {
            match mark {
                'w' => stones[0][row] |= 1 << column,
                'b' => stones[1][row] |= 1 << column,
                _ => assert_eq!(mark, '.'),
            }
        }
    }
    Pente::from_parts(stones, pairs, Side::First)
}

fn after(mut position: Pente<9>, action: &str) -> Pente<9> {
    position.try_play(Pente::<9>::parse_action(action).unwrap()).unwrap();
    position
}

/// The stones alone, as drawn in the tests.
fn stones(position: &Pente<9>) -> Vec<String> {
    position.board().lines().take(9).map(|line| line[2..].replace(' ', "")).collect()
}

const EMPTY: &str = ".........";

#[test]
fn eight_pairs_at_once_are_captured() {
    let position = drawn(
        [EMPTY, ".w..w..w.", "..b.b.b..", "...bbb...", ".wbb.bbw.", "...bbb...", "..b.b.b..", ".w..w..w.", EMPTY],
        [0, 0],
    );
    let position = after(position, "5E");
    let expected = [EMPTY, ".w..w..w.", EMPTY, EMPTY, ".w..w..w.", EMPTY, EMPTY, ".w..w..w.", EMPTY];
    assert_eq!(stones(&position), expected);
    assert_eq!(position.pairs, [8, 0]);
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)), "five pairs or more win");
}

#[test]
fn each_direction_captures_alone() {
    for (row_step, column_step) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
        let cell = |distance: isize| ((4 + distance * row_step) as usize, (4 + distance * column_step) as usize);
        let mut board = [[0; 9]; 2];
        for (side, distance) in [(1, 1), (1, 2), (0, 3)] {
            let (row, column) = cell(distance);
            board[side][row] |= 1 << column;
        }
        // A fourth stone on none of the centre's lines makes it White's turn.
        board[1][0] |= 1 << 1;
        let position = after(Pente::from_parts(board, [0, 0], Side::First), "5E");
        assert_eq!(position.pairs, [1, 0], "{row_step} {column_step}");
        assert_eq!(position.cells_of(Side::Second).count(), 1, "{row_step} {column_step}");
    }
}

#[test]
fn a_pair_is_captured_against_the_edge_stone_but_not_against_the_edge() {
    let position = drawn(["wbb......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "bb......b"], [0, 0]);
    assert_eq!(after(position, "9D").pairs, [1, 0]);
    assert_eq!(after(position, "1C").pairs, [0, 0]);
}

#[test]
fn only_exactly_two_stones_are_captured() {
    let position = drawn(["wb.......", "wbbb.....", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY], [0, 0]);
    assert_eq!(after(position, "9C").pairs, [0, 0]);
    assert_eq!(after(position, "8E").pairs, [0, 0]);
}

#[test]
fn moving_between_two_enemy_stones_is_safe() {
    let position = drawn(["bw.b.....", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "w........"], [0, 0]);
    let position = after(position, "9C");
    assert_eq!(stones(&position)[0], "bwwb.....");
    // Nor is the pair taken by a later move elsewhere.
    assert_eq!(after(position, "5E").pairs, [0, 0]);
}

#[test]
fn five_and_more_in_a_row_win_in_every_line() {
    let overline = drawn(["www.ww...", EMPTY, "bb.bb....", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "b........"], [0, 0]);
    assert_eq!(after(overline, "9D").outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(after(overline, "7C").outcome(), None, "four each side of a white stone");
    let lines = drawn(
        ["w...w...w", ".w..w..w.", "..w.w.w..", "...www...", "b.b...b.b", "b.b...b.b", "bb.....bb", EMPTY, "bb.....bb"],
        [0, 0],
    );
    assert_eq!(after(lines, "5E").outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(after(lines, "1E").outcome(), None, "four in three lines");
}

#[test]
fn the_fifth_pair_wins_and_the_fourth_does_not() {
    let rows = ["wbb.bbw..", EMPTY, EMPTY, EMPTY, "wbb......", EMPTY, EMPTY, EMPTY, "b........"];
    let three = drawn(rows, [3, 4]);
    assert_eq!(after(three, "5D").outcome(), None);
    assert_eq!(after(three, "9D").outcome(), Some(Outcome::Win(Side::First)), "two at once");
    let four = drawn(rows, [4, 4]);
    assert_eq!(after(four, "5D").outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(after(four, "5E").outcome(), None);
}

#[test]
fn five_that_captures_wins_for_the_mover_with_the_pair_off_the_board() {
    let position = drawn(["wwww.bbw.", EMPTY, "bbbb.....", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "b........"], [0, 4]);
    let position = after(position, "9E");
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(stones(&position)[0], "wwwww..w.");
}

#[test]
fn capturing_out_of_a_four_stops_it() {
    let position =
        drawn(["w........", "b........", "bbbb.....", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "w.w......"], [0, 0]);
    let position = after(position, "6A");
    assert_eq!(stones(&position)[2], ".bbb.....");
    assert_eq!(after(position, "7E").outcome(), None);
}

#[test]
fn a_captured_intersection_can_be_played_again() {
    let position = drawn(["wbb......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "b........", EMPTY], [0, 0]);
    let position = after(after(position, "9D"), "9B");
    assert_eq!(stones(&position)[0], "wb.w.....");
}

#[test]
fn the_last_stone_on_a_full_board_draws() {
    // No five anywhere, and the last stone captures nothing.
    let position = drawn(
        [
            "wbwbwbwbw",
            "bwbwbwbwb",
            "bwbwbwbwb",
            "wbwbwbwbw",
            "wbwbwbwbw",
            "bwbwbbbwb",
            "bwbwbwbwb",
            "wbwbwbwbw",
            "wbwbwbwb.",
        ],
        [0, 0],
    );
    let full = after(position, "1J");
    assert_eq!(full.outcome(), Some(Outcome::Draw), "{}", full.board());
}

#[test]
fn white_opens_in_the_centre_and_stays_away_with_the_second_stone() {
    let mut legal = Vec::new();
    let start = Pente::<19>::initial();
    start.legal_actions(&mut legal);
    assert_eq!(legal, [Pente::<19>::parse_action("10K").unwrap()]);
    let reason = start.illegal_reason(Pente::<19>::parse_action("10L").unwrap());
    assert_eq!(reason, "White's first stone must be on the centre, 10K");

    let (black, _) = play_line::<Pente<19>>(&["10K"]).unwrap();
    black.legal_actions(&mut legal);
    assert_eq!(legal.len(), 360, "Black is free");

    let (white, _) = play_line::<Pente<19>>(&["10K", "11L"]).unwrap();
    white.legal_actions(&mut legal);
    assert_eq!(legal.len(), 361 - 25);
    let is_legal = |text| white.is_legal(Pente::<19>::parse_action(text).unwrap());
    assert!(is_legal("10N") && is_legal("13K") && is_legal("7G") && !is_legal("12M") && !is_legal("8K"));

    let (white_again, _) = play_line::<Pente<19>>(&["10K", "11L", "10N", "1A"]).unwrap();
    white_again.legal_actions(&mut legal);
    assert_eq!(legal.len(), 361 - 4, "the third stone is free");
}

#[test]
fn the_hash_kept_up_by_play_is_the_hash_of_the_stones_and_pairs() {
    for game in 0..50 {
        let mut rng = rng_for(&[5, game]);
        let mut position = Pente::<9>::initial();
        while !random_play::play_random(&mut position, 1, &mut rng).is_empty() {
            let fresh = Pente::from_parts(position.stones, position.pairs, Side::First);
            assert_eq!((position.hash, position.ply), (fresh.hash, fresh.ply));
        }
    }
}

#[test]
fn the_planes_are_the_movers_view() {
    let position = drawn(["w........", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, ".....b..b"], [1, 2]);
    let mut planes = vec![f32::NAN; Pente::<9>::encoding().encoded_len()];
    position.encode(&mut planes);
    let plane: Vec<&[f32]> = planes.chunks(81).collect();
    // Black moves: three stones and six captured stones.
    assert_eq!((plane[0][77], plane[0][80], plane[0].iter().sum::<f32>()), (1.0, 1.0, 2.0));
    assert_eq!((plane[1][0], plane[1].iter().sum::<f32>()), (1.0, 1.0));
    assert_eq!((plane[13][40], plane[14][40], plane[15][40]), (0.4, 0.2, 1.0));
    assert!(plane[2].iter().all(|&x| x == 0.0));
    Pente::<9>::initial().encode(&mut planes);
    assert_eq!((planes[2 * 81 + 40], planes[2 * 81..3 * 81].iter().sum::<f32>()), (0.0, 80.0));
}

#[test]
fn the_planes_show_captures_and_windows() {
    // White has three stones with a free cell among them; Black's pair can be captured at 7F.
    let position = drawn(
        [
            ".........",
            ".........",
            "..wbb....",
            ".........",
            ".........",
            ".w.ww....",
            ".........",
            ".........",
            "........b",
        ],
        [0, 0],
    );
    assert_eq!(position.side_to_move(), Side::Second);
    let mut planes = vec![f32::NAN; Pente::<9>::encoding().encoded_len()];
    position.encode(&mut planes);
    let cells = |plane: usize| -> Vec<(String, f32)> {
        let numbers = planes[plane * 81..(plane + 1) * 81].iter().enumerate();
        let name = |cell| Pente::<9>::action_name(Action::from_index(cell));
        numbers.filter(|(_, x)| **x != 0.0).map(|(cell, &x)| (name(cell), x)).collect()
    };
    let expected = |list: &[(&str, f32)]| list.iter().map(|&(name, x)| (name.to_string(), x)).collect::<Vec<_>>();
    // Black moves, so the captures are the opponent's.
    assert_eq!((cells(3), cells(4)), (vec![], expected(&[("7F", 1.0)])));
    assert_eq!((cells(5), cells(6)), (expected(&[("7D", 1.0), ("7E", 1.0)]), vec![]));
    // Black's pair lies in one window beside White's stone, D to H.
    assert_eq!(cells(7), expected(&[("7F", 0.25), ("7G", 0.25), ("7H", 0.25)]));
    // White's three lie in the windows A to E and B to F; both hold C.
    assert_eq!(cells(11), expected(&[("4A", 0.25), ("4C", 0.5), ("4F", 0.25)]));
    assert_eq!((cells(9), cells(12)), (vec![], vec![]));
}

#[test]
fn chains_of_threats_are_foreseen() {
    // White's four at 5E leaves Black one answer, 5F; then 6E makes four on the column with both ends free.
    let rows = [
        ".........",
        ".........",
        ".........",
        ".........",
        "bwww.....",
        "....w....",
        "....w....",
        ".........",
        ".b..b.bb.",
    ];
    let position = drawn(rows, [0, 0]);
    assert_eq!((position.side_to_move(), position.immediate_win()), (Side::First, ImmediateWin::None));
    assert_eq!(position.tactical_outcome(), Some(Outcome::Win(Side::First)));
    let mut tenable = Vec::new();
    position.non_losing_actions(&mut tenable);
    assert_eq!(tenable.len(), 81 - 10, "nobody threatens");
    let mut threatened = position;
    threatened.play(Pente::<9>::parse_action("5E").unwrap());
    assert_eq!(threatened.tactical_outcome(), Some(Outcome::Win(Side::First)));
    threatened.non_losing_actions(&mut tenable);
    let names: Vec<String> = tenable.iter().map(|&action| Pente::<9>::action_name(action)).collect();
    assert_eq!(names, ["5F"]);
}

#[test]
fn notation_skips_i_and_refuses_other_spellings() {
    assert_eq!(Pente::<19>::parse_action("10K").unwrap().0, 180);
    assert_eq!(Pente::<19>::parse_action("1T").unwrap().0, 360);
    for text in ["10I", "0A", "20A", "10k", "+1A", "01A", "A10", "A", "10U", "99999999999999999999A", "1é"] {
        assert!(Pente::<19>::parse_action(text).is_err(), "{text}");
    }
    assert!(Pente::<9>::parse_action("5K").is_err());
}

#[test]
fn fives_and_last_pairs_are_wins_at_once() {
    let win = |text: &str| ImmediateWin::By(Pente::<9>::parse_action(text).unwrap());
    let four = [
        ".........",
        ".bb......",
        ".........",
        ".........",
        "..wwww...",
        ".....b...",
        ".........",
        ".........",
        ".b.......",
    ];
    // White to move makes five on either side; Black to move must answer.
    let position = drawn(four, [0, 0]);
    assert_eq!((position.side_to_move(), position.immediate_win()), (Side::First, win("5B")));
    let waiting = drawn(
        [
            ".........",
            ".bb......",
            ".........",
            ".........",
            "..wwww...",
            ".....b...",
            ".........",
            ".........",
            ".........",
        ],
        [0, 0],
    );
    assert_eq!((waiting.side_to_move(), waiting.immediate_win()), (Side::Second, ImmediateWin::None));
    assert!(waiting.is_threatened());
    let mut actions = Vec::new();
    waiting.legal_actions(&mut actions);
    let mut hints = Vec::new();
    waiting.hints(&actions, &mut hints);
    let answers: Vec<String> = actions
        .iter()
        .zip(&hints)
        .filter(|(_, hint)| **hint >= ANSWERING_HINT)
        .map(|(&a, _)| Pente::<9>::action_name(a))
        .collect();
    assert_eq!(answers, ["5B", "5G"]);

    // One pair wins with four captured, two at once with three.
    let pairs = [
        "wbb.bbw..",
        ".........",
        ".........",
        ".........",
        ".........",
        ".........",
        "..w......",
        "..w......",
        ".........",
    ];
    assert_eq!(drawn(pairs, [4, 0]).immediate_win(), win("9D"));
    assert_eq!(drawn(pairs, [3, 0]).immediate_win(), win("9D"));
    assert_eq!(drawn(pairs, [2, 0]).immediate_win(), ImmediateWin::None);
    let actions = [Pente::<9>::parse_action("9D").unwrap(), Pente::<9>::parse_action("5H").unwrap()];
    drawn(pairs, [3, 0]).hints(&actions, &mut hints);
    assert!(hints[0] >= WINNING_HINT && hints[1] < 0, "{hints:?}");
}

#[test]
fn lines_that_can_be_captured_are_worth_less() {
    let safe = drawn(
        [
            ".........",
            ".........",
            ".........",
            ".........",
            "...ww....",
            ".........",
            ".........",
            ".........",
            ".........",
        ],
        [0, 0],
    );
    let weak = drawn(
        [
            ".........",
            ".........",
            ".........",
            ".........",
            "..bww....",
            ".........",
            ".........",
            ".........",
            ".......b.",
        ],
        [0, 0],
    );
    assert_eq!(safe.side_to_move(), Side::First);
    // Four windows hold both stones, each worth 6.
    assert_eq!(safe.heuristic(), 4 * 6);
    // Black's stone leaves one, worth half, and stands to capture; Black's two stones share no window.
    assert_eq!(weak.heuristic(), 3 - 20);
}
