//! Notation (row number from the bottom, then column letter without I) and the board drawn for people.

use super::Pente;
use selfplay_registry::{Action, Game, NotationError, Side};

/// Column letters from the left.
pub(super) const LETTERS: &str = "ABCDEFGHJKLMNOPQRST";

/// `10K` for the centre of 19×19.
pub fn action_name<const N: usize>(action: Action) -> String {
    let (row, column) = (action.index() / N, action.index() % N);
    format!("{}{}", N.saturating_sub(row), &LETTERS[column..=column])
}

/// Reads what [`action_name`] writes and nothing else.
pub fn parse_action<const N: usize>(text: &str) -> Result<Action, NotationError> {
    let read = || {
        let column = LETTERS[..N].find(text.chars().next_back()?)?;
        let number: usize = text[..text.len() - 1].parse().ok()?;
        let action = Action::from_index(N.checked_sub(number).filter(|&row| row < N)? * N + column);
        // Rejects spellings such as `+7G` and `07G`.
        (action_name::<N>(action) == text).then_some(action)
    };
    read().ok_or_else(|| NotationError {
        text: text.into(),
        game: Pente::<N>::spec().id,
        expected: match N {
            19 => "a row 1-19 from the bottom and a column A-T without I, such as `10K`",
            13 => "a row 1-13 from the bottom and a column A-N without I, such as `7G`",
            _ => "a row 1-9 from the bottom and a column A-J without I, such as `5E`",
        }
        .into(),
    })
}

/// `w` and `b` are stones, row numbers stand on the left, column letters below, captured pairs in the last line.
pub fn board<const N: usize>(position: &Pente<N>) -> String {
    let mut text = String::new();
    for row in 0..N {
        text.push_str(&format!("{:2}", N - row));
        for column in 0..N {
            let stone = |side: Side| position.stones[side.index()][row] >> column & 1 == 1;
            text.push_str(match (stone(Side::First), stone(Side::Second)) {
                (true, _) => " w",
                (_, true) => " b",
                _ => " .",
            });
        }
        text.push('\n');
    }
    text.push_str("  ");
    for letter in LETTERS[..N].chars() {
        text.push(' ');
        text.push(letter);
    }
    let [white, black] = position.pairs;
    text.push_str(&format!("\ncaptured pairs: White {white}, Black {black}\n"));
    text
}
