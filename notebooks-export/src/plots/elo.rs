//! The strength of generations over what they cost, with the baselines as baselines.

use std::ops::Range;

use plotters::coord::ranged1d::Ranged;
use plotters::element::Circle;
use plotters::series::{DashedLineSeries, LineSeries};
use plotters::style::{Color, RGBColor};

use super::axis::{Axis, number_text};
use super::canvas::{Area, Drawn};
use super::labels::{
    DASH, DASH_GAP, LineLabel, Sign, draw_diamond, draw_legend, draw_line_labels, line_labels_width, note,
};
use super::lines::draw_band;
use super::palette;
use super::panel::{Chart, Panel};
use super::picture::Picture;
use super::series::means;
use super::size::{EM, WIDTH};
use crate::{EloRow, PlayerRole};

/// What the horizontal axis of an Elo plot counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EloAxis {
    /// CPU time of the run so far, in hours.
    CpuHours,
    /// Self-play games of the run so far.
    Games,
    /// Search simulations of the run's self-play so far.
    Simulations,
}

impl EloAxis {
    pub(super) fn cost(self, row: &EloRow) -> Option<f64> {
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

    pub(super) fn min_step(self) -> f64 {
        match self {
            EloAxis::CpuHours => 1e-4,
            EloAxis::Games | EloAxis::Simulations => 1.0,
        }
    }
}

const GENERATION: RGBColor = palette::BLUE;
const CHAMPION: RGBColor = palette::ORANGE;
/// From so many generations on, markers are small.
const CROWDED: usize = 60;
/// More generations than this are drawn as means of neighbours, champions alone keeping their marks.
const MAX_POINTS: usize = 300;

/// A rated generation.
struct Rating {
    cost: f64,
    elo: f64,
    interval: (f64, f64),
    is_champion: bool,
}

/// Plots the Elo of candidates and champions over `axis` with a band for the 95 % interval, and the baselines as
/// labelled dashed lines.
///
/// Generations for which `axis` is unknown are left out and counted in the legend; without any, the picture gives the
/// reason instead.
pub fn elo_plot(rows: &[EloRow], axis: EloAxis) -> Picture {
    let (baselines, generations): (Vec<&EloRow>, Vec<&EloRow>) =
        rows.iter().partition(|row| row.role == PlayerRole::Baseline);
    let rating = |row: &EloRow| {
        let is_champion = row.role == PlayerRole::Champion;
        Some(Rating { cost: axis.cost(row)?, elo: row.elo, interval: (row.elo_low, row.elo_high), is_champion })
    };
    let mut ratings: Vec<Rating> = generations.iter().filter_map(|row| rating(row)).collect();
    ratings.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let (Some(first), Some(last)) = (ratings.first(), ratings.last()) else {
        let reason = match generations.len() {
            0 => "No generation has been rated yet.".to_owned(),
            count => format!("The cost of the rated generations ({count}) is unknown."),
        };
        return Picture::without_data(axis.heading(), &reason);
    };

    let elos = ratings.iter().flat_map(|rating| [rating.elo, rating.interval.0, rating.interval.1]);
    let elos = elos.chain(baselines.iter().map(|row| row.elo));
    let (low, high) = elos.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), elo| (low.min(elo), high.max(elo)));
    // No line on the frame itself; a single point stands in the middle.
    let margin = 0.02 * (high - low);
    let x = Axis::for_costs(first.cost, last.cost, axis.min_step());
    let y = Axis::rounded(low - margin, high + margin, 10.0);
    let legend = legend_entries(&ratings, baselines.len(), generations.len() - ratings.len());
    let baselines: Vec<(String, f64)> = baselines.iter().map(|row| (row.player.clone(), row.elo)).collect();
    Picture::new(move |area| {
        let mut panel = Panel::below(draw_legend(area, &legend)?, x, axis.title(), y, "Elo");
        let label = |(name, elo): &(String, f64)| {
            let y = y.map(elo, (panel.bottom - 1, panel.top));
            LineLabel { name: name.clone(), suffix: format!(" ({})", number_text(*elo, 0)), y }
        };
        let labels: Vec<LineLabel> = baselines.iter().map(label).collect();
        if !labels.is_empty() {
            panel.right = WIDTH - line_labels_width(&labels) - (0.5 * EM) as i32;
        }
        let mut chart = panel.chart(area)?;
        let Range { start, end } = x.range();
        for &(_, elo) in &baselines {
            let style = palette::DARK_GREY.stroke_width(6);
            chart.draw_series(DashedLineSeries::new([(start, elo), (end, elo)], DASH, DASH_GAP, style))?;
        }
        draw_line_labels(area, &labels, panel.right, panel.top, panel.bottom)?;
        draw_ratings(area, &mut chart, &ratings)
    })
}

fn draw_ratings(area: &Area, chart: &mut Chart, ratings: &[Rating]) -> Drawn {
    let per_mean = ratings.len().div_ceil(MAX_POINTS);
    let bands: Vec<_> = ratings.iter().map(|rating| (rating.cost, rating.interval)).collect();
    draw_band(chart, &bands, per_mean, GENERATION)?;
    let points: Vec<_> = ratings.iter().map(|rating| (rating.cost, rating.elo)).collect();
    if points.len() > 1 {
        chart.draw_series(LineSeries::new(means(&points, per_mean), GENERATION.stroke_width(6)))?;
    }
    let (disc, diamond) = match ratings.len() {
        ..CROWDED => (12, 24),
        CROWDED..=MAX_POINTS => (6, 16),
        _ => (6, 12),
    };
    let are_marked = ratings.len() <= MAX_POINTS;
    for rating in ratings.iter().filter(|rating| are_marked && !rating.is_champion) {
        chart.draw_series([Circle::new((rating.cost, rating.elo), disc, GENERATION.filled())])?;
    }
    for rating in ratings.iter().filter(|rating| rating.is_champion) {
        draw_diamond(area, chart.backend_coord(&(rating.cost, rating.elo)), diamond, CHAMPION)?;
    }
    Ok(())
}

fn legend_entries(ratings: &[Rating], baselines: usize, left_out: usize) -> Vec<(Sign, String)> {
    let mut entries = match ratings.len().div_ceil(MAX_POINTS) {
        1 => vec![(Sign::LineAndDisc(GENERATION), "generation".to_owned())],
        per_mean => vec![(Sign::Line(GENERATION), format!("means of {per_mean} generations"))],
    };
    if ratings.iter().any(|rating| rating.is_champion) {
        entries.push((Sign::Diamond(CHAMPION), "champion".to_owned()));
    }
    entries.push((Sign::Area(GENERATION.mix(palette::BAND_OPACITY)), "95 % interval".to_owned()));
    if baselines > 0 {
        entries.push((Sign::Dashes(palette::DARK_GREY), "baseline".to_owned()));
    }
    if left_out > 0 {
        entries.push(note(format_args!("left out, cost unknown: {left_out}")));
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
