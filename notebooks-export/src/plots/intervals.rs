//! Variants or players one below the other, each with its Elo and its interval.

use super::axis::{Axis, number_text};
use super::font::{CAPITAL_HEIGHT_EM, shortened, text_width_px};
use super::panel::{BOTTOM_MARGIN_PX, Panel};
use super::picture::{Anchor, Color, EM_PX, HEIGHT_PX, Picture, Shape, WIDTH_PX};
use crate::AblationRow;

/// Half the height of an interval's ends.
const END_PX: f64 = 10.0;
/// Room above the first row, for the heading.
const TOP_PX: f64 = 100.0;
/// Names take at most this part of the width.
const MOST_NAME_WIDTH: f64 = 0.5;
/// Rows that have room; more are left out and counted.
const MOST_ROWS: usize = 24;

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
    let (shown, left_out) = rated.split_at(rated.len().min(MOST_ROWS));
    let values = || shown.iter().flat_map(|(_, values)| *values);
    let (low, high) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
    let width = f64::from(WIDTH_PX);
    let em_px = EM_PX.min(0.7 * (f64::from(HEIGHT_PX) - TOP_PX - BOTTOM_MARGIN_PX) / shown.len() as f64);
    let shown_names: Vec<String> =
        shown.iter().map(|(name, _)| shortened(name, em_px, MOST_NAME_WIDTH * width)).collect();
    let widest = shown_names.iter().map(|name| text_width_px(name, em_px)).fold(0.0, f64::max);
    let whole = Panel::below(TOP_PX, Axis::rounded(low, high, 10.0), Axis::from_zero(1.0, 1.0));
    let panel = Panel { left: widest + 2.0 * EM_PX, ..whole };
    let mut picture = Picture::default();
    picture.text(heading, (width / 2.0, 0.5 * TOP_PX), Anchor::Middle);
    for (value, _) in panel.x.ticks() {
        let x = panel.x_px(value);
        picture.line(vec![(x, panel.top), (x, panel.bottom)], Color::LIGHT_GREY, 1);
    }
    let zero = panel.x_px(0.0);
    picture.line(vec![(zero, panel.top), (zero, panel.bottom)], Color::DARK_GREY, 3);
    picture.line(vec![(panel.left, panel.bottom), (panel.right, panel.bottom)], Color::BLACK, 2);
    let row_px = (panel.bottom - panel.top) / shown.len() as f64;
    for (index, ((_, [low, elo, high]), name)) in shown.iter().zip(shown_names).enumerate() {
        let y = panel.top + (index as f64 + 0.5) * row_px;
        let [low, elo, high] = [*low, *elo, *high].map(|elo| panel.x_px(elo));
        picture.line(vec![(low, y), (high, y)], Color::BLUE, 3);
        for x in [low, high] {
            picture.line(vec![(x, y - END_PX), (x, y + END_PX)], Color::BLUE, 3);
        }
        picture.push(Shape::Disc { center: (elo, y), radius_px: 7, color: Color::BLUE });
        let at = (panel.left - EM_PX, y + CAPITAL_HEIGHT_EM / 2.0 * em_px);
        picture.text_of(&name, at, Anchor::End, em_px, Color::BLACK);
    }
    let missing = names.len() - rated.len() + left_out.len();
    let note = match missing {
        0 => String::new(),
        count => format!("; {} not shown", number_text(count as f64, 0)),
    };
    panel.draw_x_axis(&mut picture, &format!("{axis}, with 95 % interval{note}"));
    picture
}
