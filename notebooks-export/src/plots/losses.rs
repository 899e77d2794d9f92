//! The learner's losses over training steps, policy above value, each on its own scale.

use plotters::element::Circle;
use plotters::style::{Color, RGBColor};

use super::axis::Axis;
use super::canvas::{Area, Drawn};
use super::labels::{Sign, draw_legend, note};
use super::lines::draw_curve;
use super::palette;
use super::panel::Panel;
use super::picture::Picture;
use super::series::means;
use crate::LossRow;

/// More points than this per curve would lie over each other; neighbours are then averaged.
const MAX_POINTS: usize = 300;
/// More dots than this would hide the curve.
const MAX_DOTS: usize = 100;

/// Plots policy and value loss over optimizer steps.
///
/// Long runs are drawn as means of neighbouring rows, which the legend then notes. Losses on validation games, where there
/// are any, are dots above or on the curves they belong to: far above them is overfitting.
pub fn loss_plot(rows: &[LossRow]) -> Picture {
    let mut rows: Vec<&LossRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.step);
    let Some(last) = rows.last() else {
        return Picture::without_data("Training losses", "No training step has been recorded yet.");
    };
    let x = Axis::for_costs(rows[0].step as f64, last.step as f64, 1.0);
    let rows_per_point = rows.len().div_ceil(MAX_POINTS);
    let mut entries = vec![
        (Sign::Line(palette::BLUE), "policy loss".to_owned()),
        (Sign::Line(palette::VERMILION), "value loss".to_owned()),
    ];
    let has_validation =
        rows.iter().any(|row| row.validation_policy_loss.is_some() || row.validation_value_loss.is_some());
    if has_validation {
        entries.push((Sign::Dot(palette::BLACK), "on validation games".to_owned()));
    }
    if rows_per_point > 1 {
        entries.push(note(format_args!("means of {rows_per_point} records")));
    }
    let policy = LossCurve::new(&rows, rows_per_point, |row| row.policy_loss, |row| row.validation_policy_loss);
    let value = LossCurve::new(&rows, rows_per_point, |row| row.value_loss, |row| row.validation_value_loss);
    Picture::new(move |area| {
        let top = draw_legend(area, &entries)?;
        let title = "Training step (optimizer updates)";
        let lower = Panel::below(top, x, title, value.axis(), "Value loss (nats)");
        let middle = (lower.top + lower.bottom) / 2;
        let upper = Panel {
            bottom: middle - 50,
            y: policy.axis(),
            y_title: "Policy loss (nats)",
            x_title: None,
            ..lower.clone()
        };
        policy.draw(area, &upper, palette::BLUE)?;
        value.draw(area, &Panel { top: middle + 50, ..lower }, palette::VERMILION)
    })
}

/// One loss over the steps: pairs of step and loss.
struct LossCurve {
    /// Means over neighbouring rows.
    training: Vec<(f64, f64)>,
    /// On validation games.
    validation: Vec<(f64, f64)>,
}

impl LossCurve {
    fn new(
        rows: &[&LossRow],
        rows_per_point: usize,
        loss: impl Fn(&LossRow) -> f64,
        validation: impl Fn(&LossRow) -> Option<f64>,
    ) -> Self {
        let evaluated: Vec<(f64, f64)> =
            rows.iter().filter_map(|row| Some((row.step as f64, validation(row)?))).collect();
        let dots_per_mean = evaluated.len().div_ceil(MAX_DOTS).max(1);
        let points: Vec<(f64, f64)> = rows.iter().map(|row| (row.step as f64, loss(row))).collect();
        LossCurve { training: means(&points, rows_per_point), validation: means(&evaluated, dots_per_mean) }
    }

    /// An axis that covers all losses.
    fn axis(&self) -> Axis {
        let losses = self.training.iter().chain(&self.validation);
        let (low, high) =
            losses.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &(_, loss)| (low.min(loss), high.max(loss)));
        Axis::rounded(low, high, 0.01)
    }

    fn draw(&self, area: &Area, panel: &Panel, color: RGBColor) -> Drawn {
        let mut chart = panel.chart(area)?;
        draw_curve(&mut chart, self.training.clone(), color, 0)?;
        chart.draw_series(self.validation.iter().map(|&dot| Circle::new(dot, 6, palette::BLACK.filled())))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::size::HEIGHT;
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
    fn validation_losses_are_dots_inside_the_picture() {
        let rows: Vec<LossRow> = (0..1000)
            .map(|step| LossRow { validation_value_loss: (step % 4 == 0).then_some(9.0), ..row(step, 1.0) })
            .collect();
        let svg = loss_plot(&rows).to_svg().unwrap();
        // All but the legend's.
        let dots: Vec<&str> =
            svg.lines().filter(|line| line.starts_with("<circle") && line.contains("r=\"6\"")).collect();
        assert_eq!(dots.len(), 250usize.div_ceil(3));
        for dot in dots {
            let y = dot.split("cy=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
            assert!((0..HEIGHT).contains(&y.parse().unwrap()), "{dot}");
        }
        assert!(svg.contains("validation"));
    }

    #[test]
    fn the_number_of_points_is_bounded_and_the_legend_says_so() {
        let rows: Vec<LossRow> = (0..10_000).map(|step| row(step, 1.0 + 1.0 / (step + 1) as f64)).collect();
        let svg = loss_plot(&rows).to_svg().unwrap();
        let paths = svg.lines().filter_map(|line| line.split("points=\"").nth(1)?.split('"').next());
        let longest = paths.map(|points| points.split_whitespace().count());
        assert_eq!(longest.max(), Some(10_000usize.div_ceil(34)));
        assert!(svg.contains("means of 34 records"));
    }
}
