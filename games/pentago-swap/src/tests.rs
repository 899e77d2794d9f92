//! The corners of the rules, and equal successors against brute force.

use std::collections::HashMap;

use super::geometry::{PAIR_COUNT, QUADRANT_CELLS, QUADRANT_COUNT, WINDOWS, swap};
use super::*;
use selfplay_registry::rng::{GameRng, RngExt, rng_for};
use selfplay_registry::tactics::WINNING_HINT;
use selfplay_registry::tactics_conformance::{TACTICAL_PLIES, forced_within};
use selfplay_registry::{ImmediateWin, Tactics, TensorEncoding};

/// The running position with these rows, `W` and `B` for stones.
fn position(rows: [&str; 6]) -> PentagoSwap {
    let mut position = PentagoSwap::initial();
    for (cell, stone) in rows.concat().bytes().enumerate() {
        let mask = 1 << BIT_OF_CELL[cell];
        match stone {
            b'W' => position.stones[0] |= mask,
            b'B' => position.stones[1] |= mask,
            _ => continue,
        }
        position.plies += 1;
    }
    position.to_move = Side::First.after(usize::from(position.plies));
    position
}

fn outcome_after(mut position: PentagoSwap, action: &str) -> Option<Outcome> {
    position.try_play(PentagoSwap::parse_action(action).unwrap()).unwrap();
    position.outcome()
}

#[test]
fn five_broken_by_the_swap_do_not_win() {
    let four = position(["WWWW..", "......", "......", "..B...", "..B..B", ".....B"]);
    assert_eq!(outcome_after(four, "e1:CD"), Some(Outcome::Win(Side::First)));
    assert_eq!(outcome_after(four, "e1:AD"), None);
    assert_eq!(outcome_after(four, "e1:AB"), None);
}

#[test]
fn the_swap_can_finish_a_line_for_either_side() {
    // Black has the left part of row 1 and, one quadrant too low, its right part.
    let apart = position(["BBB.W.", "......", "W....W", "...BB.", "......", ".W..W."]);
    assert_eq!(apart.side_to_move(), Side::First);
    assert_eq!(outcome_after(apart, "a5:BD"), Some(Outcome::Win(Side::Second)));
    assert_eq!(outcome_after(apart, "a5:AB"), None);
}

#[test]
fn lines_for_both_sides_draw() {
    // B and D bring two stones each to the line of the other: row 1 for Black, row 6 for White.
    let apart = position(["BBB...", "......", "...WW.", "...BB.", "......", "WWW..."]);
    assert_eq!(outcome_after(apart, "f5:BD"), Some(Outcome::Draw));
    assert_eq!(outcome_after(apart, "f5:AB"), None);
}

#[test]
fn a_full_board_without_a_line_is_a_draw() {
    let last = position(["WWBBWW", "BBWWBB", "WWBBWW", "BBWWBB", "WWBBWW", "BBWW.B"]);
    assert_eq!(outcome_after(last, "e6:AC"), Some(Outcome::Draw));
}

#[test]
fn a_line_on_the_full_board_wins() {
    let last = position(["WWBBWW", "BBWWBB", "WWBBWW", "BBWWBB", "WWBBWB", ".BBBBW"]);
    assert_eq!(last.side_to_move(), Side::Second);
    assert_eq!(outcome_after(last, "a6:AB"), Some(Outcome::Win(Side::Second)));
}

#[test]
fn every_line_and_only_lines_are_found() {
    // Against rows, columns and diagonals walked on the board.
    let mut rng = rng_for(&[36]);
    for _ in 0..20_000 {
        let stones = rng.random::<u64>() & BOARD;
        let holds = |row: isize, column: isize| {
            (0..6).contains(&row)
                && (0..6).contains(&column)
                && stones >> BIT_OF_CELL[(row * 6 + column) as usize] & 1 == 1
        };
        let walked = (0..36).any(|cell| {
            [(0, 1), (1, 0), (1, 1), (1, -1)]
                .iter()
                .any(|&(down, right)| (0..5).all(|step| holds(cell / 6 + step * down, cell % 6 + step * right)))
        });
        assert_eq!(has_five(stones), walked, "{stones:b}");
    }
}

#[test]
fn the_empty_board_has_36_successors() {
    let mut actions = Vec::new();
    PentagoSwap::initial().legal_actions(&mut actions);
    assert_eq!(actions.len(), 216);
    PentagoSwap::initial().distinct_actions(&mut actions);
    assert_eq!(actions.len(), 36);
}

