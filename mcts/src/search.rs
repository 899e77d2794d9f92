//! The search itself: simulations from the root, several leaves in flight, and one tree for a complete game.

mod findings;
mod flying;
mod proofs;
mod root;
mod root_summary;

use selfplay_env::{Action, Outcome, Side, Tactics, Wdl};

use flying::retrace;
pub use root::Exploration;
pub use root_summary::RootSummary;

use crate::config::SearchConfig;
use crate::evaluator::{Batch, Leaf};
use crate::flights::Paths;
use crate::gumbel::GumbelRoot;
use crate::select::{select_edge, terms_of};
use crate::stages::{Stage, in_stage};
use crate::temperature::tempered;
use crate::tree::{Edge, KnownResult, ROOT, Tree};

/// A search of one game.
///
/// A simulation goes from the root along the moves that PUCT selects ([`SearchConfig`]), or at the root the plan of a
/// Gumbel search ([`GumbelConfig`](crate::GumbelConfig)), to a leaf, which is evaluated
/// and becomes a node. Or it reaches a position whose result is known. What it finds is added to every node on its path. The
/// very first simulation evaluates the root itself.
///
/// [`gather`](Search::gather) does the first half of some simulations, [`apply`](Search::apply) the second. Leaves that
/// are gathered and never answered are given up by the next call that changes the search.
///
/// ```
/// use selfplay_env::fixtures::TicTacToe;
/// use selfplay_mcts::{Batch, Evaluator, Search, SearchConfig, UniformEvaluator};
///
/// let mut search = Search::<TicTacToe>::new(SearchConfig::default());
/// let mut batch = Batch::new();
/// while search.simulations() < 50 {
///     batch.clear();
///     search.gather(4, &mut batch);
///     UniformEvaluator.evaluate(batch.leaves_mut());
///     search.apply(batch.leaves());
/// }
/// assert_eq!(search.report().moves.len(), 9);
/// ```
#[derive(Clone, Debug)]
pub struct Search<G> {
    config: SearchConfig,
    position: G,
    tree: Tree,
    simulations: u32,
    /// Root noise of this move, one share for each move of the root; empty without noise.
    noise: Vec<f32>,
    /// The root's moves with their priors before noise, by action; empty while no noise is mixed in.
    root_without_noise: Vec<Edge>,
    /// Root moves with results supplied by `prove_move`, each with the plies to the end, the move included, if known.
    told_plies: Vec<(Action, Option<u32>)>,
    /// The plan of this move, if it is a Gumbel search.
    gumbel: Option<GumbelRoot>,
    /// The priors of one leaf, tempered.
    tempered: Vec<f32>,
    /// Paths of the leaves in flight, which selection avoids.
    flights: Paths,
    /// Paths that led to a leaf already in flight and are avoided as well until the leaves are answered.
    collisions: Paths,
    /// Whether the end of the current path is the one leaf in flight, in no list because there is nothing to avoid.
    is_path_in_flight: bool,
    /// The position at the end of the current path.
    cursor: G,
    /// Nodes of the current path, root first.
    path: Vec<usize>,
    /// Numbers of the children along the current path, one fewer than nodes.
    path_ordinals: Vec<u16>,
}

/// Most leaves in flight; as many collisions on top still fit in a node's counter.
const MAX_LEAVES: usize = u16::MAX as usize / 2;

/// The result of `position`, if its game is over.
fn finished<G: Tactics>(position: &G) -> Option<KnownResult> {
    position.outcome().map(|outcome| KnownResult { outcome, plies: Some(0) })
}

/// Where a path ended.
enum PathEnd {
    /// At a position that has no evaluation yet.
    Leaf,
    /// At a position whose result is known.
    Known(Outcome),
    /// At a leaf that is already in flight.
    Collision,
}

impl<G: Tactics> Search<G> {
    /// A search of the game's initial position. `config` is one that [`SearchConfig::validate`] accepts.
    pub fn new(config: SearchConfig) -> Self {
        let position = G::initial();
        let tree = Tree::new(position.side_to_move(), finished(&position));
        Search {
            config,
            cursor: position.clone(),
            position,
            tree,
            simulations: 0,
            noise: Vec::new(),
            root_without_noise: Vec::new(),
            told_plies: Vec::new(),
            gumbel: None,
            tempered: Vec::new(),
            flights: Paths::default(),
            collisions: Paths::default(),
            is_path_in_flight: false,
            path: Vec::new(),
            path_ordinals: Vec::new(),
        }
    }

