//! Rows about what a run did and what it cost.

use selfplay_network::AuxiliaryConfig;
use selfplay_notebooks_export::{
    CalibrationRow, GenerationRow, LossRow, ReportRows, SelfPlayRow, ThroughputRow, ValueErrorRow,
};
use selfplay_train::value_fit::CALIBRATION_BINS;

use crate::phase::{GateReport, LearnReport, SelfPlayReport};

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
    rows.selfplay.push(selfplay_row(generation, report));
    if let Some(cores) = report.cores {
        rows.throughput.push(ThroughputRow {
            generation,
            network_seconds: Some(cores.network_seconds),
            tree_seconds: Some(cores.tree_seconds),
            rules_seconds: Some(cores.rules_seconds),
            idle_seconds: Some(cores.idle_seconds),
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

fn selfplay_row(generation: u32, report: &SelfPlayReport) -> SelfPlayRow {
    let SelfPlayReport { summary, time, .. } = report;
    SelfPlayRow {
        generation,
        games: summary.games,
        positions: summary.positions,
        simulations: summary.simulations,
        wall_seconds: time.wall_seconds,
        cpu_seconds: time.cpu_seconds,
        mean_game_decisions: summary.mean_game_decisions,
        first_wins: summary.first_wins,
        second_wins: summary.second_wins,
        draws: summary.draws,
        truncated: summary.truncated,
        policy_entropy_nats: summary.policy_entropy_nats,
        root_value_mean_abs: summary.root_value_mean_abs,
        decisions: summary.decisions,
        proven: summary.proven,
        resigned: summary.resigned,
        resignations_checked: summary.resignations_checked,
        resignations_wrong: summary.resignations_wrong,
        commonest_opening_share: summary.commonest_opening_share,
        policy_surprise_nats: summary.policy_surprise_nats,
        proven_position_share: summary.proven_position_share,
    }
}

/// The learner's points of a generation.
pub fn loss_rows(generation: u32, report: &LearnReport, heads: AuxiliaryConfig) -> impl Iterator<Item = LossRow> {
    let last_step = report.losses.last().map(|point| point.step);
    report.losses.iter().map(move |point| {
        // Held-out games are judged once, after the last step.
        let held_out = report.held_out.filter(|_| last_step == Some(point.step));
        LossRow {
            generation,
            step: point.step,
            policy_loss: point.policy_loss,
            value_loss: point.value_loss,
            next_action_loss: heads.next_action.then_some(point.next_action_loss),
            moves_left_loss: heads.moves_left.then_some(point.moves_left_loss),
            final_state_loss: heads.final_state.then_some(point.final_state_loss),
            total_loss: point.total_loss,
            gradient_norm: point.gradient_norm,
            learning_rate: point.learning_rate,
            replay_positions: report.replay_positions,
            held_out_policy_loss: held_out.map(|held_out| held_out.policy_loss),
            held_out_value_loss: held_out.map(|held_out| held_out.value_loss),
        }
    })
}
