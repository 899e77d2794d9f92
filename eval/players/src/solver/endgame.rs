//! What the rest of a game is worth where little of it is left: for players, between their other work.

use selfplay_env::{Game, MayGoOn, Outcome, Symmetric, Tactics};

use super::ln_tree_size;
use super::prover::{Meter, Prover, Reach};
use super::table::ProofTable;

/// Memory in MiB of what is proven.
const MEMORY_MIB: u32 = 32;
/// With more plies to come nothing is estimated: no such rest is small.
const MAX_TO_COME: usize = 24;

/// Verification to the ends of all games, of games that end after a fixed number of plies at the latest.
#[derive(Default, Debug)]
pub(crate) struct Endgame {
    /// None before the first proof.
    table: Option<ProofTable>,
}

/// Somebody who is asked.
struct Asked<'a, 'b>(&'a mut MayGoOn<'b>);

impl Meter for Asked<'_, '_> {
    fn spend(&mut self, positions: u64) -> bool {
        (self.0)(positions)
    }
}

impl Endgame {
    /// Forgets what it has proven.
    pub fn forget(&mut self) {
        self.table = None;
    }

    /// Whether `position`, which `plies_played` have led to, may be solved by looking at `nodes` positions: whether its minimal
    /// tree has no more leaves. In Sum15 a proof looks at up to six positions for each of these, mostly at fewer than three.
    pub fn is_small<G: Game>(position: &G, plies_played: usize, nodes: u64) -> bool {
        let to_come = G::spec().max_plies.map(|most| most.saturating_sub(plies_played));
        to_come.is_some_and(|to_come| to_come <= MAX_TO_COME) && ln_tree_size(position) <= (nodes as f64).ln()
    }

    /// The result of `position` under perfect play; `None` if it was ended before, or if a game may last for ever.
    pub fn outcome<G: Tactics + Symmetric>(
        &mut self,
        position: &G,
        plies_played: usize,
        may_go_on: &mut MayGoOn<'_>,
    ) -> Option<Outcome> {
        if let Some(outcome) = position.settled_outcome() {
            return Some(outcome);
        }
        let to_come = G::spec().max_plies?.saturating_sub(plies_played).max(1) as u32;
        if self.table.is_none() {
            self.table = ProofTable::new(MEMORY_MIB).ok();
        }
        let mut prover = Prover::new(self.table.as_ref()?, Asked(may_go_on), 0);
        let side = position.side_to_move();
        for (goal, outcome) in [(1, Outcome::Win(side)), (0, Outcome::Draw)] {
            if prover.reaches(position, goal, to_come, Reach::Ends)? {
                return Some(outcome);
            }
        }
        Some(Outcome::Win(side.opponent()))
    }
}
