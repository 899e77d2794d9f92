//! Whether values mean what they say: expected against real scores, and errors over the game.

use super::axis::{Axis, number_text};
use super::labels::{Sign, draw_legend};
use super::lines::{Curve, LinePlot, XAxis, line_plot};
use super::panel::{BOTTOM_MARGIN_PX, LEFT_MARGIN_PX, Panel};
use super::picture::{Color, EM_PX, HEIGHT_PX, Picture, Shape, WIDTH_PX};
use super::series::{PooledMean, Stage, pooled_mean, stages};
use crate::{CalibrationRow, ValueErrorRow};

/// The colours of beginning, middle and end of a run, the end being the strongest.
const STAGE_COLORS: [Color; 3] = [Color::SKY, Color::ORANGE, Color::BLUE];

/// The stages with their colours; the last one always has the last colour.
fn colored(stages: Vec<Stage>) -> impl Iterator<Item = (Stage, Color)> {
    let skipped = STAGE_COLORS.len() - stages.len();
    stages.into_iter().zip(STAGE_COLORS.into_iter().skip(skipped))
}

/// One interval of predictions in one stage.
struct Bin {
    /// Mean prediction.
    predicted: f64,
    /// Mean score.
    scored: PooledMean,
}

/// The bins of `stage` from low to high, weighted by positions; empty ones are left out.
fn bins(rows: &[CalibrationRow], stage: Stage) -> Vec<Bin> {
    let mut of_stage: Vec<&CalibrationRow> =
        rows.iter().filter(|row| stage.contains(row.generation) && row.positions > 0).collect();
    of_stage.sort_by(|a, b| a.predicted_low.total_cmp(&b.predicted_low));
    let merged = of_stage.chunk_by(|a, b| a.predicted_low == b.predicted_low).map(|group| {
        let mean = |of: fn(&CalibrationRow) -> f64| {
            pooled_mean(&group.iter().map(|row| (row.positions, of(row))).collect::<Vec<_>>())
        };
        Bin { predicted: mean(|row| row.mean_predicted).mean, scored: mean(|row| row.mean_scored) }
    });
    merged.collect()
}

