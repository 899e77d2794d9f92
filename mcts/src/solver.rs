//! Proofs: what the results of the children say about their parent (MCTS-Solver, Winands, Björnsson and Saito 2008,
//! here with draws).

use selfplay_env::{Outcome, Side};

use crate::tree::Node;

/// The result of a node where `side` decides among `edge_count` moves, the first of which lead to `children`, as far as
/// these prove it, `news` being the result of one of them that has just become known: won once any child is, otherwise
/// the best child once all are known.
pub(crate) fn proven_by_children(side: Side, edge_count: usize, children: &[Node], news: Outcome) -> Option<Outcome> {
    if news == Outcome::Win(side) {
        return Some(news);
    }
    all_proven(side, edge_count, children)
}

/// The result of a node where `side` decides among `edge_count` moves, the first of which lead to `children`, if these
/// show it by themselves.
pub(crate) fn shown_by_children(side: Side, edge_count: usize, children: &[Node]) -> Option<Outcome> {
    let win = Some(Outcome::Win(side));
    if children.iter().any(|child| child.proven == win) { win } else { all_proven(side, edge_count, children) }
}

/// The best result for `side`, none being a win, once all are known.
fn all_proven(side: Side, edge_count: usize, children: &[Node]) -> Option<Outcome> {
    if children.len() < edge_count {
        return None;
    }
    let mut best = Outcome::Win(side.opponent());
    for child in children {
        if child.proven? == Outcome::Draw {
            best = Outcome::Draw;
        }
    }
    Some(best)
}
