//! What generations would play first, as small boards beside each other.

use std::collections::BTreeMap;

use plotters::element::{PathElement, Rectangle};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, RGBColor};

use super::axis::{Axis, number_text};
use super::canvas::{Area, Drawn};
use super::palette;
use super::picture::Picture;
use super::series::chosen;
use super::shades::Shades;
use super::size::{EM, HEIGHT, WIDTH};
use super::text::{draw_text, draw_text_up};
use crate::OpeningPolicyRow;

/// Boards that have room.
const MAX_BOARDS: usize = 12;
/// Room on the right for the colour scale.
const SCALE: f64 = 520.0;
const MARGIN: f64 = 80.0;
/// Free space between two boards.
const GAP: f64 = 72.0;
/// Room for the generation's number above a board.
const TITLE: f64 = 100.0;
/// Cells of at least this size hold their number.
const MIN_NUMBERED: f64 = 88.0;
/// Smaller cells have no lines between them, which would hide them.
const MIN_LINED: f64 = 48.0;
const HEADING: &str = "Opening policy";

/// Width and height of a board in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// Cells from left to right.
    pub columns: u32,
    /// Cells from top to bottom.
    pub rows: u32,
}

/// Plots the policy at the initial position of at most twelve generations, each on a `board`; `None` takes the size from
/// the cells that there are.
pub fn opening_policy_plot(rows: &[OpeningPolicyRow], board: Option<Board>) -> Picture {
    let mut by_generation: BTreeMap<u32, Vec<&OpeningPolicyRow>> = BTreeMap::new();
    for row in rows {
        by_generation.entry(row.generation).or_default().push(row);
    }
    let board = board.unwrap_or(Board {
        columns: rows.iter().map(|row| row.column.saturating_add(1)).max().unwrap_or(0),
        rows: rows.iter().map(|row| row.row.saturating_add(1)).max().unwrap_or(0),
    });
    let is_on_board = |row: &&OpeningPolicyRow| row.column < board.columns && row.row < board.rows;
    if !rows.iter().any(|row| is_on_board(&row)) {
        return Picture::without_data(HEADING, "No generation's opening policy has been recorded.");
    }
    let shown = chosen(by_generation.keys().copied(), MAX_BOARDS);
    let grid = Grid::new(shown.len(), board);
    let mut cells: Vec<Cell> = shown
        .iter()
        .enumerate()
        .flat_map(|(place, generation)| by_generation[generation].iter().map(move |row| (place, *row)))
        .filter(|(_, row)| is_on_board(row))
        .map(|(place, row)| Cell {
            corners: [grid.corner(place, row.column, row.row), grid.corner(place, row.column + 1, row.row + 1)],
            probability: row.probability,
        })
        .collect();
    cells.sort_by_key(|cell| (cell.corners[0].1, cell.corners[0].0));
    let highest = cells.iter().map(|cell| cell.probability).fold(0.0, f64::max).max(1e-6);
    Picture::new(move |area| {
        for (index, generation) in shown.iter().enumerate() {
            let (left, top) = grid.board(index);
            let em = EM.min(grid.cell * f64::from(board.columns) / 7.5);
            let at = (left as i32, (top - 24.0 - 0.36 * em) as i32);
            draw_text(area, &format!("generation {generation}"), at, HPos::Left, em, palette::BLACK)?;
        }
        // Neighbours of one colour are one rectangle: large boards have thousands of cells.
        for run in cells.chunk_by(|a, b| a.is_left_of(b) && a.color(highest) == b.color(highest)) {
            let corners = [run[0].corners[0], run[run.len() - 1].corners[1]];
            area.draw(&Rectangle::new(corners, run[0].color(highest).filled()))?;
        }
        for index in 0..shown.len() {
            grid.draw_lines(area, index)?;
        }
        if grid.cell >= MIN_NUMBERED {
            let em = (0.4 * grid.cell).min(0.8 * EM);
            for Cell { corners: [(left, top), (right, bottom)], probability } in &cells {
                let text = number_text(100.0 * probability, usize::from(highest < 0.1));
                let ink = Shades::Sequential.ink(probability / highest);
                draw_text(area, &text, ((left + right) / 2, (top + bottom) / 2), HPos::Center, em, ink)?;
            }
        }
        draw_scale(area, grid.right() as i32 + 200, highest)
    })
}

