//! The tree in arenas of nodes and of edges: no allocation for a single node, and memory that follows the visits.
//!
//! An expanded node owns a slice of the edge arenas with all its moves. Children always belong to a prefix of that
//! slice: unvisited moves differ in their prior alone, so PUCT visits them in the order of their priors, and where a move
//! is tried out of that order it changes places ([`Tree::bring_forward`]). Hence the children need no index each; they lie side by side in one block of the node arenas, which is replaced by one of
//! twice the size when it is full. The old block is wasted until [`Tree::retain_subtree`] compacts the tree.
//!
//! Most nodes never get a second visit, so a node's moves are put in order only as far as they are asked for
//! ([`Tree::order_next_edge`]). What selection reads of every child lies apart from the nodes ([`Terms`]).

mod compaction;
mod node;

use selfplay_env::{Action, Side};

pub(crate) use node::{KnownResult, Node, Terms};

/// One move of an expanded node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Edge {
    pub action: Action,
    /// Probability given by the evaluator, mixed with noise at the root.
    pub prior: f32,
}

/// A tree whose root is node [`ROOT`].
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Of each node, aligned with `nodes`.
    terms: Vec<Terms>,
    actions: Vec<Action>,
    /// Aligned with `actions`.
    priors: Vec<f32>,
    /// Memory of [`Tree::retain_subtree`].
    blocks: Vec<compaction::Block>,
}

/// Index of the root.
pub(crate) const ROOT: usize = 0;

