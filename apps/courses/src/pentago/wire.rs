//! The text lines of the Pentago-Swap course's server: moves, `START`, `PLAY` and `GAMEOVER`.

use std::fmt;

use selfplay_env::{Action, Game, Side};
use selfplay_pentago_swap::PentagoSwap;

/// The server's names of the quadrants A to D.
const QUADRANTS: [&str; 4] = ["TL", "TR", "BL", "BR"];
/// The letters of the quadrants in the game's notation.
const LETTERS: [char; 4] = ['A', 'B', 'C', 'D'];
/// Cells along a side of the board.
const SIDE_CELLS: i32 = 6;

/// A move as the server writes it, `row col Q Q player`, which need not be a legal one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveLine {
    /// Row from the top and column from the left, counted from 0.
    pub cell: [i32; 2],
    /// Indices of the two quadrants, in the order in which they are written.
    pub quadrants: [usize; 2],
    /// Number of the player.
    pub player: i32,
}

impl MoveLine {
    /// The line for `action` of `side`.
    pub fn new(action: Action, side: Side) -> Self {
        let name = PentagoSwap::action_name(action);
        let mut letters = name.chars();
        let mut index = |from: char| letters.next().map_or(0, |c| i32::from(c as u8) - i32::from(from as u8));
        let (column, row) = (index('a'), index('1'));
        let mut quadrants = name.chars().rev().filter_map(|letter| LETTERS.iter().position(|&l| l == letter));
        let (second, first) = (quadrants.next().unwrap_or(1), quadrants.next().unwrap_or(0));
        MoveLine { cell: [row, column], quadrants: [first, second], player: side.index() as i32 }
    }

    /// Reads a line as the course's server does: words with single spaces between them, whatever follows the fifth;
    /// `None` where the server would not understand it.
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let mut word = || words.next();
        let cell = [word()?.parse().ok()?, word()?.parse().ok()?];
        let mut quadrant = || word().and_then(|text| QUADRANTS.iter().position(|&name| name == text));
        let quadrants = [quadrant()?, quadrant()?];
        Some(MoveLine { cell, quadrants, player: word()?.parse().ok()? })
    }

    /// The action that it names, legal or not; `None` if there is no such cell or pair of quadrants.
    pub fn action(&self) -> Option<Action> {
        let [row, column] = self.cell.map(|index| (0..SIDE_CELLS).contains(&index).then_some(index as u8));
        let [low, high] = [self.quadrants[0].min(self.quadrants[1]), self.quadrants[0].max(self.quadrants[1])];
        let name =
            format!("{}{}:{}{}", char::from(b'a' + column?), char::from(b'1' + row?), LETTERS[low], LETTERS[high]);
        PentagoSwap::parse_action(&name).ok()
    }

    /// The side that it says moves; `None` if there is no such player.
    pub fn side(&self) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| side.index() as i32 == self.player)
    }

    /// How the server writes the move when it says that it is illegal.
    pub fn pretty(&self) -> String {
        let [row, column] = self.cell;
        let [first, second] = self.quadrants.map(|index| QUADRANTS[index]);
        format!("Player {}, Move: ({row}, {column}), Swap: ({first}, {second})", self.player)
    }
}

impl fmt::Display for MoveLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [row, column] = self.cell;
        let [first, second] = self.quadrants.map(|index| QUADRANTS[index]);
        write!(f, "{row} {column} {first} {second} {}", self.player)
    }
}

/// `Player-0` for the first player, `Player-1` for the second.
pub fn player_name(side: Side) -> String {
    format!("Player-{}", side.index())
}

/// The side that `name` stands for.
pub fn side_of(name: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|&side| player_name(side) == name)
}

/// What a line of the server says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerLine {
    /// `START Player-N NAME`: both are seated, and we are this side.
    Start(Side),
    /// `PLAY Player-N`.
    Play(Side),
    /// A move was made.
    Move(MoveLine),
    /// `GAMEOVER [reason] result`.
    Over {
        /// What stands before the result; often empty.
        reason: String,
        /// The result.
        result: GameOver,
    },
}

/// The end of a `GAMEOVER` line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameOver {
    /// `WINNER N`.
    Winner(Side),
    /// `DRAW`.
    Draw,
    /// `UNDECIDED`, or anything else that names no winner.
    Undecided,
}

