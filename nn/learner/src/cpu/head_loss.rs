//! The losses of what the heads say of a part of a batch, and the gradients of their outputs.

use std::ops::Range;

use selfplay_env::FinalState;
use selfplay_kernels::{Cells, Layout};
use selfplay_network::config::WDL_OUTPUTS;
use selfplay_network::softmax::log_sum_exp;
use selfplay_network::training::TrainingBatch;

use super::heads::{Head, HeadOutput, HeadPart};
use super::linear::LinearPart;
use crate::loss::{Loss, MOVES_LEFT_LINEAR, cross_entropy};

/// Logit of an action that takes part in no softmax: a target there makes a loss beyond any other.
const EXCLUDED_LOGIT: f32 = -1e9;

/// The sums over the rows of a part, which are `rows` of `batch`, of every loss; leaves the gradients of the mean over the
/// batch, each times its weight, in the parts of the heads. Boards have `cells` cells.
pub(super) fn losses(
    heads: &[Head],
    parts: &mut [HeadPart],
    batch: &TrainingBatch,
    rows: &Range<usize>,
    cells: usize,
    weights: &Loss<f64>,
) -> Loss<f64> {
    let mut sums = Loss { policy: 0.0, value: 0.0, opponent_policy: None, moves_left: None, final_state: None };
    let actions = batch.policy.len() / batch.rows;
    for (head, part) in heads.iter().zip(parts) {
        let mut answers = Answers { linear: &mut part.linear, cells, scale: 0.0 };
        let mean = |weight: f64| (weight / batch.rows as f64) as f32;
        let auxiliary = &batch.auxiliary;
        match head.output {
            HeadOutput::Hidden => (),
            HeadOutput::Policy => {
                answers.scale = mean(weights.policy);
                sums.policy = answers.actions(&batch.policy, Some(&batch.candidates), rows, actions);
            }
            HeadOutput::OpponentPolicy => {
                answers.scale = mean(weights.opponent_policy.unwrap_or_default());
                // The next action is one of another position, so every action may be it.
                sums.opponent_policy = Some(answers.actions(&auxiliary.opponent_policy, None, rows, actions));
            }
            HeadOutput::Wdl => {
                answers.scale = mean(weights.value);
                sums.value = answers.classes(&batch.wdl, WDL_OUTPUTS, rows);
            }
            HeadOutput::CellClasses => {
                answers.scale = mean(weights.final_state.unwrap_or_default()) / cells as f32;
                sums.final_state = Some(answers.cell_classes(&auxiliary.final_state, rows) / cells as f64);
            }
            HeadOutput::MovesLeft => {
                answers.scale = mean(weights.moves_left.unwrap_or_default());
                let targets = (&auxiliary.moves_left[..], &auxiliary.finished[..]);
                sums.moves_left = Some(answers.numbers(targets, rows, huber));
            }
            HeadOutput::Margin => {
                answers.scale = mean(weights.final_state.unwrap_or_default());
                let targets = (&auxiliary.final_state[..], &auxiliary.finished[..]);
                sums.final_state = Some(answers.numbers(targets, rows, margin_error));
            }
        }
    }
    sums
}

/// What a head says of the positions of a part.
struct Answers<'a> {
    linear: &'a mut LinearPart,
    /// Of a board.
    cells: usize,
    /// Factor of every gradient.
    scale: f32,
}

