//! The search that answers one question: can the side to move reach at least this result?

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use selfplay_env::{Action, Game, ImmediateWin, Side, Symmetric, Tactics};

use super::bounds::Bounds;
use super::table::{Proof, ProofTable};

/// Below this many moves to come a position is searched again sooner than looked up.
const MIN_TABLE_DEPTH: u32 = 3;
/// From this many moves to come on, symmetric positions share one entry: looking at all of them pays.
const MIN_SYMMETRY_DEPTH: u32 = 5;
/// Interval, in positions, at which a search reports its count and asks whether to continue.
const NODES_PER_CHECK: u64 = 1024;

/// What limits a search.
pub trait Meter {
    /// Counts so many more positions; whether the search may continue.
    fn spend(&mut self, positions: u64) -> bool;
}

/// What the threads of one solve have in common.
pub struct Shared {
    /// What is proven so far.
    pub table: ProofTable,
    /// Positions looked at by all threads, a little behind.
    pub nodes: AtomicU64,
    /// The most of them.
    pub node_limit: u64,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set when the limits are reached: for good.
    pub is_exhausted: AtomicBool,
    /// Set when another thread has answered the question.
    pub is_answered: AtomicBool,
}

impl Meter for &Shared {
    fn spend(&mut self, positions: u64) -> bool {
        let nodes = self.nodes.fetch_add(positions, Ordering::Relaxed) + positions;
        if nodes >= self.node_limit || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.is_exhausted.store(true, Ordering::Relaxed);
        }
        !self.is_exhausted.load(Ordering::Relaxed) && !self.is_answered.load(Ordering::Relaxed)
    }
}

/// How far a search looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// To the end of every game: every answer is a fact.
    Ends,
    /// Not always to the end. What lies beyond counts against this side, so only answers in its favour are facts.
    Against(Side),
}

/// One thread's search.
pub struct Prover<'a, G, M> {
    table: &'a ProofTable,
    meter: M,
    /// Threads with odd numbers answer a position's refutations in the opposite order, so that two threads on the same
    /// question meet in the middle.
    number: usize,
    reach: Reach,
    /// Buffers by distance from the root.
    frames: Vec<Frame<G>>,
    /// How often an action has decided a position, by side: the order of otherwise equal actions.
    history: [Vec<u32>; 2],
    /// Positions not yet reported to the meter.
    nodes: u64,
    /// Positions since the start, for efforts.
    all_nodes: u64,
}

/// What one position on the way needs.
struct Frame<G> {
    actions: Vec<Action>,
    hints: Vec<i32>,
    children: Vec<Child<G>>,
}

struct Child<G> {
    action: Action,
    position: G,
    rank: (i32, u32),
}

impl<G> Default for Frame<G> {
    fn default() -> Self {
        Frame { actions: Vec::new(), hints: Vec::new(), children: Vec::new() }
    }
}

impl<'a, G: Tactics + Symmetric, M: Meter> Prover<'a, G, M> {
    /// Thread `number` of those that prove into `table`, as far as `meter` lets it.
    pub fn new(table: &'a ProofTable, meter: M, number: usize) -> Self {
        Prover {
            table,
            meter,
            number,
            reach: Reach::Ends,
            frames: Vec::new(),
            history: [vec![0; G::spec().action_count], vec![0; G::spec().action_count]],
            nodes: 0,
            all_nodes: 0,
        }
    }

    /// Whether the side to move in `position` can reach a value of at least `goal` (0 or 1), looking `depth` moves
    /// ahead; `None` if stopped.
    pub fn reaches(&mut self, position: &G, goal: i8, depth: u32, reach: Reach) -> Option<bool> {
        self.reach = reach;
        let answer = self.search(position, goal, depth, 0);
        self.meter.spend(std::mem::take(&mut self.nodes));
        answer
    }

    fn search(&mut self, position: &G, goal: i8, depth: u32, ply: usize) -> Option<bool> {
        // Step 1. Count, and stop if there is no use in going on.
        self.count()?;
        // Step 2. Results that stand.
        let side = position.side_to_move();
        if let Some(outcome) = position.settled_outcome() {
            return Some(outcome.value_for(side) >= goal);
        }
        match position.immediate_win() {
            ImmediateWin::By(_) => return Some(true),
            ImmediateWin::None | ImmediateWin::Unknown => {}
        }
        // Step 3. The horizon.
        if depth == 0 {
            return Some(self.reach != Reach::Against(side));
        }
        // Step 4. What is proven already.
        let key = (depth >= MIN_TABLE_DEPTH).then(|| key(position, depth));
        let known = key.and_then(|key| self.table.get(key));
        if let Some(answer) = known.and_then(|proof| proof.bounds.reaches(goal)) {
            return Some(answer);
        }
        // Step 5. The successors in order; one that is proven already may answer at once.
        let before = self.all_nodes;
        let mut frame = self.frames.get_mut(ply).map(std::mem::take).unwrap_or_default();
        let decided = self.expand(position, goal, depth, known.and_then(|proof| proof.action), &mut frame);
        // Step 6. Search them.
        let answer = match decided {
            Some(action) => Some((true, Some(action))),
            None => self.search_children(position, &frame.children, goal, depth, ply),
        };
        if self.frames.len() <= ply {
            self.frames.resize_with(ply + 1, Frame::default);
        }
        self.frames[ply] = frame;
        let (reached, action) = answer?;
        // Step 7. Keep what is a fact.
        if let Some(key) = key.filter(|_| self.is_fact::<G>(side, goal, reached)) {
            let effort = (self.all_nodes - before + 1).ilog2();
            self.table.insert(key, Proof { bounds: Bounds::UNKNOWN.with(goal, reached), action, effort });
        }
        Some(reached)
    }

