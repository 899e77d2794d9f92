//! What the tree knows about one position.

use std::ops::Range;

use selfplay_env::{Outcome, Side, Wdl};

/// One position of the tree. Sums are seen from the first player, whichever side is to move here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Sum over the visits of the probability that the first player wins. An `f64` counts 10⁶ visits and far more
    /// without losing any.
    first_wins: f64,
    /// Sum over the visits of the probability that the second player wins.
    second_wins: f64,
    /// The first player's value: the mean over the visits, 0 before the first.
    mean: f32,
    /// Finished simulations through this node.
    pub visits: u32,
    /// First edge of an expanded node. A node without edges needs none: there it holds [`Node::leaf_plies`].
    pub(super) edges_start: u32,
    pub(super) children_start: u32,
    /// Sum of the priors of the visited moves.
    pub visited_prior: f32,
    /// Leaves in flight at or below this node that selection is to avoid.
    pub in_flight: u16,
    /// Number of distinct actions; 0 unless the node is expanded.
    pub(super) edge_count: u16,
    pub(super) child_count: u16,
    pub(super) child_capacity: u16,
    /// Moves at the front that stand in their final order; at least the children.
    pub(super) ordered_count: u16,
    /// Who decides here.
    pub side: Side,
    /// The result under perfect play, once known; the result itself where the game is over.
    pub proven: Option<Outcome>,
}

/// A result under perfect play, and how far away the end of the game is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KnownResult {
    /// The result.
    pub outcome: Outcome,
    /// Plies to the end of the game; `None` where tactics tell the result and not the way there.
    pub plies: Option<u32>,
}

/// [`Node::leaf_plies`] in memory where they are not known.
const UNKNOWN_PLIES: u32 = u32::MAX;

impl Node {
    pub(super) fn new(side: Side, known: Option<KnownResult>) -> Self {
        Node {
            first_wins: 0.0,
            second_wins: 0.0,
            mean: 0.0,
            visits: 0,
            edges_start: known.and_then(|known| known.plies).unwrap_or(UNKNOWN_PLIES),
            children_start: 0,
            visited_prior: 0.0,
            in_flight: 0,
            edge_count: 0,
            child_count: 0,
            child_capacity: 0,
            ordered_count: 0,
            side,
            proven: known.map(|known| known.outcome),
        }
    }

    /// Whether the moves and their priors are known.
    pub fn is_expanded(&self) -> bool {
        self.edge_count > 0
    }

    /// Plies to the end of the game of a node without edges whose result was known when it was added
    /// ([`KnownResult::plies`]).
    pub fn leaf_plies(&self) -> Option<u32> {
        debug_assert!(!self.is_expanded());
        Some(self.edges_start).filter(|&plies| plies != UNKNOWN_PLIES)
    }

    /// Adds one visit that found `wdl`, seen from the first player.
    pub fn add_visit(&mut self, wdl: Wdl) {
        self.first_wins += f64::from(wdl.win);
        self.second_wins += f64::from(wdl.loss);
        self.visits += 1;
        self.mean = (self.first_surplus() / f64::from(self.visits)) as f32;
    }

    /// Sum over the visits of the first player's value.
    pub(super) fn first_surplus(&self) -> f64 {
        self.first_wins - self.second_wins
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
        match self.proven {
            Some(outcome) => Some(f32::from(outcome.value_for(side))),
            None => (self.visits > 0).then(|| self.mean_for(side)),
        }
    }

    /// The mean over the visits for `side`; 0 before the first.
    pub fn mean_for(&self, side: Side) -> f32 {
        if side == Side::First { self.mean } else { -self.mean }
    }

    pub(super) fn edges(&self) -> Range<usize> {
        // Without edges their start has another meaning.
        let start = if self.is_expanded() { self.edges_start as usize } else { 0 };
        start..start + usize::from(self.edge_count)
    }

    pub(super) fn children(&self) -> Range<usize> {
        self.children_start as usize..self.children_start as usize + usize::from(self.child_count)
    }
}

/// What PUCT reads of a node below the root, kept up whenever the node changes: its score is
/// `value + exploration · weight`.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct Terms {
    /// Value for the side that moves above, leaves in flight counted as lost; [`Terms::UNVISITED`] without visits;
    /// −∞ for a move to be left alone.
    pub value: f32,
    /// `P / (1 + N)` with prior and visits of the move, leaves in flight counted as visits.
    pub weight: f32,
}

impl Terms {
    /// In place of a value: the node counts as an unvisited move.
    pub const UNVISITED: f32 = f32::INFINITY;

    /// Whether the move is to be left alone, because it is proven to lose.
    pub fn is_left_alone(&self) -> bool {
        self.value == f32::NEG_INFINITY
    }
}
