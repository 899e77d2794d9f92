//! The tree in two arenas, one of nodes and one of edges: no allocation for a single node, and memory that follows
//! the visits.
//!
//! An expanded node owns a slice of the edge arena with all its moves. Visited children always belong to a prefix of
//! that slice: unvisited moves differ in their prior alone, and they stand in the order of their priors, so PUCT visits
//! them from left to right. Hence the children need no index each; they lie side by side in one block of the node
//! arena, which is replaced by one of twice the size when it is full. The old block is wasted until
//! [`Tree::copy_subtree`] compacts the tree.

use std::ops::Range;

use selfplay_env::{Action, Outcome, Side, Wdl};

/// One position of the tree. Sums are seen from the first player, whoever moves here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Sum over the visits of the probability that the first player wins. An `f64` counts 10⁶ visits and far more
    /// without losing any.
    first_wins: f64,
    /// Sum over the visits of the probability that the second player wins.
    second_wins: f64,
    /// Finished simulations through this node.
    pub visits: u32,
    /// Leaves in flight at or below this node.
    pub in_flight: u32,
    edges_start: u32,
    children_start: u32,
    /// Number of distinct actions; 0 unless the node is expanded.
    edge_count: u16,
    child_count: u16,
    child_capacity: u16,
    /// Who decides here.
    pub side: Side,
    /// The result under perfect play, once known; the result itself where the game is over.
    pub proven: Option<Outcome>,
}

impl Node {
    fn new(side: Side, outcome: Option<Outcome>) -> Self {
        Node {
            first_wins: 0.0,
            second_wins: 0.0,
            visits: 0,
            in_flight: 0,
            edges_start: 0,
            children_start: 0,
            edge_count: 0,
            child_count: 0,
            child_capacity: 0,
            side,
            proven: outcome,
        }
    }

    /// Whether the moves and their priors are known.
    pub fn is_expanded(&self) -> bool {
        self.edge_count > 0
    }

    /// Adds one visit that found `wdl`, seen from `view`.
    pub fn add_visit(&mut self, wdl: Wdl, view: Side) {
        let wdl = if view == Side::First { wdl } else { wdl.flipped() };
        self.first_wins += f64::from(wdl.win);
        self.second_wins += f64::from(wdl.loss);
        self.visits += 1;
    }

    /// Win, draw and loss for `side`: the proven result or the mean over the visits; `None` before the first.
    pub fn wdl_for(&self, side: Side) -> Option<Wdl> {
        if let Some(outcome) = self.proven {
            return Some(Wdl::certain(outcome, side));
        }
        if self.visits == 0 {
            return None;
        }
        let visits = f64::from(self.visits);
        let (win, loss) = (self.first_wins / visits, self.second_wins / visits);
        let wdl = Wdl { win: win as f32, draw: (1.0 - win - loss).max(0.0) as f32, loss: loss as f32 };
        Some(if side == Side::First { wdl } else { wdl.flipped() })
    }

    /// Value in −1..=1 for `side`: the proven result or the mean over the visits; `None` before the first.
    pub fn value_for(&self, side: Side) -> Option<f32> {
        if let Some(outcome) = self.proven {
            return Some(f32::from(outcome.value_for(side)));
        }
        if self.visits == 0 {
            return None;
        }
        let value = ((self.first_wins - self.second_wins) / f64::from(self.visits)) as f32;
        Some(if side == Side::First { value } else { -value })
    }

    fn edges(&self) -> Range<usize> {
        self.edges_start as usize..self.edges_start as usize + usize::from(self.edge_count)
    }

    fn children(&self) -> Range<usize> {
        self.children_start as usize..self.children_start as usize + usize::from(self.child_count)
    }
}

/// One move of an expanded node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Edge {
    pub action: Action,
    /// Probability given by the evaluator, mixed with noise at the root.
    pub prior: f32,
}

/// Greatest prior first, then the lower action.
pub(crate) fn sort_edges(edges: &mut [Edge]) {
    edges.sort_unstable_by(|a, b| b.prior.total_cmp(&a.prior).then(a.action.cmp(&b.action)));
}

/// A tree whose root is node [`ROOT`].
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// Index of the root.
pub(crate) const ROOT: usize = 0;

impl Tree {
    /// A tree of a root alone.
    pub fn new(side: Side, outcome: Option<Outcome>) -> Self {
        Tree { nodes: vec![Node::new(side, outcome)], edges: Vec::new() }
    }

