//! The gate's verdicts on the run's time line, below the scores they rest on.

use super::axis::Axis;
use super::font::CAPITAL_HEIGHT_EM;
use super::labels::draw_diamond;
use super::panel::{BOTTOM_MARGIN_PX, Panel, RIGHT_MARGIN_PX};
use super::picture::{Anchor, Color, EM_PX, HEIGHT_PX, Picture, Shape, WIDTH_PX};
use super::series::means;
use crate::GenerationRow;

/// More points than this are drawn as means of neighbours.
const MOST_POINTS: usize = 300;
/// From so many verdicts on, marks are strokes.
const CROWDED: usize = 60;
const LEFT_PX: f64 = 300.0;
const LANE_PX: f64 = 70.0;
/// The verdicts from the upper lane to the lower, with their colours; any other word has a lane of its own below them.
const VERDICTS: [(&str, Color); 3] =
    [("promote", Color::BLUE), ("undecided", Color::DARK_GREY), ("reject", Color::VERMILION)];

/// Plots the mean score against the ladder and, below it, each verdict in the lane of its kind, over the CPU time of the
/// run, or over generations where that is not known of all.
pub fn gate_plot(rows: &[GenerationRow]) -> Picture {
    let judged: Vec<&GenerationRow> = rows.iter().filter(|row| row.verdict.is_some()).collect();
    if judged.is_empty() {
        return Picture::without_data("Gate verdicts", "The gate has judged no generation yet.");
    }
    let has_hours = rows.iter().all(|row| row.cumulative_cpu_hours.is_some());
    let x_of = |row: &GenerationRow| match row.cumulative_cpu_hours {
        Some(hours) if has_hours => hours,
        _ => f64::from(row.generation),
    };
    let xs = || rows.iter().map(x_of);
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
    let (x, x_title) = match has_hours {
        true => (Axis::of_costs(low, high, 1e-4), super::elo::EloAxis::CpuHours.title()),
        false => (Axis::whole_numbers(low, high), "Generation"),
    };
    let others = judged.iter().filter_map(|row| row.verdict.as_deref());
    let has_others = others.clone().any(|word| VERDICTS.iter().all(|(verdict, _)| word != *verdict));
    let lanes = VERDICTS.len() + usize::from(has_others);

    let bottom = f64::from(HEIGHT_PX) - BOTTOM_MARGIN_PX;
    let lanes_top = bottom - lanes as f64 * LANE_PX;
    let right = f64::from(WIDTH_PX) - RIGHT_MARGIN_PX;
    let scores: Vec<(f64, f64)> = rows.iter().filter_map(|row| Some((x_of(row), row.ladder_score?))).collect();
    let upper = Panel { left: LEFT_PX, right, top: 40.0, bottom: lanes_top - 60.0, x, y: Axis::exact(0.0, 1.0, 0.1) };
    let mut picture = Picture::default();
    draw_scores(&mut picture, &upper, scores);

    let panel = Panel { top: lanes_top, bottom, y: Axis::exact(0.0, lanes as f64, 1.0), ..upper };
    for (value, _) in x.ticks() {
        let x = panel.x_px(value);
        picture.line(vec![(x, panel.top), (x, panel.bottom)], Color::LIGHT_GREY, 1);
    }
    for lane in 0..lanes {
        let (name, color) = VERDICTS.get(lane).copied().unwrap_or(("other", Color::PURPLE));
        let of_lane: Vec<f64> = judged
            .iter()
            .filter(|row| {
                let place = VERDICTS.iter().position(|(verdict, _)| row.verdict.as_deref() == Some(*verdict));
                place.unwrap_or(VERDICTS.len()) == lane
            })
            .map(|row| panel.x_px(x_of(row)))
            .collect();
        let y = lanes_top + (lane as f64 + 0.5) * LANE_PX;
        let label = format!("{name} ({})", of_lane.len());
        picture.text(&label, (LEFT_PX - 0.6 * EM_PX, y + CAPITAL_HEIGHT_EM / 2.0 * EM_PX), Anchor::End);
        picture.line(vec![(LEFT_PX, y), (right, y)], Color::LIGHT_GREY, 1);
        for x in of_lane {
            match () {
                () if judged.len() >= CROWDED => picture.line(vec![(x, y - 24.0), (x, y + 24.0)], color, 2),
                () if lane == 0 => draw_diamond(&mut picture, (x, y), 13.0, color),
                () => picture.push(Shape::Disc { center: (x, y), radius_px: 9, color }),
            }
        }
    }
    let frame = vec![(LEFT_PX, lanes_top), (LEFT_PX, bottom), (right, bottom)];
    picture.line(frame, Color::BLACK, 2);
    panel.draw_x_axis(&mut picture, x_title);
    picture
}

/// The upper panel; it says so where there is no score.
fn draw_scores(picture: &mut Picture, panel: &Panel, scores: Vec<(f64, f64)>) {
    panel.draw_grid(picture);
    let per_mean = scores.len().div_ceil(MOST_POINTS).max(1);
    let points: Vec<_> = means(&scores, per_mean).into_iter().map(|pair| panel.point(pair)).collect();
    if points.is_empty() {
        let middle = ((panel.left + panel.right) / 2.0, (panel.top + panel.bottom) / 2.0);
        picture.text_of("No score against the ladder is known.", middle, Anchor::Middle, EM_PX, Color::DARK_GREY);
    }
    if points.len() < CROWDED {
        for &center in &points {
            picture.push(Shape::Disc { center, radius_px: 5, color: Color::BLUE });
        }
    }
    if points.len() > 1 {
        picture.line(points, Color::BLUE, 3);
    }
    panel.draw_y_axis(picture, if per_mean > 1 { "Ladder score (means)" } else { "Ladder score (0 to 1)" });
}
