//! A batch of training targets.

use selfplay_env::GameShape;

use crate::config::{AuxiliaryConfig, WDL_OUTPUTS};

/// Moves in one unit of the target of the moves-left head (Leela Chess Zero's training, `moves_left_loss`).
pub const MOVES_LEFT_UNIT: f32 = 20.0;

/// Why a batch does not fit a network.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BatchError {
    /// A part of a batch has the wrong size.
    #[error("training batch: {part} holds {found} numbers, {expected} were expected")]
    Size {
        /// The field of the batch.
        part: &'static str,
        /// Its length.
        found: usize,
        /// The length that fits the network.
        expected: usize,
    },
    /// A batch without rows.
    #[error("training batch: it has no rows")]
    Empty,
}

/// Positions with what the network should say about them; every vector is row-major.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct TrainingBatch {
    /// Number of positions.
    pub rows: usize,
    /// Encoded positions `[rows, planes, height, width]`.
    pub planes: Vec<f32>,
    /// 1 for each action that shares the policy and 0 for any other, `[rows, actions]`; at least one 1 per row.
    pub candidates: Vec<f32>,
    /// Target probabilities `[rows, actions]`: 0 where `candidates` is 0, summing to 1 over a row.
    pub policy: Vec<f32>,
    /// Target probabilities of win, draw and loss for the side to move, `[rows, 3]`, summing to 1 over a row.
    pub wdl: Vec<f32>,
    /// What the auxiliary heads should say.
    pub auxiliary: AuxiliaryBatch,
}

/// Targets of the auxiliary heads, from the rest of each position's game; those of heads that a network lacks may be
/// empty.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct AuxiliaryBatch {
    /// `[rows, actions]`: 1 for what the opponent played at its next move after the position, all 0 where it had
    /// none.
    pub opponent_policy: Vec<f32>,
    /// `[rows]`: 1 where the rules ended the game, 0 where it was truncated and its continuation is unknown. Weight of
    /// the targets below.
    pub finished: Vec<f32>,
    /// `[rows]`: moves from the position to the end of its game, its own included, in units of
    /// [`MOVES_LEFT_UNIT`].
    pub moves_left: Vec<f32>,
    /// `[rows, final_state_len]`: what the game's last position says, seen by the position's side to move; all 0 where
    /// the game was broken off.
    pub final_state: Vec<f32>,
}

impl TrainingBatch {
    /// Entropy of the mean target of win, draw and loss, in nats: the least value loss of a head that says the same of
    /// every position.
    pub fn value_baseline_loss(&self) -> f64 {
        let mut sums = [0.0; WDL_OUTPUTS];
        for (index, &share) in self.wdl.iter().enumerate() {
            sums[index % WDL_OUTPUTS] += f64::from(share);
        }
        let shares = sums.map(|sum| sum / self.rows.max(1) as f64);
        -shares.iter().filter(|&&share| share > 0.0).map(|share| share * share.ln()).sum::<f64>()
    }

    /// Checks that every part has the size that fits `shape`, and that there are targets for `heads`.
    ///
    /// # Errors
    /// [`BatchError`].
    pub fn validate(&self, shape: &GameShape, heads: AuxiliaryConfig) -> Result<(), BatchError> {
        if self.rows == 0 {
            return Err(BatchError::Empty);
        }
        let AuxiliaryBatch { opponent_policy, finished, moves_left, final_state } = &self.auxiliary;
        let parts = [
            (true, "planes", &self.planes, shape.encoded_len()),
            (true, "candidates", &self.candidates, shape.action_count),
            (true, "policy", &self.policy, shape.action_count),
            (true, "wdl", &self.wdl, WDL_OUTPUTS),
            (heads.opponent_policy, "opponent_policy", opponent_policy, shape.action_count),
            (heads.moves_left || heads.final_state, "finished", finished, 1),
            (heads.moves_left, "moves_left", moves_left, 1),
            (heads.final_state, "final_state", final_state, shape.final_state_len()),
        ];
        for (_, part, numbers, per_row) in parts.into_iter().filter(|(is_needed, ..)| *is_needed) {
            let (found, expected) = (numbers.len(), self.rows * per_row);
            if found != expected {
                return Err(BatchError::Size { part, found, expected });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_that_knows_nothing_has_the_entropy_of_the_mean() {
        let batch = |wdl: &[[f32; 3]]| TrainingBatch { rows: wdl.len(), wdl: wdl.concat(), ..TrainingBatch::default() };
        assert_eq!(batch(&[[1.0, 0.0, 0.0]; 4]).value_baseline_loss(), 0.0);
        let even = batch(&[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]).value_baseline_loss();
        let unsure = batch(&[[0.5, 0.0, 0.5], [0.5, 0.0, 0.5]]).value_baseline_loss();
        assert!((even - 2f64.ln()).abs() < 1e-12 && even == unsure, "{even} {unsure}");
    }
}
