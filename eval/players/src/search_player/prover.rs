//! Alpha-beta as the search's assistant: what it can prove of a position within a given effort.

use std::time::{Duration, Instant};

use selfplay_env::{Action, Outcome, Tactics};
use selfplay_mcts::cpu_time::ThreadTime;
use selfplay_mcts::{Allotment, CancelToken};

use super::config::Verification;
use crate::alphabeta::{AlphaBeta, AlphaBetaConfig, AlphaBetaLimits, Assignment, Memory, repeated_at, repeated_in};
use crate::alphabeta_report::Proof;
use crate::error::EvalError;
use crate::player::MoveRequest;

/// Size of the table in MiB where proofs are asked for, and where only a hurried move may be.
const MEMORY_MIB: usize = 64;
const HURRIED_MEMORY_MIB: usize = 1;

/// What one proof may cost.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Effort {
    pub time: Allotment,
    pub nodes: Option<u64>,
}

/// What is left of an effort, from its making on.
pub(super) struct Budget {
    effort: Effort,
    positions: u64,
    start: Instant,
    cpu: ThreadTime,
}

impl Budget {
    /// All of `effort`.
    pub fn for_effort(effort: Effort) -> Self {
        Budget { effort, positions: 0, start: Instant::now(), cpu: ThreadTime::now() }
    }

    /// What is left, shared out among so many `parts`.
    pub fn part(&self, parts: u32) -> Effort {
        let Effort { time, nodes } = self.effort;
        let share = |all: Option<Duration>, used: Duration| all.map(|all| all.saturating_sub(used) / parts);
        Effort {
            time: Allotment { wall: share(time.wall, self.start.elapsed()), cpu: share(time.cpu, self.cpu.elapsed()) },
            nodes: nodes.map(|all| all.saturating_sub(self.positions) / u64::from(parts)),
        }
    }

    /// Positions counted so far.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Counts so many more positions; whether there is anything left.
    pub fn spend(&mut self, positions: u64) -> bool {
        self.positions += positions;
        self.effort.nodes.is_none_or(|most| self.positions < most)
            && self.effort.time.wall.is_none_or(|most| self.start.elapsed() < most)
            && self.effort.time.cpu.is_none_or(|most| self.cpu.elapsed() < most)
    }
}

/// What alpha-beta thinks of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Opinion {
    /// The best move as far as it has looked; if the position is lost, the one that resists longest.
    pub best: Action,
    /// The position's result, if it is proven.
    pub proof: Option<Proof>,
    /// The line that both sides are expected to play.
    pub line: Vec<Action>,
    /// The last depth that was finished, in plies.
    pub depth: u32,
}

/// An engine for a player's whole life: what it finds out in one move helps in the next.
#[derive(Debug)]
pub(super) struct Prover {
    engine: AlphaBeta,
    /// The positions of the game so far that stood before.
    repeated: u64,
    /// Positions reached in this move.
    nodes: u64,
}

impl Prover {
    /// # Errors
    /// Too little memory.
    pub fn new(verify: Verification) -> Result<Self, EvalError> {
        let memory_mib = if verify == Verification::On { MEMORY_MIB } else { HURRIED_MEMORY_MIB };
        let config = AlphaBetaConfig { memory_mib, ..AlphaBetaConfig::default() };
        Ok(Prover { engine: AlphaBeta::new(config)?, repeated: 0, nodes: 0 })
    }

    /// Begins the move of `request`. What was found in earlier ones is used if `memory` says so, and if the history
    /// leads to the position. All searches of the move end early once `cancel` is cancelled.
    pub fn begin<G: Tactics>(&mut self, request: &MoveRequest<G>, memory: Memory, cancel: Option<&CancelToken>) {
        self.engine.set_cancel_token(cancel.cloned());
        let repeated = repeated_in(request.history, request.position);
        if memory == Memory::Forget || repeated.is_none() {
            self.engine.forget();
        }
        self.repeated = repeated.unwrap_or(0);
        self.nodes = 0;
    }

    /// Positions reached in this move.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Looks at the running `position` of the move.
    pub fn look<G: Tactics>(&mut self, position: &G, effort: Effort) -> Opinion {
        self.look_within(position, self.repeated, effort)
    }

    /// The result of the position after `action`, if it can be proven.
    pub fn prove_after<G: Tactics>(&mut self, position: &G, action: Action, effort: Effort) -> Option<Proof> {
        let mut after = position.clone();
        after.play(action);
        if let Some(outcome) = after.outcome() {
            return Some(Proof { outcome, distance: (outcome != Outcome::Draw).then_some(1) });
        }
        let proof = self.look_within(&after, repeated_at(&after, self.repeated), effort).proof?;
        Some(Proof { distance: proof.distance.map(|distance| distance + 1), ..proof })
    }

    fn look_within<G: Tactics>(&mut self, position: &G, repeated: u64, effort: Effort) -> Opinion {
        let assignment = Assignment {
            nodes: effort.nodes,
            wall_time: effort.time.wall,
            cpu_time: effort.time.cpu,
            started: Instant::now(),
            memory: Memory::Keep,
            repeated,
            ..Assignment::new(&AlphaBetaLimits::default())
        };
        let report = self.engine.search_as(position, assignment, |_| ());
        self.nodes += report.nodes;
        let proof = report.proof(position.side_to_move());
        Opinion { best: report.best[0], proof, line: report.principal_variation, depth: report.depth }
    }
}
