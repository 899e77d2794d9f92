//! The strength of generations over what they cost, with the baselines as yardsticks.

use super::axis::{Axis, number_text};
use super::labels::{LineLabel, Sign, draw_diamond, draw_legend, draw_line_labels, line_labels_width_px};
use super::panel::Panel;
use super::picture::{Color, EM_PX, Picture, Shape, WIDTH_PX};
use super::series::means;
use crate::{EloRow, PlayerRole};

/// What the horizontal axis of an Elo plot counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EloAxis {
    /// CPU time of the run so far, in hours.
    CpuHours,
    /// Self-play games of the run so far.
    Games,
    /// Search simulations of the run's self-play so far.
    Simulations,
}

impl EloAxis {
    pub(super) fn of(self, row: &EloRow) -> Option<f64> {
        match self {
            EloAxis::CpuHours => row.cumulative_cpu_hours,
            EloAxis::Games => row.cumulative_games.map(|games| games as f64),
            EloAxis::Simulations => row.cumulative_simulations.map(|simulations| simulations as f64),
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            EloAxis::CpuHours => "CPU time of self-play and learning (hours, all threads)",
            EloAxis::Games => "Self-play games since the start of the run",
            EloAxis::Simulations => "Search simulations of self-play since the start of the run",
        }
    }

    pub(super) fn heading(self) -> &'static str {
        match self {
            EloAxis::CpuHours => "Elo by CPU time",
            EloAxis::Games => "Elo by self-play games",
            EloAxis::Simulations => "Elo by search simulations",
        }
    }

    pub(super) fn smallest_step(self) -> f64 {
        match self {
            EloAxis::CpuHours => 1e-4,
            EloAxis::Games | EloAxis::Simulations => 1.0,
        }
    }
}

const GENERATION: Color = Color::BLUE;
const BAND: Color = Color::BLUE.with_opacity(0.2);
const CHAMPION: Color = Color::ORANGE;
/// From so many generations on, markers are small.
const CROWDED: usize = 60;
/// More generations than this are drawn as means of neighbours, champions alone keeping their marks.
const MOST_POINTS: usize = 300;

/// Plots the Elo of candidates and champions over `axis` with a band for the 95 % interval, and the baselines as
/// labelled dashed lines.
///
/// Generations for which `axis` is unknown are left out and counted in the legend; where none is left, the picture
/// says so.
pub fn elo_plot(rows: &[EloRow], axis: EloAxis) -> Picture {
    let (baselines, generations): (Vec<&EloRow>, Vec<&EloRow>) =
        rows.iter().partition(|row| row.role == PlayerRole::Baseline);
    let mut points: Vec<(f64, &EloRow)> =
        generations.iter().filter_map(|&row| axis.of(row).map(|cost| (cost, row))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(&(last_cost, _)) = points.last() else {
        let reason = match generations.len() {
            0 => "No generation has been rated yet.".to_owned(),
            count => format!("The cost of the rated generations ({count}) is unknown."),
        };
        return Picture::without_data(axis.heading(), &reason);
    };

    let elos = points.iter().flat_map(|(_, row)| [row.elo, row.elo_low, row.elo_high]);
    let elos = elos.chain(baselines.iter().map(|row| row.elo));
    let (low, high) = elos.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), elo| (low.min(elo), high.max(elo)));
    // No line on the frame itself; a single point stands in the middle.
    let margin = 0.02 * (high - low);
    let x = Axis::of_costs(points[0].0, last_cost, axis.smallest_step());
    let mut panel = Panel::below(110.0, x, Axis::rounded(low - margin, high + margin, 10.0));
    let labels: Vec<LineLabel> = baselines
        .iter()
        .map(|row| LineLabel {
            name: row.player.clone(),
            suffix: format!(" ({})", number_text(row.elo, 0)),
            y: panel.y_px(row.elo),
        })
        .collect();
    if !labels.is_empty() {
        panel.right = f64::from(WIDTH_PX) - line_labels_width_px(&labels) - 0.5 * EM_PX;
    }

    let mut picture = Picture::default();
    panel.draw_grid(&mut picture);
    for label in &labels {
        picture.dashed_line(label.y, panel.left, panel.right, Color::DARK_GREY);
    }
    draw_line_labels(&mut picture, &labels, panel.right, panel.top, panel.bottom);
    draw_generations(&mut picture, &panel, &points);
    panel.draw_y_axis(&mut picture, "Elo");
    panel.draw_x_axis(&mut picture, axis.title());
    let legend = legend(&points, baselines.len(), generations.len() - points.len());
    draw_legend(&mut picture, &legend);
    picture
}

