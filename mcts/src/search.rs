//! The search itself: simulations from the root, several leaves in flight, and one tree through a whole game.

mod findings;

use selfplay_env::rng::GameRng;
use selfplay_env::{Action, Game, Outcome, Side, Wdl};

use crate::cache::EvaluationCache;
use crate::config::SearchConfig;
use crate::evaluator::{Batch, Leaf};
use crate::flights::Paths;
use crate::noise::dirichlet;
use crate::select::{select_edge, terms_of};
use crate::solver::proven_by_children;
use crate::tree::{Edge, ROOT, Tree};

/// A PUCT search of one game.
///
/// A simulation goes from the root along the moves that PUCT selects ([`SearchConfig`]) to a leaf, which is evaluated
/// and becomes a node, or to a position whose result is known. What it finds is added to every node on its path. The
/// very first simulation evaluates the root itself.
///
/// [`gather`](Search::gather) does the first half of some simulations, [`apply`](Search::apply) the second. Leaves that
/// are gathered and never answered are given up by the next call that changes the search.
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

/// Where a path ended.
enum PathEnd {
    /// At a position that has no evaluation yet.
    Leaf,
    /// At a position whose result is known.
    Known(Outcome),
    /// At a leaf that is already in flight.
    Collision,
}

impl<G: Game> Search<G> {
    /// A search of the game's initial position. `config` is one that [`SearchConfig::validate`] accepts.
    pub fn new(config: SearchConfig) -> Self {
        let position = G::initial();
        let tree = Tree::new(position.side_to_move(), position.outcome());
        Search {
            config,
            cursor: position.clone(),
            position,
            tree,
            simulations: 0,
            noise: Vec::new(),
            root_without_noise: Vec::new(),
            flights: Paths::default(),
            collisions: Paths::default(),
            is_path_in_flight: false,
            path: Vec::new(),
            path_ordinals: Vec::new(),
        }
    }

    /// Begins a move at `position` without root noise. The tree starts afresh, its memory is kept.
    pub fn set_position(&mut self, position: &G) {
        self.give_up_flights();
        self.position.clone_from(position);
        self.tree.reset(position.side_to_move(), position.outcome());
        self.forget_move();
    }

    /// Plays the legal `action` (distinct or merely legal) and begins the next move without root noise. What the tree
    /// knows about the position reached is kept, the rest is forgotten.
    pub fn advance(&mut self, action: Action) {
        self.give_up_flights();
        let action = self.position.canonical_action(action);
        let child_count = self.tree.children(ROOT).len();
        let ordinal = self.tree.actions(ROOT)[..child_count].iter().position(|&child_action| child_action == action);
        self.position.play(action);
        match ordinal {
            Some(ordinal) => self.tree.retain_subtree(self.tree.child_index(ROOT, ordinal)),
            None => self.tree.reset(self.position.side_to_move(), self.position.outcome()),
        }
        self.forget_move();
    }

    /// The position searched.
    pub fn position(&self) -> &G {
        &self.position
    }

    /// Begins a move at the current position: counts simulations from 0 again and keeps the tree.
    ///
    /// With a generator, Dirichlet noise is mixed into the root's priors, now or as soon as they are known; it replaces
    /// any earlier noise and touches no other node. Without one the root has the evaluator's priors.
    pub fn start_move(&mut self, noise: Option<&mut GameRng>) {
        self.give_up_flights();
        self.remove_noise();
        self.forget_move();
        let Some(rng) = noise else { return };
        let mut actions = Vec::new();
        self.position.distinct_actions(&mut actions);
        if !actions.is_empty() {
            self.noise = dirichlet(self.config.dirichlet_alpha, actions.len(), rng);
            if self.tree.node(ROOT).is_expanded() {
                self.mix_noise();
            }
        }
    }

