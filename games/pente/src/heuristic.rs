//! Fives that are still possible, pairs captured and pairs that can be captured next.

use super::Pente;
use super::patterns::{LineView, Rows, cells_of_windows, common, count, is_any, union, windows_with};
use super::threats::{capturable_stones, capturing_cells};
use selfplay_registry::tactics::{ANSWERING_HINT, HEURISTIC_LIMIT, REMOTE_HINT, WINNING_HINT};
use selfplay_registry::{Action, Game, ImmediateWin, Outcome, Tactics};

/// For a window of five cells without an opponent's stone, with two, three and four own stones; half if one of the stones
/// can be captured next.
const WINDOW: [i32; 3] = [6, 30, 150];
/// For the pairs captured so far.
const CAPTURED: [i32; 5] = [0, 60, 150, 300, 600];
/// For each pair of the opponent's that one own stone would capture.
const CAPTURABLE: i32 = 20;

/// Hints for cells that capture, that keep the opponent from capturing, that make a window of four or three, or keep the
/// opponent from making it; a cell gets the sum.
const CAPTURE_HINT: i32 = 300;
const RESCUE_HINT: i32 = 150;
const FOUR_HINT: i32 = 200;
const STOP_FOUR_HINT: i32 = 180;
const THREE_HINT: i32 = 40;
const STOP_THREE_HINT: i32 = 30;
/// For every cell, so that those which only make or prevent threes are quiet: they are too many.
const QUIET_HINT: i32 = -100;

impl<const N: usize> Tactics for Pente<N> {
    /// Sum of three terms for the side to move less the same for the opponent, cut off inside the limit:
    /// * Each window of five cells in a line that only the own side has stones in: 6, 30 or 150 for two to four stones.
    ///   Half of that if the opponent can capture one of the stones with its next action.
    /// * One to four captured pairs: 60, 150, 300 or 600.
    /// * Each pair of the opponent's between an own stone and an empty cell: 20.
    fn heuristic(&self) -> i32 {
        let views = self.views();
        let captured = self.own_and_opponent().map(|side| {
            let pairs = usize::from(self.pairs[side]);
            CAPTURED[pairs.min(CAPTURED.len() - 1)]
        });
        let score = |side: usize| captured[side] + line_score(&views, side);
        (score(0) - score(1)).clamp(1 - HEURISTIC_LIMIT, HEURISTIC_LIMIT - 1)
    }

    fn immediate_win(&self) -> ImmediateWin {
        let wins = self.winning_cells(&self.views(), 0);
        match wins.iter().position(|&row| row != 0) {
            Some(row) => ImmediateWin::By(Action::from_index(row * N + wins[row].trailing_zeros() as usize)),
            None => ImmediateWin::None,
        }
    }

    fn is_threatened(&self) -> bool {
        is_any(&self.winning_cells(&self.views(), 1))
    }

    fn tactical_outcome(&self) -> Option<Outcome> {
        self.outcome.or_else(|| self.threat_outcome())
    }

    fn non_losing_actions(&self, actions: &mut Vec<Action>) {
        self.distinct_actions(actions);
        if let Some(tenable) = self.tenable_cells() {
            actions.retain(|action| tenable[action.index() / N] >> (action.index() % N) & 1 == 1);
        }
    }

    /// Wins, then answers, then the sum of what the cell makes or prevents: captures, windows of four, windows of three.
    /// Cells with no stone within two rows and columns are remote, but for what they make or prevent.
    fn hints(&self, actions: &[Action], hints: &mut Vec<i32>) {
        let views = self.views();
        // `[side][stones − 2]`: the cells of windows with two, three and four stones.
        let in_windows = [0, 1].map(|side| {
            let mut cells = [[0; N]; 3];
            for (line, view) in views.iter().enumerate() {
                for (cells, windows) in cells.iter_mut().zip(view.windows(side)) {
                    *cells = union(cells, &cells_of_windows(line, &windows));
                }
            }
            cells
        });
        let near: Rows<N> = {
            let stones = union(&self.stones[0], &self.stones[1]);
            let wide = stones.map(|row| row | row << 1 | row << 2 | row >> 1 | row >> 2);
            std::array::from_fn(|row| {
                wide[row.saturating_sub(2)..(row + 3).min(N)].iter().fold(0, |all, row| all | row)
            })
        };
        let sets = [
            (WINNING_HINT, self.winning_cells(&views, 0)),
            (ANSWERING_HINT, self.winning_cells(&views, 1)),
            (CAPTURE_HINT, capturing_cells(&views, 0)),
            (RESCUE_HINT, capturing_cells(&views, 1)),
            (FOUR_HINT, in_windows[0][1]),
            (STOP_FOUR_HINT, in_windows[1][1]),
            (THREE_HINT, in_windows[0][0]),
            (STOP_THREE_HINT, in_windows[1][0]),
            (REMOTE_HINT, near.map(|row| !row)),
        ];
        hints.clear();
        hints.extend(actions.iter().map(|action| {
            let (row, column) = (action.index() / N % N, action.index() % N);
            QUIET_HINT + sets.iter().map(|(hint, cells)| hint * (cells[row] >> column & 1) as i32).sum::<i32>()
        }));
    }
}

/// Windows of five and capturable pairs of one side.
fn line_score<const N: usize>(views: &[LineView<N>; 4], side: usize) -> i32 {
    let capturable = capturable_stones(views, side);
    let is_any_capturable = is_any(&capturable);
    let mut score = 0;
    for (line, view) in views.iter().enumerate() {
        for captures in view.captures(side) {
            score += CAPTURABLE * count(&captures);
        }
        for (windows, worth) in view.windows(side).iter().zip(WINDOW) {
            score += worth * count(windows);
            if is_any_capturable {
                score -= worth / 2 * count(&common(windows, &windows_with(line, &capturable)));
            }
        }
    }
    score
}
