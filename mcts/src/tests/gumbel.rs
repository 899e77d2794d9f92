//! Gumbel search: the schedule on the tree, the choice, the improved policy, and how it stands with kept trees, proofs
//! and moves that do not explore.

use std::collections::HashMap;

use selfplay_env::fixtures::{Stones, TicTacToe};
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Game, Outcome, Side, Tactics, Wdl};

use super::arms::{Arms, Knowledge};
use super::consistency::check_tree;
use super::evaluators::{HashEvaluator, NeverAsked};
use super::minimax::{reachable, solve};
use crate::{
    Batch, BelowRoot, CachedEvaluator, EvaluationCache, Evaluator, Exploration, GumbelConfig, Leaf, Limits, RootSearch,
    Search, SearchConfig, SearchReport, SymmetryUse, TacticsDepth, UniformEvaluator, run,
};

fn gumbel(max_num_considered_actions: u32) -> SearchConfig {
    let gumbel = GumbelConfig { max_num_considered_actions, ..GumbelConfig::default() };
    SearchConfig { root: RootSearch::Gumbel(gumbel), ..SearchConfig::default() }
}

fn improved_below() -> SearchConfig {
    let gumbel = GumbelConfig { below_root: BelowRoot::ImprovedPolicy, ..GumbelConfig::default() };
    SearchConfig { root: RootSearch::Gumbel(gumbel), ..SearchConfig::default() }
}

/// One exploring move of `simulations`, `leaves` at once.
fn explore<G: Tactics, E: Evaluator<G>>(
    search: &mut Search<G>,
    evaluator: &mut E,
    simulations: u32,
    leaves: usize,
    seed: u64,
) -> SearchReport {
    search.start_move(Exploration::On { simulations, rng: &mut rng_for(&[seed]) });
    run(search, evaluator, &Limits::simulations(simulations), leaves)
}

/// Gumbel search of the choice among the arms of `knowledge`.
fn explore_arms(config: SearchConfig, knowledge: &Knowledge, simulations: u32, seed: u64) -> SearchReport {
    let mut search = Search::<Arms>::new(config);
    search.set_position(&Arms::choice(knowledge.values.len() as u16));
    explore(&mut search, &mut knowledge.clone(), simulations, 1, seed)
}

fn visits(report: &SearchReport) -> Vec<u32> {
    report.moves.iter().map(|m| m.visits).filter(|&visits| visits > 0).collect()
}

#[test]
fn visits_follow_sequential_halving() {
    let knowledge = Knowledge::random(40, 0.1, 1);
    // One simulation evaluates the root. 24 for 8 moves: 1 each, 2 more for 4, 4 more for 2.
    for seed in 0..20 {
        assert_eq!(visits(&explore_arms(gumbel(8), &knowledge, 25, seed)), [7, 7, 3, 3, 1, 1, 1, 1]);
        assert_eq!(visits(&explore_arms(gumbel(16), &knowledge, 9, seed)), [1; 8], "fewer simulations than moves");
        assert_eq!(visits(&explore_arms(gumbel(1), &knowledge, 9, seed)), [8]);
    }
    let few = Knowledge::random(2, 0.1, 1);
    assert_eq!(visits(&explore_arms(gumbel(16), &few, 11, 0)), [5, 5]);
}

#[test]
fn the_schedule_holds_with_several_leaves_in_flight() {
    let mut knowledge = Knowledge::random(40, 0.1, 2);
    for leaves in [2, 4, 8] {
        let mut search = Search::<Arms>::new(gumbel(8));
        search.set_position(&Arms::choice(40));
        let report = explore(&mut search, &mut knowledge, 25, leaves, 3);
        check_tree(&search);
        assert_eq!(report.simulations, 25);
        assert_eq!(visits(&report).len(), 8, "{leaves} leaves: {:?}", visits(&report));
    }
}

