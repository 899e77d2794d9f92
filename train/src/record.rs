//! What is kept of a self-play game: decisions and search results, never planes. Encoding happens when sampling.

use selfplay_env::{Action, Game, Outcome, Side, Wdl};
use selfplay_mcts::SearchReport;
use serde::{Deserialize, Serialize};

/// Changes when self-play writes something else into the same fields; stored in every shard.
pub const ENGINE_VERSION: u32 = 1;

/// What the games of a shard belong to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShardHeader {
    /// Id of the game.
    pub game: String,
    /// Encoding version of the game when they were played: action indices keep their meaning within one.
    pub encoding_version: u32,
    /// [`ENGINE_VERSION`] of the program that played them.
    pub engine_version: u32,
    /// Seed of the run.
    pub run_seed: u64,
    /// Generation the games belong to.
    pub generation: u32,
}

impl std::fmt::Display for ShardHeader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ShardHeader { game, encoding_version, engine_version, run_seed, generation } = self;
        write!(
            f,
            "{game} (encoding {encoding_version}, engine {engine_version}), generation {generation} of the run with \
             seed {run_seed}"
        )
    }
}

/// A prior of 1 in a record without visits.
pub const PRIOR_SCALE: f32 = 65_535.0;

/// One self-play game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
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
    /// search proved to be worse than the best are left out. Where the search visited none of the rest, their priors
    /// in parts of [`PRIOR_SCALE`] stand instead.
    pub visits: Vec<(u16, u32)>,
    /// The search's expected result at the root for the side to move, −1..=1.
    pub root_value: f32,
}

impl DecisionRecord {
    /// The record of playing `action` after the search `report`.
    pub fn new(action: Action, report: &SearchReport) -> Self {
        // Target and report list the moves in the same order.
        let mut moves = report.moves.iter();
        let mut count = |action: Action, share: f32| match moves.find(|found| found.action == action) {
            Some(found) if found.visits > 0 => found.visits,
            _ => ((share * PRIOR_SCALE) as u32).max(1),
        };
        let target = report.policy_target();
        let visits = target.iter().map(|&(action, share)| (action.0, count(action, share))).collect();
        DecisionRecord { action: action.0, visits, root_value: report.wdl.value() }
    }

    /// The search's win, draw and loss at the root for the side to move. Draws are not recorded: the value is that of
    /// a game without them.
    pub fn root_wdl(&self) -> Wdl {
        Wdl { win: (1.0 + self.root_value) / 2.0, draw: 0.0, loss: (1.0 - self.root_value) / 2.0 }
    }

    /// The result that the search proved for the side to move, 1 or −1. A proven draw has the value of an even position
    /// and is not told apart.
    pub fn proven(&self) -> Option<i8> {
        (self.root_value.abs() == 1.0).then_some(self.root_value as i8)
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

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_mcts::MoveReport;

    fn record(moves: &[(u16, u32, f32, Option<i8>)]) -> DecisionRecord {
        let to_report =
            |&(action, visits, prior, proven)| MoveReport { action: Action(action), visits, q: 0.0, prior, proven };
        let moves: Vec<MoveReport> = moves.iter().map(to_report).collect();
        let report = SearchReport {
            simulations: 9,
            wdl: Wdl { win: 0.5, draw: 0.25, loss: 0.25 },
            proven: None,
            moves,
            principal_variation: Vec::new(),
        };
        DecisionRecord::new(report.moves[0].action, &report)
    }

    #[test]
    fn visits_are_kept_and_proven_losses_dropped() {
        let found = record(&[(7, 5, 0.2, Some(-1)), (3, 3, 0.5, None), (1, 1, 0.2, None), (0, 0, 0.1, None)]);
        assert_eq!(found.visits, [(3, 3), (1, 1)]);
        assert_eq!((found.action, found.root_value), (7, 0.25));
        let entropy = -(0.75_f64 * 0.75_f64.ln() + 0.25 * 0.25_f64.ln());
        assert!((found.policy_entropy() - entropy).abs() < 1e-12);
    }

    #[test]
    fn without_visits_the_priors_are_kept() {
        let found = record(&[(7, 5, 0.4, Some(-1)), (3, 0, 0.45, None), (1, 0, 0.15, None)]);
        let [(3, a), (1, b)] = found.visits[..] else { panic!("{:?}", found.visits) };
        assert!((f64::from(a) / f64::from(b) - 3.0).abs() < 1e-3, "{a} {b}");
    }
}
