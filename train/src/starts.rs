//! Where games of self-play begin: at the initial position, after random actions, or in an earlier game.

use selfplay_env::random_play::play_random;
use selfplay_env::rng::{GameRng, RngExt};
use selfplay_env::{Action, Game};

use crate::record::GameRecord;
use crate::selfplay_config::StartConfig;

/// The actions with which a game begins, drawn by `rng`; fewer than `max_plies`, and none of them ends the game.
///
/// `earlier` are the games of the generation before, which restarts choose from; without any a restart begins at the
/// initial position. A config that asks for neither draws nothing.
pub fn draw_start<G: Game>(
    config: &StartConfig,
    earlier: &[&GameRecord],
    max_plies: u32,
    rng: &mut GameRng,
) -> Vec<Action> {
    if config.random_opening_prob + config.go_exploit_prob <= 0.0 {
        return Vec::new();
    }
    let lot: f64 = rng.random();
    let mut start = if lot < config.random_opening_prob {
        random_start::<G>(rng.random_range(1..=config.random_opening_plies), rng)
    } else if lot < config.random_opening_prob + config.go_exploit_prob && !earlier.is_empty() {
        let game = earlier[rng.random_range(0..earlier.len())];
        // The position before one of the game's actions: the game is not over there.
        let kept = rng.random_range(0..game.plies.len().max(1));
        game.plies[..kept].iter().map(|ply| Action(ply.action)).collect()
    } else {
        Vec::new()
    };
    start.truncate(max_plies.saturating_sub(1) as usize);
    start
}

/// At most `plies` random actions from the initial position, up to the last before the game is over.
fn random_start<G: Game>(plies: u32, rng: &mut GameRng) -> Vec<Action> {
    let mut position = G::initial();
    let mut start = play_random(&mut position, plies as usize, rng);
    if position.outcome().is_some() {
        start.pop();
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::PlyRecord;
    use selfplay_env::fixtures::TicTacToe;
    use selfplay_env::rng::rng_for;

    #[test]
    fn random_starts_are_running_games_of_every_length() {
        let config = StartConfig { random_opening_prob: 1.0, random_opening_plies: 9, go_exploit_prob: 0.0 };
        let mut lengths = [0; 10];
        for seed in 0..300 {
            let start = draw_start::<TicTacToe>(&config, &[], 8, &mut rng_for(&[seed]));
            assert!(TicTacToe::after(&start).outcome().is_none());
            lengths[start.len()] += 1;
        }
        assert!(lengths[1..=7].iter().all(|&n| n > 0) && lengths[0] == 0 && lengths[8..] == [0, 0], "{lengths:?}");
    }

    #[test]
    fn restarts_are_prefixes_of_earlier_games() {
        let config = StartConfig { random_opening_prob: 0.0, random_opening_plies: 1, go_exploit_prob: 0.5 };
        let mut game = GameRecord::new(0);
        game.plies = [0, 4, 1, 2].map(|action| PlyRecord { action, target: None }).to_vec();
        let mut lengths = [0; 4];
        for seed in 0..200 {
            let start = draw_start::<TicTacToe>(&config, &[&game], 500, &mut rng_for(&[seed]));
            assert!(start.iter().zip(&game.plies).all(|(a, b)| a.0 == b.action));
            lengths[start.len()] += 1;
        }
        assert!(lengths[0] > 90 && lengths[1..].iter().all(|&n| n > 10), "{lengths:?}");
        assert!(draw_start::<TicTacToe>(&config, &[], 500, &mut rng_for(&[1])).is_empty());
    }
}
