//! Names of cells and actions, and the drawing of the pyramid.

use super::tables::{ACTIONS, ActionKind, LEVEL_SIDE, LEVELS, cell_at, level_of, row_and_column};
use selfplay_registry::Action;

/// What an action looks like, for error messages.
pub(super) const EXPECTED: &str = "a cell to place on such as `b2`, a raise to a higher cell such as `c4^e3`, a removal such as `-b1`, or `-` to stop";

/// Letter of each level's first column.
const FIRST_COLUMN: [u8; LEVELS] = [b'a', b'e', b'h', b'j'];

/// The notation of `action`.
pub(super) fn action_name(action: Action) -> String {
    match ACTIONS[action.index()] {
        ActionKind::Place { to } => cell_name(to),
        ActionKind::Raise { from, to } => format!("{}^{}", cell_name(from), cell_name(to)),
        ActionKind::Remove { from } => format!("-{}", cell_name(from)),
        ActionKind::Stop => "-".into(),
    }
}

/// Reads the notation; `None` if it names no action.
pub(super) fn parse_action(text: &str) -> Option<Action> {
    let kind = match *text.as_bytes() {
        [column, row] => ActionKind::Place { to: parse_cell(column, row)? },
        [b'-'] => ActionKind::Stop,
        [b'-', column, row] => ActionKind::Remove { from: parse_cell(column, row)? },
        [from_column, from_row, b'^', to_column, to_row] => {
            ActionKind::Raise { from: parse_cell(from_column, from_row)?, to: parse_cell(to_column, to_row)? }
        }
        _ => return None,
    };
    kind.action()
}

/// The four levels side by side, bottom first, with coordinates; `mark` gives the character of a cell.
pub(super) fn draw(mark: impl Fn(u8) -> char) -> String {
    let mut text = String::new();
    for line in 0..=LEVEL_SIDE[0] {
        let mut drawn = String::new();
        for (level, &side) in LEVEL_SIDE.iter().enumerate() {
            let width = 2 * side + 4;
            let mut part = match line.checked_sub(1) {
                None => String::from(" "),
                Some(row) if row < side => line.to_string(),
                Some(_) => String::new(),
            };
            for column in 0..side {
                match line.checked_sub(1) {
                    None => part.extend([' ', char::from(FIRST_COLUMN[level] + column as u8)]),
                    Some(row) if row < side => part.extend([' ', mark(cell_at(level, row, column) as u8)]),
                    Some(_) => {}
                }
            }
            drawn.push_str(&format!("{part:<width$}"));
        }
        text.push_str(drawn.trim_end());
        text.push('\n');
    }
    text
}

pub(super) fn cell_name(cell: u8) -> String {
    let (row, column) = row_and_column(usize::from(cell));
    let letter = FIRST_COLUMN[level_of(usize::from(cell))] + column as u8;
    format!("{}{}", char::from(letter), row + 1)
}

fn parse_cell(column: u8, row: u8) -> Option<u8> {
    let level = FIRST_COLUMN.iter().rposition(|&first| first <= column)?;
    let (row, column) = (usize::from(row.checked_sub(b'1')?), usize::from(column - FIRST_COLUMN[level]));
    let side = LEVEL_SIDE[level];
    (row < side && column < side).then(|| cell_at(level, row, column) as u8)
}
