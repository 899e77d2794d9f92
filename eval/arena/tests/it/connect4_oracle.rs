//! The solver of Connect Four against an outside one: values, distances and value-preserving moves of thousands of positions.

use std::path::Path;

use rayon::prelude::*;
use selfplay_arena::{SolvedPosition, read_values};
use selfplay_connect4::Connect4;
use selfplay_env::{Typed, rules};
use selfplay_players::{Playable, SolveConfig, SolveGoal};

/// What BitBully found; `games/connect4/tests/oracle/run.sh` makes the file and checks it.
const POSITIONS: &str = "../../games/connect4/tests/oracle/positions.csv";
/// How many of the positions after so many plies are solved again: one of every N, since early ones take long.
const SHARES: [(usize, usize); 3] = [(24, 1), (20, 4), (16, 40)];

/// What this program's solver makes of the position of `known`.
fn solved_here(known: &SolvedPosition) -> SolvedPosition {
    let position = rules::<Connect4>().after(&known.history);
    let config = SolveConfig { memory_mib: 16, goal: SolveGoal::EveryAction, ..SolveConfig::default() };
    let report = Typed::<Connect4>::IT.solve(&*position, known.history.len(), &config, &mut |_| ()).unwrap();
    let value = report.bounds.value().unwrap();
    let moves = report.actions.iter();
    let preserving: Vec<_> =
        moves.filter(|(_, bounds)| bounds.value() == Some(value)).map(|&(action, _)| action).collect();
    let is_critical = preserving.len() < report.actions.len();
    SolvedPosition { history: known.history.clone(), value, preserving, is_critical, turns: report.turns }
}

#[test]
fn the_solver_of_connect_four_agrees_with_an_outside_one() {
    let positions = read_values(Path::new(POSITIONS), rules::<Connect4>()).unwrap();
    for (plies, share) in SHARES {
        let stage: Vec<&SolvedPosition> = positions.iter().filter(|known| known.history.len() == plies).collect();
        assert!(stage.iter().filter(|known| known.is_critical).count() == 1000, "after {plies} plies");
        let compared: Vec<&SolvedPosition> = stage.into_iter().step_by(share).collect();
        compared.par_iter().for_each(|known| assert_eq!(solved_here(known), **known, "after {plies} plies"));
    }
}
