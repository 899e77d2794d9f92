//! Rows about what a run did and what it cost.

use selfplay_notebooks_export::{
    CalibrationRow, GenerationRow, LossRow, ReportRows, SelfPlayRow, ThroughputRow, ValueErrorRow,
};
use selfplay_train::CALIBRATION_BINS;

use crate::phase::{CoreUse, GateReport, LearnReport, PhaseTime, SelfPlayReport};

/// What training had used when a generation was ready.
#[derive(Clone, Copy, Default)]
pub struct Costs {
    /// CPU time of self-play and learning.
    pub cpu_seconds: f64,
    /// Self-play games.
    pub games: u64,
    /// Search simulations.
    pub simulations: u64,
    /// Positions that are learned from.
    pub positions: u64,
}

impl Costs {
    /// Adds what a generation used.
    pub fn add(&mut self, selfplay: Option<&SelfPlayReport>, learn: Option<&LearnReport>) {
        if let Some(SelfPlayReport { summary, time, .. }) = selfplay {
            self.cpu_seconds += time.cpu_seconds;
            self.games += summary.games;
            self.simulations += summary.simulations;
            self.positions += summary.positions;
        }
        self.cpu_seconds += learn.map_or(0.0, |report| report.time.cpu_seconds);
    }

    /// The CPU time in hours.
    pub fn cpu_hours(&self) -> f64 {
        self.cpu_seconds / 3600.0
    }
}

/// Adds the row of a whole generation; `costs` are those of all up to it.
pub fn add_generation(
    rows: &mut ReportRows,
    generation: u32,
    selfplay: Option<&SelfPlayReport>,
    learn: Option<&LearnReport>,
    gate: Option<&GateReport>,
    costs: &Costs,
) {
    let last = learn.and_then(|report| report.losses.last());
    rows.generations.push(GenerationRow {
        generation,
        selfplay_wall_seconds: selfplay.map(|report| report.time.wall_seconds),
        selfplay_cpu_seconds: selfplay.map(|report| report.time.cpu_seconds),
        learn_wall_seconds: learn.map(|report| report.time.wall_seconds),
        learn_cpu_seconds: learn.map(|report| report.time.cpu_seconds),
        gate_wall_seconds: gate.map(|report| report.time.wall_seconds),
        gate_cpu_seconds: gate.map(|report| report.time.cpu_seconds),
        cumulative_cpu_hours: Some(costs.cpu_hours()),
        cumulative_games: Some(costs.games),
        cumulative_simulations: Some(costs.simulations),
        cumulative_positions: Some(costs.positions),
        steps: last.map(|point| point.step),
        policy_loss: last.map(|point| point.policy_loss),
        value_loss: last.map(|point| point.value_loss),
        total_loss: last.map(|point| point.total_loss),
        ladder_score: gate.and_then(|report| report.ladder.score()).map(|estimate| estimate.score),
        verdict: gate.map(|report| report.verdict.decision.name().to_owned()),
        champion: gate.is_some_and(GateReport::is_promoted),
    });
}

/// Adds the rows of a generation's self-play.
pub fn add_selfplay(rows: &mut ReportRows, generation: u32, report: &SelfPlayReport) {
    let PhaseTime { wall_seconds, cpu_seconds } = report.time;
    rows.selfplay.push(SelfPlayRow { generation, wall_seconds, cpu_seconds, ..SelfPlayRow::from(&report.summary) });
    if let Some(CoreUse { network_seconds, tree_seconds, rules_seconds, idle_seconds }) = report.cores {
        rows.throughput.push(ThroughputRow {
            generation,
            network_seconds: Some(network_seconds),
            tree_seconds: Some(tree_seconds),
            rules_seconds: Some(rules_seconds),
            idle_seconds: Some(idle_seconds),
        });
    }
    let width = 1.0 / CALIBRATION_BINS as f64;
    let bins = report.value_fit.calibration.iter().enumerate().filter(|(_, bin)| bin.positions > 0);
    rows.calibration.extend(bins.map(|(index, bin)| CalibrationRow {
        generation,
        predicted_low: index as f64 * width,
        predicted_high: (index + 1) as f64 * width,
        positions: bin.positions,
        mean_predicted: bin.predicted / bin.positions as f64,
        mean_scored: bin.scored / bin.positions as f64,
    }));
    let plies = report.value_fit.by_ply.iter().enumerate().filter(|(_, error)| error.positions > 0);
    rows.value_error.extend(plies.map(|(ply, error)| ValueErrorRow {
        generation,
        ply: ply as u32,
        positions: error.positions,
        mean_absolute_error: error.absolute / error.positions as f64,
        mean_squared_error: error.squared / error.positions as f64,
    }));
}

/// The learner's points of a generation.
pub fn loss_rows(generation: u32, report: &LearnReport) -> impl Iterator<Item = LossRow> {
    let last_step = report.losses.last().map(|point| point.step);
    report.losses.iter().map(move |point| {
        // These games are judged once, after the last step.
        let is_last = last_step == Some(point.step);
        let (validation, neighbours) = (report.validation.filter(|_| is_last), report.neighbours.filter(|_| is_last));
        LossRow {
            generation,
            replay_positions: report.replay_positions,
            validation_policy_loss: validation.map(|games| games.policy_loss),
            validation_value_loss: validation.map(|games| games.value_loss),
            train_eval_policy_loss: neighbours.map(|games| games.policy_loss),
            train_eval_value_loss: neighbours.map(|games| games.value_loss),
            ..LossRow::from(point)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A phase file of a run that had one auxiliary head and knew neither neighbours nor ignorance.
    const OLD: &str = r#"{
        "losses": [
            {"step": 4, "policy_loss": 1.5, "value_loss": 0.5, "opponent_policy_loss": 1.75, "moves_left_loss": 0.0,
             "total_loss": 2.25, "gradient_norm": 0.0, "learning_rate": 0.01},
            {"step": 8, "policy_loss": 1.25, "value_loss": 0.25, "opponent_policy_loss": 1.5, "moves_left_loss": 0.0,
             "total_loss": 1.75, "gradient_norm": 0.5, "learning_rate": 0.005}
        ],
        "validation": {"positions": 9, "policy_loss": 2.0, "value_loss": 1.0},
        "replay_positions": 100,
        "time": {"wall_seconds": 1.0, "cpu_seconds": 2.0}
    }"#;

    #[test]
    fn the_numbers_of_the_learner_reach_the_columns_of_their_names_and_what_is_unknown_is_empty() {
        let report: LearnReport = serde_json::from_str(OLD).unwrap();
        let first = LossRow {
            generation: 3,
            step: 4,
            policy_loss: 1.5,
            value_loss: 0.5,
            opponent_policy_loss: Some(1.75),
            total_loss: 2.25,
            learning_rate: 0.01,
            replay_positions: 100,
            ..LossRow::default()
        };
        let last = LossRow {
            step: 8,
            policy_loss: 1.25,
            value_loss: 0.25,
            opponent_policy_loss: Some(1.5),
            total_loss: 1.75,
            gradient_norm: 0.5,
            learning_rate: 0.005,
            validation_policy_loss: Some(2.0),
            validation_value_loss: Some(1.0),
            ..first.clone()
        };
        assert_eq!(loss_rows(3, &report).collect::<Vec<_>>(), [first, last]);
    }
}
