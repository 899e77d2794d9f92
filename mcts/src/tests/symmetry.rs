//! Evaluations through symmetries: priors come back on the right actions, also where several lead to one successor.

use selfplay_env::fixtures::{ConnectFour, InARow, Put, PutWithEitherHand, Stones, TicTacToe};
use selfplay_env::random_play::play_random;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Action, CompleteGame, Game, Symmetric, Symmetry};

use super::evaluators::{Counting, HashEvaluator};
use crate::{
    Batch, CachedEvaluator, Deadline, EvaluationCache, Evaluator, Leaf, Limits, Search, SearchConfig, SymmetryUse,
    run_until,
};

/// Eight symmetries, and two actions for each successor.
type TwoHanded = InARow<PutWithEitherHand, 6, 6, 5>;

/// Running positions of random games, the initial one first.
fn positions<G: Game>(count: u64) -> Batch<G> {
    let mut batch = Batch::new();
    batch.push(&G::initial());
    for game in 0..count {
        let after = |plies: usize| {
            let mut position = G::initial();
            play_random(&mut position, plies, &mut rng_for(&[game, 1]));
            position
        };
        let mut actions = rng_for(&[game, 0]).random_range(1..30);
        while after(actions).outcome().is_some() {
            actions /= 2;
        }
        batch.push(&after(actions));
    }
    batch
}

fn through<G: CompleteGame>(symmetry_use: SymmetryUse) -> Batch<G> {
    let mut batch = positions(60);
    without_cache(HashEvaluator, symmetry_use).evaluate(batch.leaves_mut());
    batch
}

fn without_cache<G: Symmetric, E: Evaluator<G>>(evaluator: E, symmetry_use: SymmetryUse) -> CachedEvaluator<G, E> {
    CachedEvaluator::new(evaluator, symmetry_use, EvaluationCache::new(0), 0)
}

/// What [`HashEvaluator`] says about the position of `leaf` seen through `symmetry`: the value, and the prior of each
/// action of `leaf`. Actions are matched by where they lead, not by how they are numbered.
fn expected<G: CompleteGame>(leaf: &Leaf<G>, symmetry: Symmetry) -> (f32, Vec<f32>) {
    let mut batch = Batch::new();
    let image = batch.push(&leaf.position.transform(symmetry));
    HashEvaluator.evaluate(std::slice::from_mut(image));
    let played = |position: &G, action: Action| {
        let mut next = position.clone();
        next.play(action);
        next
    };
    let successors: Vec<G> = image.actions.iter().map(|&action| played(&image.position, action)).collect();
    let prior_of = |&action: &Action| {
        let successor = played(&leaf.position, action).transform(symmetry);
        image.priors[successors.iter().position(|other| *other == successor).unwrap()]
    };
    (image.wdl.value(), leaf.actions.iter().map(prior_of).collect())
}

fn is_close(leaf: &Leaf<impl Game>, (value, priors): &(f32, Vec<f32>)) -> bool {
    let is_near = |a: f32, b: f32| (a - b).abs() < 1e-5;
    is_near(leaf.wdl.value(), *value) && leaf.priors.iter().zip(priors).all(|(&a, &b)| is_near(a, b))
}

fn check_drawn<G: CompleteGame>() {
    let mut seen = std::collections::HashSet::new();
    for leaf in through::<G>(SymmetryUse::Drawn { seed: 1 }).leaves() {
        assert_eq!(leaf.priors.len(), leaf.actions.len());
        let fitting = G::symmetries().iter().filter(|&&symmetry| is_close(leaf, &expected(leaf, symmetry)));
        let fitting: Vec<usize> = fitting.map(|symmetry| symmetry.index()).collect();
        assert!(
            !fitting.is_empty(),
            "{}: no symmetry explains the answer for\n{}",
            G::spec().id,
            leaf.position.board()
        );
        seen.extend(fitting);
    }
    assert_eq!(seen.len(), G::symmetries().len(), "{}: every symmetry is drawn for some position", G::spec().id);
}

#[test]
fn a_drawn_symmetry_gives_every_action_its_prior() {
    check_drawn::<TicTacToe>();
    check_drawn::<ConnectFour>();
    check_drawn::<InARow<Put, 4, 5, 4>>();
    check_drawn::<TwoHanded>();
    check_drawn::<Stones>();
}

