//! Who scored how much against whom, as a heat map with numbers.

use super::axis::{Axis, number_text};
use super::font::{CAPITAL_HEIGHT_EM, shortened};
use super::lines::widest_px;
use super::picture::{Anchor, Color, EM_PX, HEIGHT_PX, Picture, WIDTH_PX};
use super::shades::Shades;
use crate::CrossTableRow;

/// Players that have room.
const MOST_PLAYERS: usize = 24;
/// Names take at most this much room.
const NAME_WIDTH_PX: f64 = 420.0;
/// Names above the columns take at most this much room.
const NAME_HEIGHT_PX: f64 = 340.0;
const MARGIN_PX: f64 = 30.0;
const SCALE_PX: f64 = 230.0;
const HEADING: &str = "Cross table";

/// Plots the score of each player (row) against each other (column) in per cent, best player first.
///
/// Pairs that did not meet stay empty. Beyond two dozen players, those with the fewest points a game are left out and
/// counted.
pub fn cross_table_plot(rows: &[CrossTableRow]) -> Picture {
    let all = ranked_players(rows);
    if all.is_empty() {
        return Picture::without_data(HEADING, "There is no tournament in this report.");
    }
    let players = &all[..all.len().min(MOST_PLAYERS)];
    let height = f64::from(HEIGHT_PX) - 2.0 * MARGIN_PX;
    let em_px = EM_PX.min(0.5 * height / players.len() as f64);
    let named = |room: f64| players.iter().map(|name| shortened(name, em_px, room)).collect::<Vec<String>>();
    let (row_names, column_names) = (named(NAME_WIDTH_PX), named(NAME_HEIGHT_PX));
    let left = MARGIN_PX + widest_px(row_names.iter().map(String::as_str), em_px) + 0.6 * em_px;
    let top = MARGIN_PX + EM_PX + widest_px(column_names.iter().map(String::as_str), em_px) + 0.6 * em_px;
    let note_px = 1.6 * EM_PX;
    let right = f64::from(WIDTH_PX) - SCALE_PX;
    let cell_width = ((right - left) / players.len() as f64).min(200.0);
    let cell_height = ((f64::from(HEIGHT_PX) - MARGIN_PX - note_px - top) / players.len() as f64).min(120.0);

    let mut picture = Picture::default();
    for (index, name) in row_names.iter().enumerate() {
        let y = top + (index as f64 + 0.5) * cell_height + CAPITAL_HEIGHT_EM / 2.0 * em_px;
        picture.text_of(name, (left - 0.6 * em_px, y), Anchor::End, em_px, Color::BLACK);
    }
    for (index, name) in column_names.iter().enumerate() {
        let at = (left + (index as f64 + 0.5) * cell_width + CAPITAL_HEIGHT_EM / 2.0 * em_px, top - 0.6 * em_px);
        picture.text_up(name, at, Anchor::Start, em_px);
    }
    let number_em_px = (0.62 * cell_height).min(0.36 * cell_width).min(EM_PX);
    for (line, a) in players.iter().enumerate() {
        for (column, b) in players.iter().enumerate() {
            let corner = (left + column as f64 * cell_width, top + line as f64 * cell_height);
            let end = (corner.0 + cell_width, corner.1 + cell_height);
            let middle = ((corner.0 + end.0) / 2.0, (corner.1 + end.1) / 2.0 + CAPITAL_HEIGHT_EM / 2.0 * number_em_px);
            match score(rows, a, b) {
                _ if a == b => picture.rectangle(corner, end, Color::GREY),
                Some(score) => {
                    picture.rectangle(corner, end, Shades::Diverging.color(score));
                    let ink = Shades::Diverging.ink(score);
                    picture.text_of(&number_text(100.0 * score, 0), middle, Anchor::Middle, number_em_px, ink);
                }
                None => picture.text_of("\u{2013}", middle, Anchor::Middle, number_em_px, Color::DARK_GREY),
            }
        }
    }
    let bottom = top + players.len() as f64 * cell_height;
    let right = left + players.len() as f64 * cell_width;
    for index in 0..=players.len() {
        let (x, y) = (left + index as f64 * cell_width, top + index as f64 * cell_height);
        picture.line(vec![(x, top), (x, bottom)], Color::GREY, 1);
        picture.line(vec![(left, y), (right, y)], Color::GREY, 1);
    }
    let bar = (right + 120.0).min(f64::from(WIDTH_PX) - SCALE_PX + 110.0);
    Shades::Diverging.draw_bar(&mut picture, (bar, top), (bar + 32.0, bottom), Axis::exact(0.0, 100.0, 1.0));
    picture.text_up("Score (%)", (bar - 16.0, (top + bottom) / 2.0), Anchor::Middle, EM_PX);
    let mut note = "Row against column, in % of the points; \u{2013}: did not meet".to_owned();
    if all.len() > players.len() {
        note += &format!("; {} weaker players not shown", all.len() - players.len());
    }
    picture.text(&note, (MARGIN_PX, bottom + note_px), Anchor::Start);
    picture
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
