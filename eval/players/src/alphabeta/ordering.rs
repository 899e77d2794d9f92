//! In which order a search tries the moves of a position: what refuted before, then what the game recommends.

use std::cmp::Reverse;

use selfplay_env::tactics::REMOTE_HINT;
use selfplay_env::{Action, Game, Side, Tactics};

use crate::score::outcome_score;

/// History scores stay strictly within this, above and below.
const MAX_HISTORY: i32 = 1 << 14;
/// A quiet move that refuted a neighbouring position comes before all other quiet moves.
const KILLER: i32 = 2 * MAX_HISTORY;
/// One point of a game's hint outweighs killers and history.
const HINT: i32 = 4 * MAX_HISTORY;
/// Listing and rating so many moves without trying them takes about as long as a position.
const MOVES_LISTED_PER_WORK: u32 = 8;
/// So many moves are picked one by one, the best of the rest each time; few positions need more.
const PICKED_SINGLY: usize = 6;

/// A move that is still to be tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub action: Action,
    /// Whether the game does not recommend it.
    pub is_quiet: bool,
    /// Whether it looks bad to the game.
    pub is_poor: bool,
    /// Whether the game finds it pointless.
    pub is_remote: bool,
    key: i32,
}

/// The moves of one position; kept for each ply, so that a search allocates nothing once it has been that deep.
#[derive(Clone, Default, Debug)]
pub(super) struct MoveList {
    actions: Vec<Action>,
    hints: Vec<i32>,
    candidates: Vec<Candidate>,
}

impl MoveList {
    /// Number of moves.
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    /// The move to try as number `index`, if those before have been asked for in their order.
    #[inline]
    pub fn pick(&mut self, index: usize) -> Candidate {
        let rest = &mut self.candidates[index..];
        if index < PICKED_SINGLY {
            let mut best = 0;
            for other in 1..rest.len() {
                if rest[other].key > rest[best].key {
                    best = other;
                }
            }
            rest.swap(0, best);
        } else if index == PICKED_SINGLY {
            rest.sort_unstable_by_key(|candidate| (Reverse(candidate.key), candidate.action));
        }
        rest[0]
    }

    /// All moves in their order.
    pub fn into_sorted(mut self) -> Vec<Candidate> {
        self.candidates.sort_by_key(|candidate| Reverse(candidate.key));
        self.candidates
    }
}

/// What one thread has learned about moves during its search.
#[derive(Clone, Debug)]
pub(super) struct MoveOrder {
    /// By side and action: how often it refuted more than it failed, the deeper the more.
    history: Vec<i32>,
    /// Two quiet moves by ply that refuted there, the latest first.
    killers: Vec<[Option<Action>; 2]>,
    action_count: usize,
}

impl MoveOrder {
    /// Knows nothing of a game with this many actions.
    pub fn new(action_count: usize) -> Self {
        MoveOrder { history: vec![0; 2 * action_count], killers: Vec::new(), action_count }
    }

    /// Fills `list` with the distinct moves of `position`, which is `ply` plies below the root, and rates them:
    /// `first` before all, then by the game's hints, then killers, then by history. Where the game's hints do not tell
    /// them apart and the tree below is `depth` ≥ 2 deep, each is tried and the heuristic asked. Returns the work done,
    /// where 1 is that of a position.
    #[inline]
    pub fn list<G: Tactics>(
        &mut self,
        position: &G,
        list: &mut MoveList,
        first: Option<Action>,
        ply: u32,
        depth: u32,
    ) -> u32 {
        position.distinct_actions(&mut list.actions);
        position.hints(&list.actions, &mut list.hints);
        let side = position.side_to_move();
        let is_told = list.hints.iter().any(|&hint| hint != list.hints[0]);
        let history = &self.history[side.index() * self.action_count..][..self.action_count];
        let killers = self.killers.get(ply as usize).copied().unwrap_or_default();
        list.candidates.clear();
        list.candidates.extend(list.actions.iter().zip(&list.hints).map(|(&action, &hint)| {
            let mut key = hint.saturating_mul(HINT).saturating_add(history[action.index()]);
            if killers.contains(&Some(action)) {
                key = key.saturating_add(KILLER);
            }
            Candidate { action, is_quiet: hint <= 0, is_poor: hint < 0, is_remote: hint <= REMOTE_HINT, key }
        }));
        let must_look = !is_told && depth >= 2;
        if must_look {
            for candidate in &mut list.candidates {
                candidate.key = look(position, candidate.action, side).saturating_mul(HINT);
            }
        }
        if let Some(first) = first
            && let Some(candidate) = list.candidates.iter_mut().find(|candidate| candidate.action == first)
        {
            candidate.key = i32::MAX;
        }
        let moves = list.candidates.len() as u32;
        if must_look { moves } else { moves / MOVES_LISTED_PER_WORK }
    }

    /// The quiet `action` refuted a position of `side`, after those in `failed` had not.
    pub fn reward(&mut self, side: Side, action: Action, failed: &MoveList, failures: usize, ply: u32, depth: u32) {
        let ply = ply as usize;
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None; 2]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(action) {
            *killers = [Some(action), killers[0]];
        }
        let depth = depth.min(30) as i32;
        let bonus = (16 * depth * depth).min(MAX_HISTORY / 4);
        let history = &mut self.history[side.index() * self.action_count..][..self.action_count];
        let mut change = |action: Action, change: i32| {
            let score = &mut history[action.index()];
            *score += change - *score * change.abs() / MAX_HISTORY;
        };
        change(action, bonus);
        for candidate in failed.candidates[..failures].iter().filter(|candidate| candidate.is_quiet) {
            change(candidate.action, -bonus);
        }
    }
}

/// What `action` comes to at once, for `side`, who makes it.
fn look<G: Tactics>(position: &G, action: Action, side: Side) -> i32 {
    let child = successor(position, action);
    match child.outcome() {
        Some(outcome) => outcome_score(outcome, side, 1),
        None if child.side_to_move() == side => child.heuristic(),
        None => -child.heuristic(),
    }
}

/// The position after `action`.
#[inline]
pub(super) fn successor<G: Game>(position: &G, action: Action) -> G {
    let mut child = position.clone();
    child.play(action);
    child
}
