//! Notation (`row,column,card`, from 0 at the top left) and the board drawn for people.

use super::{Cell, Sum15, VALUES};
use selfplay_registry::{Action, Game, NotationError, Side};

/// `0,3,13` for the card 13 on the last cell of the first row of 4×4.
pub fn action_name<const N: usize>(action: Action) -> String {
    let (card, row, column) = Sum15::<N>::parts(action);
    let value = VALUES.get(card).map_or("?".into(), u8::to_string);
    format!("{row},{column},{value}")
}

/// Reads what [`action_name`] writes and nothing else.
pub fn parse_action<const N: usize>(text: &str) -> Result<Action, NotationError> {
    let read = || {
        let mut numbers = text.splitn(3, ',').map(|number| number.parse::<u8>().ok());
        let mut index = || numbers.next()?.map(usize::from).filter(|&index| index < N);
        let (row, column) = (index()?, index()?);
        let value = numbers.next()??;
        let card = VALUES.iter().position(|&card_value| card_value == value)?;
        let action = Action::from_index((card * N + row) * N + column);
        // Rejects spellings such as `+0,3,13` and `0,3,02`.
        (action_name::<N>(action) == text).then_some(action)
    };
    read().ok_or_else(|| NotationError {
        text: text.into(),
        game: Sum15::<N>::spec().id,
        expected: match N {
            4 => "row,column,card with row and column 0-3 from the top left and a card 2, 3, 5, 8 or 13, such as `0,3,13`",
            _ => "row,column,card with row and column 0-5 from the top left and a card 2, 3, 5, 8 or 13, such as `0,3,13`",
        }
        .into(),
    })
}

/// `F8` is a card 8 of the first player, `S8` of the second, `x` a dead cell; row and column numbers stand at the
/// edges, hands and points in the last two lines.
pub fn board<const N: usize>(position: &Sum15<N>) -> String {
    let mut text = String::from(" ");
    for column in 0..N {
        text.push_str(&format!("{column:>4}"));
    }
    text.push('\n');
    for (row, cells) in position.cells.iter().enumerate() {
        text.push_str(&row.to_string());
        for &content in cells {
            let mark = match content {
                Cell::Empty => ".".into(),
                Cell::Dead => "x".into(),
                Cell::Card { owner, card } => {
                    format!("{}{}", ["F", "S"][owner.index()], VALUES[usize::from(card)])
                }
            };
            text.push_str(&format!("{mark:>4}"));
        }
        text.push('\n');
    }
    for side in Side::BOTH {
        let name = Sum15::<N>::spec().side_names[side.index()];
        text.push_str(&format!("{name:<6} {:>3} points, hand:", position.points(side)));
        for (value, &count) in VALUES.iter().zip(&position.hands[side.index()]) {
            for _ in 0..count {
                text.push_str(&format!(" {value}"));
            }
        }
        text.push('\n');
    }
    text
}