    /// Starts at most `max_leaves` simulations; adds the leaves that need an evaluation to `batch` and returns how many
    /// these are.
    ///
    /// A simulation that ends where the result is known needs no evaluation and is finished at once, so fewer leaves
    /// than asked for, even none, is no sign of exhaustion: each call pushes a leaf or finishes a simulation until the
    /// root is proven. It stops early when the root is proven or when PUCT, virtual losses notwithstanding, leads to
    /// leaves already in flight as often as there are leaves to gather. No more than 32,767 leaves are gathered.
    pub fn gather(&mut self, max_leaves: usize, batch: &mut Batch<G>) -> usize {
        self.give_up_flights();
        let max_leaves = max_leaves.min(MAX_LEAVES);
        let mut started = 0;
        while started < max_leaves && self.tree.node(ROOT).proven.is_none() {
            match self.descend() {
                PathEnd::Leaf => {
                    batch.push(&self.cursor);
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

    /// Starts one simulation like [`gather`](Search::gather), and finishes it if `cache` knows its evaluation. True if
    /// it waits for one: its leaf is then the last of `batch`.
    pub fn gather_unknown(&mut self, cache: &mut EvaluationCache, batch: &mut Batch<G>) -> bool {
        if self.gather(1, batch) == 0 {
            return false;
        }
        let Some(leaf) = batch.leaves_mut().last_mut() else { return false };
        let is_known = cache.lookup(leaf.position.evaluation_key(), leaf);
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
        for (flight, leaf) in leaves.iter().enumerate() {
            assert_eq!(leaf.priors.len(), leaf.actions.len(), "every action of a leaf has a prior");
            if !self.is_path_in_flight {
                retrace(&self.tree, self.flights.get(flight), &mut self.path, &mut self.path_ordinals);
                for &node in &self.path {
                    self.tree.node_mut(node).in_flight -= 1;
                }
            }
            let node = self.path[self.path.len() - 1];
            self.tree.expand(node, &leaf.actions, &leaf.priors);
            if node == ROOT && !self.noise.is_empty() {
                self.mix_noise();
            }
            let is_first = self.tree.node(node).side == Side::First;
            self.back_up(if is_first { leaf.wdl } else { leaf.wdl.flipped() });
            self.refresh_path();
        }
        self.flights.clear();
        self.is_path_in_flight = false;
    }

    /// Finished simulations of this move, without those inherited from earlier moves.
    pub fn simulations(&self) -> u32 {
        self.simulations
    }

    /// Whether nothing is left to choose: the game is over, the root's result is proven, or the root is evaluated and
    /// has a single distinct action. (A caller that wants a better value for a forced move may go on gathering.)
    pub fn is_decided(&self) -> bool {
        self.tree.node(ROOT).proven.is_some() || self.tree.actions(ROOT).len() == 1
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
            self.tree.order_next_edge(node);
            let (here, terms) = (self.tree.node(node), self.tree.child_terms(node));
            let ordinal = select_edge(&self.config, here, self.tree.priors(node), terms);
            let is_new = ordinal == terms.len();
            self.cursor.play(self.tree.actions(node)[ordinal]);
            self.path_ordinals.push(ordinal as u16);
            node = if is_new {
                self.tree.add_child(node, self.cursor.side_to_move(), self.cursor.outcome())
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

    /// Carries the known `outcome` at the end of the current path upwards as far as it proves anything.
    fn prove_path(&mut self, outcome: Outcome) {
        if !self.config.solver {
            return;
        }
        let mut news = outcome;
        for &node in self.path.iter().rev().skip(1) {
            let (side, edge_count) = (self.tree.node(node).side, self.tree.actions(node).len());
            let Some(proven) = proven_by_children(side, edge_count, self.tree.children(node), news) else { break };
            self.tree.node_mut(node).proven = Some(proven);
            news = proven;
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

    /// Makes selection avoid the current path until it is given up or answered.
    fn avoid_path(&mut self) {
        for &node in &self.path {
            self.tree.node_mut(node).in_flight += 1;
        }
        self.refresh_path();
    }

    fn leaves_in_flight(&self) -> usize {
        if self.is_path_in_flight { 1 } else { self.flights.len() }
    }

    /// Forgets the leaves in flight. Their nodes stay as unevaluated leaves.
    fn give_up_flights(&mut self) {
        self.give_up_collisions();
        for flight in 0..self.flights.len() {
            retrace(&self.tree, self.flights.get(flight), &mut self.path, &mut self.path_ordinals);
            self.stop_avoiding_path();
        }
        self.flights.clear();
        if std::mem::take(&mut self.is_path_in_flight) {
            self.refresh_path();
        }
    }

    fn give_up_collisions(&mut self) {
        for collision in 0..self.collisions.len() {
            retrace(&self.tree, self.collisions.get(collision), &mut self.path, &mut self.path_ordinals);
            self.stop_avoiding_path();
        }
        self.collisions.clear();
    }

    fn stop_avoiding_path(&mut self) {
        for &node in &self.path {
            self.tree.node_mut(node).in_flight -= 1;
        }
        self.refresh_path();
    }

    fn forget_move(&mut self) {
        self.simulations = 0;
        self.noise.clear();
        self.root_without_noise.clear();
    }

    /// Mixes `noise` into the priors of the expanded root.
    fn mix_noise(&mut self) {
        let fraction = self.config.dirichlet_fraction;
        let (noise, without_noise) = (&self.noise, &mut self.root_without_noise);
        self.tree.change_priors(ROOT, |ordinal, action, prior| {
            without_noise.push(Edge { action, prior: *prior });
            *prior = (1.0 - fraction) * *prior + fraction * noise[ordinal];
        });
        without_noise.sort_unstable_by_key(|edge| edge.action);
        self.refresh_root();
    }

    fn remove_noise(&mut self) {
        let without_noise = &self.root_without_noise;
        if without_noise.is_empty() {
            return;
        }
        self.tree.change_priors(ROOT, |_, action, prior| {
            if let Ok(index) = without_noise.binary_search_by_key(&action, |edge| edge.action) {
                *prior = without_noise[index].prior;
            }
        });
        self.refresh_root();
    }

    /// Tells selection that the priors of the root have changed.
    fn refresh_root(&mut self) {
        for ordinal in 0..self.tree.children(ROOT).len() {
            let child = self.tree.child_index(ROOT, ordinal);
            let prior = self.tree.priors(ROOT)[ordinal];
            self.tree.set_terms(child, terms_of(&self.config, self.tree.node(child), self.tree.node(ROOT).side, prior));
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

/// Finds the nodes along the children with numbers `ordinals` and leaves both in `path` and `path_ordinals`.
fn retrace(tree: &Tree, ordinals: &[u16], path: &mut Vec<usize>, path_ordinals: &mut Vec<u16>) {
    path_ordinals.clear();
    path_ordinals.extend_from_slice(ordinals);
    path.clear();
    path.push(ROOT);
    let mut node = ROOT;
    for &ordinal in ordinals {
        node = tree.child_index(node, usize::from(ordinal));
        path.push(node);
    }
}
