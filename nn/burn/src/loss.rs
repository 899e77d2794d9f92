//! The loss of a network's answers to a batch.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use selfplay_env::GameShape;
use selfplay_learner::{Loss, MOVES_LEFT_LINEAR};
use selfplay_network::config::WDL_OUTPUTS;
use selfplay_network::training::{AuxiliaryBatch, TrainingBatch};

use crate::auxiliary::{AuxiliaryOutput, FinalStateOutput};
use crate::model::{NetworkOutput, PolicyValueNetwork};

/// Takes part in no softmax: `exp` of it is zero, and it stays finite when something is subtracted from it.
const EXCLUDED_LOGIT: f32 = -1e9;

/// The encoded positions of `batch` on `device`, `[rows, planes, height, width]`, without autodiff.
pub(crate) fn planes_on(batch: &TrainingBatch, shape: &GameShape, device: &Device) -> Tensor<4> {
    let dims = [batch.rows, shape.planes, shape.height, shape.width];
    Tensor::from_data(TensorData::new(batch.planes.clone(), dims), device)
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
    opponent_policy: Option<Tensor<2>>,
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
        let AuxiliaryBatch { opponent_policy, finished, moves_left, final_state } = &batch.auxiliary;
        let weighed = |values: &[f32], columns: usize| (matrix(values, columns), matrix(finished, 1));
        BatchTensors {
            candidates: matrix(&batch.candidates, shape.action_count),
            policy: matrix(&batch.policy, shape.action_count),
            wdl: matrix(&batch.wdl, WDL_OUTPUTS),
            opponent_policy: heads.opponent_policy.then(|| matrix(opponent_policy, shape.action_count)),
            moves_left: heads.moves_left.then(|| weighed(moves_left, 1)),
            final_state: heads.final_state.then(|| weighed(final_state, shape.final_state_len())),
        }
    }
}

/// Compares the network's answers with the targets; each part is a tensor `[1]`.
pub(crate) fn loss(output: NetworkOutput, auxiliary: AuxiliaryOutput, batch: &BatchTensors) -> Loss<Tensor<1>> {
    let excluded = batch.candidates.clone().lower_scalar(0.5);
    let log_policy = log_softmax(output.policy_logits.mask_fill(excluded, EXCLUDED_LOGIT), 1);
    let log_wdl = log_softmax(output.wdl_logits, 1);
    // The next action is one of another position, so every action may be it.
    let opponent_policy = auxiliary.opponent_policy_logits.zip(batch.opponent_policy.clone());
    let moves_left = auxiliary.moves_left.zip(batch.moves_left.clone());
    let final_state = auxiliary.final_state.zip(batch.final_state.clone());
    Loss {
        policy: cross_entropy(batch.policy.clone(), log_policy),
        value: cross_entropy(batch.wdl.clone(), log_wdl),
        opponent_policy: opponent_policy.map(|(logits, target)| cross_entropy(target, log_softmax(logits, 1))),
        moves_left: moves_left.map(|(found, (target, weight))| (huber(found - target) * weight).mean()),
        final_state: final_state.map(|(found, (target, weight))| final_state_loss(found, target, weight)),
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