#[test]
fn distinct_actions_agree_with_brute_force() {
    // Every way of filling the quadrants from four contents that are alike or one stone apart.
    let contents: [[u64; 2]; 4] = [[0, 0], [1, 0], [1, 2], [5, 2]];
    let fillings = 0..contents.len().pow(QUADRANT_COUNT as u32);
    // Only the side to move matters, not how many stones each side has.
    for (filling, to_move) in fillings.flat_map(|filling| Side::BOTH.map(|side| (filling, side))) {
        let mut position = PentagoSwap::initial();
        for quadrant in 0..QUADRANT_COUNT {
            let content = contents[filling >> (2 * quadrant) & 3];
            for side in Side::BOTH {
                position.stones[side.index()] |= content[side.index()] << (QUADRANT_CELLS * quadrant);
            }
        }
        position.to_move = to_move;
        let mut lowest: HashMap<[u64; 2], Action> = HashMap::new();
        let mut distinct = Vec::new();
        for action in (0..PentagoSwap::spec().action_count).map(Action::from_index).filter(|&a| position.is_legal(a)) {
            let mut child = position;
            child.play(action);
            let representative = *lowest.entry(child.stones).or_insert(action);
            assert_eq!(position.canonical_action(action), representative, "{}", position.board());
            if representative == action {
                distinct.push(action);
            }
        }
        let mut listed = Vec::new();
        position.distinct_actions(&mut listed);
        listed.sort();
        assert_eq!(listed, distinct, "{}", position.board());
    }
}

#[test]
fn the_heuristic_changes_sign_with_the_sides() {
    let position = position(["W.....", ".B..W.", "......", "...W..", ".B..B.", "W....."]);
    let exchanged = PentagoSwap { stones: [position.stones[1], position.stones[0]], ..position };
    assert_ne!(position.heuristic(), 0);
    assert_eq!(exchanged.heuristic(), -position.heuristic());
}

#[test]
fn a_win_needs_five_after_the_swap_and_none_for_the_opponent() {
    // Four in the top row of A and B, which only a swap takes elsewhere: C and D can change places.
    let winning = position(["WWWW..", "......", "......", "......", "..BB..", "..B..B"]);
    assert_eq!(winning.side_to_move(), Side::First);
    let ImmediateWin::By(action) = winning.immediate_win() else { panic!("White wins with e1:CD") };
    let mut after = winning;
    after.play(action);
    assert_eq!(after.outcome(), Some(Outcome::Win(Side::First)));
    // Black to move has nothing.
    let waiting = position(["WWWW..", "......", "......", "......", "..BB..", "...B.."]);
    assert_eq!(waiting.side_to_move(), Side::Second);
    assert_eq!(waiting.immediate_win(), ImmediateWin::None);
}

#[test]
fn hints_put_wins_first() {
    let position = position(["WWWW..", "......", "......", "......", "..BB..", "..B..B"]);
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    let mut hints = Vec::new();
    position.hints(&actions, &mut hints);
    for (&action, &hint) in actions.iter().zip(&hints) {
        let mut after = position;
        after.play(action);
        let wins = after.outcome() == Some(Outcome::Win(Side::First));
        assert_eq!(hint >= WINNING_HINT, wins, "{}", PentagoSwap::action_name(action));
    }
}

/// A position after so many plies from the start, or fewer. Every other one is the best by its hint, so that there are
/// threats, and none lets the other side win at once, if one of eight tries does not.
fn played_eagerly(plies: usize, rng: &mut GameRng) -> PentagoSwap {
    let mut position = PentagoSwap::initial();
    let (mut actions, mut hints) = (Vec::new(), Vec::new());
    for _ in 0..plies {
        position.distinct_actions(&mut actions);
        position.hints(&actions, &mut hints);
        let best = (0..actions.len()).max_by_key(|&index| hints[index]);
        let careful = (0..8).find_map(|_| {
            let mut after = position;
            after.play(actions[if rng.random() { best? } else { rng.random_range(0..actions.len()) }]);
            (after.outcome.is_none() && after.immediate_win() == ImmediateWin::None).then_some(after)
        });
        let Some(after) = careful else { break };
        position = after;
    }
    position
}

fn tenable(position: &PentagoSwap) -> Vec<Action> {
    let mut actions = Vec::new();
    position.non_losing_actions(&mut actions);
    actions
}

/// What [`tenable`] should be, found by playing every action.
fn tried_tenable(position: &PentagoSwap) -> Vec<Action> {
    let mut distinct = Vec::new();
    position.distinct_actions(&mut distinct);
    let is_tenable = |&action: &Action| {
        let mut after = *position;
        after.play(action);
        forced_within(&after, 1) != Some(Outcome::Win(position.side_to_move().opponent()))
    };
    let tenable: Vec<_> = distinct.iter().copied().filter(is_tenable).collect();
    if tenable.is_empty() { distinct } else { tenable }
}

