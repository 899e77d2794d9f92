//! How often an action lets the opponent win at once, where the game tells a search so.

use selfplay_env::{Action, ImmediateWin, Position, Rules};
use selfplay_train::GameRecord;

/// So many positions are looked at, at most.
const MAX_POSITIONS: usize = 200;

/// Share of the positions in the games of `records`, all by `rules`, in which some action lets the opponent win with its
/// next one, 0..=1. Of many positions some that lie evenly among them are looked at. Where the game cannot tell without trying,
/// none counts: there a search asks the network, which learns such wins from the games themselves.
pub fn share_with_blunders(rules: &dyn Rules, records: &[GameRecord]) -> f64 {
    let total: usize = records.iter().map(|record| record.plies.len()).sum();
    let step = total.div_ceil(MAX_POSITIONS).max(1);
    let (mut number, mut looked_at, mut found) = (0_usize, 0_u32, 0_u32);
    for record in records {
        let mut position = rules.initial();
        for ply in &record.plies {
            if number.is_multiple_of(step) {
                looked_at += 1;
                found += u32::from(has_blunder(&*position));
            }
            number += 1;
            position.play(Action(ply.action));
        }
    }
    f64::from(found) / f64::from(looked_at.max(1))
}

/// Whether some action in a running game's `position` lets the opponent win with its next one.
fn has_blunder(position: &dyn Position) -> bool {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    actions.into_iter().any(|action| {
        let mut after = position.boxed();
        after.play(action);
        let is_opponents = after.outcome().is_none() && after.side_to_move() != position.side_to_move();
        is_opponents && matches!(after.immediate_win(), ImmediateWin::By(_))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_env::rng::rng_for;
    use selfplay_shipped::shipped_games;
    use selfplay_train::{EndReason, GameEnd, GameResult, PlyRecord};

    /// Random games of `rules`.
    fn random_games(rules: &dyn Rules) -> Vec<GameRecord> {
        let game = |game_number: u32| {
            let plies = rules.initial().play_random(400, &mut rng_for(&[u64::from(game_number)]));
            let plies = plies.into_iter().map(|action| PlyRecord { action: action.0, target: None });
            GameRecord {
                game_number,
                plies: plies.collect(),
                end: GameEnd { result: GameResult::Drawn, reason: EndReason::Cap },
                resignation: None,
                simulations: 0,
            }
        };
        (0..30).map(game).collect()
    }

    /// Those from 0.31 to 0.42 (Connect Four least), these to 0.17 (Sum15 on 4×4 most).
    #[test]
    fn games_of_lines_have_many_and_others_few() {
        for game in shipped_games() {
            let share = share_with_blunders(game, &random_games(game));
            let has_lines = !game.id().starts_with("sum15") && game.id() != "pylos";
            assert_eq!(share > 0.25, has_lines, "{}: {share}", game.id());
        }
    }

    #[test]
    fn no_games_have_no_blunders() {
        assert_eq!(share_with_blunders(shipped_games()[0], &[]), 0.0);
    }
}
