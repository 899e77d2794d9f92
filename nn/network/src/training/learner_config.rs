//! The hyper-parameters of training, each with the source of its default.

use std::path::PathBuf;

use selfplay_config::{above, config_choice, config_section};

use super::schedule::Schedule;

config_choice! {
    #[derive(Copy, Eq)]
    /// The rule that turns gradients into weight changes.
    pub enum OptimizerKind, default AdamW {
        /// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
        AdamW = "adamw",
        /// Stochastic gradient descent with momentum and decoupled weight decay (the same paper's SGDW).
        Sgd = "sgd",
    }
}

config_choice! {
    /// The source of policy and value targets.
    pub enum Targets, default Games {
        /// Search results and game outcomes.
        Games = "games",
        /// A tablebase of the game's own rules, with turns (`selfplay tablebase build`). The value target is the
        /// game-theoretic value. The policy target is shared by the actions that preserve it: an action that wins one turn
        /// later, or loses one turn sooner, than another has half of its share. Self-play does not change. The file must stay
        /// in place during the run; look-ups count in no phase's time.
        Tablebase(file: PathBuf) = "tablebase",
    }
}

config_section! {
    /// How weights are learned from batches.
    pub struct LearnerConfig {
        /// Update rule. AdamW takes fewer steps to the same strength on small networks; AlphaZero used SGD.
        pub optimizer: OptimizerKind = OptimizerKind::AdamW;
        /// Learning rate after the warm-up, before the schedule (Kingma and Ba 2015; AlphaZero's 0.2 is for SGD with
        /// batches of 4096).
        pub learning_rate: f64 = 1e-3, in above(0.0);
        /// Momentum of SGD (AlphaZero), β₁ of AdamW.
        pub momentum: f64 = 0.9, in 0.0..1.0;
        /// Decoupled weight decay of kernels and matrices, times the learning rate; biases and norms do not decay (the L2
        /// constant of AlphaGo Zero).
        pub weight_decay: f64 = 1e-4, in 0.0..;
        /// Maximum global norm of the gradient; longer gradients are scaled down. Far above the norms of normal steps.
        pub max_grad_norm: f64 = 5.0, in above(0.0);
        /// Weight of the value loss relative to the policy loss (AlphaZero: 1).
        pub value_loss_weight: f64 = 1.0, in 0.0..;
        /// Weight of the loss of `network.auxiliary.opponent_policy` (Wu 2019, section 3.4).
        pub opponent_policy_weight: f64 = 0.15, in 0.0..;
        /// Weight of the loss of `network.auxiliary.moves_left`; it is then about a tenth of the total.
        pub moves_left_weight: f64 = 0.5, in 0.0..;
        /// Weight of the loss of `network.auxiliary.final_state`, the mean over cells (Wu 2019, appendix A).
        pub final_state_weight: f64 = 1.0, in 0.0..;
        /// Share of the root value Q in the value target; the rest is the game's outcome. Lc0's `q_ratio`; AlphaZero has 0.
        /// Compared by Willemsen et al. 2021, "Value targets in off-policy AlphaZero"; measured: docs/research/recipe.md.
        pub q_ratio: f64 = 0.5, in 0.0..=1.0;
        /// Use the proven result as value target where the search proved the position, whatever the game's outcome
        /// (MCTS-Solver).
        pub solver_value_targets: bool = false;
        /// Share of the samples replaced by a position that a blunder could have led to, in which the side to move wins with its
        /// next action, with exact targets. Search with `tactics` never evaluates such positions; a network used by another
        /// program needs them. Measured: docs/research/recipe.md.
        pub punish_blunder_share: f64 = 0.0, in 0.0..1.0;
        /// Where policy and value targets come from.
        pub targets: Targets = Targets::Games;
        /// Decay of the exponential moving average of the weights, which self-play and the gate use (Polyak averaging; KataGo
        /// averages snapshots). After t steps at most (1 + t) / (10 + t), to forget initial weights fast. Measured:
        /// docs/research/recipe.md.
        pub ema_decay: f64 = 0.99, in 0.0..1.0;
        /// Positions per training step; AlphaZero used 4096.
        pub batch_size: usize = 256, in 1..=65_536;
        /// Steps of linear learning rate warm-up from zero, while Adam's second moment rests on few gradients.
        pub warmup_steps: u64 = 100, in 0..;
        /// Learning rate schedule after the warm-up.
        pub schedule: Schedule = Schedule::Constant;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_values_are_rejected_by_key() {
        assert!(LearnerConfig::default().validate().is_ok());
        type Spoil = fn(&mut LearnerConfig);
        let cases: [(&str, Spoil); 6] = [
            ("learning_rate", |config| config.learning_rate = f64::NAN),
            ("momentum", |config| config.momentum = 1.0),
            ("ema_decay", |config| config.ema_decay = -0.1),
            ("final_state_weight", |config| config.final_state_weight = f64::INFINITY),
            ("q_ratio", |config| config.q_ratio = 1.1),
            ("batch_size", |config| config.batch_size = 0),
        ];
        for (name, spoil) in cases {
            let mut config = LearnerConfig::default();
            spoil(&mut config);
            let error = config.validate().unwrap_err();
            assert_eq!(error.key, name);
        }
    }
}
