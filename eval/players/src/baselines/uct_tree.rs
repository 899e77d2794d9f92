//! Monte-Carlo tree search with random games, as the textbooks have it: UCB1 in the tree, uniformly random play below.
//!
//! Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (ECML 2006). Nothing is proven, remembered or guessed.

use std::cmp::Reverse;

use selfplay_env::rng::{GameRng, RngExt};
use selfplay_env::{Action, Game, Outcome, Side, Wdl};
use selfplay_mcts::{MoveReport, SearchReport};

use super::move_clock::MoveClock;

/// A random game that has not ended after this many moves counts as drawn.
const MAX_ROLLOUT_PLIES: usize = 2000;

const ROOT: usize = 0;

/// A position in the tree, reached by `action`.
#[derive(Clone, Copy)]
struct Node {
    /// Index of the first child; the others follow it, in random order.
    first_child: u32,
    visits: u32,
    /// Games won less games lost, for the first player.
    value_sum: i32,
    action: Action,
    /// 0 until the node is expanded.
    children: u16,
    /// Children visited so far; they are visited in order, each once before any twice.
    tried: u16,
}

impl Node {
    fn new(action: Action) -> Self {
        Node { first_child: 0, visits: 0, value_sum: 0, action, children: 0, tried: 0 }
    }

    /// Mean result in −1..=1 for `side`; visited at least once.
    fn mean_for(&self, side: Side) -> f64 {
        let first = f64::from(self.value_sum) / f64::from(self.visits);
        if side == Side::First { first } else { -first }
    }
}

/// What happens when no node fits in the memory any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// The tree stays as it is, and random games continue from its leaves.
    GoOn,
    /// The search ends.
    Stop,
}

/// When a search ends and how it selects.
#[derive(Debug)]
pub struct UctLimits {
    /// Simulations, at least 1 and below 2³¹.
    pub simulations: u32,
    /// Asked after each simulation.
    pub clock: MoveClock,
    /// What follows when the memory is used up.
    pub when_full: WhenFull,
    /// Weight of curiosity in UCB1, for results in 0..=1: √2 is that of the theory.
    pub exploration: f64,
}

/// A tree in memory that is taken once, and the buffers of the search.
pub struct UctTree {
    nodes: Vec<Node>,
    most_nodes: usize,
    is_full: bool,
    path: Vec<usize>,
    actions: Vec<Action>,
    /// Simulations won, drawn and lost by the first player.
    results: [u32; 3],
}

impl UctTree {
    /// An empty tree that never takes more than `memory_mib` MiB.
    pub fn new(memory_mib: u32) -> Self {
        let most_nodes = memory_mib as usize * (1 << 20) / size_of::<Node>();
        let path = Vec::new();
        UctTree { nodes: Vec::new(), most_nodes, is_full: false, path, actions: Vec::new(), results: [0; 3] }
    }

    /// Nodes of the last search.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was searched yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many nodes fit into the memory.
    pub fn most_nodes(&self) -> usize {
        self.most_nodes
    }

    /// Bytes that the nodes take, used or not.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }

    /// Searches the running `position` from scratch; at least one simulation is made.
    pub fn search<G: Game>(&mut self, position: &G, limits: &UctLimits, rng: &mut GameRng) -> SearchReport {
        self.take_memory(limits.simulations, G::spec().action_count);
        self.nodes.clear();
        self.nodes.push(Node::new(Action(0)));
        self.is_full = false;
        self.results = [0; 3];
        self.expand(ROOT, position, rng);
        for done in 1..=limits.simulations {
            self.simulate(position, limits.exploration, rng);
            let is_enough = done == limits.simulations || limits.when_full == WhenFull::Stop && self.is_full;
            if is_enough || limits.clock.is_over() {
                break;
            }
        }
        self.report(position.side_to_move())
    }

    /// Makes room for all nodes of a search at once, the limit at most. A system gives memory page by page as it is
    /// written to, so what is not needed costs nothing.
    fn take_memory(&mut self, simulations: u32, actions: usize) {
        let needed = (simulations as usize + 1).saturating_mul(actions).saturating_add(1).min(self.most_nodes);
        if self.nodes.capacity() < needed {
            // The old memory goes before the new comes: together they might exceed the limit.
            self.nodes = Vec::new();
            self.nodes = Vec::with_capacity(needed);
        }
    }

    /// One walk from the root to a leaf, a random game from there, and its result on all nodes of the walk.
    fn simulate<G: Game>(&mut self, root: &G, exploration: f64, rng: &mut GameRng) {
        let mut position = root.clone();
        let mut at = ROOT;
        self.path.clear();
        self.path.push(ROOT);
        let outcome = loop {
            if let Some(outcome) = position.outcome() {
                break outcome;
            }
            let node = self.nodes[at];
            // A node is expanded when the search comes to it a second time.
            if node.children == 0 && (node.visits == 0 || !self.expand(at, &position, rng)) {
                break self.rollout(&mut position, rng);
            }
            at = self.select(at, position.side_to_move(), exploration);
            position.play(self.nodes[at].action);
            self.path.push(at);
        };
        let value = i32::from(outcome.value_for(Side::First));
        self.results[(1 - value) as usize] += 1;
        for &node in &self.path {
            self.nodes[node].visits += 1;
            self.nodes[node].value_sum += value;
        }
    }

