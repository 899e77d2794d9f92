//! The value of any position to the last disc: who wins, and how soon.
//!
//! Alpha-beta over masks with windows of a single point, as Pascal Pons explains it ("Solving Connect 4: how to build a
//! perfect AI", <http://blog.gamesolver.org>). What loses at once is never tried, the rest in the order of the threats it
//! makes. Proven bounds are kept, and a position's score is found by halving what is still possible. Nothing is
//! tried where a plan shows enough (`follow_up.rs`).

use selfplay_registry::{Ending, MayGoOn, Outcome, OwnSolver, Side};

use super::proven::{Bounds, Proven};
use super::threats::{Node, SafeMoves};
use super::{CELLS, Connect4};

/// Positions searched between two calls of the progress callback.
const POSITIONS_PER_QUESTION: u64 = 1024;
/// With so many discs at most a position shares its entry with its mirror image; later that takes longer than it saves.
const MIRRORED_DISCS: u8 = 18;
/// More than any score.
const NO_SCORE: i32 = CELLS as i32 / 2 + 1;

/// The solver and what it has proven so far.
pub(super) struct Connect4Solver {
    proven: Proven,
}

impl Connect4Solver {
    /// A solver whose table takes at most `memory_mib` MiB; `None` if the system does not give so much.
    pub fn new(memory_mib: u32) -> Option<Self> {
        Proven::new(memory_mib).map(|proven| Connect4Solver { proven })
    }

    /// The score of `position`, or the end of `range` that it lies beyond.
    fn score(&mut self, position: &Connect4, range: Bounds, may_go_on: &mut MayGoOn<'_>) -> Option<i32> {
        let mut search = Search { proven: &mut self.proven, positions: 0, told: 0, may_go_on };
        let score = search.score(position, range);
        // What was looked at since the last question.
        let (positions, told) = (search.positions, search.told);
        may_go_on(positions - told);
        score
    }
}

impl OwnSolver<Connect4> for Connect4Solver {
    fn outcome(&mut self, position: &Connect4, may_go_on: &mut MayGoOn<'_>) -> Option<Outcome> {
        let score = self.score(position, Bounds { least: -1, most: 1 }, may_go_on)?;
        Some(outcome_of(score, position.to_move))
    }

    fn ending(&mut self, position: &Connect4, may_go_on: &mut MayGoOn<'_>) -> Option<Ending> {
        let score = self.score(position, Bounds { least: -NO_SCORE, most: NO_SCORE }, may_go_on)?;
        // The winner's last disc falls on so many.
        let discs_before = match score {
            0 => CELLS as i32 - 1,
            _ => CELLS as i32 - 2 * score.abs() + (i32::from(position.plies) + i32::from(score < 0)) % 2,
        };
        let turns = (discs_before + 1 - i32::from(position.plies)) as u32;
        Some(Ending { outcome: outcome_of(score, position.to_move), turns })
    }
}

/// The result that the sign of `score` tells.
fn outcome_of(score: i32, side: Side) -> Outcome {
    match score.signum() {
        1 => Outcome::Win(side),
        0 => Outcome::Draw,
        _ => Outcome::Win(side.opponent()),
    }
}

/// The score of a side that wins with its next disc, on so many: the discs that it has left, that one included. A lost
/// game's score is the winner's with the sign changed, a drawn one's 0.
fn next_disc_wins(discs: u8) -> i32 {
    (CELLS as i32 + 1 - i32::from(discs)) / 2
}

/// One question.
struct Search<'a, 'b> {
    proven: &'a mut Proven,
    may_go_on: &'a mut MayGoOn<'b>,
    positions: u64,
    /// Those of them that the callback has received.
    told: u64,
}

impl Search<'_, '_> {
    /// The score of a running game, as far as `range` goes; `None` if it was ended.
    fn score(&mut self, position: &Connect4, Bounds { mut least, mut most }: Bounds) -> Option<i32> {
        let Some(node) = position.node() else {
            self.count()?;
            return Some(next_disc_wins(position.plies).clamp(least, most));
        };
        while least < most {
            let middle = (least + most).div_euclid(2);
            // Nearer to a draw the trees are smaller, so half of the way there comes first.
            let asked = if middle <= 0 && least / 2 < middle {
                least / 2
            } else if middle >= 0 && most / 2 > middle {
                most / 2
            } else {
                middle
            };
            match self.reaches(node, asked + 1)? {
                true => least = asked + 1,
                false => most = asked,
            }
        }
        Some(least)
    }

    /// Whether the side to move reaches at least `score`.
    fn reaches(&mut self, node: Node, score: i32) -> Option<bool> {
        self.count()?;
        let discs = node.discs;
        let cells = match node.choice() {
            SafeMoves::Full => return Some(score <= 0),
            SafeMoves::Lost => return Some(-next_disc_wins(discs + 1) >= score),
            SafeMoves::Cells(cells) => cells,
        };
        // Neither side wins with the next two discs.
        if next_disc_wins(discs + 2) < score {
            return Some(false);
        }
        if -next_disc_wins(discs + 3) >= score {
            return Some(true);
        }
        // A score has the sign of its result, and of lost games the plan does not say how soon.
        if score.signum() > i32::from(node.most()) {
            return Some(false);
        }
        let key = shared_key(&node);
        let known = self.proven.get(key).unwrap_or(Bounds { least: -NO_SCORE, most: NO_SCORE });
        if known.least >= score {
            return Some(true);
        }
        if known.most < score {
            return Some(false);
        }
        let before = self.positions;
        let mut reached = false;
        for after in node.tries(cells) {
            // At least `score` for us is at most its opposite for them.
            if !self.reaches(after, 1 - score)? {
                reached = true;
                break;
            }
        }
        let bounds = if reached { Bounds { least: score, ..known } } else { Bounds { most: score - 1, ..known } };
        self.proven.insert(key, bounds, (self.positions - before).max(1).ilog2());
        Some(reached)
    }

    /// Counts a position; `None` if the search is to end.
    fn count(&mut self) -> Option<()> {
        self.positions += 1;
        if self.positions - self.told < POSITIONS_PER_QUESTION {
            return Some(());
        }
        let news = self.positions - std::mem::replace(&mut self.told, self.positions);
        (self.may_go_on)(news).then_some(())
    }
}

/// The position's key, early the same for mirror images.
fn shared_key(node: &Node) -> u64 {
    match node.discs <= MIRRORED_DISCS {
        true => node.key().min(node.mirrored_key()),
        false => node.key(),
    }
}
