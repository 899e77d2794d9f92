//! Metrics of the learner.

use crate::declaration::metrics;

metrics! {
    /// The numbers of a training step, or of several together; losses are means over the batch before the update. A position
    /// without the target of an auxiliary head has loss 0 in it, as all have where the head is switched off. Read from a
    /// file, a number that it lacks is 0.
    pub struct StepReport;
    /// The learner's numbers at one training step, or their means since the last row.
    pub struct LossRow in "losses";
    row {
        /// The generation being trained.
        generation: u32 = "",
    }
    report {
        /// Optimizer steps since the start of the run.
        [last] step: u64 = "steps",
        /// Cross-entropy of the policy head against the policy targets, in nats.
        [mean] policy_loss: f64 = "nats" => "loss/policy",
        /// Loss of the value head, in nats, before weighting.
        [mean] value_loss: f64 = "nats" => "loss/value",
        /// Loss of the auxiliary head that predicts the opponent's next action, in nats; empty without that head.
        [mean] opponent_policy_loss: f64 as Option<f64> = "nats" => "loss/opponent_policy",
        /// Loss of the auxiliary head that predicts the plies left; empty without that head.
        [mean] moves_left_loss: f64 as Option<f64> = "nats" => "loss/moves_left",
        /// Loss of the auxiliary head that predicts the last position; empty without that head.
        [mean] final_state_loss: f64 as Option<f64> = "nats" => "loss/final_state",
        /// The weighted sum that is minimised.
        [mean] total_loss: f64 = "nats" => "loss/total",
        /// Euclidean norm of the gradient before clipping.
        [mean] gradient_norm: f64 = "" => "learner/gradient_norm",
        /// Learning rate of the step.
        [last] learning_rate: f64 = "" => "learner/learning_rate",
    }
    row {
        /// Positions in the replay buffer.
        replay_positions: u64 = "positions" => "learner/replay_positions",
        /// Policy loss on validation games, after the generation's last step; empty in other rows and
        /// without validation games.
        validation_policy_loss: Option<f64> = "nats" => "loss/validation_policy",
        /// Value loss on the same games.
        validation_value_loss: Option<f64> = "nats" => "loss/validation_value",
        /// Policy loss on as many training games next to the validation games; empty where theirs is.
        train_eval_policy_loss: Option<f64> = "nats" => "loss/train_eval_policy",
        /// Value loss on the same games.
        train_eval_value_loss: Option<f64> = "nats" => "loss/train_eval_value",
    }
    report {
        /// The least value loss of a head that says the same of every position.
        [mean] value_baseline_loss: f64 as Option<f64> = "nats" => "loss/value_baseline_loss",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_steps_tell_means_and_the_last_rate() {
        let step =
            |step, policy_loss, learning_rate| StepReport { step, policy_loss, learning_rate, ..Default::default() };
        let both = StepReport::together(&[step(7, 1.0, 0.5), step(8, 2.0, 0.25)]);
        assert_eq!(both, step(8, 1.5, 0.25));
    }

    #[test]
    fn the_loss_of_a_head_that_there_is_not_is_empty_in_the_row() {
        let report = StepReport { step: 4, policy_loss: 0.0, opponent_policy_loss: 1.75, ..StepReport::default() };
        let row = LossRow { step: 4, policy_loss: 0.0, opponent_policy_loss: Some(1.75), ..LossRow::default() };
        assert_eq!(LossRow::from(&report), row);
    }
}
