//! What the tree search learns from the rules' tactics.

use selfplay_connect4::Connect4;
use selfplay_mcts::{Limits, Search, SearchConfig, TacticsDepth, UniformEvaluator, run};
use selfplay_registry::{Action, Game, Outcome, Side};

#[test]
fn deep_tactics_know_what_one_look_does_not() {
    // 26 discs of a game in which Red, to move, has lost; neither side completes four with the next disc.
    let mut position = Connect4::initial();
    for column in [7, 2, 1, 7, 2, 5, 5, 5, 5, 2, 3, 2, 3, 3, 3, 2, 2, 5, 6, 3, 7, 6, 1, 6, 1, 1] {
        position.play(Action(column - 1));
    }
    let found = [TacticsDepth::Shallow, TacticsDepth::Deep].map(|tactics| {
        let mut search = Search::<Connect4>::new(SearchConfig { tactics, ..SearchConfig::default() });
        search.set_position(&position);
        let report = run(&mut search, &mut UniformEvaluator, &Limits::simulations(1), 1);
        (search.foreseen(), report.proven)
    });
    let lost = Some(Outcome::Win(Side::Second));
    assert_eq!(found, [(None, None), (lost, lost)]);
}