    /// Begins a move at `position` without exploration ([`Exploration::Off`]). The tree starts afresh, its memory is kept.
    pub fn set_position(&mut self, position: &G) {
        self.give_up_flights();
        self.position.clone_from(position);
        self.tree.reset(position.side_to_move(), finished(position));
        self.told_plies.clear();
        self.forget_move();
    }

    /// Plays the legal `action` (distinct or merely legal) and begins the next move without exploration
    /// ([`Exploration::Off`]). What the tree knows about the position reached is kept, the rest is forgotten.
    pub fn advance(&mut self, action: Action) {
        self.give_up_flights();
        let action = self.position.canonical_action(action);
        let child_count = self.tree.child_count(ROOT);
        let ordinal = self.tree.actions(ROOT)[..child_count].iter().position(|&child_action| child_action == action);
        self.position.play(action);
        match ordinal {
            Some(ordinal) => self.tree.retain_subtree(self.tree.child_index(ROOT, ordinal)),
            None => self.tree.reset(self.position.side_to_move(), finished(&self.position)),
        }
        self.forget_foreign_proof();
        self.told_plies.clear();
        self.forget_move();
        self.look_ahead_at_root();
    }

    /// The position searched.
    pub fn position(&self) -> &G {
        &self.position
    }

    /// Starts at most `max_leaves` simulations; adds the leaves that need an evaluation to `batch` and returns how many
    /// these are.
    ///
    /// A simulation that ends where the result is known needs no evaluation and is finished at once, so fewer leaves
    /// than asked for, even none, is no sign of exhaustion. Each call pushes a leaf or finishes a simulation until the
    /// root is proven. It stops early when the root is proven or when PUCT, virtual losses notwithstanding, leads to
    /// leaves already in flight as often as there are leaves to gather. No more than 32,767 leaves are gathered.
    pub fn gather(&mut self, max_leaves: usize, batch: &mut Batch<G>) -> usize {
        self.give_up_flights();
        let max_leaves = max_leaves.min(MAX_LEAVES);
        let mut started = 0;
        while started < max_leaves && self.proven().is_none() {
            match self.descend() {
                PathEnd::Leaf => {
                    batch.push_with(&self.cursor, |position, actions| self.config.list_actions(position, actions));
                    started += 1;
                    if max_leaves == 1 {
                        self.is_path_in_flight = true;
                    } else {
                        self.avoid_path();
                        self.flights.push(&self.path_ordinals);
                    }
                }
                PathEnd::Known(outcome) => {
                    started += 1;
                    self.back_up(Wdl::certain(outcome, Side::First));
                    self.prove_path(outcome);
                    self.refresh_path();
                }
                PathEnd::Collision => {
                    let is_avoidable = self.path.len() > 1 && self.config.virtual_loss > 0.0;
                    if !is_avoidable || self.collisions.len() == max_leaves {
                        break;
                    }
                    self.avoid_path();
                    self.collisions.push(&self.path_ordinals);
                }
            }
        }
        self.leaves_in_flight()
    }

    /// Starts one simulation like [`gather`](Search::gather), and finishes it if `answer` knows the evaluation of its leaf. True
    /// if it waits for one: its leaf is then the last of `batch`.
    pub fn gather_unknown(&mut self, batch: &mut Batch<G>, answer: impl FnOnce(&mut Leaf<G>) -> bool) -> bool {
        if self.gather(1, batch) == 0 {
            return false;
        }
        let Some(leaf) = batch.leaves_mut().last_mut() else { return false };
        let is_known = answer(leaf);
        if is_known {
            self.apply(std::slice::from_ref(leaf));
            batch.pop();
        }
        !is_known
    }

