//! Known counts, every direction of a win, and the corners of the rules.

use super::*;
use selfplay_registry::game_text::play_line;
use selfplay_registry::perft::perft;
use selfplay_registry::rng::rng_for;
use selfplay_registry::tactics::{ANSWERING_HINT, WINNING_HINT};
use selfplay_registry::{Ending, ImmediateWin, Tactics, TensorEncoding, random_play};
use std::collections::HashMap;

fn after(columns: &str) -> Connect4 {
    let actions: Vec<&str> = columns.split_whitespace().collect();
    play_line(&actions).unwrap().0
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
    // of them likewise, and no side has an upright pair. Each has one disc in the middle.
    assert_eq!(after("4 4 5 5").heuristic(), 0);
    // Red adds the bottom of 6: two windows of three and one of two (2-5), and column 3 or 7 completes four on the
    // first row, which suits Red.
    let position = after("4 4 5 5 6");
    assert_eq!(position.heuristic(), 3 * 20 + 3 - (20 + 2 * 50 + 2 * 60 + 3));
    assert!(position.is_threatened());
    // Yellow's own three on the second row wait for cells that are not playable yet, on a row that suits Yellow.
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
fn the_planes_show_threats_and_windows_to_the_side_to_move() {
    let encoded = |columns: &str| {
        let mut planes = vec![f32::NAN; Connect4::encoding().encoded_len()];
        after(columns).encode(&mut planes);
        planes
    };
    // Red has 1, 2 and 3 at the bottom and is to move; Yellow has 7 twice and stands on 1.
    let planes = encoded("1 7 2 7 3 1");
    // `(column, row from the bottom, both from 1; number)` of what is not 0.
    let cells = |plane: usize| -> Vec<(usize, usize, f32)> {
        let numbers = planes[plane * CELLS..(plane + 1) * CELLS].iter().enumerate();
        let set = numbers.filter(|&(_, &number)| number != 0.0);
        let mut cells: Vec<_> =
            set.map(|(cell, &number)| (cell % COLUMNS + 1, ROWS - cell / COLUMNS, number)).collect();
        cells.sort_by_key(|&(column, row, _)| (column, row));
        cells
    };
    assert_eq!(cells(0), [(1, 1, 1.0), (2, 1, 1.0), (3, 1, 1.0)]);
    assert_eq!(cells(1), [(1, 2, 1.0), (7, 1, 1.0), (7, 2, 1.0)]);
    let next = [(1, 3, 1.0), (2, 2, 1.0), (3, 2, 1.0), (4, 1, 1.0), (5, 1, 1.0), (6, 1, 1.0), (7, 3, 1.0)];
    assert_eq!(cells(3), next);
    assert_eq!((cells(4), cells(5)), (vec![(4, 1, 1.0)], vec![]));
    assert_eq!((cells(7), cells(8)), (vec![(4, 1, 0.25), (5, 1, 0.25)], vec![(7, 3, 0.25), (7, 4, 0.25)]));
    let rows = |columns: &str| {
        let planes = encoded(columns);
        [1, 2, 3, 4, 5, 6].map(|row| planes[6 * CELLS + (ROWS - row) * COLUMNS])
    };
    assert_eq!(rows(""), [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(rows("4"), [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn a_board_without_room_for_four_is_settled() {
    let full = "1 2 1 2 1 2 2 1 2 1 2 1 3 4 3 4 3 4 4 3 4 3 4 3 5 6 5 6 5 6 6 5 6 5 6 5 7 7 7 7";
    assert_eq!(after(full).outcome(), None);
    assert_eq!(after(full).settled_outcome(), Some(Outcome::Draw));
    assert_eq!(after("4 4 4 4 4 4").settled_outcome(), None);
}

/// How the game ends for the side to move, by playing everything: 1 won, 0 drawn, −1 lost; and after how many discs.
fn ending(position: &Connect4, known: &mut HashMap<u64, (i8, u32)>) -> (i8, u32) {
    if let Some(outcome) = position.outcome() {
        return (outcome.value_for(position.side_to_move()), 0);
    }
    if let Some(&ending) = known.get(&position.position_hash()) {
        return ending;
    }
    let mut actions = Vec::new();
    position.legal_actions(&mut actions);
    let endings = actions.into_iter().map(|action| {
        let mut after = *position;
        after.play(action);
        let (value, discs) = ending(&after, known);
        (-value, discs + 1)
    });
    // Soon if it is won, late if it is lost.
    let best = endings.max_by_key(|&(value, discs)| (value, -i32::from(value) * discs as i32)).expect("the game runs");
    known.insert(position.position_hash(), best);
    best
}

#[test]
fn winners_that_are_forced_win() {
    let (mut known, mut won, mut forced) = (HashMap::new(), 0, 0);
    for game in 0..200 {
        let mut position = Connect4::initial();
        random_play::play_random(&mut position, 28, &mut rng_for(&[9, game]));
        while position.outcome().is_none() && position.settled_outcome().is_none() {
            let side = position.side_to_move();
            let winner = match ending(&position, &mut known).0 {
                0 => None,
                1 => Some(Outcome::Win(side)),
                _ => Some(Outcome::Win(side.opponent())),
            };
            let told = position.threat_outcome();
            assert!(told.is_none() || told == winner, "{}", position.board());
            won += usize::from(winner.is_some());
            forced += usize::from(told.is_some());
            random_play::play_random(&mut position, 1, &mut rng_for(&[10, game]));
        }
    }
    assert!(won > 100 && forced == won, "{forced} of {won}");
}

#[test]
fn nobody_reaches_more_than_the_plan_against_him_allows() {
    let mut known = HashMap::new();
    // Wins and draws denied, to who began and to the other.
    let mut shown = [[0; 2]; 2];
    for game in 0..5000 {
        let mut position = Connect4::initial();
        random_play::play_random(&mut position, 26, &mut rng_for(&[12, game]));
        while position.outcome().is_none() {
            if let Some(node) = position.node()
                && node.most() < 1
            {
                let value = ending(&position, &mut known).0;
                assert!(value <= node.most(), "at most {}, but {value}\n{}", node.most(), position.board());
                if node.most() < 0 {
                    // The answer to each disc is known, too.
                    let lost = Some(Outcome::Win(position.to_move.opponent()));
                    let mut afters = (0..COLUMNS).map(|column| Action(column as u16)).filter(|&a| position.is_legal(a));
                    let is_known = |action| {
                        let mut after = position;
                        after.play(action);
                        after.threat_outcome() == lost
                    };
                    assert!(position.threat_outcome() == lost && afters.all(is_known), "{}", position.board());
                }
                shown[usize::from(position.plies % 2)][usize::from(node.most() < 0)] += 1;
            }
            random_play::play_random(&mut position, 1, &mut rng_for(&[13, game]));
        }
    }
    let [[no_win, first_loses], [_, second_loses]] = shown;
    assert!(no_win > 50 && first_loses > 50 && second_loses > 50, "{shown:?}");
}

#[test]
fn the_solver_knows_how_every_game_ends() {
    let mut known = HashMap::new();
    let mut decided = 0;
    for game in 0..2000 {
        let mut position = Connect4::initial();
        random_play::play_random(&mut position, 28 + game as usize % 12, &mut rng_for(&[11, game]));
        if position.outcome().is_some() {
            continue;
        }
        let side = position.side_to_move();
        let (value, turns) = ending(&position, &mut known);
        let outcome = match value {
            0 => Outcome::Draw,
            1 => Outcome::Win(side),
            _ => Outcome::Win(side.opponent()),
        };
        let mut solver = Connect4::solver(1).unwrap();
        let mut positions = 0;
        let mut count = |more| {
            positions += more;
            true
        };
        assert_eq!(solver.outcome(&position, &mut count), Some(outcome), "{}", position.board());
        assert_eq!(solver.ending(&position, &mut count), Some(Ending { outcome, turns }), "{}", position.board());
        assert!(positions > 0);
        decided += usize::from(value != 0);
    }
    assert!(decided > 100, "{decided}");
}

#[test]
fn a_solver_stops_when_it_is_told_to() {
    let mut solver = Connect4::solver(1).unwrap();
    let mut told = 0;
    let outcome = solver.outcome(&Connect4::initial(), &mut |positions| {
        told += positions;
        told < 5000
    });
    assert_eq!(outcome, None);
    assert!((5000..8000).contains(&told), "{told}");
}
