//! The search itself: simulations from the root, several leaves in flight, and one tree through a whole game.

use selfplay_env::rng::GameRng;
use selfplay_env::{Action, Game, Outcome, Side, Wdl};

use crate::config::SearchConfig;
use crate::evaluator::{Batch, Leaf};
use crate::noise::dirichlet;
use crate::report::{MoveReport, SearchReport, preferred, sort_moves};
use crate::select::select_edge;
use crate::solver::proven_by_children;
use crate::tree::{Edge, ROOT, Tree, sort_edges};

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
    /// The other half of the memory, for compaction.
    spare: Tree,
    simulations: u32,
    /// Root noise of this move, one share for each move of the root; empty without noise.
    noise: Vec<f32>,
    /// The root's moves with their priors before noise, by action; empty while no noise is mixed in.
    root_without_noise: Vec<Edge>,
    /// Paths of the leaves in flight, one after the other. They hold the numbers of children, because the indices of
    /// nodes change as blocks of children grow.
    flight_ordinals: Vec<u16>,
    /// Where each path in `flight_ordinals` ends.
    flight_ends: Vec<usize>,
    /// The position at the end of the current path.
    cursor: G,
    /// Nodes of the current path, root first.
    path: Vec<usize>,
    /// Numbers of the children along the current path, one fewer than nodes.
    path_ordinals: Vec<u16>,
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

