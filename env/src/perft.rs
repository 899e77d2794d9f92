//! Perft: counts the sequences of actions from a position, to compare rules with other implementations.

use std::ops::AddAssign;

use crate::{Action, Game, Outcome, Side};

/// What [`perft`] counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct PerftCount {
    /// Sequences of exactly `depth` actions; one that ends the game exactly there counts, one that ended earlier
    /// does not.
    pub nodes: u64,
    /// Game-ending nodes at any depth from 1 to `depth` that the first player won.
    pub first: u64,
    /// The same, won by the second player.
    pub second: u64,
    /// The same, drawn.
    pub draw: u64,
    /// Actions made to find out, at all depths: each is one call of [`Game::play`] on a copy, so this over the time
    /// taken is the speed of the rules.
    pub actions: u64,
}

impl AddAssign for PerftCount {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.first += other.first;
        self.second += other.second;
        self.draw += other.draw;
        self.actions += other.actions;
    }
}

/// Counts over all legal actions (not only distinct ones) from `position`, `depth` plies deep.
///
/// ```
/// use selfplay_env::Game;
/// use selfplay_env::fixtures::ConnectFour;
/// use selfplay_env::perft::perft;
///
/// assert_eq!(perft(&ConnectFour::initial(), 4).nodes, 7 * 7 * 7 * 7);
/// ```
pub fn perft<G: Game>(position: &G, depth: usize) -> PerftCount {
    let mut lists = vec![Vec::new(); depth];
    let mut count = PerftCount::default();
    walk(position, &mut lists, &mut count);
    count
}

/// `lists` holds one reusable action list for each action still to make.
fn walk<G: Game>(position: &G, lists: &mut [Vec<Action>], count: &mut PerftCount) {
    let Some((actions, deeper)) = lists.split_first_mut() else {
        count.nodes += 1;
        return;
    };
    position.legal_actions(actions);
    count.actions += actions.len() as u64;
    for &action in actions.iter() {
        let mut child = position.clone();
        child.play(action);
        match child.outcome() {
            None => walk(&child, deeper, count),
            Some(outcome) => {
                match outcome {
                    Outcome::Win(Side::First) => count.first += 1,
                    Outcome::Win(Side::Second) => count.second += 1,
                    Outcome::Draw => count.draw += 1,
                }
                count.nodes += u64::from(deeper.is_empty());
            }
        }
    }
}
