//! What the games of a generation look like, from their records alone.

use std::collections::HashMap;

use selfplay_env::{Action, Rules};
use selfplay_metrics::SelfPlaySummary;

use crate::record::{EndReason, GameRecord, GameResult, PlyRecord, SearchTarget};

/// Actions that distinguish openings.
const OPENING_PLIES: usize = 4;

/// Summarises the records of one generation of the game of `rules`.
pub fn summarise(rules: &dyn Rules, records: &[GameRecord]) -> SelfPlaySummary {
    let targets: Vec<&SearchTarget> = records.iter().flat_map(GameRecord::targets).map(|(_, target)| target).collect();
    let mean = |of: fn(&SearchTarget) -> f64| {
        targets.iter().fold(0.0, |sum, target| sum + of(target)) / targets.len().max(1) as f64
    };
    let games = records.len().max(1) as f64;
    let plies: u64 = records.iter().map(|record| record.plies.len() as u64).sum();
    let mut openings: HashMap<Vec<Action>, u64> = HashMap::new();
    records.iter().for_each(|record| *openings.entry(opening_of(rules, record)).or_default() += 1);
    let mut summary = SelfPlaySummary {
        games: records.len() as u64,
        plies,
        positions: targets.len() as u64,
        simulations: records.iter().map(|record| record.simulations).sum(),
        mean_game_plies: plies as f64 / games,
        commonest_opening_share: openings.into_values().max().unwrap_or(0) as f64 / games,
        policy_entropy_nats: mean(SearchTarget::policy_entropy),
        policy_surprise_nats: mean(|target| f64::from(target.surprise)),
        root_value_mean_abs: mean(|target| f64::from(target.wdl().value().abs())),
        proven_position_share: mean(|target| f64::from(u8::from(target.proven.is_some()))),
        ..SelfPlaySummary::default()
    };
    records.iter().for_each(|record| count_end(&mut summary, record));
    summary
}

fn count_end(summary: &mut SelfPlaySummary, record: &GameRecord) {
    match (record.end.reason, record.end.result) {
        (EndReason::Cap, _) => summary.truncated += 1,
        (_, GameResult::FirstWon) => summary.first_wins += 1,
        (_, GameResult::SecondWon) => summary.second_wins += 1,
        (_, GameResult::Drawn) => summary.draws += 1,
    }
    match (record.end.reason, record.resignation) {
        (EndReason::Proven, None) => summary.proven += 1,
        (EndReason::Resigned, _) => summary.resigned += 1,
        (reason, Some(resignation)) => {
            summary.proven += u64::from(reason == EndReason::Proven);
            // An action that gives up and ends the game is none that was played on.
            let is_played_on = record.plies.len() > resignation.after as usize + 1;
            summary.resignations_checked += u64::from(is_played_on);
            summary.resignations_wrong += u64::from(is_played_on && record.end.result != resignation.concedes);
        }
        (EndReason::Rules | EndReason::Cap, None) => {}
    }
}

/// The first actions, or that of their images under the board's symmetries that comes first.
fn opening_of(rules: &dyn Rules, record: &GameRecord) -> Vec<Action> {
    let image_under = |&symmetry| {
        let mut position = rules.initial();
        let decide = |ply: &PlyRecord| {
            let action = position.canonical_action(rules.transform_action(Action(ply.action), symmetry));
            position.play(action);
            action
        };
        record.plies.iter().take(OPENING_PLIES).map(decide).collect()
    };
    rules.symmetries().iter().map(image_under).min().unwrap_or_default()
}