fn draw_generations(picture: &mut Picture, panel: &Panel, points: &[(f64, &EloRow)]) {
    if let [(cost, row)] = points {
        let (x, low, high) = (panel.x_px(*cost), panel.y_px(row.elo_low), panel.y_px(row.elo_high));
        picture.rectangle((x - 10.0, high), (x + 10.0, low), BAND);
    } else {
        let per_mean = points.len().div_ceil(MOST_POINTS);
        let curve = |of: fn(&EloRow) -> f64| {
            let pairs: Vec<(f64, f64)> = points.iter().map(|(cost, row)| (*cost, of(row))).collect();
            means(&pairs, per_mean).into_iter().map(|pair| panel.point(pair)).collect::<Vec<_>>()
        };
        let (upper, lower) = (curve(|row| row.elo_high), curve(|row| row.elo_low));
        picture
            .push(Shape::Polygon { points: upper.into_iter().chain(lower.into_iter().rev()).collect(), color: BAND });
        picture.line(curve(|row| row.elo), GENERATION, 3);
    }
    let (disc_px, diamond_px) = match points.len() {
        ..CROWDED => (6, 12.0),
        CROWDED..=MOST_POINTS => (3, 8.0),
        _ => (3, 6.0),
    };
    let are_marked = points.len() <= MOST_POINTS;
    for (cost, row) in points.iter().filter(|(_, row)| are_marked && row.role == PlayerRole::Candidate) {
        let center = panel.point((*cost, row.elo));
        picture.push(Shape::Disc { center, radius_px: disc_px, color: GENERATION });
    }
    for (cost, row) in points.iter().filter(|(_, row)| row.role == PlayerRole::Champion) {
        draw_diamond(picture, panel.point((*cost, row.elo)), diamond_px, CHAMPION);
    }
}

fn legend(points: &[(f64, &EloRow)], baselines: usize, left_out: usize) -> Vec<(Sign, String)> {
    let mut entries = match points.len().div_ceil(MOST_POINTS) {
        1 => vec![(Sign::LineAndDisc(GENERATION), "generation".to_owned())],
        per_mean => vec![(Sign::Line(GENERATION), format!("means of {per_mean} generations"))],
    };
    if points.iter().any(|(_, row)| row.role == PlayerRole::Champion) {
        entries.push((Sign::Diamond(CHAMPION), "champion".to_owned()));
    }
    entries.push((Sign::Area(BAND), "95 % interval".to_owned()));
    if baselines > 0 {
        entries.push((Sign::Dashes(Color::DARK_GREY), "baseline".to_owned()));
    }
    if left_out > 0 {
        entries.push((Sign::Nothing, format!("(left out, cost unknown: {left_out})")));
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::super::text_boxes::assert_texts_are_apart;
    use super::*;

    fn row(player: String, elo: f64, role: PlayerRole, cost: Option<u64>) -> EloRow {
        EloRow {
            player,
            generation: cost.map(|cost| cost as u32),
            elo,
            elo_low: elo - 30.0,
            elo_high: elo + 40.0,
            games: 100,
            score: 0.5,
            cumulative_cpu_hours: cost.map(|cost| cost as f64 * 1e-3),
            cumulative_games: cost.map(|cost| cost * 1_000_000),
            role,
            ..EloRow::default()
        }
    }

    #[test]
    fn no_text_is_cut_off_or_lies_over_another() {
        let close = [0.0, 180.0, 420.0, 455.0, 455.0].map(|elo| format!("alpha-beta with a long name {elo}")).to_vec();
        let crowd: Vec<String> = (0..40).map(|index| format!("player {index}")).collect();
        for names in [Vec::new(), close, crowd] {
            for generations in [1, 8, 500] {
                let baselines = names.iter().enumerate();
                let mut rows: Vec<EloRow> = baselines
                    .map(|(index, name)| row(name.clone(), 400.0 + index as f64, PlayerRole::Baseline, None))
                    .collect();
                rows.extend((1..=generations).map(|generation| {
                    let elo = 1500.0 * generation as f64 / generations as f64 - 100.0;
                    row(format!("generation {generation}"), elo, PlayerRole::Champion, Some(generation))
                }));
                rows.push(row("unknown".into(), 0.0, PlayerRole::Candidate, None));
                for axis in [EloAxis::CpuHours, EloAxis::Games] {
                    let texts = assert_texts_are_apart(&elo_plot(&rows, axis), "elo");
                    assert!(texts > names.len() + 10);
                }
            }
        }
    }
}