fn check_average<G: CompleteGame>() {
    for leaf in through::<G>(SymmetryUse::Averaged).leaves() {
        let count = G::symmetries().len() as f32;
        let mut mean = (0.0, vec![0.0; leaf.actions.len()]);
        for &symmetry in G::symmetries() {
            let (value, priors) = expected(leaf, symmetry);
            mean.0 += value / count;
            mean.1.iter_mut().zip(priors).for_each(|(sum, prior)| *sum += prior / count);
        }
        assert!(is_close(leaf, &mean), "{}:\n{}", G::spec().id, leaf.position.board());
        assert!((leaf.priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!((leaf.wdl.win + leaf.wdl.draw + leaf.wdl.loss - 1.0).abs() < 1e-5);
    }
}

#[test]
fn the_average_is_over_all_symmetries() {
    check_average::<TicTacToe>();
    check_average::<ConnectFour>();
    check_average::<InARow<Put, 4, 5, 4>>();
    check_average::<TwoHanded>();
    check_average::<Stones>();
}

/// Images have the same answer, bit for bit: priors are compared by where their actions lead.
fn check_canonical<G: CompleteGame>(mebibytes: u32) {
    let mut counting = Counting::default();
    let mut asked = 0;
    for leaf in positions::<G>(60).leaves() {
        let mut evaluator =
            CachedEvaluator::new(&mut counting, SymmetryUse::Canonical, EvaluationCache::new(mebibytes), 0);
        let mut images = Batch::new();
        for &symmetry in G::symmetries() {
            evaluator.evaluate_unknown(std::slice::from_mut(images.push(&leaf.position.transform(symmetry))));
        }
        let (first, others) = images.leaves().split_first().unwrap();
        assert!((first.priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        for (image, &symmetry) in others.iter().zip(&G::symmetries()[1..]) {
            assert_eq!(image.wdl, first.wdl, "{}", G::spec().id);
            for (&action, prior) in first.actions.iter().zip(&first.priors) {
                let there = image.position.canonical_action(G::transform_action(action, symmetry));
                let place = image.actions.iter().position(|&action| action == there).unwrap();
                assert_eq!(
                    image.priors[place].to_bits(),
                    prior.to_bits(),
                    "{}:\n{}",
                    G::spec().id,
                    leaf.position.board()
                );
            }
        }
        asked += if mebibytes == 0 { G::symmetries().len() } else { 1 };
    }
    assert_eq!(counting.evaluations, asked, "{}: images that are remembered are not evaluated", G::spec().id);
}

#[test]
fn images_have_the_same_answer_and_one_of_them_is_evaluated() {
    for mebibytes in [0, 1] {
        check_canonical::<TicTacToe>(mebibytes);
        check_canonical::<ConnectFour>(mebibytes);
        check_canonical::<InARow<Put, 4, 5, 4>>(mebibytes);
        check_canonical::<TwoHanded>(mebibytes);
        check_canonical::<Stones>(mebibytes);
    }
}

#[test]
fn an_answer_depends_on_position_and_seed_alone() {
    let answers = |seed: u64| -> Vec<Vec<f32>> {
        through::<TwoHanded>(SymmetryUse::Drawn { seed }).leaves().iter().map(|leaf| leaf.priors.clone()).collect()
    };
    let together = answers(1);
    assert_ne!(together, answers(2));
    let mut evaluator = without_cache(HashEvaluator, SymmetryUse::Drawn { seed: 1 });
    let mut batch = positions::<TwoHanded>(60);
    for (leaf, expected) in batch.leaves_mut().iter_mut().zip(together).rev() {
        evaluator.evaluate(std::slice::from_mut(leaf));
        assert_eq!(leaf.priors, expected);
    }
}

#[test]
fn a_cache_of_drawn_evaluations_changes_no_search() {
    let drawn = SymmetryUse::Drawn { seed: 4 };
    let mut evaluator = without_cache(HashEvaluator, drawn);
    let mut plain = Search::<ConnectFour>::new(SearchConfig::default());
    let report = run_until(&mut plain, &mut evaluator, &mut Deadline::new(&Limits::simulations(200)), 1);
    let mut evaluator = CachedEvaluator::new(HashEvaluator, drawn, EvaluationCache::new(1), 0);
    let mut hits = 0;
    for _ in 0..2 {
        let (mut search, mut batch) = (Search::<ConnectFour>::new(SearchConfig::default()), Batch::new());
        while search.simulations() < 200 {
            batch.clear();
            let is_unknown = search.gather_unknown(&mut batch, |leaf| {
                let is_known = evaluator.look_up(leaf);
                hits += u32::from(is_known);
                is_known
            });
            if is_unknown {
                evaluator.evaluate(batch.leaves_mut());
                search.apply(batch.leaves());
            }
        }
        assert_eq!(search.report(), report);
    }
    assert!(hits >= 199);
}