    /// Finishes the simulations of the last [`gather`](Search::gather): `leaves` are those it pushed, in order, with
    /// their answers.
    ///
    /// # Panics
    /// If the number of leaves, or of priors in a leaf, is another.
    pub fn apply(&mut self, leaves: &[Leaf<G>]) {
        assert_eq!(leaves.len(), self.leaves_in_flight(), "every leaf of the last gather is answered, once");
        self.give_up_collisions();
        let mut is_root_new = false;
        for (flight, leaf) in leaves.iter().enumerate() {
            assert_eq!(leaf.priors.len(), leaf.actions.len(), "every action of a leaf has a prior");
            if !self.is_path_in_flight {
                retrace(&self.tree, self.flights.get(flight), &mut self.path, &mut self.path_ordinals);
                for &node in &self.path {
                    self.tree.node_mut(node).in_flight -= 1;
                }
            }
            let node = self.path[self.path.len() - 1];
            let priors = tempered(&leaf.priors, self.config.policy_softmax_temperature, &mut self.tempered);
            self.tree.expand(node, &leaf.actions, priors);
            let is_first = self.tree.node(node).side == Side::First;
            self.back_up(if is_first { leaf.wdl } else { leaf.wdl.flipped() });
            self.refresh_path();
            is_root_new |= node == ROOT;
            if node == ROOT {
                self.explore_root();
            }
        }
        self.flights.clear();
        self.is_path_in_flight = false;
        if is_root_new {
            self.look_ahead_at_root();
        }
    }

    /// Finished simulations of this move, without those inherited from earlier moves.
    pub fn simulations(&self) -> u32 {
        self.simulations
    }

    /// Whether nothing is left to choose: the root's result is known ([`proven`](Self::proven)), or it is evaluated and
    /// has a single move to search. (A caller that wants a better value for a forced move may continue gathering.)
    pub fn is_decided(&self) -> bool {
        self.proven().is_some() || self.tree.actions(ROOT).len() == 1
    }

    /// The position's result under perfect play, where it is known: the game is over, or the solver has proven it, in
    /// this move or before. No simulation can add anything to it, so a game may be ended here with this result.
    pub fn proven(&self) -> Option<Outcome> {
        self.tree.node(ROOT).proven
    }

    /// Goes from the root to a leaf or a known result; leaves the way in `path` and the position in `cursor`.
    fn descend(&mut self) -> PathEnd {
        self.cursor.clone_from(&self.position);
        self.path.clear();
        self.path_ordinals.clear();
        let mut node = ROOT;
        loop {
            self.path.push(node);
            let here = self.tree.node(node);
            if let Some(outcome) = here.proven {
                return PathEnd::Known(outcome);
            }
            if !here.is_expanded() {
                return if here.in_flight > 0 { PathEnd::Collision } else { PathEnd::Leaf };
            }
            let ordinal = match self.select_exploring(node) {
                Some(ordinal) => ordinal,
                None => {
                    self.tree.order_next_edge(node);
                    let (here, terms) = (self.tree.node(node), self.tree.child_terms(node));
                    select_edge(&self.config, here, self.tree.priors(node), terms)
                }
            };
            let is_new = ordinal == self.tree.child_count(node);
            let action = self.tree.actions(node)[ordinal];
            in_stage(Stage::Rules, || self.cursor.play(action));
            self.path_ordinals.push(ordinal as u16);
            node = if is_new {
                self.tree.add_child(node, self.cursor.side_to_move(), self.known_result(&self.cursor))
            } else {
                self.tree.child_index(node, ordinal)
            };
        }
    }

    /// Adds `wdl`, seen from the first player, to every node of the current path, and counts the simulation.
    fn back_up(&mut self, wdl: Wdl) {
        for &node in &self.path {
            self.tree.node_mut(node).add_visit(wdl);
        }
        self.simulations += 1;
        // Only the end of a path can be new: what lies below a node is reached after the node's own evaluation.
        if let (&[.., parent, end], &[.., ordinal]) = (&self.path[..], &self.path_ordinals[..])
            && self.tree.node(end).visits == 1
        {
            let prior = self.tree.priors(parent)[usize::from(ordinal)];
            self.tree.node_mut(parent).visited_prior += prior;
        }
    }

    /// Tells selection what has changed along the current path.
    fn refresh_path(&mut self) {
        for (step, &ordinal) in self.path_ordinals.iter().enumerate() {
            let (parent, child) = (self.path[step], self.path[step + 1]);
            let prior = self.tree.priors(parent)[usize::from(ordinal)];
            let terms = terms_of(&self.config, self.tree.node(child), self.tree.node(parent).side, prior);
            self.tree.set_terms(child, terms);
        }
    }

    #[cfg(test)]
    pub(crate) fn config(&self) -> &SearchConfig {
        &self.config
    }

    #[cfg(test)]
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }
}
