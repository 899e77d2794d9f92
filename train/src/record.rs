//! What is kept of a self-play game: decisions and search results, never planes. Encoding happens when sampling.

use selfplay_env::{Action, Game, Outcome, Side};
use selfplay_mcts::SearchReport;
use serde::{Deserialize, Serialize};

/// Changes when self-play writes something else into the same fields; stored in every record.
pub const ENGINE_VERSION: u32 = 1;

/// What the games of a shard belong to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShardHeader {
    /// Id of the game.
    pub game: String,
    /// Encoding version of the game when they were played: action indices keep their meaning within one.
    pub encoding_version: u32,
    /// Seed of the run.
    pub run_seed: u64,
    /// Generation the games belong to.
    pub generation: u32,
}

/// One self-play game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// [`ENGINE_VERSION`] of the program that played it.
    pub engine_version: u32,
    /// Number of the game within its generation, from 0.
    pub game_number: u32,
    /// Every decision from the initial position.
    pub decisions: Vec<DecisionRecord>,
    /// How it ended.
    pub end: GameEnd,
    /// Search simulations spent on the whole game.
    pub simulations: u64,
}

/// How a recorded game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum GameEnd {
    /// The first player won.
    FirstWon,
    /// The second player won.
    SecondWon,
    /// A draw by the rules.
    Drawn,
    /// Stopped at the cap on decisions; counts as a draw for the value target and is reported apart.
    Truncated,
}

impl GameEnd {
    /// The end of a game whose rules say `outcome`, `None` for one that was stopped at the cap.
    pub fn from_outcome(outcome: Option<Outcome>) -> Self {
        match outcome {
            Some(Outcome::Win(Side::First)) => GameEnd::FirstWon,
            Some(Outcome::Win(Side::Second)) => GameEnd::SecondWon,
            Some(Outcome::Draw) => GameEnd::Drawn,
            None => GameEnd::Truncated,
        }
    }

    /// The result that the value target is made of.
    pub fn value_outcome(self) -> Outcome {
        match self {
            GameEnd::FirstWon => Outcome::Win(Side::First),
            GameEnd::SecondWon => Outcome::Win(Side::Second),
            GameEnd::Drawn | GameEnd::Truncated => Outcome::Draw,
        }
    }
}

/// One decision of a recorded game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// Policy index of the decision that was played, one of the position's distinct actions.
    pub action: u16,
    /// Root visits `(policy index, visit count)` that the policy target is made of, at least one. Moves that the
    /// search proved to be worse than the best are left out.
    pub visits: Vec<(u16, u32)>,
    /// The search's expected result at the root for the side to move, −1..=1.
    pub root_value: f32,
}

impl DecisionRecord {
    /// The record of playing `action` after the search `report`.
    pub fn new(action: Action, report: &SearchReport) -> Self {
        let target = report.policy_target();
        let visits = report
            .moves
            .iter()
            .filter(|m| target.iter().any(|(kept, weight)| *kept == m.action && *weight > 0.0))
            .map(|m| (m.action.0, m.visits.max(1)))
            .collect();
        DecisionRecord { action: action.0, visits, root_value: report.wdl.value() }
    }

    /// Entropy of the policy target, in nats.
    pub fn policy_entropy(&self) -> f64 {
        let total: f64 = self.visits.iter().map(|(_, n)| f64::from(*n)).sum();
        -self.visits.iter().map(|(_, n)| f64::from(*n) / total).map(|p| p * p.ln()).sum::<f64>()
    }
}

impl GameRecord {
    /// Replays the record and says whether its decisions and targets are possible in the game `G`.
    ///
    /// A checksum guards against torn bytes; this guards against records of other rules.
    pub fn agrees_with_rules<G: Game>(&self) -> bool {
        let mut position = G::initial();
        for decision in &self.decisions {
            let within = |index: u16| usize::from(index) < G::ACTION_COUNT && position.is_legal(Action(index));
            let targets_are_legal = decision.visits.iter().all(|&(index, n)| n > 0 && within(index));
            if decision.visits.is_empty() || !targets_are_legal || !within(decision.action) {
                return false;
            }
            position.play(Action(decision.action));
        }
        GameEnd::from_outcome(position.outcome()) == self.end
    }
}
