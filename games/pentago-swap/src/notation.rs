//! Names of actions, such as `c4:AD`, and the drawn board.

use super::PentagoSwap;
use super::geometry::{BIT_OF_CELL, CELLS, PAIR_COUNT, SIDE};
use selfplay_registry::{Action, Game, NotationError};

/// Letters of the quadrants of each pair.
const PAIR_NAMES: [&str; PAIR_COUNT] = ["AB", "AC", "AD", "BC", "BD", "CD"];

/// Cell and pair, as in `c4:AD`: column from the left, row from the top.
pub(super) fn action_name(action: Action) -> String {
    let cell = action.index() % CELLS;
    let column = char::from(b'a' + (cell % SIDE) as u8);
    format!("{column}{}:{}", cell / SIDE + 1, PAIR_NAMES[action.index() / CELLS % PAIR_COUNT])
}

/// Reads what [`action_name`] writes.
pub(super) fn parse_action(text: &str) -> Result<Action, NotationError> {
    if let &[column @ b'a'..=b'f', row @ b'1'..=b'6', b':', ref quadrants @ ..] = text.as_bytes()
        && let Some(pair) = PAIR_NAMES.iter().position(|name| name.as_bytes() == quadrants)
    {
        let cell = usize::from(row - b'1') * SIDE + usize::from(column - b'a');
        return Ok(Action::from_index(pair * CELLS + cell));
    }
    Err(NotationError {
        text: text.into(),
        game: PentagoSwap::spec().id,
        expected:
            "a column a-f, a row 1-6 from the top, a colon and two quadrants in alphabetical order, such as `c4:AD`"
                .into(),
    })
}

/// The board with coordinates, `W` and `B` for the stones, and the letters of the quadrants.
pub(super) fn board(position: &PentagoSwap) -> String {
    let mut text = String::from("  a b c   d e f\n");
    for row in 0..SIDE {
        if row == SIDE / 2 {
            text.push_str("  ------+------\n");
        }
        text.push_str(&(row + 1).to_string());
        for column in 0..SIDE {
            let bit = BIT_OF_CELL[row * SIDE + column];
            text.push_str(if column == SIDE / 2 { " | " } else { " " });
            text.push(match position.stones.map(|stones| stones >> bit & 1) {
                [1, _] => 'W',
                [_, 1] => 'B',
                _ => '.',
            });
        }
        text.push_str(match row {
            1 => "   quadrants A B\n",
            4 => "   quadrants C D\n",
            _ => "\n",
        });
    }
    text
}
