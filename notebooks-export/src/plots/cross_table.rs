//! Who scored how much against whom, as a heat map with numbers.

use plotters::element::{PathElement, Rectangle};
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, number_text};
use super::font::{max_text_width, shortened};
use super::palette;
use super::picture::Picture;
use super::shades::Shades;
use super::size::{EM, HEIGHT, WIDTH};
use super::text::{draw_text, draw_text_up};
use crate::CrossTableRow;

/// Players that have room.
const MAX_PLAYERS: usize = 24;
/// Names take at most this much room.
const NAME_WIDTH: f64 = 840.0;
/// Names above the columns take at most this much room.
const NAME_HEIGHT: f64 = 680.0;
const MARGIN: i32 = 60;
const SCALE: i32 = 460;
const NOTE: i32 = 96;
const HEADING: &str = "Cross table";

/// Plots the score of each player (row) against each other (column) in per cent, best player first.
///
/// Pairs that did not meet stay empty. Beyond two dozen players, those with the fewest points a game are left out and
/// counted.
pub fn cross_table_plot(rows: &[CrossTableRow]) -> Picture {
    let mut players = ranked_players(rows);
    if players.is_empty() {
        return Picture::without_data(HEADING, "There is no tournament in this report.");
    }
    let left_out = players.len().saturating_sub(MAX_PLAYERS);
    players.truncate(MAX_PLAYERS);
    let mut note = "Row against column, in % of the points; \u{2013}: did not meet".to_owned();
    if left_out > 0 {
        note += &format!("; {left_out} weaker players not shown");
    }
    let count = players.len();
    let em = EM.min(0.5 * f64::from(HEIGHT - 2 * MARGIN) / count as f64);
    let named = |room: f64| players.iter().map(|name| shortened(name, em, room)).collect::<Vec<String>>();
    let (row_names, column_names) = (named(NAME_WIDTH), named(NAME_HEIGHT));
    let scores: Vec<Vec<Option<f64>>> =
        players.iter().map(|a| players.iter().map(|b| score(rows, a, b)).collect()).collect();
    Picture::new(move |area| {
        let room = |names: &[String]| (max_text_width(names.iter().map(String::as_str), em) + 0.6 * em) as i32;
        let (left, top) = (MARGIN + room(&row_names), MARGIN + EM as i32 + room(&column_names));
        let cell_width = ((WIDTH - SCALE - left) / count as i32).min(400);
        let cell_height = ((HEIGHT - MARGIN - NOTE - top) / count as i32).min(240);
        let corner = |row: usize, column: usize| (left + column as i32 * cell_width, top + row as i32 * cell_height);
        let (right, bottom) = corner(count, count);
        let gap = (0.6 * em) as i32;
        for (index, (row_name, column_name)) in row_names.iter().zip(&column_names).enumerate() {
            let (x, y) = corner(index, index);
            let (x, y) = (x + cell_width / 2, y + cell_height / 2);
            draw_text(area, row_name, (left - gap, y), HPos::Right, em, palette::BLACK)?;
            draw_text_up(area, column_name, (x, top - gap), HPos::Left, em, palette::BLACK)?;
        }
        let number_em = (0.62 * f64::from(cell_height)).min(0.36 * f64::from(cell_width)).min(EM);
        for (row, scores) in scores.iter().enumerate() {
            for (column, score) in scores.iter().enumerate() {
                let cell = [corner(row, column), corner(row + 1, column + 1)];
                let middle = ((cell[0].0 + cell[1].0) / 2, (cell[0].1 + cell[1].1) / 2);
                match *score {
                    _ if row == column => area.draw(&Rectangle::new(cell, palette::GREY.filled()))?,
                    Some(score) => {
                        area.draw(&Rectangle::new(cell, Shades::Diverging.color(score).filled()))?;
                        let text = number_text(100.0 * score, 0);
                        draw_text(area, &text, middle, HPos::Center, number_em, Shades::Diverging.ink(score))?;
                    }
                    None => draw_text(area, "\u{2013}", middle, HPos::Center, number_em, palette::DARK_GREY)?,
                }
            }
        }
        for index in 0..=count {
            let (x, y) = corner(index, index);
            for line in [[(x, top), (x, bottom)], [(left, y), (right, y)]] {
                area.draw(&PathElement::new(line, palette::GREY.stroke_width(2)))?;
            }
        }
        let bar = (right + 240).min(WIDTH - SCALE + 220);
        Shades::Diverging.draw_bar(area, (bar, top), (bar + 64, bottom), Axis::exact(0.0, 100.0, 1.0))?;
        let middle = (top + bottom) / 2;
        draw_text_up(area, "Score (%)", (bar - EM as i32, middle), HPos::Center, EM, palette::BLACK)?;
        draw_text(area, &note, (MARGIN, bottom + NOTE - (0.36 * EM) as i32), HPos::Left, EM, palette::BLACK)
    })
}

/// The points a game that `a` made against `b`, from either side's rows.
fn score(rows: &[CrossTableRow], a: &str, b: &str) -> Option<f64> {
    let (mut points, mut games) = (0.0, 0);
    for row in rows {
        if row.a == a && row.b == b {
            return (row.games > 0).then_some(row.score);
        }
        if row.a == b && row.b == a {
            points += (1.0 - row.score) * row.games as f64;
            games += row.games;
        }
    }
    (games > 0).then(|| points / games as f64)
}

/// All players, those with the most points a game first.
fn ranked_players(rows: &[CrossTableRow]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in rows.iter().flat_map(|row| [&row.a, &row.b]) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let mut ranked: Vec<(f64, String)> = names
        .into_iter()
        .map(|name| {
            let seen = rows.iter().filter_map(|row| match () {
                () if row.a == name => Some((row.score, row.games)),
                () if row.b == name => Some((1.0 - row.score, row.games)),
                () => None,
            });
            let (points, games) = seen.fold((0.0, 0u64), |(points, games), (score, count)| {
                (points + score * count as f64, games.saturating_add(count))
            });
            (points / games.max(1) as f64, name)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().map(|(_, name)| name).collect()
}
