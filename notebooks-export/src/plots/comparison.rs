//! Several runs in one picture.

use super::elo::EloAxis;
use super::lines::{Curve, LinePlot, XAxis, line_plot};
use super::palette;
use super::picture::Picture;
use crate::{EloRow, LossRow, PlayerRole};

/// What there is no room for in one picture.
fn left_out(runs: usize) -> Vec<String> {
    match runs.saturating_sub(palette::SERIES.len()) {
        0 => Vec::new(),
        more => vec![format!("{more} more runs are not shown")],
    }
}

/// Plots the Elo of the generations of the first seven runs, each with its name, over `axis`.
pub fn elo_comparison_plot(runs: &[(&str, &[EloRow])], axis: EloAxis) -> Picture {
    let curves = runs.iter().zip(palette::SERIES).map(|((name, rows), color)| {
        let generations = rows.iter().filter(|row| row.role != PlayerRole::Baseline);
        let mut rated: Vec<(f64, &EloRow)> = generations.filter_map(|row| Some((axis.cost(row)?, row))).collect();
        rated.sort_by(|a, b| a.0.total_cmp(&b.0));
        Curve {
            band: rated.iter().map(|(_, row)| Some((row.elo_low, row.elo_high))).collect(),
            ..Curve::new(*name, color, rated.iter().map(|(cost, row)| (*cost, row.elo)).collect())
        }
    });
    line_plot(LinePlot {
        heading: axis.heading(),
        reason: "No generation of these runs has been rated at a known cost yet.",
        x_title: axis.title(),
        x: XAxis::FromZero(axis.min_step()),
        y_title: "Elo",
        min_y_step: 10.0,
        y_from_zero: false,
        curves: curves.collect(),
        notes: left_out(runs.len()),
    })
}

/// Which loss a comparison is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LossTerm {
    /// That of the policy head.
    Policy,
    /// That of the value head.
    Value,
}

/// Plots one loss of the first seven runs over their optimizer steps.
pub fn loss_comparison_plot(runs: &[(&str, &[LossRow])], term: LossTerm) -> Picture {
    let (heading, y_title) = match term {
        LossTerm::Policy => ("Policy loss", "Policy loss (nats)"),
        LossTerm::Value => ("Value loss", "Value loss (nats)"),
    };
    let curves = runs.iter().zip(palette::SERIES).map(|((name, rows), color)| {
        let loss = |row: &LossRow| match term {
            LossTerm::Policy => row.policy_loss,
            LossTerm::Value => row.value_loss,
        };
        let mut points: Vec<(f64, f64)> = rows.iter().map(|row| (row.step as f64, loss(row))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Curve::new(*name, color, points)
    });
    line_plot(LinePlot {
        heading,
        reason: "No training step has been recorded yet.",
        x_title: "Training step (optimizer updates)",
        x: XAxis::FromZero(1.0),
        y_title,
        min_y_step: 0.01,
        y_from_zero: false,
        curves: curves.collect(),
        notes: left_out(runs.len()),
    })
}
