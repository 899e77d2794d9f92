//! The learner's losses over training steps, policy above value, each on its own scale.

use super::axis::Axis;
use super::labels::{Sign, draw_legend};
use super::panel::Panel;
use super::picture::{Color, Picture, Shape};
use super::series::means;
use crate::LossRow;

/// More points than this per curve would lie over each other; neighbours are then averaged.
const MOST_POINTS: usize = 300;
/// More dots than this would hide the curve.
const MOST_DOTS: usize = 100;

/// Plots policy and value loss over optimizer steps.
///
/// Long runs are drawn as means of neighbouring rows, which the legend then says. Losses on held-out games, where there
/// are any, stand as dots above or on the curves they belong to: far above them is overfitting.
pub fn loss_plot(rows: &[LossRow]) -> Picture {
    let mut rows: Vec<&LossRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.step);
    let Some(last) = rows.last() else {
        return Picture::without_data("Training losses", "No training step has been recorded yet.");
    };
    let x = Axis::of_costs(rows[0].step as f64, last.step as f64, 1.0);
    let rows_per_point = rows.len().div_ceil(MOST_POINTS);

    let mut picture = Picture::default();
    let mut legend = vec![
        (Sign::Line(Color::BLUE), "policy loss".to_owned()),
        (Sign::Line(Color::VERMILION), "value loss".to_owned()),
    ];
    let has_held_out = rows.iter().any(|row| row.held_out_policy_loss.is_some() || row.held_out_value_loss.is_some());
    if has_held_out {
        legend.push((Sign::Dot(Color::BLACK), "on held-out games".to_owned()));
    }
    if rows_per_point > 1 {
        legend.push((Sign::Nothing, format!("(means of {rows_per_point} records)")));
    }
    draw_legend(&mut picture, &legend);

    let upper = Curve::of(&rows, rows_per_point, |row| row.policy_loss, |row| row.held_out_policy_loss);
    let whole = Panel::below(85.0, x, upper.axis());
    let panel = Panel { bottom: whole.bottom / 2.0 + 15.0, ..whole };
    upper.draw(&mut picture, &panel, "Policy loss (nats)", Color::BLUE);
    let lower = Curve::of(&rows, rows_per_point, |row| row.value_loss, |row| row.held_out_value_loss);
    let panel = Panel { top: whole.bottom / 2.0 + 65.0, y: lower.axis(), ..whole };
    lower.draw(&mut picture, &panel, "Value loss (nats)", Color::VERMILION);
    panel.draw_x_axis(&mut picture, "Training step (optimizer updates)");
    picture
}

/// One loss over the steps: pairs of step and loss.
struct Curve {
    /// Means over neighbouring rows.
    training: Vec<(f64, f64)>,
    /// On held-out games.
    held_out: Vec<(f64, f64)>,
}

impl Curve {
    fn of(
        rows: &[&LossRow],
        rows_per_point: usize,
        loss: impl Fn(&LossRow) -> f64,
        held_out: impl Fn(&LossRow) -> Option<f64>,
    ) -> Self {
        let judged: Vec<(f64, f64)> = rows.iter().filter_map(|row| Some((row.step as f64, held_out(row)?))).collect();
        let dots_per_mean = judged.len().div_ceil(MOST_DOTS).max(1);
        let points: Vec<(f64, f64)> = rows.iter().map(|row| (row.step as f64, loss(row))).collect();
        Curve { training: means(&points, rows_per_point), held_out: means(&judged, dots_per_mean) }
    }

    /// An axis that covers all losses.
    fn axis(&self) -> Axis {
        let losses = self.training.iter().chain(&self.held_out);
        let (low, high) =
            losses.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &(_, loss)| (low.min(loss), high.max(loss)));
        Axis::rounded(low, high, 0.01)
    }

    fn draw(&self, picture: &mut Picture, panel: &Panel, title: &str, color: Color) {
        panel.draw_grid(picture);
        let points: Vec<_> = self.training.iter().map(|&point| panel.point(point)).collect();
        if let [center] = points[..] {
            picture.push(Shape::Disc { center, radius_px: 6, color });
        } else {
            picture.line(points, color, 3);
        }
        for &dot in &self.held_out {
            picture.push(Shape::Disc { center: panel.point(dot), radius_px: 3, color: Color::BLACK });
        }
        panel.draw_y_axis(picture, title);
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::HEIGHT_PX;
    use super::*;

    fn row(step: u64, loss: f64) -> LossRow {
        LossRow {
            generation: 1,
            step,
            policy_loss: loss,
            value_loss: loss,
            total_loss: 2.0 * loss,
            ..LossRow::default()
        }
    }

    #[test]
    fn held_out_losses_are_dots_inside_the_picture() {
        let rows: Vec<LossRow> = (0..1000)
            .map(|step| LossRow { held_out_value_loss: (step % 4 == 0).then_some(9.0), ..row(step, 1.0) })
            .collect();
        let picture = loss_plot(&rows);
        let dots: Vec<f64> = picture
            .shapes()
            .iter()
            .filter_map(|shape| match shape {
                Shape::Disc { center, radius_px: 3, .. } => Some(center.1),
                _ => None,
            })
            .collect();
        assert_eq!(dots.len(), 250usize.div_ceil(3));
        assert!(dots.iter().all(|&y| y > 0.0 && y < f64::from(HEIGHT_PX)));
        assert!(picture.to_svg().contains("held-out"));
    }

    #[test]
    fn the_number_of_points_is_bounded_and_the_legend_says_so() {
        let rows: Vec<LossRow> = (0..10_000).map(|step| row(step, 1.0 + 1.0 / (step + 1) as f64)).collect();
        let picture = loss_plot(&rows);
        let longest = picture.shapes().iter().map(|shape| match shape {
            Shape::Line { points, .. } => points.len(),
            _ => 0,
        });
        assert_eq!(longest.max(), Some(10_000usize.div_ceil(34)));
        assert!(picture.to_svg().contains("means of 34 records"));
    }
}