impl<G: Game> Search<G> {
    /// A search of the game's initial position. `config` is one that [`SearchConfig::validate`] accepts.
    pub fn new(config: SearchConfig) -> Self {
        let position = G::initial();
        let tree = Tree::new(position.side_to_move(), position.outcome());
        Search {
            config,
            cursor: position.clone(),
            position,
            spare: tree.clone(),
            tree,
            simulations: 0,
            noise: Vec::new(),
            root_without_noise: Vec::new(),
            flight_ordinals: Vec::new(),
            flight_ends: Vec::new(),
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
        let ordinal = self.tree.edges(ROOT)[..child_count].iter().position(|edge| edge.action == action);
        self.position.play(action);
        match ordinal {
            Some(ordinal) => {
                self.tree.copy_subtree(self.tree.child_index(ROOT, ordinal), &mut self.spare);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
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
    /// root is proven. It stops early when the root is proven or when PUCT leads to a leaf already in flight.
    pub fn gather(&mut self, max_leaves: usize, batch: &mut Batch<G>) -> usize {
        self.give_up_flights();
        for _ in 0..max_leaves {
            if self.tree.node(ROOT).proven.is_some() {
                break;
            }
            match self.descend() {
                PathEnd::Leaf => {
                    batch.push(&self.cursor);
                    for &node in &self.path {
                        self.tree.node_mut(node).in_flight += 1;
                    }
                    self.flight_ordinals.extend_from_slice(&self.path_ordinals);
                    self.flight_ends.push(self.flight_ordinals.len());
                }
                PathEnd::Known(outcome) => {
                    self.back_up(Wdl::certain(outcome, Side::First), Side::First);
                    self.prove_path();
                }
                PathEnd::Collision => break,
            }
        }
        self.flight_ends.len()
    }

    /// Finishes the simulations of the last [`gather`](Search::gather): `leaves` are those it pushed, in order, with
    /// their answers.
    ///
    /// # Panics
    /// If the number of leaves, or of priors in a leaf, is another.
    pub fn apply(&mut self, leaves: &[Leaf<G>]) {
        assert_eq!(leaves.len(), self.flight_ends.len(), "every leaf of the last gather is answered, once");
        for (flight, leaf) in leaves.iter().enumerate() {
            assert_eq!(leaf.priors.len(), leaf.actions.len(), "every action of a leaf has a prior");
            self.retrace(flight);
            for &node in &self.path {
                self.tree.node_mut(node).in_flight -= 1;
            }
            let node = self.path[self.path.len() - 1];
            self.tree.expand(node, &leaf.actions, &leaf.priors);
            if node == ROOT && !self.noise.is_empty() {
                self.mix_noise();
            }
            self.back_up(leaf.wdl, self.tree.node(node).side);
        }
        self.flight_ordinals.clear();
        self.flight_ends.clear();
    }

    /// Finished simulations of this move, without those inherited from earlier moves.
    pub fn simulations(&self) -> u32 {
        self.simulations
    }

    /// Whether nothing is left to choose: the game is over, the root's result is proven, or the root is evaluated and
    /// has a single distinct action. (A caller that wants a better value for a forced move may go on gathering.)
    pub fn is_decided(&self) -> bool {
        self.tree.node(ROOT).proven.is_some() || self.tree.edges(ROOT).len() == 1
    }

    /// What is known about the root.
    pub fn report(&self) -> SearchReport {
        let root = self.tree.node(ROOT);
        let mut moves = if root.is_expanded() { self.moves_of(ROOT) } else { self.unsearched_moves() };
        sort_moves(&mut moves);
        SearchReport {
            simulations: self.simulations,
            wdl: root.wdl_for(root.side).unwrap_or(Wdl::UNIFORM),
            proven: root.proven,
            moves,
            principal_variation: self.principal_variation(),
        }
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
            let (edges, children) = (self.tree.edges(node), self.tree.children(node));
            let ordinal = select_edge(&self.config, here, edges, children);
            let is_new = ordinal == children.len();
            self.cursor.play(edges[ordinal].action);
            self.path_ordinals.push(ordinal as u16);
            node = if is_new {
                self.tree.add_child(node, self.cursor.side_to_move(), self.cursor.outcome())
            } else {
                self.tree.child_index(node, ordinal)
            };
        }
    }

    /// Finds the nodes on the path of the leaf in flight with number `flight` again and leaves them in `path`.
    fn retrace(&mut self, flight: usize) {
        let start = if flight == 0 { 0 } else { self.flight_ends[flight - 1] };
        self.path.clear();
        self.path.push(ROOT);
        let mut node = ROOT;
        for &ordinal in &self.flight_ordinals[start..self.flight_ends[flight]] {
            node = self.tree.child_index(node, usize::from(ordinal));
            self.path.push(node);
        }
    }

    /// Finishes a simulation: adds `wdl`, seen from `view`, to every node of `path`.
    fn back_up(&mut self, wdl: Wdl, view: Side) {
        for &node in &self.path {
            self.tree.node_mut(node).add_visit(wdl, view);
        }
        self.simulations += 1;
    }

    /// Carries the known result at the end of `path` upwards as far as it proves anything.
    fn prove_path(&mut self) {
        if !self.config.solver {
            return;
        }
        for &node in self.path.iter().rev().skip(1) {
            let side = self.tree.node(node).side;
            let proven = proven_by_children(side, self.tree.edges(node).len(), self.tree.children(node));
            if proven.is_none() {
                break;
            }
            self.tree.node_mut(node).proven = proven;
        }
    }

    /// Forgets the leaves in flight. Their nodes stay as unevaluated leaves.
    fn give_up_flights(&mut self) {
        for flight in 0..self.flight_ends.len() {
            self.retrace(flight);
            for &node in &self.path {
                self.tree.node_mut(node).in_flight -= 1;
            }
        }
        self.flight_ordinals.clear();
        self.flight_ends.clear();
    }

    fn forget_move(&mut self) {
        self.simulations = 0;
        self.noise.clear();
        self.root_without_noise.clear();
    }

    /// Mixes `noise` into the priors of the expanded root. Moves with children keep their places, the others are put
    /// in the order of their new priors, as the tree demands.
    fn mix_noise(&mut self) {
        let fraction = self.config.dirichlet_fraction;
        let (edges, child_count) = self.tree.edges_mut(ROOT);
        self.root_without_noise.extend_from_slice(edges);
        self.root_without_noise.sort_unstable_by_key(|edge| edge.action);
        for (edge, share) in edges.iter_mut().zip(&self.noise) {
            edge.prior = (1.0 - fraction) * edge.prior + fraction * share;
        }
        sort_edges(&mut edges[child_count..]);
    }

    fn remove_noise(&mut self) {
        let (edges, child_count) = self.tree.edges_mut(ROOT);
        for edge in edges.iter_mut() {
            if let Ok(index) = self.root_without_noise.binary_search_by_key(&edge.action, |edge| edge.action) {
                edge.prior = self.root_without_noise[index].prior;
            }
        }
        if !self.root_without_noise.is_empty() {
            sort_edges(&mut edges[child_count..]);
        }
    }

    /// Every move of the expanded `node`, in the order of its edges.
    fn moves_of(&self, node: usize) -> Vec<MoveReport> {
        let children = self.tree.children(node);
        let side = self.tree.node(node).side;
        let node_value = self.tree.node(node).value_for(side).unwrap_or(0.0);
        let report = |(ordinal, edge): (usize, &Edge)| {
            let child = children.get(ordinal);
            // Without the solver a finished game is a sample like any other.
            let proven = child.and_then(|child| child.proven).filter(|_| self.config.solver);
            MoveReport {
                action: edge.action,
                visits: child.map_or(0, |child| child.visits),
                q: child.and_then(|child| child.value_for(side)).unwrap_or(node_value),
                prior: edge.prior,
                proven: proven.map(|outcome| outcome.value_for(side)),
            }
        };
        self.tree.edges(node).iter().enumerate().map(report).collect()
    }

    /// Every move of the root before its evaluation: all alike.
    fn unsearched_moves(&self) -> Vec<MoveReport> {
        let mut actions = Vec::new();
        self.position.distinct_actions(&mut actions);
        let prior = 1.0 / actions.len() as f32;
        actions.iter().map(|&action| MoveReport { action, visits: 0, q: 0.0, prior, proven: None }).collect()
    }

    fn principal_variation(&self) -> Vec<Action> {
        let mut line = Vec::new();
        let mut node = ROOT;
        loop {
            let moves = self.moves_of(node);
            let Some(next) = preferred(&moves).filter(|next| next.visits > 0) else { return line };
            line.push(next.action);
            // Moves stand in the order of the edges, and a visited one has a child.
            let ordinal = moves.iter().take_while(|m| m.action != next.action).count();
            node = self.tree.child_index(node, ordinal);
        }
    }

    #[cfg(test)]
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }
}
