//! How a student's report on Pentago-Swap values a position: stones that stand close together are good.

use selfplay_env::{Action, Game, Outcome, Side};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_players::settings::domain::Keyword;

/// Rows and columns of the board.
const SIDE: usize = 6;

/// Value of a game that the side to move has won.
pub const REPORT_WIN: i32 = 100_000;

/// What the value of a running position is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SpreadEvaluation {
    /// The stones as they stand.
    #[default]
    Board,
    /// The mean over the positions after each distinct move of the side to move; some two hundred times as slow.
    Average,
}

impl Keyword for SpreadEvaluation {
    const WORDS: &'static [(&'static str, Self)] =
        &[("board", SpreadEvaluation::Board), ("average", SpreadEvaluation::Average)];
}

impl SpreadEvaluation {
    /// The value of a running position for its side to move: the spread of the opponent's stones less that of its own.
    /// `actions` is a buffer.
    pub fn value(self, position: &PentagoSwap, actions: &mut Vec<Action>) -> i32 {
        match self {
            SpreadEvaluation::Board => board_value(position),
            SpreadEvaluation::Average => average_value(position, actions),
        }
    }
}

/// The value of a finished game for `side`.
pub fn outcome_value(outcome: Outcome, side: Side) -> i32 {
    i32::from(outcome.value_for(side)) * REPORT_WIN
}

fn board_value(position: &PentagoSwap) -> i32 {
    let side = position.side_to_move();
    spread(position.cells_of(side.opponent())) - spread(position.cells_of(side))
}

fn average_value(position: &PentagoSwap, actions: &mut Vec<Action>) -> i32 {
    let side = position.side_to_move();
    position.distinct_actions(actions);
    let values = actions.iter().map(|&action| {
        let mut child = *position;
        child.play(action);
        i64::from(child.outcome().map_or_else(|| -board_value(&child), |outcome| outcome_value(outcome, side)))
    });
    let sum: i64 = values.sum();
    (sum / actions.len() as i64) as i32
}

/// The sum of |dx| + |dy| over all pairs of `cells`, given as 6 · row + column.
pub fn spread(cells: impl Iterator<Item = usize>) -> i32 {
    let (mut rows, mut columns) = ([0; SIDE], [0; SIDE]);
    for cell in cells {
        rows[cell / SIDE] += 1;
        columns[cell % SIDE] += 1;
    }
    distances(&rows) + distances(&columns)
}

/// The sum of the distances of all pairs on a line, from how many stand at each place: each gap between two places is
/// counted by every pair that it separates.
fn distances(counts: &[i32; SIDE]) -> i32 {
    let all: i32 = counts.iter().sum();
    let mut before = 0;
    let mut sum = 0;
    for count in counts {
        before += count;
        sum += before * (all - before);
    }
    sum
}
