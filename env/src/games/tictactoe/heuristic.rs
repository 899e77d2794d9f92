//! Lines that are still open, counted by marks in them.

use super::{LINES, TicTacToe};
use crate::{Game, Heuristic};

impl Heuristic for TicTacToe {
    /// 1 for each own mark in a line without an opponent's mark, 10 for two of them, and the opponent's likewise
    /// against us.
    fn heuristic(&self) -> i32 {
        let side = self.side_to_move();
        let (own, opponent) = (self.marks[side.index()], self.marks[side.opponent().index()]);
        let score = |mine: u16, theirs: u16| -> i32 {
            LINES
                .iter()
                .filter(|&&line| theirs & line == 0)
                .map(|&line| [0, 1, 10, 0][(mine & line).count_ones() as usize])
                .sum()
        };
        score(own, opponent) - score(opponent, own)
    }
}
