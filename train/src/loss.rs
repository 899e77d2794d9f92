//! A batch of training targets and the loss of a network's answers to it.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use selfplay_network::{GameShape, NetworkOutput};

use crate::learner_error::LearnerError;

/// Takes part in no softmax: `exp` of it is zero, and it stays finite when something is subtracted from it.
const EXCLUDED_LOGIT: f32 = -1e9;
/// Win, draw, loss.
const WDL_OUTPUTS: usize = 3;

/// Positions with what the network should say about them; every vector is row-major.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct TrainingBatch {
    /// Number of positions.
    pub rows: usize,
    /// Encoded positions `[rows, planes, height, width]`.
    pub planes: Vec<f32>,
    /// 1 for each distinct action and 0 for any other, `[rows, actions]`; at least one 1 per row.
    pub legal: Vec<f32>,
    /// Target probabilities `[rows, actions]`: 0 where `legal` is 0, summing to 1 over a row.
    pub policy: Vec<f32>,
    /// Target probabilities of win, draw and loss for the side to move, `[rows, 3]`, summing to 1 over a row.
    pub wdl: Vec<f32>,
}

impl TrainingBatch {
    /// Checks that every part has the size that fits `shape`.
    ///
    /// # Errors
    /// [`LearnerError::EmptyBatch`], [`LearnerError::BatchSize`].
    pub fn validate(&self, shape: &GameShape) -> Result<(), LearnerError> {
        if self.rows == 0 {
            return Err(LearnerError::EmptyBatch);
        }
        let parts = [
            ("planes", self.planes.len(), shape.encoded_len()),
            ("legal", self.legal.len(), shape.action_count),
            ("policy", self.policy.len(), shape.action_count),
            ("wdl", self.wdl.len(), WDL_OUTPUTS),
        ];
        for (part, found, per_row) in parts {
            let expected = self.rows * per_row;
            if found != expected {
                return Err(LearnerError::BatchSize { part, found, expected });
            }
        }
        Ok(())
    }
}

/// A [`TrainingBatch`] on the learner's device, without autodiff.
pub(crate) struct BatchTensors {
    /// `[rows, planes, height, width]`
    pub(crate) planes: Tensor<4>,
    /// `[rows, actions]`
    legal: Tensor<2>,
    /// `[rows, actions]`
    policy: Tensor<2>,
    /// `[rows, 3]`
    wdl: Tensor<2>,
}

impl BatchTensors {
    /// Moves a batch that [`TrainingBatch::validate`] accepted to `device`.
    pub(crate) fn new(batch: &TrainingBatch, shape: &GameShape, device: &Device) -> Self {
        let matrix = |values: &[f32], columns: usize| {
            Tensor::from_data(TensorData::new(values.to_vec(), [batch.rows, columns]), device)
        };
        let planes = TensorData::new(batch.planes.clone(), [batch.rows, shape.planes, shape.height, shape.width]);
        BatchTensors {
            planes: Tensor::from_data(planes, device),
            legal: matrix(&batch.legal, shape.action_count),
            policy: matrix(&batch.policy, shape.action_count),
            wdl: matrix(&batch.wdl, WDL_OUTPUTS),
        }
    }
}

/// The parts of the loss, each the mean over the rows, in nats, as tensors `[1]`.
pub(crate) struct Loss {
    /// Cross-entropy between target and predicted policy.
    pub(crate) policy: Tensor<1>,
    /// Cross-entropy between target and predicted win, draw and loss.
    pub(crate) value: Tensor<1>,
    /// Entropy of the predicted policy, not part of the loss.
    pub(crate) policy_entropy: Tensor<1>,
}

impl Loss {
    /// Compares the network's answers with the targets (Silver et al. 2017, equation 1, with win-draw-loss
    /// probabilities in place of the squared error). Weight decay is the optimizer's business.
    pub(crate) fn new(output: NetworkOutput, batch: &BatchTensors) -> Self {
        let excluded = batch.legal.clone().lower_scalar(0.5);
        let log_policy = log_softmax(output.policy_logits.mask_fill(excluded, EXCLUDED_LOGIT), 1);
        let log_wdl = log_softmax(output.wdl_logits, 1);
        let plain_log_policy = log_policy.clone().without_autodiff();
        Loss {
            policy: cross_entropy(batch.policy.clone(), log_policy),
            value: cross_entropy(batch.wdl.clone(), log_wdl),
            policy_entropy: cross_entropy(plain_log_policy.clone().exp(), plain_log_policy),
        }
    }
}

/// −Σ target · log prediction over each row, averaged over the rows.
fn cross_entropy(target: Tensor<2>, log_prediction: Tensor<2>) -> Tensor<1> {
    (target * log_prediction).sum_dim(1).mean().neg()
}
