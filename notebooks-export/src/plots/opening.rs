//! What generations would play first, as small boards beside each other.

use std::collections::BTreeMap;

use super::axis::{Axis, number_text};
use super::font::CAPITAL_HEIGHT_EM;
use super::picture::{Anchor, Color, EM_PX, HEIGHT_PX, Picture, WIDTH_PX};
use super::series::chosen;
use super::shades::Shades;
use crate::OpeningPolicyRow;

/// Boards that have room.
const MOST_BOARDS: usize = 12;
/// Room on the right for the colour scale.
const SCALE_PX: f64 = 260.0;
const MARGIN_PX: f64 = 40.0;
/// Free space between two boards.
const GAP_PX: f64 = 36.0;
/// Room for the generation's number above a board.
const TITLE_PX: f64 = 50.0;
/// Cells of at least this size hold their number.
const SMALLEST_NUMBERED_PX: f64 = 44.0;
/// Smaller cells have no lines between them, which would hide them.
const SMALLEST_LINED_PX: f64 = 24.0;
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
    let shown = chosen(by_generation.keys().copied(), MOST_BOARDS);
    let cells = || shown.iter().flat_map(|generation| &by_generation[generation]).copied().filter(is_on_board);
    let highest = cells().map(|row| row.probability).fold(0.0, f64::max).max(1e-6);

    let grid = Grid::of(shown.len(), board);
    let mut picture = Picture::default();
    for (index, generation) in shown.iter().enumerate() {
        let (left, top) = grid.board(index);
        let title = format!("generation {generation}");
        let em_px = EM_PX.min(grid.cell_px * f64::from(board.columns) / 7.5);
        picture.text_of(&title, (left, top - 12.0), Anchor::Start, em_px, Color::BLACK);
    }
    let places: BTreeMap<u32, usize> =
        shown.iter().enumerate().map(|(index, generation)| (*generation, index)).collect();
    let corner = |row: &OpeningPolicyRow| {
        let (left, top) = grid.board(places[&row.generation]);
        (left + f64::from(row.column) * grid.cell_px, top + f64::from(row.row) * grid.cell_px)
    };
    // Equal colours one after the other, to share an element.
    let mut colored: Vec<([u8; 3], &OpeningPolicyRow)> =
        cells().map(|row| (Shades::Sequential.color(row.probability / highest).rgb, row)).collect();
    colored.sort_by_key(|(rgb, _)| *rgb);
    for (rgb, row) in &colored {
        let (x, y) = corner(row);
        let [red, green, blue] = *rgb;
        picture.rectangle((x, y), (x + grid.cell_px, y + grid.cell_px), Color::opaque(red, green, blue));
    }
    for index in 0..shown.len() {
        draw_lines(&mut picture, grid.board(index), grid.cell_px, board);
    }
    if grid.cell_px >= SMALLEST_NUMBERED_PX {
        let em_px = (0.4 * grid.cell_px).min(0.8 * EM_PX);
        for row in cells() {
            let (x, y) = corner(row);
            let at = (x + 0.5 * grid.cell_px, y + 0.5 * grid.cell_px + CAPITAL_HEIGHT_EM / 2.0 * em_px);
            let text = number_text(100.0 * row.probability, usize::from(highest < 0.1));
            picture.text_of(&text, at, Anchor::Middle, em_px, Shades::Sequential.ink(row.probability / highest));
        }
    }
    draw_scale(&mut picture, grid.right(), highest);
    picture
}

/// The scale of colours, in per cent, to the right of the boards.
fn draw_scale(picture: &mut Picture, boards_right: f64, highest: f64) {
    let (left, top, bottom) = (boards_right + 100.0, 90.0, f64::from(HEIGHT_PX) - 90.0);
    let axis = Axis::exact(0.0, 100.0 * highest, 1e-6);
    Shades::Sequential.draw_bar(picture, (left, top), (left + 36.0, bottom), axis);
    let at = (left - 20.0, (top + bottom) / 2.0);
    picture.text_up("First decision begins on the cell (%)", at, Anchor::Middle, EM_PX);
}

/// The lines around the board and between its cells.
fn draw_lines(picture: &mut Picture, (left, top): (f64, f64), cell_px: f64, board: Board) {
    let (right, bottom) = (left + f64::from(board.columns) * cell_px, top + f64::from(board.rows) * cell_px);
    let step = |cells: u32| if cell_px < SMALLEST_LINED_PX { cells.max(1) as usize } else { 1 };
    for column in (0..=board.columns).step_by(step(board.columns)) {
        let x = left + f64::from(column) * cell_px;
        picture.line(vec![(x, top), (x, bottom)], Color::GREY, 1);
    }
    for row in (0..=board.rows).step_by(step(board.rows)) {
        let y = top + f64::from(row) * cell_px;
        picture.line(vec![(left, y), (right, y)], Color::GREY, 1);
    }
}

/// Where the boards stand.
struct Grid {
    boards_in_row: usize,
    cell_px: f64,
    board: Board,
}

impl Grid {
    /// The arrangement with the largest cells.
    fn of(boards: usize, board: Board) -> Grid {
        let cell_px = |boards_in_row: usize| {
            let lines = boards.div_ceil(boards_in_row);
            let width = f64::from(WIDTH_PX) - SCALE_PX - MARGIN_PX - (boards_in_row - 1) as f64 * GAP_PX;
            let height = f64::from(HEIGHT_PX) - MARGIN_PX - lines as f64 * TITLE_PX - (lines - 1) as f64 * GAP_PX;
            let cell = |room: f64, boards: usize, cells: u32| room / boards as f64 / f64::from(cells.max(1));
            cell(width, boards_in_row, board.columns).min(cell(height, lines, board.rows))
        };
        let boards_in_row = (1..=boards).max_by(|&a, &b| cell_px(a).total_cmp(&cell_px(b))).unwrap_or(1);
        Grid { boards_in_row, cell_px: cell_px(boards_in_row), board }
    }

    /// Width of a row of boards.
    fn width(&self) -> f64 {
        let boards = self.boards_in_row as f64;
        boards * f64::from(self.board.columns) * self.cell_px + (boards - 1.0) * GAP_PX
    }

    /// The left edge of the boards, which stand in the middle of the picture together with the scale.
    fn left(&self) -> f64 {
        (f64::from(WIDTH_PX) - SCALE_PX - self.width()) / 2.0
    }

    fn right(&self) -> f64 {
        self.left() + self.width()
    }

    /// The upper left corner of a board.
    fn board(&self, index: usize) -> (f64, f64) {
        let (column, line) = (index % self.boards_in_row, index / self.boards_in_row);
        let width = f64::from(self.board.columns) * self.cell_px + GAP_PX;
        let height = f64::from(self.board.rows) * self.cell_px + GAP_PX + TITLE_PX;
        (self.left() + column as f64 * width, TITLE_PX + line as f64 * height)
    }
}
