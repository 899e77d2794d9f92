//! How the moves of the root stand to each other: what says whether a search may end.

use selfplay_env::{Action, Outcome, Tactics};

use super::Search;
use crate::tree::ROOT;

/// A move is taken seriously if it has at least this share of the leader's visits.
const SERIOUS_SHARE: f32 = 0.1;
/// Values in −1..=1 that differ by no more than this count as equal.
const EQUAL_VALUE: f32 = 0.01;

/// How the moves of a root stand to each other that are not proven to lose.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RootSummary {
    /// The move with the most visits, the first among equals.
    pub leader: Action,
    /// Its visits.
    pub visits: u32,
    /// How many visits it is ahead of the second; [`u32::MAX`] if it is the only one.
    pub lead: u32,
    /// Whether a move with a serious number of visits has a clearly greater value.
    pub is_outvalued: bool,
}

impl<G: Tactics> Search<G> {
    /// How the moves of the root stand; `None` as long as all that is known is moves that lose, and in a Gumbel search,
    /// where visits do not decide.
    pub fn root_summary(&self) -> Option<RootSummary> {
        if self.gumbel.is_some() {
            return None;
        }
        let side = self.tree.node(ROOT).side;
        let actions = self.tree.actions(ROOT);
        let loss = Some(Outcome::Win(side.opponent())).filter(|_| self.config.mcts_solver);
        let children = self.tree.children(ROOT).iter().zip(actions);
        let sound = || children.clone().filter(|(child, _)| loss.is_none() || child.proven != loss);
        // A move without a child is as good as one without visits.
        let mut second = (actions.len() > self.tree.child_count(ROOT)).then_some(0);
        let mut first: Option<(u32, Action)> = None;
        for (child, &action) in sound() {
            match first {
                Some((visits, _)) if child.visits <= visits => second = second.max(Some(child.visits)),
                _ => {
                    second = second.max(first.map(|(visits, _)| visits));
                    first = Some((child.visits, action));
                }
            }
        }
        let (visits, leader) = first?;
        let leader_value = sound().find(|&(_, &action)| action == leader)?.0.value_for(side)?;
        let is_outvalued = sound().any(|(child, _)| {
            let is_serious = child.visits as f32 >= SERIOUS_SHARE * visits as f32;
            is_serious && child.value_for(side).is_some_and(|value| value > leader_value + EQUAL_VALUE)
        });
        Some(RootSummary { leader, visits, lead: second.map_or(u32::MAX, |second| visits - second), is_outvalued })
    }
}
