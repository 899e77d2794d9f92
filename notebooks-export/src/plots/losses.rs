//! The learner's losses over training steps, policy above value, each on its own scale.

use super::axis::Axis;
use super::labels::{Sign, draw_legend};
use super::panel::{BOTTOM_MARGIN_PX, LEFT_MARGIN_PX, LEGEND_Y_PX, Panel, RIGHT_MARGIN_PX};
use super::picture::{Color, HEIGHT_PX, Picture, Shape, WIDTH_PX};
use crate::LossRow;

/// More points than this per curve would lie over each other; neighbours are then averaged.
const MOST_POINTS: usize = 600;

/// Plots policy and value loss over optimizer steps.
///
/// Long runs are drawn as means of neighbouring rows, which the legend then says.
pub fn loss_plot(rows: &[LossRow]) -> Picture {
    let mut rows: Vec<&LossRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.step);
    let Some(last) = rows.last() else {
        return Picture::without_data("Training losses", "No training step has been recorded yet.");
    };
    let end = if rows.len() == 1 { 2 * u128::from(last.step) } else { u128::from(last.step) };
    let x = Axis::from_zero(end as f64, 1.0);
    let rows_per_point = rows.len().div_ceil(MOST_POINTS);

    let mut picture = Picture::default();
    let mut legend = vec![
        (Sign::Line(Color::BLUE), "policy loss".to_owned()),
        (Sign::Line(Color::VERMILION), "value loss".to_owned()),
    ];
    if rows_per_point > 1 {
        legend.push((Sign::Nothing, format!("(means of {rows_per_point} records)")));
    }
    let left = LEFT_MARGIN_PX;
    let right = f64::from(WIDTH_PX) - RIGHT_MARGIN_PX;
    draw_legend(&mut picture, &legend, left, right, LEGEND_Y_PX);

    let bottom = f64::from(HEIGHT_PX) - BOTTOM_MARGIN_PX;
    let upper = curve(&rows, rows_per_point, |row| row.policy_loss);
    let panel = Panel { left, right, top: 85.0, bottom: bottom / 2.0 + 15.0, x, y: covering(&upper) };
    draw_curve(&mut picture, &panel, &upper, "Policy loss (nats)", Color::BLUE);
    let lower = curve(&rows, rows_per_point, |row| row.value_loss);
    let panel = Panel { top: bottom / 2.0 + 65.0, bottom, y: covering(&lower), ..panel };
    draw_curve(&mut picture, &panel, &lower, "Value loss (nats)", Color::VERMILION);
    panel.draw_x_axis(&mut picture, "Training step (optimizer updates)");
    picture
}

/// Step and loss of each point: means over `rows_per_point` neighbours, the last point over what is left.
fn curve(rows: &[&LossRow], rows_per_point: usize, loss: impl Fn(&LossRow) -> f64) -> Vec<(f64, f64)> {
    let mean_of = |rows: &[&LossRow]| {
        let count = rows.len() as f64;
        let step = rows.iter().map(|row| row.step as f64 / count).sum();
        (step, rows.iter().map(|row| loss(row) / count).sum())
    };
    rows.chunks(rows_per_point).map(mean_of).collect()
}

fn covering(curve: &[(f64, f64)]) -> Axis {
    let (low, high) = curve
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &(_, loss)| (low.min(loss), high.max(loss)));
    Axis::rounded(low, high, 0.01)
}

fn draw_curve(picture: &mut Picture, panel: &Panel, curve: &[(f64, f64)], title: &str, color: Color) {
    panel.draw_grid(picture);
    let points: Vec<_> = curve.iter().map(|&point| panel.point(point)).collect();
    if let [center] = points[..] {
        picture.push(Shape::Disc { center, radius_px: 6, color });
    } else {
        picture.line(points, color, 3);
    }
    panel.draw_y_axis(picture, title);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step: u64, loss: f64) -> LossRow {
        LossRow {
            generation: 1,
            step,
            policy_loss: loss,
            value_loss: loss,
            total_loss: 2.0 * loss,
            gradient_norm: 1.0,
            learning_rate: 0.01,
            replay_positions: 100,
        }
    }

    #[test]
    fn long_curves_are_means_of_neighbours() {
        let rows: Vec<LossRow> = (0..5).map(|step| row(step, step as f64)).collect();
        let rows: Vec<&LossRow> = rows.iter().collect();
        assert_eq!(curve(&rows, 2, |row| row.policy_loss), [(0.5, 0.5), (2.5, 2.5), (4.0, 4.0)]);
    }

    #[test]
    fn the_number_of_points_is_bounded_and_the_legend_says_so() {
        let rows: Vec<LossRow> = (0..10_000).map(|step| row(step, 1.0 + 1.0 / (step + 1) as f64)).collect();
        let picture = loss_plot(&rows);
        let longest = picture.shapes().iter().map(|shape| match shape {
            Shape::Line { points, .. } => points.len(),
            _ => 0,
        });
        assert_eq!(longest.max(), Some(10_000usize.div_ceil(17)));
        assert!(picture.to_svg().unwrap().contains("means of 17 records"));
    }
}
