//! Who beat whom: matches, the ladder, ratings, ablations and cross tables.

use serde::{Deserialize, Serialize};

use super::table_row;

table_row! { "matches":
    /// One match between two players, seen by `a`.
    pub struct MatchRow {
        /// The generation after which it was played.
        pub generation: u32 = "",
        /// Name of the player whose result this is.
        pub a: String = "",
        /// Name of the opponent.
        pub b: String = "",
        /// Games played.
        pub games: u64 = "games",
        /// Games `a` won.
        pub wins: u64 = "games",
        /// Games drawn.
        pub draws: u64 = "games",
        /// Games `a` lost.
        pub losses: u64 = "games",
        /// Points of `a` per game, in 0..=1, a draw being a half.
        pub score: f64 = "0 to 1",
        /// Elo of `a` minus Elo of `b`; empty where unbounded (every game won, or every game lost).
        pub elo: Option<f64> = "Elo",
        /// Lower end of its 95 % interval; empty where unbounded.
        pub elo_low: Option<f64> = "Elo",
        /// Upper end of its 95 % interval; empty where unbounded.
        pub elo_high: Option<f64> = "Elo",
        /// Normalized Elo of `a` above `b`: its score above one half in standard deviations of a game's score.
        pub normalized_elo: f64 = "Elo",
        /// Likelihood of superiority: the probability, in 0..=1, that `a` is the stronger one.
        pub los: f64 = "0 to 1",
        /// Game pairs in which `a` made no point.
        pub pairs_0: u64 = "pairs",
        /// Game pairs in which `a` made half a point.
        pub pairs_half: u64 = "pairs",
        /// Game pairs in which `a` made one point.
        pub pairs_1: u64 = "pairs",
        /// Game pairs in which `a` made one and a half points.
        pub pairs_1_half: u64 = "pairs",
        /// Game pairs in which `a` made two points.
        pub pairs_2: u64 = "pairs",
        /// Points per game, in 0..=1, of the player who moved first.
        pub first_player_share: f64 = "0 to 1",
        /// Games lost by `a` by its clock, by an illegal move or by making none.
        pub forfeits_a: u64 = "games",
        /// The same for `b`.
        pub forfeits_b: u64 = "games",
        /// Log-likelihood ratio of the sequential test; empty where there was none.
        pub sprt_llr: Option<f64> = "nats",
        /// The ratio at which the test accepts its first hypothesis.
        pub sprt_lower: Option<f64> = "nats",
        /// The ratio at which the test accepts its second hypothesis.
        pub sprt_upper: Option<f64> = "nats",
        /// What the gate decided on `a` after all its matches: `promote`, `undecided` or `reject`; empty for baselines.
        pub verdict: Option<String> = "",
        /// Share of games in 0..=1 that repeat an earlier game of the match, move for move.
        pub duplicates: f64 = "0 to 1",
        /// CPU time of all threads in seconds.
        pub cpu_seconds: f64 = "s",
    }
}

/// What a player is in the Elo table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlayerRole {
    /// A fixed opponent, the same for the whole run: a labelled line in plots.
    #[default]
    Baseline,
    /// A generation that did not pass the gate, or was not put to it.
    Candidate,
    /// A generation that passed the gate and became the champion.
    Champion,
}

table_row! { "elo":
    /// One player's rating on the run's common scale.
    pub struct EloRow {
        /// The player's name.
        pub player: String = "",
        /// The generation it is; empty for baselines.
        pub generation: Option<u32> = "",
        /// Rating in Elo.
        pub elo: f64 = "Elo" => "elo/rating",
        /// Lower end of its 95 % interval.
        pub elo_low: f64 = "Elo" => "elo/low",
        /// Upper end of its 95 % interval.
        pub elo_high: f64 = "Elo" => "elo/high",
        /// Rated games it played.
        pub games: u64 = "games",
        /// Points per rated game, in 0..=1, a draw being a half.
        pub score: f64 = "0 to 1",
        /// CPU time of self-play and learning up to this generation, in hours, all threads together.
        pub cumulative_cpu_hours: Option<f64> = "h",
        /// Self-play games the run had finished by then.
        pub cumulative_games: Option<u64> = "games",
        /// Search simulations the run had made by then.
        pub cumulative_simulations: Option<u64> = "simulations",
        /// What the player is.
        pub role: PlayerRole = "",
    }
}

table_row! { "ablation":
    /// One variant of an ablation, its runs together; or a baseline, which has no runs.
    pub struct AblationRow {
        /// The key and value that were changed, `base` for none; or the baseline's name.
        pub variant: String = "",
        /// Elo above `base`.
        pub elo: Option<f64> = "Elo",
        /// Lower end of the 95 % interval of `elo`.
        pub elo_low: Option<f64> = "Elo",
        /// Upper end of the 95 % interval of `elo`.
        pub elo_high: Option<f64> = "Elo",
        /// Games that the rating rests on.
        pub rated_games: u64 = "games",
        /// Points per game in them, in 0..=1.
        pub score: Option<f64> = "0 to 1",
        /// Training runs.
        pub runs: u64 = "runs",
        /// CPU time of self-play and learning of all runs, in hours.
        pub cpu_hours: Option<f64> = "h",
        /// Generations of all runs.
        pub generations: Option<u64> = "generations",
        /// Self-play games of all runs.
        pub games: Option<u64> = "games",
        /// Positions of all runs that were learned from.
        pub positions: Option<u64> = "positions",
        /// Search simulations of all runs.
        pub simulations: Option<u64> = "simulations",
        /// Positions learned from for each CPU second of self-play and learning.
        pub positions_per_cpu_second: Option<f64> = "positions/s",
        /// Policy loss at the end, the mean over the runs, in nats.
        pub policy_loss: Option<f64> = "nats",
        /// Value loss at the end, the mean over the runs, in nats.
        pub value_loss: Option<f64> = "nats",
        /// What `selfplay doctor` sees in the runs at their end; empty where nothing is odd.
        pub notes: Option<String> = "",
    }
}

table_row! { "ladder":
    /// One generation against one baseline of the ladder, the fixed opponents that every generation is measured with.
    pub struct LadderRow {
        /// The generation that was measured.
        pub generation: u32 = "",
        /// Name of the opponent.
        pub baseline: String = "",
        /// Games played.
        pub games: u64 = "games",
        /// Games the generation won.
        pub wins: u64 = "games",
        /// Games drawn.
        pub draws: u64 = "games",
        /// Games the generation lost.
        pub losses: u64 = "games",
        /// Points of the generation per game, a draw being a half.
        pub score: f64 = "0 to 1",
    }
}

table_row! { "cross_table":
    /// The newest match of a run between two players, seen by `a`.
    pub struct CrossTableRow {
        /// Name of the player whose score this is.
        pub a: String = "",
        /// Name of the opponent.
        pub b: String = "",
        /// Games played.
        pub games: u64 = "games",
        /// Points of `a` per game, a draw being a half.
        pub score: f64 = "0 to 1",
        /// Elo of `a` minus Elo of `b` by these games alone; empty where unbounded or not computed.
        pub elo: Option<f64> = "Elo",
    }
}