#[test]
fn moves_are_tried_without_replacement_in_proportion_to_their_priors() {
    // Nothing is learnt from values that are all alike, so the choice is a draw from the priors (the Gumbel-max trick),
    // and the moves tried are draws without replacement.
    let priors = [0.4_f32, 0.3, 0.2, 0.1];
    let knowledge = Knowledge { priors: priors.to_vec(), values: vec![0.0; 4], noise: 0.0 };
    let samples = 20_000;
    let (mut chosen, mut tried) = ([0_u32; 4], [0_u32; 4]);
    for seed in 0..samples {
        let report = explore_arms(gumbel(2), &knowledge, 3, seed);
        chosen[report.best().index()] += 1;
        for m in report.moves.iter().filter(|m| m.visits > 0) {
            assert_eq!(m.visits, 1);
            tried[m.action.index()] += 1;
        }
    }
    for arm in 0..4 {
        let share = |count: u32| f64::from(count) / samples as f64;
        let prior = f64::from(priors[arm]);
        assert!((share(chosen[arm]) - prior).abs() < 0.015, "chosen {chosen:?}");
        // First or second of two draws without replacement.
        let others = (0..4).filter(|&other| other != arm).map(|other| f64::from(priors[other]));
        let expected = prior + others.map(|other| other * prior / (1.0 - other)).sum::<f64>();
        assert!((share(tried[arm]) - expected).abs() < 0.015, "tried {tried:?}, expected {expected}");
    }
}

#[test]
fn the_choice_and_the_target_are_those_of_the_formulas() {
    let knowledge = Knowledge { priors: vec![0.5, 0.3, 0.2], values: vec![0.1, 0.4, -0.6], noise: 0.0 };
    let report = explore_arms(gumbel(2), &knowledge, 3, 1);
    let tried: Vec<usize> = report.moves.iter().filter(|m| m.visits > 0).map(|m| m.action.index()).collect();
    let &[a, b] = &tried[..] else { panic!("{tried:?}") };
    // σ(q) = (50 + 1) · 1 · (q + 1) / 2, and the third move is worth (v + 2 · mean) / 3.
    let weight = |arm: usize| knowledge.priors[arm];
    let value = |arm: usize| knowledge.values[arm];
    let mean = (weight(a) * value(a) + weight(b) * value(b)) / (weight(a) + weight(b));
    let mixed = (0.05 + 0.12 - 0.12 + 2.0 * mean) / 3.0;
    let completed = |arm: usize| if tried.contains(&arm) { value(arm) } else { mixed };
    let unnormalised: Vec<f32> = (0..3).map(|arm| weight(arm) * (51.0 * (completed(arm) + 1.0) / 2.0).exp()).collect();
    let sum: f32 = unnormalised.iter().sum();
    let mut surprise = 0.0;
    for (action, share) in report.policy_target() {
        let expected = unnormalised[action.index()] / sum;
        assert!((share - expected).abs() < 1e-4, "{share} {expected}");
        surprise += f64::from(share) * (f64::from(share) / f64::from(weight(action.index()))).ln();
    }
    assert!((report.policy_surprise() - surprise).abs() < 1e-9);
    assert_eq!(report.choice, Some(report.best()));
    assert_eq!(report.principal_variation[0], report.best());
    assert_eq!(report.sample(1.0, &mut rng_for(&[1])), report.best());
}

/// What the choice is worth, in exact values, by the priors and by the policy target of a search.
fn values_before_and_after(config: SearchConfig, simulations: u32, seed: u64) -> [f32; 2] {
    let knowledge = Knowledge::random(12, 0.0, seed);
    let report = explore_arms(config, &knowledge, simulations, seed);
    let target: HashMap<usize, f32> = report.policy_target().iter().map(|&(a, p)| (a.index(), p)).collect();
    [
        knowledge.value_of(|arm| knowledge.priors[arm]),
        knowledge.value_of(|arm| target.get(&arm).copied().unwrap_or(0.0)),
    ]
}

#[test]
fn the_improved_policy_improves() {
    for seed in 0..200 {
        for (simulations, config) in [(13, gumbel(16)), (20, gumbel(16)), (100, gumbel(12)), (60, improved_below())] {
            // Every move is visited and known exactly.
            let [before, after] = values_before_and_after(config, simulations, seed);
            assert!(after > before, "seed {seed}, {simulations} simulations: {before} to {after}");
        }
    }
    // With some moves unvisited, whose value is estimated, it holds nearly always and in the mean.
    for (simulations, considered) in [(3, 16), (4, 16), (6, 4), (30, 8)] {
        let (mut gain, mut losses) = (0.0, 0);
        for seed in 0..500 {
            let [before, after] = values_before_and_after(gumbel(considered), simulations, seed);
            gain += (after - before) / 500.0;
            losses += u32::from(after < before - 1e-4);
        }
        assert!(gain > 0.1 && losses <= 25, "{simulations} simulations: gain {gain}, {losses} of 500 worse");
    }
}

