//! Exhaustive minimax, and the positions to compare it on.

use std::collections::{HashMap, VecDeque};

use selfplay_env::{Action, Game, Outcome};

/// The result under perfect play; `known` remembers results by position hash.
pub fn solve<G: Game>(position: &G, known: &mut HashMap<u64, Outcome>) -> Outcome {
    if let Some(outcome) = position.outcome() {
        return outcome;
    }
    if let Some(&outcome) = known.get(&position.position_hash()) {
        return outcome;
    }
    let side = position.side_to_move();
    let results = successors(position).into_iter().map(|(_, child)| solve(&child, known));
    let best = results.max_by_key(|outcome| outcome.value_for(side)).expect("a running game has moves");
    known.insert(position.position_hash(), best);
    best
}

/// Every distinct action with where it leads.
pub fn successors<G: Game>(position: &G) -> Vec<(Action, G)> {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    let play = |action: Action| {
        let mut child = position.clone();
        child.play(action);
        (action, child)
    };
    actions.into_iter().map(play).collect()
}

/// Every running position that can be reached from `start`, by number of plies.
pub fn reachable<G: Game>(start: &G) -> Vec<G> {
    let mut seen = HashMap::from([(start.position_hash(), ())]);
    let mut found = Vec::new();
    let mut queue = VecDeque::from([start.clone()]);
    while let Some(position) = queue.pop_front() {
        for (_, child) in successors(&position) {
            if child.outcome().is_none() && seen.insert(child.position_hash(), ()).is_none() {
                queue.push_back(child);
            }
        }
        found.push(position);
    }
    found
}