/// Plots the real against the expected score of positions at the beginning, in the middle and at the end of the run, and
/// beside it which expected scores were how frequent.
pub fn calibration_plot(rows: &[CalibrationRow]) -> Picture {
    let counted = rows.iter().filter(|row| row.positions > 0).map(|row| row.generation);
    let curves: Vec<(Stage, Color, Vec<Bin>)> =
        colored(stages(counted)).map(|(stage, color)| (stage, color, bins(rows, stage))).collect();
    if curves.is_empty() {
        return Picture::without_data("Value calibration", "No root value has been compared with a result yet.");
    }
    let positions = |bins: &[Bin]| bins.iter().map(|bin| bin.scored.positions).sum::<f64>();
    let mut legend: Vec<(Sign, String)> = curves
        .iter()
        .map(|(stage, color, bins)| {
            let count = number_text(positions(bins), 0);
            (Sign::LineAndDisc(*color), format!("{} ({count} positions)", stage.name()))
        })
        .collect();
    legend.push((Sign::Dashes(Color::DARK_GREY), "expected = real".to_owned()));
    if curves.iter().flat_map(|(.., bins)| bins).any(|bin| bin.scored.interval.is_some()) {
        legend.push((Sign::Nothing, "(bars: 95 % intervals over generations)".to_owned()));
    }
    let mut picture = Picture::default();
    let legend_bottom = draw_legend(&mut picture, &legend);

    let (top, bottom) = (legend_bottom + 1.5 * EM_PX, f64::from(HEIGHT_PX) - BOTTOM_MARGIN_PX);
    let unit = Axis::exact(0.0, 1.0, 0.1);
    let left = Panel { left: LEFT_MARGIN_PX, right: LEFT_MARGIN_PX + bottom - top, top, bottom, x: unit, y: unit };
    left.draw_grid(&mut picture);
    draw_diagonal(&mut picture, &left);
    let most = curves.iter().flat_map(|(.., bins)| bins).map(|bin| bin.scored.positions).fold(0.0, f64::max);
    for (_, color, bins) in &curves {
        let points: Vec<_> = bins.iter().map(|bin| left.point((bin.predicted, bin.scored.mean))).collect();
        if points.len() > 1 {
            picture.line(points.clone(), *color, 3);
        }
        for (center, bin) in points.into_iter().zip(bins) {
            if let Some((low, high)) = bin.scored.interval {
                let end = |score: f64| left.point((bin.predicted, score.clamp(0.0, 1.0)));
                picture.line(vec![end(low), end(high)], *color, 2);
            }
            let radius_px = (4.0 + 10.0 * (bin.scored.positions / most).sqrt()).round() as u32;
            picture.push(Shape::Disc { center, radius_px, color: *color });
        }
    }
    left.draw_y_axis(&mut picture, "Real score (mean of the results)");
    left.draw_x_axis(&mut picture, "Expected score (root value)");

    let shares: Vec<(Color, Vec<(f64, f64)>)> = curves
        .iter()
        .map(|(_, color, bins)| {
            let all = positions(bins);
            (*color, bins.iter().map(|bin| (bin.predicted, 100.0 * bin.scored.positions / all)).collect())
        })
        .collect();
    let highest = shares.iter().flat_map(|(_, points)| points).map(|point| point.1).fold(0.0, f64::max);
    let y = Axis::from_zero(highest, 1e-3);
    let right = Panel { left: left.right + 190.0, right: f64::from(WIDTH_PX) - 40.0, y, ..left };
    right.draw_grid(&mut picture);
    for (color, points) in shares {
        let points: Vec<_> = points.into_iter().map(|pair| right.point(pair)).collect();
        for &center in &points {
            picture.push(Shape::Disc { center, radius_px: 5, color });
        }
        if points.len() > 1 {
            picture.line(points, color, 3);
        }
    }
    right.draw_y_axis(&mut picture, "Share of the positions (%)");
    right.draw_x_axis(&mut picture, "Expected score");
    picture
}

fn draw_diagonal(picture: &mut Picture, panel: &Panel) {
    const DASHES: usize = 30;
    for dash in 0..DASHES {
        let at = |part: f64| panel.point((part / DASHES as f64, part / DASHES as f64));
        picture.line(vec![at(dash as f64), at(dash as f64 + 0.6)], Color::DARK_GREY, 3);
    }
}

/// Plots the mean distance of root values from results over the plies of a game, at the beginning, in the middle and at
/// the end of the run.
pub fn value_error_plot(rows: &[ValueErrorRow]) -> Picture {
    let counted = rows.iter().filter(|row| row.positions > 0).map(|row| row.generation);
    let curves = colored(stages(counted)).map(|(stage, color)| {
        let mut of_stage: Vec<&ValueErrorRow> =
            rows.iter().filter(|row| stage.contains(row.generation) && row.positions > 0).collect();
        of_stage.sort_by_key(|row| row.ply);
        let errors = of_stage.chunk_by(|a, b| a.ply == b.ply).map(|group| {
            let of_generations: Vec<_> = group.iter().map(|row| (row.positions, row.mean_absolute_error)).collect();
            (f64::from(group[0].ply), pooled_mean(&of_generations))
        });
        let errors: Vec<(f64, PooledMean)> = errors.collect();
        let points = errors.iter().map(|(ply, error)| (*ply, error.mean)).collect();
        let mut curve = Curve::new(stage.name(), color, points);
        curve.band = errors.iter().map(|(_, error)| error.interval).collect();
        curve
    });
    line_plot(&LinePlot {
        heading: "Value error by ply",
        reason: "No root value has been compared with a result yet.",
        x_title: "Ply (decisions made before the position)",
        x: XAxis::EachWholeNumber,
        y_title: "Mean absolute error (expected score, 0 to 1)",
        smallest_y_step: 0.01,
        y_from_zero: true,
        curves: curves.collect(),
        notes: Vec::new(),
    })
}
