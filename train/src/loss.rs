//! A batch of training targets and the loss of a network's answers to it.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use selfplay_env::GameShape;
use selfplay_network::{AuxiliaryConfig, AuxiliaryOutput, FinalStateOutput, NetworkOutput, PolicyValueNetwork};

use crate::learner_config::LearnerConfig;
use crate::learner_error::LearnerError;

/// Takes part in no softmax: `exp` of it is zero, and it stays finite when something is subtracted from it.
const EXCLUDED_LOGIT: f32 = -1e9;
/// Win, draw, loss.
const WDL_OUTPUTS: usize = 3;
/// Decisions in one unit of the target of the moves-left head (Leela Chess Zero's training, `moves_left_loss`).
pub const MOVES_LEFT_UNIT: f32 = 20.0;
/// Errors of the moves-left head above this many units, ten decisions, count linearly (the same source).
const MOVES_LEFT_LINEAR: f32 = 0.5;

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
    /// `[rows, actions]`: 1 for what the opponent played at its next decision after the position, all 0 where it had
    /// none.
    pub next_action: Vec<f32>,
    /// `[rows]`: 1 where the rules ended the game, 0 where it was broken off and nobody knows what came next. Weight of
    /// the targets below.
    pub finished: Vec<f32>,
    /// `[rows]`: decisions from the position to the end of its game, its own included, in units of
    /// [`MOVES_LEFT_UNIT`].
    pub moves_left: Vec<f32>,
    /// `[rows, final_state_len]`: what the game's last position says, seen by the position's side to move; all 0 where
    /// the game was broken off.
    pub final_state: Vec<f32>,
}

impl TrainingBatch {
    /// Entropy of the mean target of win, draw and loss, in nats: the least value loss of a head that says the same of
    /// every position.
    pub fn value_ignorance(&self) -> f64 {
        let mut sums = [0.0; WDL_OUTPUTS];
        for (index, &share) in self.wdl.iter().enumerate() {
            sums[index % WDL_OUTPUTS] += f64::from(share);
        }
        let shares = sums.map(|sum| sum / self.rows.max(1) as f64);
        -shares.iter().filter(|&&share| share > 0.0).map(|share| share * share.ln()).sum::<f64>()
    }

    /// The encoded positions on `device`, without autodiff.
    pub(crate) fn planes_on(&self, shape: &GameShape, device: &Device) -> Tensor<4> {
        let dims = [self.rows, shape.planes, shape.height, shape.width];
        Tensor::from_data(TensorData::new(self.planes.clone(), dims), device)
    }

    /// Checks that every part has the size that fits `shape`, and that there are targets for `heads`.
    ///
    /// # Errors
    /// [`LearnerError::EmptyBatch`], [`LearnerError::BatchSize`].
    pub fn validate(&self, shape: &GameShape, heads: AuxiliaryConfig) -> Result<(), LearnerError> {
        if self.rows == 0 {
            return Err(LearnerError::EmptyBatch);
        }
        let AuxiliaryBatch { next_action, finished, moves_left, final_state } = &self.auxiliary;
        let parts = [
            (true, "planes", &self.planes, shape.encoded_len()),
            (true, "candidates", &self.candidates, shape.action_count),
            (true, "policy", &self.policy, shape.action_count),
            (true, "wdl", &self.wdl, WDL_OUTPUTS),
            (heads.next_action, "next_action", next_action, shape.action_count),
            (heads.moves_left || heads.final_state, "finished", finished, 1),
            (heads.moves_left, "moves_left", moves_left, 1),
            (heads.final_state, "final_state", final_state, shape.final_state_len()),
        ];
        for (_, part, numbers, per_row) in parts.into_iter().filter(|(is_needed, ..)| *is_needed) {
            let (found, expected) = (numbers.len(), self.rows * per_row);
            if found != expected {
                return Err(LearnerError::BatchSize { part, found, expected });
            }
        }
        Ok(())
    }
}

/// The targets of a [`TrainingBatch`] on the learner's device, without autodiff; auxiliary ones only for the heads there
/// are.
pub(crate) struct BatchTensors {
    /// `[rows, actions]`
    candidates: Tensor<2>,
    /// `[rows, actions]`
    policy: Tensor<2>,
    /// `[rows, 3]`
    wdl: Tensor<2>,
    /// `[rows, actions]`
    next_action: Option<Tensor<2>>,
    /// `[rows, 1]` each: target and weight.
    moves_left: Option<(Tensor<2>, Tensor<2>)>,
    /// `[rows, final_state_len]` and `[rows, 1]`: target and weight.
    final_state: Option<(Tensor<2>, Tensor<2>)>,
}