    /// Becomes a tree of a root alone; keeps its memory.
    pub fn reset(&mut self, side: Side, outcome: Option<Outcome>) {
        self.nodes.clear();
        self.edges.clear();
        self.nodes.push(Node::new(side, outcome));
    }

    pub fn node(&self, node: usize) -> &Node {
        &self.nodes[node]
    }

    pub fn node_mut(&mut self, node: usize) -> &mut Node {
        &mut self.nodes[node]
    }

    /// All moves of `node`, visited ones first; empty unless it is expanded.
    pub fn edges(&self, node: usize) -> &[Edge] {
        &self.edges[self.nodes[node].edges()]
    }

    /// The children of `node`, aligned with the first of its edges.
    pub fn children(&self, node: usize) -> &[Node] {
        &self.nodes[self.nodes[node].children()]
    }

    /// Index of the child with number `ordinal`. It changes when the parent gets another child.
    pub fn child_index(&self, node: usize, ordinal: usize) -> usize {
        debug_assert!(ordinal < usize::from(self.nodes[node].child_count));
        self.nodes[node].children_start as usize + ordinal
    }

    /// The moves of `node` for changing priors, and how many of them have children and must stay in their places.
    pub fn edges_mut(&mut self, node: usize) -> (&mut [Edge], usize) {
        let child_count = usize::from(self.nodes[node].child_count);
        (&mut self.edges[self.nodes[node].edges()], child_count)
    }

    /// Gives the unexpanded `node` its moves.
    ///
    /// # Panics
    /// If there are more than 65,535 moves, or more than 2³² in the tree.
    pub fn expand(&mut self, node: usize, actions: &[Action], priors: &[f32]) {
        debug_assert!(!self.nodes[node].is_expanded());
        let start = self.edges.len();
        self.edges.extend(actions.iter().zip(priors).map(|(&action, &prior)| Edge { action, prior }));
        sort_edges(&mut self.edges[start..]);
        self.nodes[node].edges_start = arena_index(start);
        self.nodes[node].edge_count = u16::try_from(actions.len()).expect("a node has at most 65,535 moves");
    }

    /// Adds the child for the first of `node`'s edges that has none, and returns its index.
    ///
    /// # Panics
    /// If there are more than 2³² nodes in the tree.
    pub fn add_child(&mut self, node: usize, side: Side, outcome: Option<Outcome>) -> usize {
        let Node { child_count, child_capacity, edge_count, .. } = self.nodes[node];
        debug_assert!(child_count < edge_count);
        if child_count == child_capacity {
            let capacity = child_capacity.saturating_mul(2).clamp(1, edge_count);
            let start = self.nodes.len();
            self.nodes.extend_from_within(self.nodes[node].children());
            self.nodes.resize(start + usize::from(capacity), Node::new(side, None));
            self.nodes[node].children_start = arena_index(start);
            self.nodes[node].child_capacity = capacity;
        }
        self.nodes[node].child_count += 1;
        let child = self.child_index(node, usize::from(child_count));
        self.nodes[child] = Node::new(side, outcome);
        child
    }

    /// Replaces `target` by the part of this tree below `node`, without waste.
    ///
    /// Cheney's copying collector (1970): the copy itself is the queue of what is still to be copied, so deep trees
    /// need no stack.
    pub fn copy_subtree(&self, node: usize, target: &mut Tree) {
        target.nodes.clear();
        target.edges.clear();
        target.nodes.push(self.nodes[node]);
        let mut next = 0;
        while next < target.nodes.len() {
            let original = target.nodes[next];
            let (edges_start, children_start) = (target.edges.len(), target.nodes.len());
            target.edges.extend_from_slice(&self.edges[original.edges()]);
            target.nodes.extend_from_slice(&self.nodes[original.children()]);
            let copy = &mut target.nodes[next];
            copy.edges_start = arena_index(edges_start);
            copy.children_start = arena_index(children_start);
            copy.child_capacity = copy.child_count;
            next += 1;
        }
    }

    /// Slots of the node arena in use, wasted ones included.
    #[cfg(test)]
    pub fn node_slots(&self) -> usize {
        self.nodes.len()
    }

    /// Slots of the edge arena in use.
    #[cfg(test)]
    pub fn edge_slots(&self) -> usize {
        self.edges.len()
    }
}

fn arena_index(index: usize) -> u32 {
    u32::try_from(index).expect("a tree has at most 2^32 nodes and moves")
}