#[test]
fn tactics_are_all_that_three_plies_force() {
    let mut rng = rng_for(&[39]);
    let mut lengths = [0; TACTICAL_PLIES as usize + 1];
    for _ in 0..1_000 {
        let actions = rng.random_range(7..35);
        let position = played_eagerly(actions, &mut rng);
        let forced = (1..=TACTICAL_PLIES).find(|&actions| forced_within(&position, actions).is_some());
        let outcome = forced_within(&position, TACTICAL_PLIES);
        assert_eq!(position.tactical_outcome(), outcome, "{}", position.board());
        assert_eq!(tenable(&position), tried_tenable(&position), "{}", position.board());
        lengths[forced.unwrap_or(0) as usize] += 1;
    }
    let [open, _, two, three] = lengths;
    assert!(
        open.min(two).min(three) > 50,
        "{open} positions are open, {two} are forced by two plies, {three} by three"
    );
}

/// Whether the side to move has an action after which, whatever is answered, it has a tactical win.
fn wins_by_trying(position: &PentagoSwap) -> bool {
    let wins = Some(Outcome::Win(position.side_to_move()));
    successors(position).iter().any(|after| {
        let is_open = after.tactical_outcome().is_none();
        is_open && successors(after).iter().all(|answered| answered.tactical_outcome() == wins)
    })
}

fn successors(position: &PentagoSwap) -> Vec<PentagoSwap> {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    let played = |action| {
        let mut after = *position;
        after.play(action);
        after
    };
    actions.into_iter().map(played).collect()
}

#[test]
fn threat_sequences_find_most_of_what_five_plies_force() {
    let mut rng = rng_for(&[40]);
    let (mut wins, mut found, mut further) = (0, 0, 0);
    for _ in 0..1_000 {
        let actions = rng.random_range(7..30);
        let position = played_eagerly(actions, &mut rng);
        if position.tactical_outcome().is_some() {
            continue;
        }
        let is_found = position.threat_outcome() == Some(Outcome::Win(position.side_to_move()));
        let is_won = wins_by_trying(&position);
        wins += usize::from(is_won);
        found += usize::from(is_won && is_found);
        further += usize::from(is_found && !is_won);
    }
    assert!(wins > 50 && found * 5 > wins * 4, "{found} of {wins} wins by five plies are found");
    assert!(further > 20, "{further} wins by more are found");
}

/// For each cell of the board how many runs of five hold it, `stones` of `mine` and none of `theirs`. It counts all the ways that the
/// quadrants lie after as many swaps as any of `swaps` says; 0 on taken cells.
fn runs_by_trying(mine: u64, theirs: u64, stones: u32, swaps: &[usize]) -> [u32; CELLS] {
    // `[bit of a cell]`: where it comes to lie.
    let mut boards = std::collections::HashSet::new();
    for &count in swaps {
        for sequence in 0..PAIR_COUNT.pow(count as u32) {
            let pairs = (0..count as u32).map(|index| sequence / PAIR_COUNT.pow(index) % PAIR_COUNT);
            boards.insert(std::array::from_fn::<u64, CELLS, _>(|bit| pairs.clone().fold(1 << bit, swap)));
        }
    }
    let mut runs = [0; CELLS];
    for places in boards {
        for window in WINDOWS {
            let in_run = (0..CELLS).filter(|&bit| places[bit] & window != 0);
            let cells = in_run.fold(0_u64, |cells, bit| cells | 1 << bit);
            if (cells & mine).count_ones() == stones && cells & theirs == 0 {
                for (cell, &bit) in BIT_OF_CELL.iter().enumerate() {
                    runs[cell] += (cells >> bit & 1 & !(mine >> bit)) as u32;
                }
            }
        }
    }
    runs
}

#[test]
fn the_planes_count_the_runs_that_later_swaps_make() {
    let mut rng = rng_for(&[39]);
    for actions in [6, 12, 20] {
        let position = played_eagerly(actions, &mut rng);
        let (own, opponent) = position.own_and_opponent();
        let mut planes = vec![f32::NAN; PentagoSwap::encoding().encoded_len()];
        position.encode(&mut planes);
        let sides = [(22, own, opponent, [1, 3]), (25, opponent, own, [0, 2])];
        for (first, mine, theirs, swaps) in sides {
            for stones in 2..5 {
                let runs = runs_by_trying(mine, theirs, stones as u32, &swaps);
                let plane = &planes[(first + stones - 2) * CELLS..][..CELLS];
                assert_eq!(plane, runs.map(|runs| runs.min(16) as f32 / 16.0), "plane {}", first + stones - 2);
            }
        }
    }
}

#[test]
fn a_taken_cell_is_refused() {
    let mut position = PentagoSwap::initial();
    position.play(PentagoSwap::parse_action("c4:AB").unwrap());
    let refusal = position.try_play(PentagoSwap::parse_action("c4:AD").unwrap()).unwrap_err().to_string();
    assert_eq!(refusal, "c4:AD is not legal here: the cell is taken");
}
