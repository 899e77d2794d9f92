//! Self-play of a game whose turns have several actions and which repetition can end.

use selfplay_mcts::{Evaluator, Leaf, TemperatureSchedule};
use selfplay_pylos::Pylos;
use selfplay_registry::rng::derive_seed;
use selfplay_registry::{Action, Game, rules};
use selfplay_train::{GameActor, Generation, SelfPlayConfig, play_generation, summarise};

/// Always wants the same decision in the same position, so that games which do not end soon go in circles.
#[derive(Clone)]
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

/// Turns of several decisions and draws by repetition both occur, and records of them are sound.
#[test]
fn pylos_removals_and_repetitions_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    // Two simulations: the root and its favourite.
    let mut config = SelfPlayConfig {
        games_per_generation: 1,
        lanes: 4,
        games_per_lane_in_flight: 3,
        simulations: 2,
        max_decisions: 5000,
        ..SelfPlayConfig::default()
    };
    config.temperature = TemperatureSchedule::constant(0.0);
    config.search.dirichlet_fraction = 0.0;
    let mut records = Vec::new();
    for generation in 0..400 {
        let shard = folder.path().join(generation.to_string());
        let which = Generation { shard: &shard, run_seed: 3, generation, earlier: &[], threads: 1 };
        let stubborn = Stubborn { seed: generation.into() };
        let actor = |_| Box::new(GameActor::new(stubborn.clone(), &config, which.run_seed, which.generation)) as _;
        records.extend(play_generation(rules::<Pylos>(), which, &config, &actor, &|_| {}).unwrap().records);
    }
    assert!(records.iter().all(|record| record.agrees_with(rules::<Pylos>())));
    let summary = summarise(rules::<Pylos>(), &records);
    assert!(summary.draws > 0 && summary.truncated == 0, "no repetition in {summary:?}");
    let removals = records.iter().flat_map(|r| &r.decisions).filter(|d| d.action >= 247).count();
    assert!(removals > 0, "no removal in {summary:?}");
}
