//! What the games of a generation look like, from their records alone.

use std::collections::HashMap;

use selfplay_env::{Action, Rules};
use serde::{Deserialize, Serialize};

use crate::record::{DecisionRecord, EndReason, GameRecord, GameResult, SearchTarget};

/// Decisions by which openings are told apart.
const OPENING_DECISIONS: usize = 4;

/// The games of a generation in numbers. Read from a file, a number that it lacks is 0.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SelfPlaySummary {
    /// Games played.
    pub games: u64,
    /// Decisions made, those of openings included.
    pub decisions: u64,
    /// Positions that are learned from.
    pub positions: u64,
    /// Search simulations spent.
    pub simulations: u64,
    /// Decisions a game, on average.
    pub mean_game_decisions: f64,
    /// Games the first player won.
    pub first_wins: u64,
    /// Games the second player won.
    pub second_wins: u64,
    /// Games drawn by the rules or a proof.
    pub draws: u64,
    /// Games stopped at the cap.
    pub truncated: u64,
    /// Games that ended as soon as their result was proven.
    pub proven: u64,
    /// Games that a side resigned.
    pub resigned: u64,
    /// Games that were played on although a side found its position hopeless.
    pub resignations_checked: u64,
    /// Those of them that this side did not lose.
    pub resignations_wrong: u64,
    /// Share of the games that begin with the most frequent four decisions, 0..=1; the images of decisions under a
    /// symmetry of the board are the same.
    pub commonest_opening_share: f64,
    /// Mean entropy of the policy targets, in nats.
    pub policy_entropy_nats: f64,
    /// Mean difference of the policy targets from the network's own policy, KL(target ‖ prior) in nats.
    pub policy_surprise_nats: f64,
    /// Mean absolute value of the searches' roots, 0..=1.
    pub root_value_mean_abs: f64,
    /// Share of the positions whose value the search had proven, 0..=1.
    pub proven_position_share: f64,
}

impl SelfPlaySummary {
    /// Summarises the records of one generation of the game of `rules`.
    pub fn of(rules: &dyn Rules, records: &[GameRecord]) -> Self {
        let targets: Vec<&SearchTarget> =
            records.iter().flat_map(GameRecord::targets).map(|(_, target)| target).collect();
        let mean = |of: fn(&SearchTarget) -> f64| {
            targets.iter().fold(0.0, |sum, target| sum + of(target)) / targets.len().max(1) as f64
        };
        let games = records.len().max(1) as f64;
        let decisions: u64 = records.iter().map(|record| record.decisions.len() as u64).sum();
        let mut openings: HashMap<Vec<Action>, u64> = HashMap::new();
        records.iter().for_each(|record| *openings.entry(opening_of(rules, record)).or_default() += 1);
        let mut summary = SelfPlaySummary {
            games: records.len() as u64,
            decisions,
            positions: targets.len() as u64,
            simulations: records.iter().map(|record| record.simulations).sum(),
            mean_game_decisions: decisions as f64 / games,
            commonest_opening_share: openings.into_values().max().unwrap_or(0) as f64 / games,
            policy_entropy_nats: mean(SearchTarget::policy_entropy),
            policy_surprise_nats: mean(|target| f64::from(target.surprise)),
            root_value_mean_abs: mean(|target| f64::from(target.wdl().value().abs())),
            proven_position_share: mean(|target| f64::from(u8::from(target.proven.is_some()))),
            ..Self::default()
        };
        records.iter().for_each(|record| summary.count_end(record));
        summary
    }

    fn count_end(&mut self, record: &GameRecord) {
        match (record.end.reason, record.end.result) {
            (EndReason::Cap, _) => self.truncated += 1,
            (_, GameResult::FirstWon) => self.first_wins += 1,
            (_, GameResult::SecondWon) => self.second_wins += 1,
            (_, GameResult::Drawn) => self.draws += 1,
        }
        match (record.end.reason, record.resignation) {
            (EndReason::Proven, None) => self.proven += 1,
            (EndReason::Resigned, _) => self.resigned += 1,
            (reason, Some(resignation)) => {
                self.proven += u64::from(reason == EndReason::Proven);
                // A decision that gives up and ends the game is none that was played on.
                let is_played_on = record.decisions.len() > resignation.after as usize + 1;
                self.resignations_checked += u64::from(is_played_on);
                self.resignations_wrong += u64::from(is_played_on && record.end.result != resignation.concedes);
            }
            (EndReason::Rules | EndReason::Cap, None) => {}
        }
    }
}

/// The first decisions, or that of their images under the board's symmetries that comes first.
fn opening_of(rules: &dyn Rules, record: &GameRecord) -> Vec<Action> {
    let image_under = |&symmetry| {
        let mut position = rules.initial();
        let decide = |decision: &DecisionRecord| {
            let action = position.canonical_action(rules.transform_action(Action(decision.action), symmetry));
            position.play(action);
            action
        };
        record.decisions.iter().take(OPENING_DECISIONS).map(decide).collect()
    };
    rules.symmetries().iter().map(image_under).min().unwrap_or_default()
}
