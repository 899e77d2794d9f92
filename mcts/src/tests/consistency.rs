//! Laws of every tree: visits add up, priors sum to 1, signs follow the side, memory follows the visits.

use selfplay_env::fixtures::{Stones, TicTacToe};
use selfplay_env::{Game, Tactics};

use super::evaluators::{FirstActionOnly, FirstWins, HashEvaluator};
use crate::select::terms_of;
use crate::tree::{Node, ROOT, Terms};
use crate::{Evaluator, Fpu, Limits, Search, SearchConfig, run};

/// Checks every node of the tree and returns how many there are.
pub fn check_tree<G: Tactics>(search: &Search<G>) -> usize {
    let tree = search.tree();
    let mut waiting = vec![(ROOT, search.position().clone())];
    let mut count = 0;
    while let Some((node, position)) = waiting.pop() {
        count += 1;
        let here = tree.node(node);
        assert_eq!(here.side, position.side_to_move());
        assert_eq!(here.in_flight, 0, "leaves in flight are counted off");
        if position.outcome().is_some() {
            assert_eq!(here.proven, position.outcome());
        }
        let (actions, priors, children) = (tree.actions(node), tree.priors(node), tree.children(node));
        if !here.is_expanded() {
            assert!(children.is_empty());
            continue;
        }
        let child_visits: u32 = children.iter().map(|child| child.visits).sum();
        if here.proven.is_none() {
            assert_eq!(here.visits, 1 + child_visits, "visits of the node = 1 + visits of its children");
        } else {
            assert!(here.visits > child_visits, "a proven node is visited without visiting its children");
        }
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5, "priors sum to 1");
        let visited_prior: f32 =
            children.iter().zip(priors).filter(|(child, _)| child.visits > 0).map(|(_, p)| p).sum();
        assert!((here.visited_prior - visited_prior).abs() < 1e-5);
        let mut listed = Vec::new();
        search.config().list_actions(&position, &mut listed);
        let mut sorted = actions.to_vec();
        sorted.sort_unstable();
        listed.sort_unstable();
        assert_eq!(sorted, listed, "edges are the moves to look at");
        for (ordinal, below) in children.iter().enumerate() {
            let terms = terms_of(search.config(), below, here.side, priors[ordinal]);
            assert_eq!(tree.child_terms(node)[ordinal], terms, "selection knows the node as it is");
            let mut child = position.clone();
            child.play(actions[ordinal]);
            waiting.push((tree.child_index(node, ordinal), child));
        }
    }
    count
}

fn searched<G: Tactics, E: Evaluator<G>>(evaluator: &mut E, simulations: u32, leaves: usize) -> Search<G> {
    let mut search = Search::new(SearchConfig::default());
    let report = run(&mut search, evaluator, &Limits::simulations(simulations), leaves);
    assert_eq!(report.simulations, search.simulations());
    assert!(report.simulations == simulations || report.proven.is_some());
    search
}

#[test]
fn visits_add_up_however_many_leaves_are_in_flight() {
    for leaves in [1, 2, 3, 8, 64] {
        for simulations in [1, 2, 10, 300] {
            let tictactoe = searched::<TicTacToe, _>(&mut HashEvaluator, simulations, leaves);
            check_tree(&tictactoe);
            assert_eq!(tictactoe.tree().node(ROOT).visits, simulations);
            check_tree(&searched::<Stones, _>(&mut HashEvaluator, simulations, leaves));
        }
    }
}