impl BatchTensors {
    /// Moves the targets of a batch that [`TrainingBatch::validate`] accepted for `network` to `device`.
    pub(crate) fn new(batch: &TrainingBatch, network: &PolicyValueNetwork, device: &Device) -> Self {
        let (shape, heads) = (network.shape(), network.config().auxiliary);
        let matrix = |values: &[f32], columns: usize| {
            Tensor::from_data(TensorData::new(values.to_vec(), [batch.rows, columns]), device)
        };
        let AuxiliaryBatch { next_action, finished, moves_left, final_state } = &batch.auxiliary;
        let weighed = |values: &[f32], columns: usize| (matrix(values, columns), matrix(finished, 1));
        BatchTensors {
            candidates: matrix(&batch.candidates, shape.action_count),
            policy: matrix(&batch.policy, shape.action_count),
            wdl: matrix(&batch.wdl, WDL_OUTPUTS),
            next_action: heads.next_action.then(|| matrix(next_action, shape.action_count)),
            moves_left: heads.moves_left.then(|| weighed(moves_left, 1)),
            final_state: heads.final_state.then(|| weighed(final_state, shape.final_state_len())),
        }
    }
}

/// The parts of the loss, each the mean over the rows, as tensors `[1]`; `None` where a head is switched off.
pub(crate) struct Loss {
    /// Cross-entropy between target and predicted policy, in nats.
    pub(crate) policy: Tensor<1>,
    /// Cross-entropy between target and predicted win, draw and loss, in nats.
    pub(crate) value: Tensor<1>,
    /// Cross-entropy of the opponent's next action, in nats.
    pub(crate) next_action: Option<Tensor<1>>,
    /// Huber loss of the decisions left.
    pub(crate) moves_left: Option<Tensor<1>>,
    /// Cross-entropy of the mean cell, in nats, or squared error of the margin.
    pub(crate) final_state: Option<Tensor<1>>,
}

impl Loss {
    /// Compares the network's answers with the targets (Silver et al. 2017, equation 1, with win-draw-loss
    /// probabilities in place of the squared error; Wu 2019, appendix A, for the auxiliary heads). Weight decay is the
    /// optimizer's business.
    pub(crate) fn new(output: NetworkOutput, auxiliary: AuxiliaryOutput, batch: &BatchTensors) -> Self {
        let excluded = batch.candidates.clone().lower_scalar(0.5);
        let log_policy = log_softmax(output.policy_logits.mask_fill(excluded, EXCLUDED_LOGIT), 1);
        let log_wdl = log_softmax(output.wdl_logits, 1);
        // The next action is one of another position, so every action may be it.
        let next_action = auxiliary.next_action_logits.zip(batch.next_action.clone());
        let moves_left = auxiliary.moves_left.zip(batch.moves_left.clone());
        let final_state = auxiliary.final_state.zip(batch.final_state.clone());
        Loss {
            policy: cross_entropy(batch.policy.clone(), log_policy),
            value: cross_entropy(batch.wdl.clone(), log_wdl),
            next_action: next_action.map(|(logits, target)| cross_entropy(target, log_softmax(logits, 1))),
            moves_left: moves_left.map(|(found, (target, weight))| (huber(found - target) * weight).mean()),
            final_state: final_state.map(|(found, (target, weight))| final_state_loss(found, target, weight)),
        }
    }

    /// What is minimised.
    pub(crate) fn total(self, config: &LearnerConfig) -> Tensor<1> {
        let auxiliary = [
            (self.next_action, config.next_action_weight),
            (self.moves_left, config.moves_left_weight),
            (self.final_state, config.final_state_weight),
        ];
        let main = self.policy + self.value.mul_scalar(config.value_loss_weight);
        auxiliary.into_iter().fold(main, |total, (loss, weight)| match loss {
            Some(loss) => total + loss.mul_scalar(weight),
            None => total,
        })
    }
}

/// −Σ target · log prediction over each row, averaged over the rows.
fn cross_entropy(target: Tensor<2>, log_prediction: Tensor<2>) -> Tensor<1> {
    (target * log_prediction).sum_dim(1).mean().neg()
}

/// Half the square of each error, linear from [`MOVES_LEFT_LINEAR`] on (Huber 1964).
fn huber(error: Tensor<2>) -> Tensor<2> {
    let size = error.abs();
    let square_part = size.clone().clamp_max(MOVES_LEFT_LINEAR);
    square_part.clone() * (size - square_part.mul_scalar(0.5))
}

/// The mean over rows and cells of the classes' cross-entropy, or over rows of the margin's squared error. A target of
/// zeros makes no cross-entropy, so only margins need the weight.
fn final_state_loss(found: FinalStateOutput, target: Tensor<2>, weight: Tensor<2>) -> Tensor<1> {
    match found {
        FinalStateOutput::Cells(logits) => {
            let target = target.reshape(logits.dims());
            (target * log_softmax(logits, 1)).sum_dim(1).mean().neg()
        }
        FinalStateOutput::Margin(margin) => ((margin - target).square() * weight).mean(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_that_knows_nothing_has_the_entropy_of_the_mean() {
        let batch = |wdl: &[[f32; 3]]| TrainingBatch { rows: wdl.len(), wdl: wdl.concat(), ..TrainingBatch::default() };
        assert_eq!(batch(&[[1.0, 0.0, 0.0]; 4]).value_ignorance(), 0.0);
        let even = batch(&[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]).value_ignorance();
        let unsure = batch(&[[0.5, 0.0, 0.5], [0.5, 0.0, 0.5]]).value_ignorance();
        assert!((even - 2f64.ln()).abs() < 1e-12 && even == unsure, "{even} {unsure}");
    }
}