#[test]
fn few_simulations_find_a_better_arm_than_puct() {
    // What the moves played are worth in the mean, and how often the best was found.
    let played = |config: &SearchConfig| {
        let (mut value, mut found) = (0.0, 0);
        for seed in 0..400 {
            let knowledge = Knowledge::random(16, 0.3, seed);
            let best = explore_arms(config.clone(), &knowledge, 33, seed).best().index();
            value += knowledge.values[best] / 400.0;
            found += u32::from(best == knowledge.best());
        }
        (value, found)
    };
    let (puct, gumbel, below) = (played(&SearchConfig::default()), played(&gumbel(16)), played(&improved_below()));
    assert!(gumbel.0 > puct.0 && gumbel.1 > puct.1, "PUCT {puct:?}, Gumbel {gumbel:?}");
    assert!(below.0 > puct.0 && below.1 > puct.1, "PUCT {puct:?}, improved policy below the root {below:?}");
}

#[test]
fn below_the_root_visits_follow_the_improved_policy() {
    // One move considered: all simulations go through the arm, whose two moves have equal priors and values.
    let RootSearch::Gumbel(below) = improved_below().root else { unreachable!() };
    let config = SearchConfig {
        root: RootSearch::Gumbel(GumbelConfig { max_num_considered_actions: 1, ..below }),
        ..SearchConfig::default()
    };
    let mut knowledge = Knowledge { priors: vec![1.0, 0.0], values: vec![0.3, 0.3], noise: 0.0 };
    let mut search = Search::<Arms>::new(config);
    search.set_position(&Arms::choice(2));
    let report = explore(&mut search, &mut knowledge, 102, 1, 1);
    check_tree(&search);
    search.advance(report.best());
    assert_eq!(visits(&search.report()), [50, 50], "101 visits of the arm, one of them its own evaluation");
}

#[test]
fn a_kept_tree_serves_full_and_quick_searches_in_turn() {
    let knowledge = &mut Knowledge::random(24, 0.2, 5);
    let mut search = Search::<Arms>::new(gumbel(8));
    search.set_position(&Arms::choice(24));
    search.start_move(Exploration::Off);
    let quick = run(&mut search, knowledge, &Limits::simulations(50), 1);
    assert_eq!((quick.choice, quick.simulations), (None, 50));
    // A full search on the same root: its own 24 visits follow the schedule, on top of those there are.
    let full = explore(&mut search, knowledge, 24, 1, 7);
    check_tree(&search);
    let before = |action: Action| quick.moves.iter().find(|m| m.action == action).unwrap().visits;
    let mut fresh: Vec<u32> = full.moves.iter().map(|m| m.visits - before(m.action)).collect();
    fresh.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(fresh[..9], [7, 7, 3, 3, 1, 1, 1, 1, 0]);
    let chosen = full.moves.iter().find(|m| m.action == full.best()).unwrap();
    assert_eq!(chosen.visits - before(chosen.action), 7, "the choice is among the most visited in this move");
    // And on to the next move, with and without exploration.
    search.advance(full.best());
    assert_eq!(search.report().choice, None);
    explore(&mut search, knowledge, 20, 1, 8);
    check_tree(&search);
    search.start_move(Exploration::Off);
    run(&mut search, knowledge, &Limits::simulations(20), 3);
    check_tree(&search);
}

#[test]
fn a_gumbel_search_is_a_function_of_its_generator_and_the_cache_changes_nothing() {
    let searched = |seed: u64, mebibytes: u32| {
        let mut search = Search::<TicTacToe>::new(improved_below());
        let mut evaluator =
            CachedEvaluator::new(HashEvaluator, SymmetryUse::Canonical, EvaluationCache::new(mebibytes), 0);
        let mut batch = Batch::new();
        let mut reports = Vec::new();
        let mut rng = rng_for(&[seed]);
        while search.position().outcome().is_none() {
            search.start_move(Exploration::On { simulations: 30, rng: &mut rng });
            while search.simulations() < 30 && !search.is_decided() {
                batch.clear();
                if search.gather_unknown(&mut batch, |leaf| evaluator.look_up(leaf)) {
                    evaluator.evaluate(batch.leaves_mut());
                    search.apply(batch.leaves());
                }
            }
            reports.push(search.report());
            search.advance(search.report().best());
        }
        reports
    };
    assert_eq!(searched(1, 1), searched(1, 0));
    assert_ne!(searched(1, 0), searched(2, 0));
}

