//! Corners of the rules, and the removal of cards against a plain second version of it.

use super::{Cell, LIMIT, Sum15, VALUES};
use selfplay_registry::game_text::play_line;
use selfplay_registry::rng::rng_for;
use selfplay_registry::{Game, ImmediateWin, Outcome, Side, Tactics, TensorEncoding, random_play};

fn after<const N: usize>(line: &str) -> Sum15<N> {
    let actions: Vec<&str> = line.split_whitespace().collect();
    play_line::<Sum15<N>>(&actions).unwrap().0
}

/// The 4×4 position with these cells (`.`, `x`, `F8`, `S13`) and hands by card.
fn drawn(cells: &str, hands: [[u8; 5]; 2]) -> Sum15<4> {
    let mut board = [[Cell::Empty; 4]; 4];
    for (cell, mark) in cells.split_whitespace().enumerate() {
        board[cell / 4][cell % 4] = match mark {
            "." => Cell::Empty,
            "x" => Cell::Dead,
            _ => {
                let owner = if mark.starts_with('F') { Side::First } else { Side::Second };
                let card = VALUES.iter().position(|value| value.to_string() == mark[1..]).unwrap();
                Cell::Card { owner, card: card as u8 }
            }
        };
    }
    let played = Sum15::<4>::CARDS - usize::from(hands.as_flattened().iter().sum::<u8>());
    Sum15::from_parts(board, hands, Side::First.after(played))
}

#[test]
fn a_sum_of_fifteen_stays_and_more_removes_both_owners_cards() {
    let position = after::<4>("0,0,13 0,1,2");
    assert_eq!((position.points(Side::First), position.points(Side::Second)), (13, 2));
    let position = after::<4>("0,0,13 1,1,3");
    assert_eq!((position.cells[0][0], position.cells[1][1]), (Cell::Dead, Cell::Dead));
    assert_eq!(position.sums, [[0; 4]; 4]);
}

#[test]
fn all_marked_cards_leave_together() {
    // Any one of the three gone, the other two would be within the limit or beside nothing.
    let position = after::<4>("0,0,13 1,1,2 0,1,8");
    let dead = position.cells.as_flattened().iter().filter(|&&cell| cell == Cell::Dead).count();
    assert_eq!((dead, position.points(Side::First), position.points(Side::Second)), (3, 0, 0));
}

#[test]
fn only_the_card_that_exceeds_the_limit_leaves() {
    let position = after::<4>("0,0,8 0,1,5 0,2,3");
    assert_eq!(position.cells[0][1], Cell::Dead);
    assert_eq!((position.points(Side::First), position.points(Side::Second)), (11, 0));
    assert_eq!(position.sums[0], [8, 11, 3, 3]);
}

#[test]
fn cells_that_held_a_card_and_cards_out_of_hand_are_refused() {
    let position = after::<4>("0,0,13 1,1,3 3,3,2");
    let reason = |text| {
        let action = Sum15::<4>::parse_action(text).unwrap();
        (!position.is_legal(action)).then(|| position.illegal_reason(action))
    };
    assert_eq!(reason("0,0,2").unwrap(), "the cell is dead: it has held a card before");
    assert_eq!(reason("3,3,5").unwrap(), "the cell is taken");
    assert_eq!(reason("2,2,3").unwrap(), "no 3 is left in the hand");
    assert_eq!(reason("2,2,13"), None);
}

#[test]
fn equal_cards_in_a_hand_are_one_action() {
    let mut legal = Vec::new();
    Sum15::<6>::initial().legal_actions(&mut legal);
    assert_eq!(legal.len(), 180);
    let position = after::<6>("0,0,2 5,5,3 5,0,2 0,5,3");
    position.legal_actions(&mut legal);
    assert_eq!(legal.len(), 4 * 32, "First has played both 2s");
}

#[test]
fn points_then_the_higher_card_decide() {
    let result = |cells| drawn(cells, [[0; 5]; 2]).outcome().unwrap();
    assert_eq!(result("F13 . . . . S8 . S2 . . . . . . . ."), Outcome::Win(Side::First));
    assert_eq!(result("F13 . . . . S8 . S8 . . . . . . . ."), Outcome::Win(Side::Second));
    assert_eq!(result("S13 . . . . F8 . F5 . . . . . . . ."), Outcome::Win(Side::Second), "13 beats 8 and 5");
    assert_eq!(result("F13 . . . . S13 . . . . . . . . . ."), Outcome::Draw);
    assert_eq!(result("F8 F2 . . . S5 S3 S2 . . . . . . . ."), Outcome::Win(Side::First));
    assert_eq!(result("x x . . . x x . . . . . . . . ."), Outcome::Draw, "nothing is left of either");
}

