//! What training did: self-play, the learner, whole generations, and where the cores' time went.

use super::table_row;

table_row! { "generations":
    /// One generation as a whole: what it cost, what the run has cost with it, and how it was judged.
    pub struct GenerationRow {
        /// The generation, counted from 0 (the untrained network).
        pub generation: u32 = "",
        /// Elapsed time of self-play.
        pub selfplay_wall_seconds: Option<f64> = "s",
        /// CPU time of self-play, all threads together.
        pub selfplay_cpu_seconds: Option<f64> = "s",
        /// Elapsed time of learning.
        pub learn_wall_seconds: Option<f64> = "s",
        /// CPU time of learning, all threads together.
        pub learn_cpu_seconds: Option<f64> = "s",
        /// Elapsed time of the gate's matches.
        pub gate_wall_seconds: Option<f64> = "s",
        /// CPU time of the gate's matches, all threads together.
        pub gate_cpu_seconds: Option<f64> = "s",
        /// CPU time of self-play and learning from the start of the run to the end of this generation.
        pub cumulative_cpu_hours: Option<f64> = "h",
        /// Self-play games the run had finished by then.
        pub cumulative_games: Option<u64> = "games",
        /// Search simulations the run had made in self-play by then.
        pub cumulative_simulations: Option<u64> = "simulations",
        /// Positions the run had found for learning by then.
        pub cumulative_positions: Option<u64> = "positions",
        /// Optimizer steps the run had taken by then.
        pub steps: Option<u64> = "steps",
        /// Policy loss at the end of learning.
        pub policy_loss: Option<f64> = "nats",
        /// Value loss at the end of learning.
        pub value_loss: Option<f64> = "nats",
        /// The weighted sum that is minimised, at the end of learning.
        pub total_loss: Option<f64> = "nats",
        /// Mean of the scores against the rungs of the ladder, the fixed opponents that the gate measures with.
        pub ladder_score: Option<f64> = "0 to 1",
        /// What the gate decided: `promote`, `undecided` or `reject`; empty where there was no gate.
        pub verdict: Option<String> = "",
        /// Whether the generation became the champion.
        pub champion: bool = "",
    }
}

table_row! { "selfplay":
    /// The self-play of one generation.
    pub struct SelfPlayRow {
        /// The generation that played, counted from 0 (the untrained network).
        pub generation: u32 = "",
        /// Games finished.
        pub games: u64 = "games",
        /// Positions that are learned from.
        pub positions: u64 = "positions",
        /// Search simulations made.
        pub simulations: u64 = "simulations",
        /// Elapsed time in seconds.
        pub wall_seconds: f64 = "s",
        /// CPU time of all threads in seconds.
        pub cpu_seconds: f64 = "s",
        /// Mean length of a game in decisions.
        pub mean_game_decisions: f64 = "decisions" => "self_play/game_decisions",
        /// Games won by the side that moves first.
        pub first_wins: u64 = "games",
        /// Games won by the other side.
        pub second_wins: u64 = "games",
        /// Games drawn by the rules.
        pub draws: u64 = "games",
        /// Games stopped at the decision limit.
        pub truncated: u64 = "games",
        /// Mean entropy of the policy targets, in nats.
        pub policy_entropy_nats: f64 = "nats" => "self_play/policy_entropy",
        /// Mean absolute root value, in 0..=1.
        pub root_value_mean_abs: f64 = "0 to 1",
        /// Decisions made, those of openings and fast searches included.
        pub decisions: u64 = "decisions",
        /// Games that ended as soon as their result was proven.
        pub proven: u64 = "games",
        /// Games that a side resigned.
        pub resigned: u64 = "games",
        /// Games played on although a side found its position hopeless.
        pub resignations_checked: u64 = "games",
        /// Those of them that this side did not lose.
        pub resignations_wrong: u64 = "games",
        /// Share of the games that begin with the most frequent four decisions or their image, in 0..=1.
        pub commonest_opening_share: f64 = "0 to 1",
        /// Mean difference of the policy targets from the network's own policy, in nats.
        pub policy_surprise_nats: f64 = "nats" => "self_play/policy_surprise",
        /// Share of the positions whose value was proven, in 0..=1.
        pub proven_position_share: f64 = "0 to 1",
    }
}

table_row! { "losses":
    /// The learner's numbers at one training step, or their means since the last row.
    pub struct LossRow {
        /// The generation being trained.
        pub generation: u32 = "",
        /// Optimizer steps since the start of the run.
        pub step: u64 = "steps",
        /// Cross-entropy of the policy head against the policy targets, in nats.
        pub policy_loss: f64 = "nats" => "loss/policy",
        /// Loss of the value head, in nats, before weighting.
        pub value_loss: f64 = "nats" => "loss/value",
        /// Loss of the auxiliary head that foretells the opponent's next action, in nats; empty without that head.
        pub next_action_loss: Option<f64> = "nats" => "loss/next_action",
        /// Loss of the auxiliary head that foretells the decisions left; empty without that head.
        pub moves_left_loss: Option<f64> = "nats" => "loss/moves_left",
        /// Loss of the auxiliary head that foretells the last position; empty without that head.
        pub final_state_loss: Option<f64> = "nats" => "loss/final_state",
        /// The weighted sum that is minimised.
        pub total_loss: f64 = "nats" => "loss/total",
        /// Euclidean norm of the gradient before clipping.
        pub gradient_norm: f64 = "" => "learner/gradient_norm",
        /// Learning rate of the step.
        pub learning_rate: f64 = "" => "learner/learning_rate",
        /// Positions in the replay buffer.
        pub replay_positions: u64 = "positions" => "learner/replay_positions",
        /// Policy loss on games that nothing is learned from, after the generation's last step; empty in other rows and
        /// where no games are held out.
        pub held_out_policy_loss: Option<f64> = "nats" => "loss/held_out_policy",
        /// Value loss on the same games.
        pub held_out_value_loss: Option<f64> = "nats" => "loss/held_out_value",
        /// Policy loss on as many games beside the held-out ones, which are learned from; empty where theirs is.
        pub neighbours_policy_loss: Option<f64> = "nats" => "loss/neighbours_policy",
        /// Value loss on the same games.
        pub neighbours_value_loss: Option<f64> = "nats" => "loss/neighbours_value",
        /// The least value loss of a head that says the same of every position.
        pub value_ignorance: Option<f64> = "nats" => "loss/value_ignorance",
    }
}

table_row! { "throughput":
    /// Where the cores' time went in the self-play of one generation, in core-seconds: one core busy for one second.
    pub struct ThroughputRow {
        /// The generation that played.
        pub generation: u32 = "",
        /// Time spent on evaluating positions with the network.
        pub network_seconds: Option<f64> = "core-s",
        /// Time spent in the search tree: selecting, expanding, backing up.
        pub tree_seconds: Option<f64> = "core-s",
        /// Time spent on the rules: legal decisions, playing them, results, encoding.
        pub rules_seconds: Option<f64> = "core-s",
        /// Time in which a core that self-play could use did nothing for it.
        pub idle_seconds: Option<f64> = "core-s",
    }
}