#[test]
fn several_leaves_in_flight_are_different_and_answers_may_be_withheld() {
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    let mut batch = crate::Batch::new();
    assert_eq!(search.gather(8, &mut batch), 1, "before the root is known there is nothing else to ask");
    HashEvaluator.evaluate(batch.leaves_mut());
    search.apply(batch.leaves());
    batch.clear();
    assert_eq!(search.gather(5, &mut batch), 5);
    let hashes: std::collections::HashSet<u64> = batch.leaves().iter().map(|l| l.position.position_hash()).collect();
    assert_eq!(hashes.len(), 5);
    // Unanswered: the next gather gives these up and asks again.
    let mut again = crate::Batch::new();
    assert_eq!(search.gather(3, &mut again), 3);
    HashEvaluator.evaluate(again.leaves_mut());
    search.apply(again.leaves());
    assert_eq!(search.simulations(), 4);
    run(&mut search, &mut HashEvaluator, &Limits::simulations(50), 1);
    check_tree(&search);
}

#[test]
fn signs_follow_the_side_and_never_the_ply() {
    // Small enough a search that no game ends: every value in the tree is the evaluator's certainty.
    let mut search = Search::<Stones>::new(SearchConfig { mcts_solver: false, ..SearchConfig::default() });
    search.set_position(&Stones::pile(60));
    run(&mut search, &mut FirstWins, &Limits::simulations(200), 1);
    let mut waiting = vec![ROOT];
    while let Some(node) = waiting.pop() {
        let here = search.tree().node(node);
        assert_eq!(here.value_for(selfplay_env::Side::First), Some(1.0));
        assert_eq!(here.value_for(selfplay_env::Side::Second), Some(-1.0));
        waiting.extend((0..search.tree().children(node).len()).map(|child| search.tree().child_index(node, child)));
    }
    // The same side decides at the root, below it, and the opponent twice after that.
    for (depth, expected) in [1.0, 1.0, -1.0, -1.0, 1.0].into_iter().enumerate() {
        let report = search.report();
        assert!(report.moves.iter().all(|m| m.q == expected), "depth {depth}");
        assert_eq!(report.wdl.value(), expected);
        search.advance(report.best());
        run(&mut search, &mut FirstWins, &Limits::simulations(50), 1);
    }
}

#[test]
fn memory_follows_the_visits() {
    assert!(size_of::<Node>() + size_of::<Terms>() <= 56, "bytes for each visit; each of its moves takes 6");
    let simulations = 3000;
    let mut search = Search::<Stones>::new(SearchConfig { mcts_solver: false, ..SearchConfig::default() });
    search.set_position(&Stones::pile(1000));
    run(&mut search, &mut HashEvaluator, &Limits::simulations(simulations), 1);
    let nodes = check_tree(&search);
    assert_eq!(nodes, simulations as usize, "one node for each simulation");
    assert!(search.tree().node_slots() <= 2 * nodes, "blocks of 1 and 2 waste at most one slot for each child");
    assert_eq!(search.tree().edge_slots(), 2 * simulations as usize);

    let mut wide = Search::<TicTacToe>::new(SearchConfig { mcts_solver: false, ..SearchConfig::default() });
    run(&mut wide, &mut HashEvaluator, &Limits::simulations(simulations), 1);
    let nodes = check_tree(&wide);
    assert!(wide.tree().node_slots() <= 4 * nodes, "{} slots for {nodes} nodes", wide.tree().node_slots());
    wide.advance(wide.report().best());
    assert_eq!(wide.tree().node_slots(), check_tree(&wide), "compaction leaves no waste");
}

#[test]
fn a_deep_tree_needs_no_stack() {
    let config = SearchConfig { fpu: Fpu::Absolute(-1.0), ..SearchConfig::default() };
    let deep = move || {
        let mut search = Search::<Stones>::new(config);
        search.set_position(&Stones::pile(10_000));
        let report = run(&mut search, &mut FirstActionOnly, &Limits::simulations(2000), 1);
        assert_eq!(report.principal_variation.len(), 1999);
        search.advance(report.best());
        assert_eq!(search.report().principal_variation.len(), 1998);
        search.tree().node_slots()
    };
    let thread = std::thread::Builder::new().stack_size(32 * 1024).spawn(deep).unwrap();
    assert_eq!(thread.join().unwrap(), 1999);
}