#[test]
fn every_game_lasts_until_all_cards_are_played() {
    for game in 0..20 {
        let mut rng = rng_for(&[3, game]);
        assert_eq!(random_play::play_random(&mut Sum15::<4>::initial(), 99, &mut rng).len(), 10);
        assert_eq!(random_play::play_random(&mut Sum15::<6>::initial(), 99, &mut rng).len(), 22);
    }
}

/// Sums of the neighbourhood of every cell, from the rules' text.
fn plain_sums(cells: &[[Cell; 6]; 6]) -> [[u32; 6]; 6] {
    let value = |row: usize, column: usize| match cells[row][column] {
        Cell::Card { card, .. } => u32::from(VALUES[usize::from(card)]),
        _ => 0,
    };
    let mut sums = [[0; 6]; 6];
    for cell in 0..36 {
        for other in 0..36 {
            if (cell / 6_usize).abs_diff(other / 6) <= 1 && (cell % 6_usize).abs_diff(other % 6) <= 1 {
                sums[cell / 6][cell % 6] += value(other / 6, other % 6);
            }
        }
    }
    sums
}

#[test]
fn removal_equals_marking_every_card_on_the_board() {
    for game in 0..100 {
        let mut rng = rng_for(&[4, game]);
        let mut position = Sum15::<6>::initial();
        loop {
            let mut cells = position.cells;
            let side = position.side_to_move();
            let Some(&action) = random_play::play_random(&mut position, 1, &mut rng).first() else { break };
            let (card, row, column) = Sum15::<6>::parts(action);
            cells[row][column] = Cell::Card { owner: side, card: card as u8 };
            let sums = plain_sums(&cells);
            for (cell, content) in cells.as_flattened_mut().iter_mut().enumerate() {
                if matches!(content, Cell::Card { .. }) && sums[cell / 6][cell % 6] > u32::from(LIMIT) {
                    *content = Cell::Dead;
                }
            }
            assert_eq!(position.cells, cells, "{}", position.board());
            assert_eq!(position.sums.map(|row| row.map(u32::from)), plain_sums(&cells));
            let fresh = Sum15::from_parts(position.cells, position.hands, position.to_move);
            assert_eq!(position, fresh, "hash and what follows");
        }
    }
}

#[test]
fn the_planes_are_the_movers_view() {
    let position = after::<6>("0,0,13 5,5,8 0,2,8 0,1,2");
    let mut planes = vec![f32::NAN; Sum15::<6>::encoding().encoded_len()];
    position.encode(&mut planes);
    let plane: Vec<&[f32]> = planes.chunks(36).collect();
    let ones = |index: usize| plane[index].iter().sum::<f32>();
    // 0,1,2 stands beside 13 and 8 and is removed: 23 > 15; the others' sums are 15 and 10.
    assert_eq!((plane[4][0], plane[3][2], plane[8][35], plane[11][1]), (1.0, 1.0, 1.0, 1.0));
    assert_eq!((ones(5), ones(11), ones(10)), (0.0, 1.0, 32.0));
    assert_eq!((plane[12][1], plane[12][35]), (21.0 / 30.0, 8.0 / 30.0));
    assert_eq!((plane[26][0], plane[27][0], plane[28][0], plane[32][0]), (2.0 / 3.0, 0.5, 0.5, 1.0));
    assert_eq!((plane[33][0], plane[34][0], ones(35)), (21.0 / 70.0, 8.0 / 70.0, 36.0));
}

#[test]
fn the_planes_show_what_each_card_removes() {
    let mut rng = rng_for(&[8]);
    let mut removals = 0;
    for _ in 0..50 {
        let mut position = Sum15::<6>::initial();
        while position.outcome().is_none() {
            let mut planes = vec![f32::NAN; Sum15::<6>::encoding().encoded_len()];
            position.encode(&mut planes);
            let sides = [position.side_to_move(), position.side_to_move().opponent()];
            let mut actions = Vec::new();
            position.legal_actions(&mut actions);
            for action in actions {
                let (card, row, column) = Sum15::<6>::parts(action);
                let mut after = position;
                after.play(action);
                let stays = matches!(after.cells[row][column], Cell::Card { .. });
                let put = [if stays { u32::from(VALUES[card]) } else { 0 }, 0];
                for ((side, put), first) in sides.into_iter().zip(put).zip([13, 18]) {
                    let removed = position.points(side) + put - after.points(side);
                    let number = planes[((first + card) * 6 + row) * 6 + column];
                    assert_eq!(number, (removed as f32 / 26.0).min(1.0), "{action:?} in\n{}", position.board());
                    removals += u32::from(removed > 0);
                }
            }
            random_play::play_random(&mut position, 1, &mut rng);
        }
    }
    assert!(removals > 1_000, "{removals}");
}

