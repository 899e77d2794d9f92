//! How well the values that searches find agree with the results of the games: calibration, and error by ply.

use selfplay_env::{Action, Rules};
use serde::{Deserialize, Serialize};

use crate::record::{EndReason, GameRecord};

/// Bins of equal width over expected scores from 0 to 1.
pub const CALIBRATION_BINS: usize = 20;
/// Plies that are counted separately; later ones count as the last.
pub const MAX_PLIES: usize = 128;

/// Root values against results, over the positions of a generation that are learned from.
///
/// It leaves out positions whose value is proven, since their value is no prediction, and truncated games, since they
/// have no winner.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ValueFit {
    /// By the expected score of the side to move: bin `i` of [`CALIBRATION_BINS`] holds those from `i` to `i + 1`
    /// twentieths.
    pub calibration: Vec<CalibrationBin>,
    /// By the actions made before, as far as games went, [`MAX_PLIES`] at most.
    pub by_ply: Vec<PlyError>,
}

/// Positions with about the same expected score.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Their number.
    pub positions: u64,
    /// Sum of the expected scores.
    pub predicted: f64,
    /// Sum of the points that the side to move made: 1, 0.5 or 0.
    pub scored: f64,
}

/// Errors after the same number of plies.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PlyError {
    /// Positions.
    pub positions: u64,
    /// Sum of the absolute differences of expected and real score.
    pub absolute: f64,
    /// Sum of their squares.
    pub squared: f64,
}

impl ValueFit {
    /// Compares the values in `records`, which are games by `rules`.
    pub fn measure(rules: &dyn Rules, records: &[GameRecord]) -> Self {
        let mut fit = ValueFit { calibration: vec![CalibrationBin::default(); CALIBRATION_BINS], by_ply: Vec::new() };
        for record in records.iter().filter(|record| record.end.reason != EndReason::Cap) {
            let outcome = record.end.value_outcome();
            let mut position = rules.initial();
            for (ply, played) in record.plies.iter().enumerate() {
                if let Some(target) = played.target.as_ref().filter(|target| target.proven.is_none()) {
                    let predicted = (1.0 + f64::from(target.wdl().value())) / 2.0;
                    // The side to move is not the parity of the ply: some games have several actions in a turn.
                    let scored = (1.0 + f64::from(outcome.value_for(position.side_to_move()))) / 2.0;
                    fit.add(ply, predicted, scored);
                }
                position.play(Action(played.action));
            }
        }
        fit
    }

    fn add(&mut self, ply: usize, predicted: f64, scored: f64) {
        let bin = (predicted * CALIBRATION_BINS as f64) as usize;
        let bin = &mut self.calibration[bin.min(CALIBRATION_BINS - 1)];
        bin.positions += 1;
        bin.predicted += predicted;
        bin.scored += scored;
        let ply = ply.min(MAX_PLIES - 1);
        if self.by_ply.len() <= ply {
            self.by_ply.resize(ply + 1, PlyError::default());
        }
        let error = &mut self.by_ply[ply];
        error.positions += 1;
        error.absolute += (scored - predicted).abs();
        error.squared += (scored - predicted).powi(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameEnd, PlyRecord, SearchTarget};
    use selfplay_env::fixtures::TicTacToe;
    use selfplay_env::{Outcome, Side};

    #[test]
    fn values_are_compared_from_the_view_of_the_side_to_move() {
        let ply = |action, win, proven| {
            let target = SearchTarget { policy: vec![(action, 1)], win, loss: 1.0 - win, proven, surprise: 0.0 };
            PlyRecord { action, target: Some(target) }
        };
        let mut record = GameRecord::new(0);
        // The first player wins; the third position was proven.
        record.plies = vec![
            ply(0, 0.75, None),
            ply(3, 0.25, None),
            ply(1, 1.0, Some(1)),
            PlyRecord { action: 4, target: None },
            ply(2, 1.0, None),
        ];
        record.end = GameEnd::by_rules(Outcome::Win(Side::First));
        let cut = GameRecord { end: GameEnd::CAPPED, ..record.clone() };
        let fit = ValueFit::measure(selfplay_env::rules::<TicTacToe>(), &[record, cut]);
        let bin = |index: usize| fit.calibration[index];
        assert_eq!(bin(15), CalibrationBin { positions: 1, predicted: 0.75, scored: 1.0 });
        assert_eq!(bin(5), CalibrationBin { positions: 1, predicted: 0.25, scored: 0.0 });
        assert_eq!(bin(19), CalibrationBin { positions: 1, predicted: 1.0, scored: 1.0 });
        assert_eq!(fit.calibration.iter().map(|bin| bin.positions).sum::<u64>(), 3);
        let errors: Vec<_> = fit.by_ply.iter().map(|error| (error.positions, error.absolute)).collect();
        assert_eq!(errors, [(1, 0.25), (1, 0.25), (0, 0.0), (0, 0.0), (1, 0.0)]);
        assert_eq!(fit.by_ply[0].squared, 0.0625);
    }
}