impl Answers<'_> {
    /// Cross-entropy of logits of actions, those alone whose number in `candidates` is 1 if there are candidates; `targets`
    /// are `[rows, actions]` of the whole batch.
    fn actions(&mut self, targets: &[f32], candidates: Option<&[f32]>, rows: &Range<usize>, actions: usize) -> f64 {
        let (cells, scale) = (self.cells, self.scale);
        let LinearPart { output, gradient, .. } = &mut *self.linear;
        let Cells { stride, layout, .. } = *output;
        // Action = plane · cells + cell where each cell has its own logits.
        let place = |row: usize, action: usize| match layout {
            Layout::Single => row * stride + action,
            _ => (row * cells + action % cells) * stride + action / cells,
        };
        let mut included = Vec::with_capacity(actions);
        let (mut logits, mut row_targets) = (Vec::with_capacity(actions), Vec::with_capacity(actions));
        let mut sum = 0.0;
        for (row, batch_row) in rows.clone().enumerate() {
            included.clear();
            logits.clear();
            row_targets.clear();
            for action in 0..actions {
                let (place, target) = (place(row, action), targets[batch_row * actions + action]);
                if candidates.is_none_or(|candidates| candidates[batch_row * actions + action] >= 0.5) {
                    included.push(place);
                    logits.push(output.numbers[place]);
                    row_targets.push(target);
                } else {
                    gradient.numbers[place] = 0.0;
                    if target != 0.0 {
                        sum -= f64::from(target * EXCLUDED_LOGIT);
                    }
                }
            }
            sum += loss_and_gradient(&mut logits, &row_targets, scale);
            for (&place, &number) in included.iter().zip(&logits) {
                gradient.numbers[place] = number;
            }
        }
        sum
    }

    /// Cross-entropy of the logits of `count` classes of each position; `targets` are `[rows, count]` of the whole batch.
    fn classes(&mut self, targets: &[f32], count: usize, rows: &Range<usize>) -> f64 {
        let LinearPart { output, gradient, .. } = &mut *self.linear;
        let outputs = output.numbers.chunks_exact(output.stride).zip(gradient.numbers.chunks_exact_mut(output.stride));
        let targets = targets[rows.start * count..rows.end * count].chunks_exact(count);
        let loss = |((output, gradient), targets): ((&[f32], &mut [f32]), &[f32])| {
            gradient[..count].copy_from_slice(&output[..count]);
            loss_and_gradient(&mut gradient[..count], targets, self.scale)
        };
        outputs.zip(targets).map(loss).sum()
    }

    /// Cross-entropy of the logits of each cell's classes, summed over the cells; `targets` are `[rows, classes, cells]` of
    /// the whole batch.
    fn cell_classes(&mut self, targets: &[f32], rows: &Range<usize>) -> f64 {
        let cells = self.cells;
        let LinearPart { output, gradient, .. } = &mut *self.linear;
        let outputs = output.numbers.chunks_exact(output.stride).zip(gradient.numbers.chunks_exact_mut(output.stride));
        let len = FinalState::CELL_CLASSES * cells;
        let mut sum = 0.0;
        for (number, (output, gradient)) in outputs.enumerate().take(rows.len() * cells) {
            let (row, cell) = (rows.start + number / cells, number % cells);
            let targets: [f32; FinalState::CELL_CLASSES] =
                std::array::from_fn(|class| targets[row * len + class * cells + cell]);
            gradient[..targets.len()].copy_from_slice(&output[..targets.len()]);
            sum += loss_and_gradient(&mut gradient[..targets.len()], &targets, self.scale);
        }
        sum
    }

    /// An error of one number for each position; `targets` and their weights are `[rows]` each of the whole batch, and
    /// `error` gives it with its derivative.
    fn numbers(
        &mut self,
        (targets, weights): (&[f32], &[f32]),
        rows: &Range<usize>,
        error: impl Fn(f32, f32) -> (f32, f32),
    ) -> f64 {
        let LinearPart { output, gradient, .. } = &mut *self.linear;
        let outputs = output.numbers.chunks_exact(output.stride).zip(gradient.numbers.chunks_exact_mut(output.stride));
        let mut sum = 0.0;
        for (row, (output, gradient)) in rows.clone().zip(outputs) {
            let (error, derivative) = error(output[0], targets[row]);
            sum += f64::from(error * weights[row]);
            gradient[0] = derivative * weights[row] * self.scale;
        }
        sum
    }
}

/// The cross-entropy of the logits, which become its gradient times `scale`.
fn loss_and_gradient(logits: &mut [f32], targets: &[f32], scale: f32) -> f64 {
    let log_sum = log_sum_exp(logits);
    let loss = cross_entropy(logits, targets.iter().copied(), log_sum);
    let all: f32 = targets.iter().sum();
    for (logit, target) in logits.iter_mut().zip(targets) {
        *logit = ((*logit - log_sum).exp() * all - target) * scale;
    }
    loss
}

/// Half the square of the error, linear from [`MOVES_LEFT_LINEAR`] on (Huber 1964), and its derivative.
fn huber(found: f32, target: f32) -> (f32, f32) {
    let error = found - target;
    let square_part = error.abs().min(MOVES_LEFT_LINEAR);
    (square_part * (error.abs() - 0.5 * square_part), square_part.copysign(error))
}

/// The squared error of the tanh of what is found, and its derivative.
fn margin_error(found: f32, target: f32) -> (f32, f32) {
    let margin = found.tanh();
    let error = margin - target;
    (error * error, 2.0 * error * (1.0 - margin * margin))
}