#[test]
fn the_heuristic_weighs_points_by_safety() {
    // First's 13 is in reach of Second's 5; Second's 8 and First's 8 would make 16: in reach as well. First's 2 is
    // walled in by dead cells.
    let position = drawn("F13 . . S8 . . . . . . x x . . x F2", [[0, 0, 0, 1, 0], [0, 0, 1, 0, 0]]);
    assert_eq!(position.side_to_move(), Side::First);
    assert_eq!(position.heuristic(), 10 * ((2 * 13 + 3 * 2 + 2 * 8) - (2 * 8 + 2 * 5)));
}

#[test]
fn bounds_hold_to_the_end_of_every_game() {
    fn check<const N: usize>(games: u64) {
        let mut settled_early = 0;
        for game in 0..games {
            let mut rng = rng_for(&[15, game]);
            let mut position = Sum15::<N>::initial();
            let mut claims = Vec::new();
            while position.outcome().is_none() {
                claims.push((position.bounds(), position.settled_outcome()));
                random_play::play_random(&mut position, 1, &mut rng);
            }
            for (bounds, settled) in claims {
                for side in Side::BOTH {
                    let (least, most) = (bounds.least[side.index()], bounds.most[side.index()]);
                    assert!((least..=most).contains(&position.points(side)), "{bounds:?}\n{}", position.board());
                }
                assert!(settled.is_none() || settled == position.outcome(), "{bounds:?}\n{}", position.board());
                settled_early += usize::from(settled.is_some());
            }
        }
        assert!(settled_early > games as usize / 2, "only {settled_early} positions of {games} games are settled");
    }
    check::<4>(2_000);
    check::<6>(500);
}

#[test]
fn bounds_know_what_can_still_be_removed() {
    // One empty cell is beside First's 13 and one beside Second's 8: a 2 leaves both where they are, and stays itself.
    let position = drawn("F13 x x x . x x x x x S8 x x x x .", [[1, 0, 0, 0, 0], [1, 0, 0, 0, 0]]);
    let bounds = position.bounds();
    assert_eq!((bounds.least, bounds.most), ([15, 10], [15, 10]));
    assert_eq!(position.settled_outcome(), Some(Outcome::Win(Side::First)));
    // A 3 removes the 13, and itself with it; the 2 is within the limit on either cell.
    let position = drawn("F13 x x x . x x x x x S8 x x x x .", [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]);
    assert_eq!((position.bounds().least, position.bounds().most), ([2, 8], [15, 11]));
    assert_eq!(position.settled_outcome(), None);
}

#[test]
fn the_last_card_wins_at_once_where_it_can() {
    // Second removes First's 13 with a 3 on the second row, or stays behind.
    let position = drawn("F13 x x x . x x x x x S8 x x x x .", [[0; 5], [0, 1, 0, 0, 0]]);
    assert_eq!(position.side_to_move(), Side::Second);
    assert_eq!(position.immediate_win(), ImmediateWin::By(Sum15::<4>::parse_action("1,0,3").unwrap()));
    assert_eq!(position.settled_outcome(), None);
    let position = drawn("F13 x x x . x x x x x S8 x x x x .", [[0; 5], [1, 0, 0, 0, 0]]);
    assert_eq!(position.immediate_win(), ImmediateWin::None);
    assert_eq!(position.settled_outcome(), Some(Outcome::Win(Side::First)));
}

#[test]
fn notation_refuses_other_spellings() {
    assert_eq!(Sum15::<4>::parse_action("0,3,13").unwrap().0, 67);
    for text in ["0,4,13", "0,3,4", "0,3", "0,3,13,", "+0,3,13", "00,3,13", " 0,3,13", "0;3;13", "999,0,2"] {
        assert!(Sum15::<4>::parse_action(text).is_err(), "{text}");
    }
}
