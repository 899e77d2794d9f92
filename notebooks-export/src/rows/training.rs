//! What training did: whole generations, and where the cores' time went.

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
        /// Mean of the scores against the baselines of the ladder, the fixed opponents that the gate measures with.
        pub ladder_score: Option<f64> = "0 to 1",
        /// What the gate decided: `promote`, `undecided` or `reject`; empty where there was no gate.
        pub verdict: Option<String> = "",
        /// Whether the generation became the champion.
        pub champion: bool = "",
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
        /// Time spent on the rules: legal moves, playing them, results, encoding.
        pub rules_seconds: Option<f64> = "core-s",
        /// Time in which a core that self-play could use did nothing for it.
        pub idle_seconds: Option<f64> = "core-s",
    }
}