    /// Fills `frame` with the successors of `position`, the most promising first; returns an action that reaches the
    /// goal, if one is proven to.
    fn expand(
        &mut self,
        position: &G,
        goal: i8,
        depth: u32,
        best: Option<Action>,
        frame: &mut Frame<G>,
    ) -> Option<Action> {
        let side = position.side_to_move();
        position.distinct_actions(&mut frame.actions);
        position.hints(&frame.actions, &mut frame.hints);
        frame.children.clear();
        for (&action, &hint) in frame.actions.iter().zip(&frame.hints) {
            let mut child = position.clone();
            child.play(action);
            let changes = child.side_to_move() != side;
            let mut rank = hint;
            if depth > MIN_TABLE_DEPTH && child.outcome().is_none() {
                // Only a lookup: an enhanced transposition cutoff (Schaeffer and Plaat, 1996).
                let proof = self.table.get(key(&child, depth - 1));
                let bounds = proof.map(|proof| if changes { proof.bounds.reversed() } else { proof.bounds });
                match bounds.and_then(|bounds| bounds.reaches(goal)) {
                    Some(true) => return Some(action),
                    // Proven to fail: no need to look.
                    Some(false) => continue,
                    None => {}
                }
                let worth = child.heuristic();
                rank += if changes { -worth } else { worth };
            }
            if best == Some(action) {
                rank = i32::MAX;
            }
            let history = self.history[side.index()][action.index()];
            frame.children.push(Child { action, position: child, rank: (rank, history) });
        }
        frame.children.sort_unstable_by_key(|child| (Reverse(child.rank), child.action));
        if self.number % 2 == 1 && frame.children.len() > 2 {
            frame.children[1..].reverse();
        }
        None
    }

    /// Whether one of `children` reaches the goal, and which.
    fn search_children(
        &mut self,
        position: &G,
        children: &[Child<G>],
        goal: i8,
        depth: u32,
        ply: usize,
    ) -> Option<(bool, Option<Action>)> {
        let side = position.side_to_move();
        for child in children {
            let reached = if child.position.side_to_move() == side {
                self.search(&child.position, goal, depth - 1, ply + 1)?
            } else {
                // At least `goal` for us is not at least 1 − `goal` for them.
                !self.search(&child.position, 1 - goal, depth - 1, ply + 1)?
            };
            if reached {
                let history = &mut self.history[side.index()][child.action.index()];
                *history = history.saturating_add(depth * depth);
                return Some((true, Some(child.action)));
            }
        }
        Some((false, None))
    }

    /// Whether the answer holds whatever lies beyond the horizon, and however the position came about.
    fn is_fact<H: Game>(&self, side: Side, goal: i8, reached: bool) -> bool {
        let in_favour = match self.reach {
            Reach::Ends => true,
            Reach::Against(prover) => (side == prover) == reached,
        };
        // Where repetition draws, a draw may rest on the way here; wins and losses do not: the shortest win repeats
        // nothing.
        let is_decisive = (goal == 1) == reached;
        in_favour && (H::spec().max_plies.is_some() || is_decisive)
    }

    /// Counts a position; `None` if the search is to stop.
    fn count(&mut self) -> Option<()> {
        self.nodes += 1;
        self.all_nodes += 1;
        if self.nodes < NODES_PER_CHECK {
            return Some(());
        }
        self.meter.spend(std::mem::take(&mut self.nodes)).then_some(())
    }
}

/// The key of a position in the table; the same for symmetric ones where much is to come.
fn key<G: Symmetric>(position: &G, depth: u32) -> u64 {
    let hash = position.position_hash();
    if depth < MIN_SYMMETRY_DEPTH {
        return hash;
    }
    let images = G::symmetries()[1..].iter().map(|&symmetry| position.transform(symmetry).position_hash());
    images.fold(hash, u64::min)
}
