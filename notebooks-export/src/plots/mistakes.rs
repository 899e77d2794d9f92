//! How often the generations of a run lose game-theoretic value.

use plotters::style::RGBColor;

use super::elo::EloAxis;
use super::lines::{Curve, LinePlot, XAxis, line_plot};
use super::palette;
use super::picture::Picture;
use crate::MistakeRow;

/// The colours of the curves, the most simulations first.
const COLORS: [RGBColor; 3] = [palette::BLUE, palette::ORANGE, palette::VERMILION];

/// Plots the share of moves that give value away against the CPU time of training, a curve for each number of
/// simulations. Rows whose cost is unknown are left out.
pub fn mistakes_plot(rows: &[MistakeRow]) -> Picture {
    let mut simulations: Vec<u32> = rows.iter().map(|row| row.simulations).collect();
    simulations.sort_unstable_by(|a, b| b.cmp(a));
    simulations.dedup();
    let curves = simulations.into_iter().zip(COLORS.into_iter().cycle()).map(|(simulations, color)| {
        let of_curve = rows.iter().filter(|row| row.simulations == simulations);
        let mut points: Vec<(f64, &MistakeRow)> =
            of_curve.filter_map(|row| Some((row.cumulative_cpu_hours?, row))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let shares = points.iter().map(|(hours, row)| (*hours, 100.0 * row.share)).collect();
        let name = if simulations == 0 { "network alone".into() } else { format!("{simulations} simulations") };
        let mut curve = Curve::new(name, color, shares);
        curve.band = points.iter().map(|(_, row)| Some((100.0 * row.share_low, 100.0 * row.share_high))).collect();
        curve
    });
    line_plot(LinePlot {
        heading: "Moves that give value away",
        reason: "No generation has been compared with a table of the whole game.",
        x_title: EloAxis::CpuHours.title(),
        x: XAxis::FromZero(1e-4),
        y_title: "Moves that give value away (%)",
        min_y_step: 0.1,
        y_from_zero: true,
        curves: curves.collect(),
        notes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_of_simulations_has_a_curve() {
        let row = |generation: u32, simulations| MistakeRow {
            generation,
            simulations,
            positions: 1000,
            critical: 600,
            mistakes: 200,
            share: 0.2 / f64::from(generation + 1),
            share_low: 0.18 / f64::from(generation + 1),
            share_high: 0.23 / f64::from(generation + 1),
            cumulative_cpu_hours: Some(f64::from(generation) * 0.01),
        };
        let rows: Vec<MistakeRow> = (0..5).flat_map(|generation| [0, 100].map(|some| row(generation, some))).collect();
        let svg = mistakes_plot(&rows).to_svg().unwrap();
        assert!(svg.contains("100 simulations") && svg.contains("network alone"), "{svg}");
        assert!(mistakes_plot(&[]).missing().is_some());
    }
}
