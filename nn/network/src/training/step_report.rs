//! What training steps tell, each number declared once with what several steps tell together.

use serde::{Deserialize, Serialize};

macro_rules! together {
    (last, $steps:ident, $number:ident) => {
        $steps.last().map_or_else(Default::default, |step| step.$number)
    };
    (mean, $steps:ident, $number:ident) => {
        $steps.iter().fold(0.0, |sum, step| sum + step.$number) / $steps.len() as f64
    };
}

/// Declares a report; after each number stands what several reports say together: their `last` or their `mean`.
macro_rules! step_report {
    ($(#[$about:meta])* pub struct $report:ident {
        $($(#[$meaning:meta])+ pub $number:ident: $kind:ty = $together:ident,)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $report {
            $($(#[$meaning])+ pub $number: $kind,)+
        }

        impl $report {
            /// What consecutive steps, at least one, say together.
            pub fn together(steps: &[$report]) -> Self {
                $report { $($number: together!($together, steps, $number)),+ }
            }
        }
    };
}

step_report! {
    /// What one step did; losses are means over the batch before the update, in nats unless said otherwise. A position
    /// without the target of an auxiliary head has loss 0 in it, as all have where the head is switched off. Read from
    /// a file, a number that it lacks is 0.
    pub struct StepReport {
        /// Steps taken, this one included.
        pub step: u64 = last,
        /// Cross-entropy between target and predicted policy over the moves that a search looks at.
        pub policy_loss: f64 = mean,
        /// Cross-entropy between target and predicted win, draw and loss.
        pub value_loss: f64 = mean,
        /// The least value loss of a head that says the same of every position
        /// ([`TrainingBatch::value_ignorance`](super::TrainingBatch::value_ignorance)).
        pub value_ignorance: f64 = mean,
        /// Cross-entropy of the opponent's next action over all actions.
        pub next_action_loss: f64 = mean,
        /// Huber loss of the decisions to the end of the game, in units of
        /// [`MOVES_LEFT_UNIT`](super::MOVES_LEFT_UNIT) decisions.
        pub moves_left_loss: f64 = mean,
        /// Cross-entropy of a cell's class in the game's last position, or squared error of its margin.
        pub final_state_loss: f64 = mean,
        /// Policy loss and the other losses times their weights.
        pub total_loss: f64 = mean,
        /// Norm of the gradient over all weights, before clipping.
        pub gradient_norm: f64 = mean,
        /// Learning rate of this step.
        pub learning_rate: f64 = last,
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
}
