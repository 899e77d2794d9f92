//! Verification: what the results of the children say about their parent (MCTS-Solver, Winands, Björnsson and Saito 2008,
//! here with draws).

use selfplay_env::{Outcome, Side};

use crate::tree::{Node, Tree};

/// The result of a node where `side` decides among `edge_count` moves, the first of which lead to `children`, as far as
/// these prove it. `news` is the result of one of them that has just become known. It is won once any child is, otherwise
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

/// Plies from the position of the won or lost `node` to the end of the game along what is proven below it: the winner
/// takes the shortest way, the loser the longest. `None` where that way is not known.
///
/// Verification may be as deep as the tree, so the walk keeps a stack of its own.
pub(crate) fn plies_to_end(tree: &Tree, node: usize) -> Option<u32> {
    let mut walk = vec![Frame { node, next: 0, plies: None }];
    let mut finished = None;
    while let Some(frame) = walk.last_mut() {
        let here = tree.node(frame.node);
        if let Some(below) = finished.take() {
            let is_won = here.proven == Some(Outcome::Win(here.side));
            let better = |known: u32| if is_won { known.min(below) } else { known.max(below) };
            frame.plies = Some(frame.plies.map_or(below, better));
        }
        let children = tree.children(frame.node);
        match (frame.next..children.len()).find(|&ordinal| children[ordinal].proven == here.proven) {
            Some(ordinal) => {
                frame.next = ordinal + 1;
                let node = tree.child_index(frame.node, ordinal);
                walk.push(Frame { node, next: 0, plies: None });
            }
            None => {
                let leaf = if here.is_expanded() { None } else { here.leaf_plies() };
                finished = Some(frame.plies.map_or(leaf.unwrap_or(UNKNOWN), |plies| plies.saturating_add(1)));
                walk.pop();
            }
        }
    }
    finished.filter(|&plies| plies != UNKNOWN)
}

/// More plies than any game has.
const UNKNOWN: u32 = u32::MAX;

/// A node on the way of [`plies_to_end`].
struct Frame {
    node: usize,
    /// Number of the first child not looked at.
    next: usize,
    /// Plies to the end from the best child so far.
    plies: Option<u32>,
}