    /// The child to walk to, where `side` decides: one never visited, else the greatest bound of UCB1.
    fn select(&mut self, at: usize, side: Side, exploration: f64) -> usize {
        let node = &mut self.nodes[at];
        let first = node.first_child as usize;
        if node.tried < node.children {
            node.tried += 1;
            return first + usize::from(node.tried) - 1;
        }
        let log_visits = f64::from(node.visits).ln();
        let children = first..first + usize::from(node.children);
        let mut best = (f64::NEG_INFINITY, first);
        for index in children {
            let child = &self.nodes[index];
            // UCB1 is about rewards in 0..=1.
            let mean = (child.mean_for(side) + 1.0) / 2.0;
            let bound = mean + exploration * (log_visits / f64::from(child.visits)).sqrt();
            if bound > best.0 {
                best = (bound, index);
            }
        }
        best.1
    }

    /// Adds the children of a running position; false if they do not fit.
    fn expand<G: Game>(&mut self, at: usize, position: &G, rng: &mut GameRng) -> bool {
        let mut actions = std::mem::take(&mut self.actions);
        position.distinct_actions(&mut actions);
        let fits = self.nodes.len() + actions.len() <= self.most_nodes;
        if fits {
            for last in (1..actions.len()).rev() {
                actions.swap(last, rng.random_range(0..=last));
            }
            let first_child = self.nodes.len() as u32;
            self.nodes.extend(actions.iter().map(|&action| Node::new(action)));
            let node = &mut self.nodes[at];
            (node.first_child, node.children) = (first_child, actions.len() as u16);
        }
        self.is_full |= !fits;
        self.actions = actions;
        fits
    }

    /// Plays uniformly random legal actions to the end.
    fn rollout<G: Game>(&mut self, position: &mut G, rng: &mut GameRng) -> Outcome {
        for _ in 0..MAX_ROLLOUT_PLIES {
            if let Some(outcome) = position.outcome() {
                return outcome;
            }
            position.legal_actions(&mut self.actions);
            position.play(self.actions[rng.random_range(0..self.actions.len())]);
        }
        position.outcome().unwrap_or(Outcome::Draw)
    }

    fn children(&self, at: usize) -> &[Node] {
        let node = &self.nodes[at];
        &self.nodes[node.first_child as usize..][..usize::from(node.children)]
    }

    /// What was found, for `side`, which decides at the root.
    fn report(&self, side: Side) -> SearchReport {
        let root = &self.nodes[ROOT];
        let children = self.children(ROOT);
        let root_mean = root.mean_for(side) as f32;
        let mut moves: Vec<MoveReport> = children
            .iter()
            .map(|child| MoveReport {
                action: child.action,
                visits: child.visits,
                q: if child.visits == 0 { root_mean } else { child.mean_for(side) as f32 },
                prior: 1.0 / children.len() as f32,
                evaluator_prior: 1.0 / children.len() as f32,
                target_weight: child.visits as f32,
                proven: None,
                plies: None,
                turns: None,
            })
            .collect();
        moves.sort_by_key(|m| (Reverse(m.visits), m.action));
        let [first, draw, second] = self.results.map(|count| count as f32 / root.visits as f32);
        let wdl = Wdl { win: first, draw, loss: second };
        SearchReport {
            simulations: root.visits,
            wdl: if side == Side::First { wdl } else { wdl.flipped() },
            proven: None,
            moves,
            choice: None,
            principal_variation: self.walk(Vec::new(), ROOT),
        }
    }

    /// The line that begins with the move `first` at the root: after it the most visited moves of both sides.
    pub fn line_of(&self, first: Action) -> Vec<Action> {
        let index = self.children(ROOT).iter().position(|child| child.action == first);
        index.map_or(Vec::new(), |index| self.walk(vec![first], self.nodes[ROOT].first_child as usize + index))
    }

    /// `line`, which leads to the node `at`, and the most visited moves from there.
    fn walk(&self, mut line: Vec<Action>, mut at: usize) -> Vec<Action> {
        loop {
            let first = self.nodes[at].first_child as usize;
            let children = self.children(at).iter().enumerate();
            let most_visited = children.max_by_key(|(_, child)| (child.visits, Reverse(child.action)));
            match most_visited {
                Some((index, child)) if child.visits > 0 => {
                    line.push(child.action);
                    at = first + index;
                }
                _ => return line,
            }
        }
    }
}
