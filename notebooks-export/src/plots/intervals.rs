//! Variants or players one below the other, each with its Elo and its interval.

use plotters::element::{Circle, PathElement};
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, number_text};
use super::font::{max_text_width, shortened};
use super::palette;
use super::panel::{BOTTOM_MARGIN, Panel, RowLabels};
use super::picture::Picture;
use super::size::{EM, HEIGHT, WIDTH};
use super::text::draw_text;
use crate::AblationRow;

/// Half the height of an interval's ends.
const END: i32 = 20;
/// Room above the first row, for the heading.
const TOP: i32 = 200;
/// Names take at most this part of the width.
const MAX_NAME_WIDTH: f64 = 0.5;
/// Rows that have room; more are left out and counted.
const MAX_ROWS: usize = 24;

/// Plots the Elo of the variants, those with runs, above `base`, in the order of `rows`.
pub fn ablation_plot(rows: &[AblationRow], heading: &str) -> Picture {
    let variants: Vec<RatedName> = rows
        .iter()
        .filter(|row| row.runs > 0)
        .map(|row| RatedName::new(&row.variant, row.elo, row.elo_low, row.elo_high))
        .collect();
    interval_plot(&variants, heading, "Elo above base")
}

/// A name and its rating.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatedName<'a> {
    /// A variant or a player.
    pub name: &'a str,
    /// Lower end, Elo and upper end; `None` without a rating.
    pub elo: Option<[f64; 3]>,
}

impl<'a> RatedName<'a> {
    /// `name` with its rating, if all of it is known.
    pub fn new(name: &'a str, elo: Option<f64>, low: Option<f64>, high: Option<f64>) -> Self {
        RatedName { name, elo: low.zip(elo).zip(high).map(|((low, elo), high)| [low, elo, high]) }
    }
}

/// Plots ratings with their intervals in the order given; `axis` is the axis' title. Those without a rating, and those
/// that have no room, are counted.
pub fn interval_plot(names: &[RatedName<'_>], heading: &str, axis: &str) -> Picture {
    let rated: Vec<(&str, [f64; 3])> = names.iter().filter_map(|row| Some((row.name, row.elo?))).collect();
    if rated.is_empty() {
        return Picture::without_data(heading, "Nothing has been rated yet.");
    }
    let shown = &rated[..rated.len().min(MAX_ROWS)];
    let ratings: Vec<[f64; 3]> = shown.iter().map(|(_, rating)| *rating).collect();
    let (low, high) =
        ratings.iter().flatten().fold((0.0, 0.0), |(low, high): (f64, f64), elo| (low.min(*elo), high.max(*elo)));
    let em = EM.min(0.7 * f64::from(HEIGHT - TOP - BOTTOM_MARGIN) / shown.len() as f64);
    let names_shown: Vec<String> =
        shown.iter().map(|(name, _)| shortened(name, em, MAX_NAME_WIDTH * f64::from(WIDTH))).collect();
    let note = match names.len() - shown.len() {
        0 => String::new(),
        count => format!("; {} not shown", number_text(count as f64, 0)),
    };
    let (heading, title) = (heading.to_owned(), format!("{axis}, with 95 % interval{note}"));
    Picture::new(move |area| {
        draw_text(area, &heading, (WIDTH / 2, TOP / 2), HPos::Center, EM, palette::BLACK)?;
        let widest = max_text_width(names_shown.iter().map(String::as_str), em);
        let whole = Panel::below(TOP, Axis::rounded(low, high, 10.0), &title, Axis::rows(ratings.len()), "");
        let left = (widest + 2.0 * EM) as i32;
        let mut chart = Panel { left, y_labels: RowLabels::Names { names: &names_shown, em }, ..whole }.chart(area)?;
        let (top, bottom) = (-0.5, ratings.len() as f64 - 0.5);
        chart.draw_series([PathElement::new(vec![(0.0, top), (0.0, bottom)], palette::DARK_GREY.stroke_width(6))])?;
        for (row, [low, elo, high]) in ratings.iter().enumerate() {
            let row = row as f64;
            chart.draw_series([PathElement::new(vec![(*low, row), (*high, row)], palette::BLUE.stroke_width(6))])?;
            for end in [low, high] {
                let (x, y) = chart.backend_coord(&(*end, row));
                area.draw(&PathElement::new(vec![(x, y - END), (x, y + END)], palette::BLUE.stroke_width(6)))?;
            }
            chart.draw_series([Circle::new((*elo, row), 14, palette::BLUE.filled())])?;
        }
        Ok(())
    })
}
