//! Whether values mean what they say: expected against real scores, and errors over the game.

use plotters::element::{Circle, DashedPathElement, PathElement};
use plotters::series::LineSeries;
use plotters::style::{Color, RGBColor};

use super::axis::{Axis, number_text};
use super::canvas::{Area, Drawn};
use super::labels::{DASH, DASH_GAP, Sign, draw_legend, note};
use super::lines::{Curve, LinePlot, XAxis, line_plot};
use super::palette;
use super::panel::{BOTTOM_MARGIN, LEFT_MARGIN, Panel, RowLabels};
use super::picture::Picture;
use super::series::{PooledMean, Stage, pooled_mean, stages};
use super::size::{HEIGHT, WIDTH};
use crate::{CalibrationRow, ValueErrorRow};

/// The colours of beginning, middle and end of a run, the end being the strongest.
const STAGE_COLORS: [RGBColor; 3] = [palette::SKY, palette::ORANGE, palette::BLUE];

/// The stages with their colours; the last one always has the last colour.
fn colored(stages: Vec<Stage>) -> impl Iterator<Item = (Stage, RGBColor)> {
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

/// The bins of one stage, in its colour.
struct StageBins {
    color: RGBColor,
    bins: Vec<Bin>,
}

impl StageBins {
    fn positions(&self) -> f64 {
        self.bins.iter().map(|bin| bin.scored.positions).sum()
    }
}

/// Plots the real against the expected score of positions at the beginning, in the middle and at the end of the run,
/// and next to it which expected scores were how frequent.
pub fn calibration_plot(rows: &[CalibrationRow]) -> Picture {
    let counted = rows.iter().filter(|row| row.positions > 0).map(|row| row.generation);
    let (mut entries, mut all) = (Vec::new(), Vec::new());
    for (stage, color) in colored(stages(counted)) {
        let curve = StageBins { color, bins: bins(rows, stage) };
        let text = format!("{} ({} positions)", stage.name(), number_text(curve.positions(), 0));
        entries.push((Sign::LineAndDisc(color), text));
        all.push(curve);
    }
    if all.is_empty() {
        return Picture::without_data("Value calibration", "No root value has been compared with a result yet.");
    }
    entries.push((Sign::Dashes(palette::DARK_GREY), "expected = real".to_owned()));
    if all.iter().flat_map(|curve| &curve.bins).any(|bin| bin.scored.interval.is_some()) {
        entries.push(note("bars: 95 % intervals over generations"));
    }
    Picture::new(move |area| {
        let (top, bottom) = (draw_legend(area, &entries)? + 20, HEIGHT - BOTTOM_MARGIN);
        let unit = Axis::exact(0.0, 1.0, 0.1);
        let scores = Panel {
            left: LEFT_MARGIN,
            right: LEFT_MARGIN + bottom - top,
            top,
            bottom,
            x: unit,
            y: unit,
            x_title: Some("Expected score (root value)"),
            y_title: "Real score (mean of the results)",
            y_labels: RowLabels::Numbers,
        };
        let shares =
            Panel { left: scores.right + 380, right: WIDTH - 80, x_title: Some("Expected score"), ..scores.clone() };
        draw_scores(area, &scores, &all)?;
        draw_shares(area, shares, &all)
    })
}

/// Draws the mean score over the expected score.
fn draw_scores(area: &Area, panel: &Panel, all: &[StageBins]) -> Drawn {
    let mut chart = panel.chart(area)?;
    let diagonal = [(0.0, 0.0), (1.0, 1.0)];
    let dashes = palette::DARK_GREY.stroke_width(6);
    chart.draw_series([DashedPathElement::new(diagonal, DASH, DASH_GAP, dashes)])?;
    let max_positions = all.iter().flat_map(|curve| &curve.bins).map(|bin| bin.scored.positions).fold(0.0, f64::max);
    for StageBins { color, bins } in all {
        let points = bins.iter().map(|bin| (bin.predicted, bin.scored.mean));
        chart.draw_series(LineSeries::new(points, color.stroke_width(6)))?;
        let intervals = bins.iter().filter_map(|bin| {
            let (low, high) = bin.scored.interval?;
            let ends = [low, high].map(|score| (bin.predicted, score.clamp(0.0, 1.0)));
            Some(PathElement::new(ends, color.stroke_width(4)))
        });
        chart.draw_series(intervals)?;
        let discs = bins.iter().map(|bin| {
            let radius = (8.0 + 20.0 * (bin.scored.positions / max_positions).sqrt()).round() as u32;
            Circle::new((bin.predicted, bin.scored.mean), radius, color.filled())
        });
        chart.draw_series(discs)?;
    }
    Ok(())
}

/// Draws how frequent each expected score is.
fn draw_shares(area: &Area, panel: Panel, all: &[StageBins]) -> Drawn {
    let share = |curve: &StageBins, bin: &Bin| 100.0 * bin.scored.positions / curve.positions();
    let highest = all.iter().flat_map(|curve| curve.bins.iter().map(|bin| share(curve, bin))).fold(0.0, f64::max);
    let panel = Panel { y: Axis::from_zero(highest, 1e-3), y_title: "Share of the positions (%)", ..panel };
    let mut chart = panel.chart(area)?;
    for curve in all {
        let points = curve.bins.iter().map(|bin| (bin.predicted, share(curve, bin)));
        chart.draw_series(LineSeries::new(points, curve.color.stroke_width(6).filled()).point_size(10))?;
    }
    Ok(())
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
    line_plot(LinePlot {
        heading: "Value error by ply",
        reason: "No root value has been compared with a result yet.",
        x_title: "Ply",
        x: XAxis::EachWholeNumber,
        y_title: "Mean absolute error (expected score, 0 to 1)",
        min_y_step: 0.01,
        y_from_zero: true,
        curves: curves.collect(),
        notes: Vec::new(),
    })
}
