//! The plots of one run over its generations: policy, game length, outcomes, loss terms, and where time went.

use super::lines::{Curve, LinePlot, XAxis, line_plot, small_multiples};
use super::palette;
use super::picture::Picture;
use super::stacked::{Layer, StackedPlot, stacked_plot};
use crate::{LossRow, SelfPlayRow, TableRow, ThroughputRow};

const NO_SELFPLAY: &str = "No generation has finished its self-play yet.";

/// The rows in the order of their generations.
fn by_generation(rows: &[SelfPlayRow]) -> Vec<&SelfPlayRow> {
    let mut rows: Vec<&SelfPlayRow> = rows.iter().filter(|row| row.games > 0).collect();
    rows.sort_by_key(|row| row.generation);
    rows
}

fn over_generations(rows: &[&SelfPlayRow], of: fn(&SelfPlayRow) -> f64) -> Vec<(f64, f64)> {
    rows.iter().map(|row| (f64::from(row.generation), of(row))).collect()
}

/// Plots the entropy of the policy targets and their surprise, what they tell the network that it did not know.
pub fn policy_plot(rows: &[SelfPlayRow]) -> Picture {
    let rows = by_generation(rows);
    line_plot(LinePlot {
        heading: "Policy entropy and surprise",
        reason: NO_SELFPLAY,
        x_title: "Generation",
        x: XAxis::EachWholeNumber,
        y_title: "Mean over positions (nats)",
        min_y_step: 0.01,
        y_from_zero: true,
        curves: vec![
            Curve::new("entropy of the targets", palette::BLUE, over_generations(&rows, |row| row.policy_entropy_nats)),
            Curve::new(
                "surprise: targets against the network",
                palette::VERMILION,
                over_generations(&rows, |row| row.policy_surprise_nats),
            ),
        ],
        notes: Vec::new(),
    })
}

/// Plots the mean length of self-play games.
pub fn game_length_plot(rows: &[SelfPlayRow]) -> Picture {
    let rows = by_generation(rows);
    line_plot(LinePlot {
        heading: "Game length",
        reason: NO_SELFPLAY,
        x_title: "Generation",
        x: XAxis::EachWholeNumber,
        y_title: "Plies per game",
        min_y_step: 0.1,
        y_from_zero: true,
        curves: vec![Curve::new(
            "mean length of a self-play game",
            palette::BLUE,
            over_generations(&rows, |row| row.mean_game_plies),
        )],
        notes: Vec::new(),
    })
}

/// Plots how self-play games ended, in per cent.
pub fn outcome_plot(rows: &[SelfPlayRow]) -> Picture {
    let rows = by_generation(rows);
    let share = |of: fn(&SelfPlayRow) -> u64| {
        rows.iter().map(|row| Some(100.0 * of(row) as f64 / row.games as f64)).collect::<Vec<_>>()
    };
    let layer = |name, color, values| Layer { name, color, values };
    stacked_plot(&StackedPlot {
        heading: "Outcome of self-play games",
        reason: NO_SELFPLAY,
        y_title: "Share of the games (%)",
        generations: &rows.iter().map(|row| row.generation).collect::<Vec<_>>(),
        layers: &[
            layer("first player wins", palette::BLUE, share(|row| row.first_wins)),
            layer("draw", palette::GREY, share(|row| row.draws)),
            layer("second player wins", palette::ORANGE, share(|row| row.second_wins)),
            layer("cut at the limit", palette::PURPLE, share(|row| row.truncated)),
        ],
        y_end: Some(100.0),
    })
}

/// Plots where the cores' time went in self-play.
pub fn throughput_plot(rows: &[ThroughputRow]) -> Picture {
    let mut rows: Vec<&ThroughputRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.generation);
    let seconds = |of: fn(&ThroughputRow) -> Option<f64>| rows.iter().map(|row| of(row)).collect::<Vec<_>>();
    let layer = |name, color, values| Layer { name, color, values };
    stacked_plot(&StackedPlot {
        heading: "Where the cores' time went",
        reason: "The time of network, tree, rules and idling has not been measured.",
        y_title: "Self-play (core-seconds)",
        generations: &rows.iter().map(|row| row.generation).collect::<Vec<_>>(),
        layers: &[
            layer("network", palette::BLUE, seconds(|row| row.network_seconds)),
            layer("tree", palette::ORANGE, seconds(|row| row.tree_seconds)),
            layer("rules", palette::GREEN, seconds(|row| row.rules_seconds)),
            layer("idle", palette::GREY, seconds(|row| row.idle_seconds)),
        ],
        y_end: None,
    })
}

/// Plots every number of the learner that is a curve, each in a small panel, but those of [`loss_plot`](super::loss_plot).
pub fn loss_terms_plot(rows: &[LossRow]) -> Picture {
    const SHOWN_THERE: [&str; 4] = ["policy_loss", "value_loss", "validation_policy_loss", "validation_value_loss"];
    let mut rows: Vec<&LossRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.step);
    let numbers: Vec<(f64, Vec<Option<f64>>)> = rows.iter().map(|row| (row.step as f64, row.numbers())).collect();
    let columns = LossRow::DESCRIBED.iter().enumerate();
    let columns = columns.filter(|(_, column)| column.curve.is_some() && !SHOWN_THERE.contains(&column.name));
    let curves = columns.zip(palette::SERIES.into_iter().cycle()).map(|((index, column), color)| {
        // `replay_positions` says itself what it counts.
        let is_plain = column.unit.is_empty() || column.name.ends_with(column.unit);
        let unit = if is_plain { String::new() } else { format!(" ({})", column.unit) };
        let points = numbers.iter().filter_map(|(step, numbers)| Some((*step, numbers[index]?))).collect();
        Curve::new(column.name.replace('_', " ") + &unit, color, points)
    });
    small_multiples(
        "Loss terms",
        "No training step has been recorded yet.",
        "Training step",
        XAxis::FromZero(1.0),
        curves.collect(),
    )
}
