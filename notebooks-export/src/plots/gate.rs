//! The gate's verdicts over the run, below the scores they rest on.

use plotters::element::{Circle, PathElement};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, RGBColor};

use super::axis::Axis;
use super::canvas::{Area, Drawn};
use super::elo::EloAxis;
use super::labels::draw_diamond;
use super::lines::draw_curve;
use super::palette;
use super::panel::{BOTTOM_MARGIN, Panel, RIGHT_MARGIN, RowLabels};
use super::picture::Picture;
use super::series::means;
use super::size::{EM, HEIGHT, WIDTH};
use super::text::draw_text;
use crate::GenerationRow;

/// More points than this are drawn as means of neighbours.
const MAX_POINTS: usize = 300;
/// From so many verdicts on, marks are strokes.
const CROWDED: usize = 60;
const LEFT: i32 = 600;
const ROW_HEIGHT: i32 = 140;
/// The verdicts from the upper row to the lower, with their colours; any other word has a row of its own below them.
const VERDICTS: [(&str, RGBColor); 3] =
    [("promote", palette::BLUE), ("undecided", palette::DARK_GREY), ("reject", palette::VERMILION)];

/// The verdicts of one kind.
struct VerdictRow {
    color: RGBColor,
    /// Where they stand on the horizontal axis.
    xs: Vec<f64>,
}

/// Plots the mean score against the ladder and, below it, each verdict in the row of its kind, over the CPU time of the
/// run, or over generations where that is not known of all.
pub fn gate_plot(rows: &[GenerationRow]) -> Picture {
    let gated: Vec<(&GenerationRow, &str)> =
        rows.iter().filter_map(|row| Some((row, row.verdict.as_deref()?))).collect();
    if gated.is_empty() {
        return Picture::without_data("Gate verdicts", "The gate has evaluated no generation yet.");
    }
    let has_hours = rows.iter().all(|row| row.cumulative_cpu_hours.is_some());
    let x_of = |row: &GenerationRow| match row.cumulative_cpu_hours {
        Some(hours) if has_hours => hours,
        _ => f64::from(row.generation),
    };
    let xs = || rows.iter().map(x_of);
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
    let (x, x_title) = match has_hours {
        true => (Axis::for_costs(low, high, 1e-4), EloAxis::CpuHours.title()),
        false => (Axis::whole_numbers(low, high), "Generation"),
    };
    let kind_of = |word: &str| VERDICTS.iter().position(|(verdict, _)| word == *verdict).unwrap_or(VERDICTS.len());
    let kinds = VERDICTS.len() + usize::from(gated.iter().any(|(_, word)| kind_of(word) == VERDICTS.len()));
    let (mut verdicts, mut names) = (Vec::new(), Vec::new());
    for kind in 0..kinds {
        let (name, color) = VERDICTS.get(kind).copied().unwrap_or(("other", palette::PURPLE));
        let of_kind = gated.iter().filter(|(_, word)| kind_of(word) == kind);
        let xs: Vec<f64> = of_kind.map(|(row, _)| x_of(row)).collect();
        names.push(format!("{name} ({})", xs.len()));
        verdicts.push(VerdictRow { color, xs });
    }
    let scores: Vec<(f64, f64)> = rows.iter().filter_map(|row| Some((x_of(row), row.ladder_score?))).collect();
    let is_crowded = gated.len() >= CROWDED;
    Picture::new(move |area| {
        let bottom = HEIGHT - BOTTOM_MARGIN;
        let lower = Panel {
            left: LEFT,
            right: WIDTH - RIGHT_MARGIN,
            top: bottom - kinds as i32 * ROW_HEIGHT,
            bottom,
            x,
            y: Axis::rows(kinds),
            x_title: Some(x_title),
            y_title: "",
            y_labels: RowLabels::Names { names: &names, em: EM },
        };
        draw_scores(area, &lower, &scores)?;
        let chart = lower.chart(area)?;
        for (row, VerdictRow { color, xs }) in verdicts.iter().enumerate() {
            for x in xs {
                let (x, y) = chart.backend_coord(&(*x, row as f64));
                match () {
                    () if is_crowded => {
                        area.draw(&PathElement::new(vec![(x, y - 48), (x, y + 48)], color.stroke_width(4)))?;
                    }
                    () if row == 0 => draw_diamond(area, (x, y), 26, *color)?,
                    () => area.draw(&Circle::new((x, y), 18, color.filled()))?,
                }
            }
        }
        Ok(())
    })
}

/// Draws the scores above the panel of the verdicts, or a note where there is none.
fn draw_scores(area: &Area, lower: &Panel, scores: &[(f64, f64)]) -> Drawn {
    let per_mean = scores.len().div_ceil(MAX_POINTS).max(1);
    let panel = Panel {
        top: 80,
        bottom: lower.top - 120,
        y: Axis::exact(0.0, 1.0, 0.1),
        x_title: None,
        y_title: if per_mean > 1 { "Ladder score (means)" } else { "Ladder score (0 to 1)" },
        y_labels: RowLabels::Numbers,
        ..lower.clone()
    };
    let mut chart = panel.chart(area)?;
    if scores.is_empty() {
        let middle = ((panel.left + panel.right) / 2, (panel.top + panel.bottom) / 2);
        let text = "No score against the ladder is known.";
        return draw_text(area, text, middle, HPos::Center, EM, palette::DARK_GREY);
    }
    draw_curve(&mut chart, means(scores, per_mean), palette::BLUE, if scores.len() < CROWDED { 10 } else { 0 })
}
