//! The knobs of learning, each with the source of its default.

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
    /// What the positions of self-play games are taught as.
    pub enum Targets, default Games {
        /// What the searches found and how the games ended.
        Games = "games",
        /// What a table of the whole game says, to compare self-play with: the policy target is shared by the decisions that
        /// keep the position's value under perfect play, half as much for each turn that one wins later or loses sooner
        /// than another, and the value target is that value. The games are played as ever. The table must be of the game's
        /// own rules, with turns (`selfplay tabulate`), and stay where it is as long as the run is worked on; what looking
        /// up takes counts in no phase's time.
        Table(file: PathBuf) = "table",
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
        /// Share of each kernel and matrix that a step takes away, times the learning rate; biases and norms do not
        /// decay (the L2 constant of AlphaGo Zero).
        pub weight_decay: f64 = 1e-4, in 0.0..;
        /// Longer gradients, over all weights together, are shortened to this norm: a safety belt, far above the norms
        /// of healthy steps.
        pub gradient_clip_norm: f64 = 5.0, in above(0.0);
        /// Factor of the value loss beside the policy loss (AlphaZero).
        pub value_loss_weight: f64 = 1.0, in 0.0..;
        /// Factor of the loss of `network.auxiliary.next_action`, if that is on (Wu 2019, section 3.4).
        pub next_action_weight: f64 = 0.15, in 0.0..;
        /// Factor of the loss of `network.auxiliary.moves_left`, if that is on; the loss is then about a tenth of the
        /// others.
        pub moves_left_weight: f64 = 0.5, in 0.0..;
        /// Factor of the loss of `network.auxiliary.final_state`, if that is on: as much for the mean cell as for the
        /// value (Wu 2019, appendix A).
        pub final_state_weight: f64 = 1.0, in 0.0..;
        /// Share of the search's own estimate in the value target; the rest is the game's result. Measured:
        /// docs/recipe.md; AlphaZero has 0, recipes that mix take 0.5 (Lc0's `q_ratio`; compared by Willemsen et al.
        /// 2021, "Value targets in off-policy AlphaZero").
        pub root_value_share: f64 = 0.5, in 0.0..=1.0;
        /// The value target of a position that the search proved is the proven result, whatever was played (of
        /// MCTS-Solver, as `stop_proven`).
        pub proof_targets: bool = false;
        /// Share of the samples in whose place stands a position in which the side to move wins with its next decision:
        /// one that the game might have come to at the sampled position by a blunder, with its exact targets. A search
        /// with `foresight` never asks the network of such positions, so that it needs none; a network that is to be used
        /// by another program does. Measured: docs/recipe.md.
        pub blunder_share: f64 = 0.0, in 0.0..1.0;
        /// Where policy and value targets come from.
        pub targets: Targets = Targets::Games;
        /// Share of the old average kept at each step in the weights that play; after t steps at most (1 + t) / (10 + t),
        /// so that initial weights are forgotten fast (Polyak averaging; KataGo averages snapshots). Measured:
        /// docs/recipe.md.
        pub ema_decay: f64 = 0.99, in 0.0..1.0;
        /// Positions for each step: a sixteenth of AlphaZero's for a sixteenth of its games.
        pub batch_size: usize = 256, in 1..=65_536;
        /// Steps over which the learning rate rises linearly from zero: Adam's second moment is an average of few
        /// gradients before that.
        pub warmup_steps: u64 = 100, in 0..;
        /// Course of the learning rate after that.
        pub schedule: Schedule = Schedule::Constant;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_numbers_are_refused_by_name() {
        assert!(LearnerConfig::default().validate().is_ok());
        type Spoil = fn(&mut LearnerConfig);
        let cases: [(&str, Spoil); 6] = [
            ("learning_rate", |config| config.learning_rate = f64::NAN),
            ("momentum", |config| config.momentum = 1.0),
            ("ema_decay", |config| config.ema_decay = -0.1),
            ("final_state_weight", |config| config.final_state_weight = f64::INFINITY),
            ("root_value_share", |config| config.root_value_share = 1.1),
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