/// A cell of a board and how likely the first action begins on it.
struct Cell {
    corners: [(i32, i32); 2],
    probability: f64,
}

impl Cell {
    fn is_left_of(&self, other: &Cell) -> bool {
        (self.corners[1].0, self.corners[0].1) == other.corners[0]
    }

    fn color(&self, highest: f64) -> RGBColor {
        Shades::Sequential.color(self.probability / highest)
    }
}

/// The scale of colours, in per cent, to the right of the boards.
fn draw_scale(area: &Area, left: i32, highest: f64) -> Drawn {
    let (top, bottom) = (180, HEIGHT - 180);
    let axis = Axis::exact(0.0, 100.0 * highest, 1e-6);
    Shades::Sequential.draw_bar(area, (left, top), (left + 72, bottom), axis)?;
    let at = (left - 62, (top + bottom) / 2);
    draw_text_up(area, "First move begins on the cell (%)", at, HPos::Center, EM, palette::BLACK)
}

/// Where the boards stand.
struct Grid {
    boards_in_row: usize,
    cell: f64,
    board: Board,
}

impl Grid {
    /// The arrangement with the largest cells.
    fn new(boards: usize, board: Board) -> Grid {
        let cell = |boards_in_row: usize| {
            let lines = boards.div_ceil(boards_in_row);
            let width = f64::from(WIDTH) - SCALE - MARGIN - (boards_in_row - 1) as f64 * GAP;
            let height = f64::from(HEIGHT) - MARGIN - lines as f64 * TITLE - (lines - 1) as f64 * GAP;
            let cell = |room: f64, boards: usize, cells: u32| room / boards as f64 / f64::from(cells.max(1));
            cell(width, boards_in_row, board.columns).min(cell(height, lines, board.rows))
        };
        let boards_in_row = (1..=boards).max_by(|&a, &b| cell(a).total_cmp(&cell(b))).unwrap_or(1);
        Grid { boards_in_row, cell: cell(boards_in_row), board }
    }

    /// Width of a row of boards.
    fn width(&self) -> f64 {
        let boards = self.boards_in_row as f64;
        boards * f64::from(self.board.columns) * self.cell + (boards - 1.0) * GAP
    }

    /// The left edge of the boards, which stand in the middle of the picture together with the scale.
    fn left(&self) -> f64 {
        (f64::from(WIDTH) - SCALE - self.width()) / 2.0
    }

    fn right(&self) -> f64 {
        self.left() + self.width()
    }

    /// The upper left corner of a board.
    fn board(&self, index: usize) -> (f64, f64) {
        let (column, line) = (index % self.boards_in_row, index / self.boards_in_row);
        let width = f64::from(self.board.columns) * self.cell + GAP;
        let height = f64::from(self.board.rows) * self.cell + GAP + TITLE;
        (self.left() + column as f64 * width, TITLE + line as f64 * height)
    }

    /// The upper left corner of a cell.
    fn corner(&self, index: usize, column: u32, row: u32) -> (i32, i32) {
        let (left, top) = self.board(index);
        let along = |start: f64, cells: u32| (start + f64::from(cells) * self.cell).round() as i32;
        (along(left, column), along(top, row))
    }

    /// Draws the lines around a board and between its cells.
    fn draw_lines(&self, area: &Area, index: usize) -> Drawn {
        let Board { columns, rows } = self.board;
        let step = |cells: u32| if self.cell < MIN_LINED { cells.max(1) as usize } else { 1 };
        let columns_between = (0..=columns).step_by(step(columns));
        let upright = columns_between.map(|column| [0, rows].map(|row| self.corner(index, column, row)));
        let rows_between = (0..=rows).step_by(step(rows));
        let level = rows_between.map(|row| [0, columns].map(|column| self.corner(index, column, row)));
        for line in upright.chain(level) {
            area.draw(&PathElement::new(line, palette::GREY.stroke_width(2)))?;
        }
        Ok(())
    }
}