impl ServerLine {
    /// Reads a line; `None` if it is none of the server's.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim_end();
        if let Some(rest) = text.strip_prefix("START ") {
            return side_of(rest.split(' ').next()?).map(ServerLine::Start);
        }
        if let Some(rest) = text.strip_prefix("PLAY ") {
            return side_of(rest.trim()).map(ServerLine::Play);
        }
        if let Some(rest) = text.strip_prefix("GAMEOVER") {
            let (reason, result) = read_result(rest);
            return Some(ServerLine::Over { reason: reason.trim().into(), result });
        }
        MoveLine::read(text).map(ServerLine::Move)
    }
}

fn read_result(rest: &str) -> (&str, GameOver) {
    if let Some(reason) = rest.strip_suffix(" DRAW") {
        return (reason, GameOver::Draw);
    }
    let winner =
        rest.rsplit_once(" WINNER ").and_then(|(reason, number)| Some((reason, number.parse::<usize>().ok()?)));
    match winner {
        Some((reason, number)) if number < 2 => (reason, GameOver::Winner(Side::BOTH[number])),
        _ => (rest.strip_suffix(" UNDECIDED").unwrap_or(rest), GameOver::Undecided),
    }
}

/// The `GAMEOVER` line of the server: `reason`, if it is not empty, then the result.
pub fn game_over_line(reason: &str, result: GameOver) -> String {
    let space = if reason.is_empty() { "" } else { " " };
    let result = match result {
        GameOver::Winner(side) => format!("WINNER {}", side.index()),
        GameOver::Draw => "DRAW".into(),
        GameOver::Undecided => "UNDECIDED".into(),
    };
    format!("GAMEOVER {reason}{space}{result}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_its_line_and_back() {
        for index in 0..PentagoSwap::spec().action_count {
            let action = Action::from_index(index);
            for side in Side::BOTH {
                let line = MoveLine::new(action, side);
                assert_eq!(MoveLine::read(&line.to_string()), Some(line));
                assert_eq!((line.action(), line.side()), (Some(action), Some(side)));
            }
        }
        let action = PentagoSwap::parse_action("c4:AD").unwrap();
        assert_eq!(MoveLine::new(action, Side::First).to_string(), "3 2 TL BR 0");
        let swapped = MoveLine::read("3 2 BR TL 1").unwrap();
        assert_eq!((swapped.action(), swapped.to_string().as_str()), (Some(action), "3 2 BR TL 1"));
        assert_eq!(swapped.pretty(), "Player 1, Move: (3, 2), Swap: (BR, TL)");
    }

    #[test]
    fn what_the_server_reads_need_not_be_a_move() {
        for text in
            ["", "3 2 TL BR", "3 2 tl BR 0", "3  2 TL BR 0", "a 2 TL BR 0", "3 2 TL BR x", "99999999999 0 TL BR 0"]
        {
            assert_eq!(MoveLine::read(text), None, "{text}");
        }
        for text in ["6 0 TL BR 0", "-1 0 TL BR 0", "0 0 TL TL 0"] {
            assert_eq!(MoveLine::read(text).unwrap().action(), None, "{text}");
        }
        assert!(MoveLine::read("3 2 TL BR 0 and more").is_some());
        assert_eq!(MoveLine::read("3 2 TL BR 7").unwrap().side(), None);
    }

    #[test]
    fn lines_of_the_server_are_read() {
        assert_eq!(ServerLine::read("START Player-1 my name"), Some(ServerLine::Start(Side::Second)));
        assert_eq!(ServerLine::read("PLAY Player-0"), Some(ServerLine::Play(Side::First)));
        for junk in ["START", "START Player-2 x", "PLAY", "PLAY me", "HELLO", "GAME"] {
            assert_eq!(ServerLine::read(junk), None, "{junk}");
        }
        let results =
            [GameOver::Winner(Side::First), GameOver::Winner(Side::Second), GameOver::Draw, GameOver::Undecided];
        for result in results {
            for reason in ["", "TIMEOUT", "ILLEGAL MOVE: Player 0, Move: (3, 2), Swap: (TL, BR)"] {
                let line = game_over_line(reason, result);
                assert_eq!(ServerLine::read(&line), Some(ServerLine::Over { reason: reason.into(), result }), "{line}");
            }
        }
        assert_eq!(game_over_line("", GameOver::Winner(Side::First)), "GAMEOVER WINNER 0");
        let cancelled = ServerLine::read("GAMEOVER CANCELLED 0");
        assert_eq!(cancelled, Some(ServerLine::Over { reason: "CANCELLED 0".into(), result: GameOver::Undecided }));
    }
}
