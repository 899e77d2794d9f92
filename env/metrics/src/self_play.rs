//! Metrics of self-play.

use crate::declaration::metrics;

metrics! {
    /// The games of a generation in numbers. Read from a file, a number that it lacks is 0.
    pub struct SelfPlaySummary;
    /// The self-play of one generation.
    pub struct SelfPlayRow in "selfplay";
    row {
        /// The generation of the games, counted from 1; the network of an earlier generation plays them.
        generation: u32 = "",
    }
    report {
        /// Games finished.
        games: u64 = "games",
        /// Positions that are learned from.
        positions: u64 = "positions",
        /// Search simulations made.
        simulations: u64 = "simulations",
    }
    row {
        /// Elapsed time in seconds.
        wall_seconds: f64 = "s",
        /// CPU time of all threads in seconds.
        cpu_seconds: f64 = "s",
    }
    report {
        /// Mean length of a game in plies.
        mean_game_plies: f64 = "plies" => "self_play/game_plies",
        /// Games won by the side that moves first.
        first_wins: u64 = "games",
        /// Games won by the other side.
        second_wins: u64 = "games",
        /// Games drawn by the rules.
        draws: u64 = "games",
        /// Games stopped at `selfplay.max_plies`.
        truncated: u64 = "games",
        /// Mean entropy of the policy targets, in nats.
        policy_entropy_nats: f64 = "nats" => "self_play/policy_entropy",
        /// Mean absolute root value, in 0..=1.
        root_value_mean_abs: f64 = "0 to 1",
        /// Plies played, openings and fast searches included.
        plies: u64 = "plies",
        /// Games that ended as soon as their result was proven.
        proven: u64 = "games",
        /// Games that a side resigned.
        resigned: u64 = "games",
        /// Games played on although a side would have resigned.
        resignations_checked: u64 = "games",
        /// Those that this side did not lose.
        resignations_wrong: u64 = "games",
        /// Share of the games that begin with the most frequent four plies or their image, in 0..=1.
        commonest_opening_share: f64 = "0 to 1",
        /// Mean KL divergence of the policy targets from the network's policy, in nats.
        policy_surprise_nats: f64 = "nats" => "self_play/policy_surprise",
        /// Share of the positions whose value was proven, in 0..=1.
        proven_position_share: f64 = "0 to 1",
    }
}
