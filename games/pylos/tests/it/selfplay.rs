//! Self-play of a game whose turns have several actions and which repetition can end.

use selfplay_mcts::{EvaluationCache, Evaluator, Leaf, TemperatureSchedule};
use selfplay_pylos::Pylos;
use selfplay_registry::rng::derive_seed;
use selfplay_registry::{Action, Game, rules};
use selfplay_train::{Actors, Batching, GameContext, GameRange, SelfPlayConfig, play_games, summarise};

/// Always wants the same action in the same position, so that games which do not end soon go in circles.
struct Stubborn {
    seed: u64,
}

impl Evaluator<Pylos> for Stubborn {
    fn evaluate(&mut self, leaves: &mut [Leaf<Pylos>]) {
        for leaf in leaves {
            let wish = |action: &Action| derive_seed(&[self.seed, leaf.position.position_hash(), u64::from(action.0)]);
            let favourite = leaf.actions.iter().max_by_key(|action| wish(action)).copied();
            let others = 0.1 / leaf.actions.len() as f32;
            leaf.priors.clear();
            leaf.priors.extend(leaf.actions.iter().map(|&a| others + if Some(a) == favourite { 0.9 } else { 0.0 }));
        }
    }
}

/// Turns of several actions and draws by repetition both occur, and records of them are sound.
#[test]
fn pylos_removals_and_repetitions_are_recorded() {
    // Two simulations: the root and its favourite.
    let mut config = SelfPlayConfig {
        games_per_generation: 1,
        concurrent_games: 3,
        num_simulations: 2,
        max_plies: 5000,
        ..SelfPlayConfig::default()
    };
    config.temperature = TemperatureSchedule::constant(0.0);
    config.search.root_exploration_fraction = 0.0;
    let mut records = Vec::new();
    for generation in 0..400 {
        let context = GameContext { config: &config, run_seed: 3, generation, earlier: &[] };
        let actors = Actors { threads: 1, batching: Batching::PerThread, cache: &EvaluationCache::new(0) };
        let queue = GameRange::new(0..1);
        play_games::<Pylos, _>(&|| Stubborn { seed: generation.into() }, 0, context, actors, &queue);
        records.extend(queue.into_records());
    }
    assert!(records.iter().all(|record| record.agrees_with(rules::<Pylos>())));
    let summary = summarise(rules::<Pylos>(), &records);
    assert!(summary.draws > 0 && summary.truncated == 0, "no repetition in {summary:?}");
    let removals = records.iter().flat_map(|r| &r.plies).filter(|d| d.action >= 247).count();
    assert!(removals > 0, "no removal in {summary:?}");
}