impl Tree {
    /// A tree of a root alone.
    pub fn new(side: Side, known: Option<KnownResult>) -> Self {
        Tree {
            nodes: vec![Node::new(side, known)],
            terms: vec![Terms::default()],
            actions: Vec::new(),
            priors: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Becomes a tree of a root alone; keeps its memory.
    pub fn reset(&mut self, side: Side, known: Option<KnownResult>) {
        self.nodes.clear();
        self.terms.clear();
        self.actions.clear();
        self.priors.clear();
        self.nodes.push(Node::new(side, known));
        self.terms.push(Terms::default());
    }

    pub fn node(&self, node: usize) -> &Node {
        &self.nodes[node]
    }

    pub fn node_mut(&mut self, node: usize) -> &mut Node {
        &mut self.nodes[node]
    }

    /// The actions of all moves of `node`, those with children first; empty unless it is expanded.
    pub fn actions(&self, node: usize) -> &[Action] {
        &self.actions[self.nodes[node].edges()]
    }

    /// The priors of all moves of `node`, aligned with its actions.
    pub fn priors(&self, node: usize) -> &[f32] {
        &self.priors[self.nodes[node].edges()]
    }

    /// The children of `node`, aligned with the first of its moves.
    pub fn children(&self, node: usize) -> &[Node] {
        &self.nodes[self.nodes[node].children()]
    }

    /// Number of the children of `node`.
    pub fn child_count(&self, node: usize) -> usize {
        usize::from(self.nodes[node].child_count)
    }

    /// What selection reads of the children of `node`, aligned with them.
    pub fn child_terms(&self, node: usize) -> &[Terms] {
        &self.terms[self.nodes[node].children()]
    }

    /// Replaces what selection reads of the node with index `child`.
    pub fn set_terms(&mut self, child: usize, terms: Terms) {
        self.terms[child] = terms;
    }

    /// Index of the child with number `ordinal`. It changes when the parent gets another child.
    pub fn child_index(&self, node: usize, ordinal: usize) -> usize {
        debug_assert!(ordinal < usize::from(self.nodes[node].child_count));
        self.nodes[node].children_start as usize + ordinal
    }

    /// Gives the unexpanded `node` its moves.
    ///
    /// # Panics
    /// If there are more than 65,535 moves, or more than 2³² in the tree.
    pub fn expand(&mut self, node: usize, actions: &[Action], priors: &[f32]) {
        debug_assert!(!self.nodes[node].is_expanded());
        let start = self.actions.len();
        self.actions.extend_from_slice(actions);
        self.priors.extend_from_slice(priors);
        self.nodes[node].edges_start = arena_index(start);
        self.nodes[node].edge_count = u16::try_from(actions.len()).expect("a node has at most 65,535 moves");
    }

    /// Makes the first of `node`'s moves without a child, if any, the one with the greatest prior among them; the lower
    /// action among equals.
    pub fn order_next_edge(&mut self, node: usize) {
        let here = &mut self.nodes[node];
        if here.ordered_count > here.child_count || here.child_count == here.edge_count {
            return;
        }
        let first = here.edges_start as usize + usize::from(here.child_count);
        let end = here.edges().end;
        here.ordered_count = here.child_count + 1;
        let best = first + greatest_prior(&self.priors[first..end], &self.actions[first..end]);
        self.priors.swap(first, best);
        self.actions.swap(first, best);
    }

    /// Makes the move with number `ordinal`, which has no child, the first of `node`'s moves without one, in place of
    /// the one there.
    pub fn bring_forward(&mut self, node: usize, ordinal: usize) {
        let here = &mut self.nodes[node];
        debug_assert!(ordinal >= usize::from(here.child_count) && ordinal < usize::from(here.edge_count));
        here.ordered_count = here.child_count + 1;
        let start = here.edges_start as usize;
        let first = start + usize::from(here.child_count);
        self.priors.swap(first, start + ordinal);
        self.actions.swap(first, start + ordinal);
    }

    /// The value in −1..=1, for its side, that the evaluator gave the expanded and unproven `node`: what its visits
    /// found less what those of its children did.
    pub fn own_value(&self, node: usize) -> f32 {
        let here = &self.nodes[node];
        let below: f64 = self.children(node).iter().map(Node::first_surplus).sum();
        let own = (here.first_surplus() - below).clamp(-1.0, 1.0) as f32;
        if here.side == Side::First { own } else { -own }
    }

    /// Orders all moves of `node` without a child and shows every move to `change`, which may give it another prior;
    /// then orders them again.
    pub fn change_priors(&mut self, node: usize, mut change: impl FnMut(usize, Action, &mut f32)) {
        self.order_all_edges(node);
        let edges = self.nodes[node].edges();
        let actions = &self.actions[edges.clone()];
        for (ordinal, (&action, prior)) in actions.iter().zip(&mut self.priors[edges.clone()]).enumerate() {
            change(ordinal, action, prior);
        }
        self.order_all_edges(node);
        let children = self.nodes[node].children();
        let visited = self.nodes[children].iter().zip(&self.priors[edges]).filter(|(child, _)| child.visits > 0);
        self.nodes[node].visited_prior = visited.map(|(_, prior)| prior).sum();
    }

    fn order_all_edges(&mut self, node: usize) {
        let here = &mut self.nodes[node];
        let edges = here.edges();
        let unvisited = edges.start + usize::from(here.child_count)..edges.end;
        here.ordered_count = here.edge_count;
        let (actions, priors) = (&mut self.actions[unvisited.clone()], &mut self.priors[unvisited]);
        let both = actions.iter().zip(priors.iter());
        let mut edges: Vec<Edge> = both.map(|(&action, &prior)| Edge { action, prior }).collect();
        edges.sort_unstable_by(|a, b| b.prior.total_cmp(&a.prior).then(a.action.cmp(&b.action)));
        for ((action, prior), edge) in actions.iter_mut().zip(priors).zip(edges) {
            (*action, *prior) = (edge.action, edge.prior);
        }
    }

    /// Adds the child for the first of `node`'s moves that has none, and returns its index.
    ///
    /// # Panics
    /// If there are more than 2³² nodes in the tree.
    pub fn add_child(&mut self, node: usize, side: Side, known: Option<KnownResult>) -> usize {
        let Node { child_count, child_capacity, edge_count, .. } = self.nodes[node];
        debug_assert!(child_count < self.nodes[node].ordered_count, "the next child is that of the next move");
        if child_count == child_capacity {
            let capacity = child_capacity.saturating_mul(2).clamp(1, edge_count);
            let (start, children) = (self.nodes.len(), self.nodes[node].children());
            self.nodes.extend_from_within(children.clone());
            self.nodes.resize(start + usize::from(capacity), Node::new(side, None));
            self.terms.extend_from_within(children);
            self.terms.resize(start + usize::from(capacity), Terms::default());
            self.nodes[node].children_start = arena_index(start);
            self.nodes[node].child_capacity = capacity;
        }
        self.nodes[node].child_count += 1;
        let child = self.child_index(node, usize::from(child_count));
        self.nodes[child] = Node::new(side, known);
        child
    }

    /// Slots of the node arenas in use, wasted ones included.
    #[cfg(test)]
    pub fn node_slots(&self) -> usize {
        self.nodes.len()
    }

    /// Slots of the edge arenas in use.
    #[cfg(test)]
    pub fn edge_slots(&self) -> usize {
        self.actions.len()
    }

    /// All moves of `node` in the order in which selection meets them.
    #[cfg(test)]
    pub fn ordered_edges(&self, node: usize) -> Vec<Edge> {
        let mut tree = self.clone();
        tree.order_all_edges(node);
        let both = tree.actions(node).iter().zip(tree.priors(node));
        both.map(|(&action, &prior)| Edge { action, prior }).collect()
    }
}

/// Where the greatest of `priors` stands; the one with the lowest action among equals. 0 if none is a number.
fn greatest_prior(priors: &[f32], actions: &[Action]) -> usize {
    // Several independent maxima and no branches, so that the compiler takes several moves at a time.
    let max = |a: f32, b: f32| if b > a { b } else { a };
    let (chunks, rest) = priors.as_chunks::<8>();
    let mut maxima = [f32::NEG_INFINITY; 8];
    for chunk in chunks {
        maxima = std::array::from_fn(|lane| max(maxima[lane], chunk[lane]));
    }
    let greatest = maxima.iter().chain(rest).fold(f32::NEG_INFINITY, |greatest, &prior| max(greatest, prior));
    let mut best = 0;
    let mut lowest = u32::MAX;
    for (index, (&prior, action)) in priors.iter().zip(actions).enumerate() {
        let candidate = if prior == greatest { u32::from(action.0) } else { u32::MAX };
        (best, lowest) = if candidate < lowest { (index, candidate) } else { (best, lowest) };
    }
    best
}

fn arena_index(index: usize) -> u32 {
    u32::try_from(index).expect("a tree has at most 2^32 nodes and moves")
}
