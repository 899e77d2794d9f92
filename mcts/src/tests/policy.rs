//! From a report to a move and to a training target.

use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Wdl};

use crate::{MoveReport, SearchReport};

/// Moves 0, 1, 2, … with these visits and proofs; `q` falls from move to move.
fn report(moves: &[(u32, Option<i8>)]) -> SearchReport {
    let moves = moves.iter().enumerate().map(|(index, &(visits, proven))| MoveReport {
        action: Action::from_index(index),
        visits,
        q: proven.map_or(-0.1 * index as f32, f32::from),
        prior: 0.1 * (index + 1) as f32,
        evaluator_prior: 0.1 * (index + 1) as f32,
        target_weight: visits as f32,
        proven,
        plies: None,
        turns: None,
    });
    SearchReport {
        simulations: 0,
        wdl: Wdl::UNIFORM,
        proven: None,
        moves: moves.collect(),
        choice: None,
        principal_variation: Vec::new(),
    }
}

fn target(moves: &[(u32, Option<i8>)]) -> Vec<(u16, f32)> {
    report(moves).policy_target().into_iter().map(|(action, share)| (action.0, share)).collect()
}

#[test]
fn the_target_is_the_share_of_visits() {
    assert_eq!(target(&[(6, None), (2, None), (0, None)]), [(0, 0.75), (1, 0.25)]);
}

#[test]
fn a_proven_win_takes_everything() {
    assert_eq!(target(&[(90, None), (1, Some(1)), (3, Some(1)), (5, Some(0))]), [(1, 0.25), (2, 0.75)]);
}

#[test]
fn a_proven_loss_gets_nothing_unless_all_lose() {
    assert_eq!(target(&[(90, Some(-1)), (1, None), (3, Some(0))]), [(1, 0.25), (2, 0.75)]);
    assert_eq!(target(&[(3, Some(-1)), (1, Some(-1))]), [(0, 0.75), (1, 0.25)]);
}

#[test]
fn a_drawn_root_keeps_its_draws() {
    assert_eq!(target(&[(3, Some(0)), (9, Some(-1)), (1, Some(0))]), [(0, 0.75), (2, 0.25)]);
}

#[test]
fn without_visits_the_priors_decide() {
    assert_eq!(target(&[(0, None)]), [(0, 1.0)]);
    let shares = target(&[(5, Some(-1)), (0, None), (0, None)]);
    assert!((shares[0].1 - 0.4).abs() < 1e-6 && (shares[1].1 - 0.6).abs() < 1e-6);
    assert_eq!(target(&[]), []);
}

#[test]
fn the_best_move_is_proven_or_most_visited() {
    let best = |moves: &[(u32, Option<i8>)]| report(moves).best().0;
    assert_eq!(best(&[(9, None), (1, Some(1))]), 1);
    assert_eq!(best(&[(9, Some(-1)), (0, None)]), 1);
    assert_eq!(best(&[(9, Some(-1)), (1, Some(0))]), 1);
    assert_eq!(best(&[(1, None), (9, None)]), 1);
    assert_eq!(best(&[(9, None), (9, None)]), 0, "the greater q among equals");
    assert_eq!(best(&[(2, Some(-1)), (9, Some(-1))]), 1);
}

#[test]
fn temperature_zero_is_the_best_move_and_one_follows_the_target() {
    let report = report(&[(600, None), (300, None), (100, None), (50, Some(-1))]);
    let counts = |temperature: f32| {
        let mut rng = rng_for(&[11]);
        let mut counts = [0_u32; 4];
        for _ in 0..10_000 {
            counts[report.sample(temperature, &mut rng).index()] += 1;
        }
        counts
    };
    assert_eq!(counts(0.0), [10_000, 0, 0, 0]);
    // Visits to the power 1000: no overflow, no 0 / 0.
    assert_eq!(counts(0.001), [10_000, 0, 0, 0]);
    let [first, second, third, lost] = counts(1.0);
    assert!(first.abs_diff(6000) < 200 && second.abs_diff(3000) < 200 && third.abs_diff(1000) < 200);
    assert_eq!(lost, 0);
    // 36 : 9 : 1 at temperature 0.5.
    let [first, second, third, _] = counts(0.5);
    assert!(first.abs_diff(7826) < 200 && second.abs_diff(1957) < 200 && third.abs_diff(217) < 80);
}

#[test]
fn the_shortest_win_and_the_longest_resistance_are_played() {
    let with_plies = |moves: &[(u32, Option<i8>, Option<u32>)]| {
        let mut found = report(&moves.iter().map(|&(visits, proven, _)| (visits, proven)).collect::<Vec<_>>());
        found.moves.iter_mut().zip(moves).for_each(|(m, &(.., plies))| m.plies = plies);
        found
    };
    let won = with_plies(&[(90, Some(1), Some(5)), (1, Some(1), Some(1)), (7, Some(1), None), (2, None, None)]);
    assert_eq!((won.best(), won.policy_target()), (Action(1), vec![(Action(1), 1.0)]));
    let lost = with_plies(&[(90, Some(-1), Some(2)), (1, Some(-1), Some(8)), (7, Some(-1), Some(4))]);
    assert_eq!((lost.best(), lost.policy_target()), (Action(1), vec![(Action(1), 1.0)]));
    let open = with_plies(&[(90, Some(-1), Some(2)), (1, Some(-1), Some(8)), (7, Some(-1), None)]);
    assert_eq!(open.best(), Action(2), "an end that nobody has seen is far away");
    let drawn = with_plies(&[(9, Some(-1), Some(40)), (1, Some(0), None), (3, Some(0), None)]);
    assert_eq!(drawn.best(), Action(2));
}
