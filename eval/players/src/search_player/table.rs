//! One game that a search player plays: its tree follows the game.

use selfplay_env::{Action, Symmetric, Tactics};
use selfplay_mcts::{Batch, CachedEvaluator, Evaluator, Exploration, Search, SearchConfig};

use crate::player::MoveRequest;

/// One game in flight.
pub(super) struct GameTree<G> {
    pub search: Search<G>,
    /// The moves that led to the position searched; `None` before the first move of a game.
    history: Option<Vec<Action>>,
}

impl<G: Tactics + Symmetric> GameTree<G> {
    pub fn new(config: &SearchConfig) -> Self {
        GameTree { search: Search::new(config.clone()), history: None }
    }

    /// Begins a game: nothing of the last one is used.
    pub fn clear(&mut self) {
        self.history = None;
    }

    /// Begins the search at the position of `request` with an empty tree.
    pub fn set_position(&mut self, request: &MoveRequest<G>) {
        self.search.set_position(request.position);
        self.history = None;
    }

    /// Brings the search to the position of `request`, with the tree if the game went on from where it stood.
    pub fn follow(&mut self, request: &MoveRequest<G>) {
        let new_actions = self.history.as_deref().and_then(|known| request.history.strip_prefix(known));
        let arrived = new_actions.is_some_and(|actions| {
            let all_legal = actions.iter().all(|&action| {
                let is_legal = self.search.position().is_legal(action);
                if is_legal {
                    self.search.advance(action);
                }
                is_legal
            });
            all_legal && self.search.position() == request.position
        });
        if arrived {
            self.search.start_move(Exploration::Off);
        } else {
            self.search.set_position(request.position);
        }
        self.history = Some(request.history.to_vec());
    }

    /// Gathers at most so many `leaves` at once, some of which `evaluator` does not remember, and returns how many; 0 if the search
    /// is finished before. What it remembers wholly is applied at once.
    pub fn gather<E: Evaluator<G>>(
        &mut self,
        simulations: u32,
        leaves: usize,
        evaluator: &CachedEvaluator<G, E>,
        batch: &mut Batch<G>,
    ) -> usize {
        while !self.search.is_decided() && self.search.simulations() < simulations {
            let before = batch.len();
            let room = (simulations - self.search.simulations()) as usize;
            let count = self.search.gather(leaves.min(room), batch);
            let own = &mut batch.leaves_mut()[before..];
            if !own.iter_mut().all(|leaf| evaluator.look_up(leaf)) {
                return count;
            }
            self.search.apply(&batch.leaves()[before..]);
            (0..count).for_each(|_| batch.pop());
        }
        0
    }
}