#[test]
fn proofs_decide_before_values() {
    let mut known = HashMap::new();
    for (seed, position) in (0..).zip(reachable(&Stones::pile(14))) {
        for config in [gumbel(2), gumbel(16), improved_below()] {
            let mut search = Search::<Stones>::new(config);
            search.set_position(&position);
            let report = explore(&mut search, &mut HashEvaluator, 3000, 1, seed);
            let winner = solve(&position, &mut known);
            assert!(report.proven.is_none_or(|proven| proven == winner));
            let mut after = position.clone();
            after.play(report.best());
            if report.proven == Some(Outcome::Win(position.side_to_move())) {
                assert_eq!(solve(&after, &mut known), winner, "a proven win is taken");
                assert_eq!(search.proven(), report.proven);
                assert!(search.is_decided());
            }
            let lost = |action: Action| report.moves.iter().any(|m| m.action == action && m.proven == Some(-1));
            if report.moves.iter().any(|m| m.proven != Some(-1)) {
                assert!(!lost(report.best()) && report.policy_target().iter().all(|&(action, _)| !lost(action)));
            }
        }
    }
}

#[test]
fn moves_proven_to_lose_are_never_considered() {
    // A single move is no loss at once; quick searches have proven the others lost, whatever the Gumbel variables say.
    let mut position = TicTacToe::initial();
    [0, 1, 3].into_iter().for_each(|action| position.play(Action(action)));
    let mut search = Search::<TicTacToe>::new(SearchConfig { tactics: TacticsDepth::Off, ..gumbel(4) });
    search.set_position(&position);
    let before = run(&mut search, &mut HashEvaluator, &Limits::simulations(60), 1);
    let is_lost = |action| before.moves.iter().any(|m| m.action == action && m.proven == Some(-1));
    assert_eq!(before.moves.iter().filter(|m| m.proven == Some(-1)).count(), 5);
    for seed in 0..50 {
        let mut search = search.clone();
        let report = explore(&mut search, &mut HashEvaluator, 10, 1, seed);
        for m in &report.moves {
            let old = before.moves.iter().find(|old| old.action == m.action).unwrap();
            assert!(!is_lost(m.action) || m.visits == old.visits, "{m:?}");
        }
        assert_eq!(report.best(), Action(6));
        assert_eq!(report.policy_target(), [(Action(6), 1.0)]);
    }
}

#[test]
fn a_proven_root_is_reported_without_a_simulation() {
    let mut search = Search::<Stones>::new(SearchConfig { tactics: TacticsDepth::Off, ..gumbel(16) });
    search.set_position(&Stones::pile(4));
    let first = run(&mut search, &mut HashEvaluator, &Limits::simulations(1000), 1);
    assert!(first.proven.is_some() && search.proven() == first.proven);
    let again = explore(&mut search, &mut NeverAsked, 50, 1, 1);
    assert_eq!((again.simulations, again.proven), (0, first.proven));
    assert!(first.policy_target().iter().any(|&(action, _)| action == again.best()));
    // A single move that ends the game needs no simulation besides the root's own.
    search.set_position(&Stones::pile(1));
    let forced = explore(&mut search, &mut HashEvaluator, 50, 1, 1);
    let won = Some(Outcome::Win(Side::First));
    assert_eq!((forced.simulations, search.is_decided(), search.proven()), (1, true, won));
}

/// Knows every result under perfect play and prefers no move.
struct Perfect(HashMap<u64, Outcome>);

impl Evaluator<Stones> for Perfect {
    fn evaluate(&mut self, leaves: &mut [Leaf<Stones>]) {
        UniformEvaluator.evaluate(leaves);
        for leaf in leaves {
            leaf.wdl = Wdl::certain(solve(&leaf.position, &mut self.0), leaf.position.side_to_move());
        }
    }
}

#[test]
fn values_keep_their_signs_where_one_side_decides_twice() {
    // A turn is two plies of one side: were a sign to follow the ply, the worse move would be chosen.
    let mut evaluator = Perfect(HashMap::new());
    for (seed, position) in (0..).zip(reachable(&Stones::pile(14))) {
        for config in [gumbel(2), improved_below()] {
            let mut search = Search::<Stones>::new(SearchConfig { mcts_solver: false, ..config });
            search.set_position(&position);
            let report = explore(&mut search, &mut evaluator, 5, 1, seed);
            let mut after = position.clone();
            after.play(report.best());
            let result = solve(&position, &mut evaluator.0);
            assert_eq!(solve(&after, &mut evaluator.0), result, "{position:?} {report:?}");
        }
    }
}
