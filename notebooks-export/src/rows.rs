//! The rows of a run's tables: what one line of each CSV file means.
//!
//! Columns are the fields, in order, under the same names. `Option` columns are empty where the number is unknown.

use serde::{Deserialize, Serialize};

/// One line of a table.
pub trait TableRow: Serialize {
    /// Name of the table, as in error messages.
    const TABLE: &'static str;
    /// The columns in order.
    const COLUMNS: &'static [&'static str];

    /// The first column that holds an infinite number or none at all (NaN), with what it holds.
    fn not_finite(&self) -> Option<(&'static str, f64)>;
}

/// A type that columns have.
trait Cell {
    /// The value if it is a number that is not finite.
    fn not_finite(&self) -> Option<f64> {
        None
    }
}

impl Cell for u32 {}
impl Cell for u64 {}
impl Cell for String {}
impl Cell for PlayerRole {}
impl Cell for f64 {
    fn not_finite(&self) -> Option<f64> {
        (!self.is_finite()).then_some(*self)
    }
}
impl<T: Cell> Cell for Option<T> {
    fn not_finite(&self) -> Option<f64> {
        self.as_ref().and_then(Cell::not_finite)
    }
}

/// Declares a row once and derives its columns and its check from the fields, so that none can be forgotten.
macro_rules! table_row {
    (
        $table:literal:
        $(#[$row_attribute:meta])*
        pub struct $row:ident {
            $($(#[$attribute:meta])* pub $field:ident: $cell:ty,)+
        }
    ) => {
        $(#[$row_attribute])*
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        pub struct $row {
            $($(#[$attribute])* pub $field: $cell,)+
        }

        impl TableRow for $row {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),+];

            fn not_finite(&self) -> Option<(&'static str, f64)> {
                $(if let Some(value) = self.$field.not_finite() {
                    return Some((stringify!($field), value));
                })+
                None
            }
        }
    };
}

table_row! { "selfplay":
    /// The self-play of one generation.
    pub struct SelfPlayRow {
        /// The generation that played, counted from 0 (the untrained network).
        pub generation: u32,
        /// Games finished.
        pub games: u64,
        /// Positions that are learned from.
        pub positions: u64,
        /// Search simulations made.
        pub simulations: u64,
        /// Elapsed time in seconds.
        pub wall_seconds: f64,
        /// CPU time of all threads in seconds.
        pub cpu_seconds: f64,
        /// Mean length of a game in decisions.
        pub mean_game_decisions: f64,
        /// Games won by the side that moves first.
        pub first_wins: u64,
        /// Games won by the other side.
        pub second_wins: u64,
        /// Games drawn by the rules.
        pub draws: u64,
        /// Games stopped at the decision limit.
        pub truncated: u64,
        /// Mean entropy of the policy targets, in nats.
        pub policy_entropy_nats: f64,
        /// Mean absolute root value, in 0..=1.
        pub root_value_mean_abs: f64,
        /// Decisions made, those of openings and fast searches included.
        pub decisions: u64,
        /// Games that ended as soon as their result was proven.
        pub proven: u64,
        /// Games that a side resigned.
        pub resigned: u64,
        /// Games played on although a side found its position hopeless.
        pub resignations_checked: u64,
        /// Those of them that this side did not lose.
        pub resignations_wrong: u64,
        /// Share of the games that begin with the most frequent four decisions, in 0..=1.
        pub commonest_opening_share: f64,
        /// Mean difference of the policy targets from the network's own policy, in nats.
        pub policy_surprise_nats: f64,
        /// Share of the positions whose value was proven, in 0..=1.
        pub proven_position_share: f64,
    }
}

table_row! { "ablation":
    /// One variant of an ablation, its runs together; or a baseline, which has no runs.
    pub struct AblationRow {
        /// The key and value that were changed, `base` for none; or the baseline's name.
        pub variant: String,
        /// Elo above `base`.
        pub elo: Option<f64>,
        /// Lower end of the 95 % interval of `elo`.
        pub elo_low: Option<f64>,
        /// Upper end of the 95 % interval of `elo`.
        pub elo_high: Option<f64>,
        /// Games that the rating rests on.
        pub rated_games: u64,
        /// Points per game in them, in 0..=1.
        pub score: Option<f64>,
        /// Training runs.
        pub runs: u64,
        /// CPU time of self-play and learning of all runs, in hours.
        pub cpu_hours: Option<f64>,
        /// Generations of all runs.
        pub generations: Option<u64>,
        /// Self-play games of all runs.
        pub games: Option<u64>,
        /// Positions of all runs that were learned from.
        pub positions: Option<u64>,
        /// Search simulations of all runs.
        pub simulations: Option<u64>,
        /// Positions learned from for each CPU second of self-play and learning.
        pub positions_per_cpu_second: Option<f64>,
        /// Policy loss at the end, the mean over the runs, in nats.
        pub policy_loss: Option<f64>,
        /// Value loss at the end, the mean over the runs, in nats.
        pub value_loss: Option<f64>,
    }
}

table_row! { "losses":
    /// The learner's numbers at one training step, or their means since the last row.
    pub struct LossRow {
        /// The generation being trained.
        pub generation: u32,
        /// Optimizer steps since the start of the run.
        pub step: u64,
        /// Cross-entropy of the policy head against the search's visits, in nats.
        pub policy_loss: f64,
        /// Loss of the value head, in nats, before weighting.
        pub value_loss: f64,
        /// Loss of the auxiliary head that foretells the opponent's next action, in nats; empty without that head.
        pub next_action_loss: Option<f64>,
        /// Loss of the auxiliary head that foretells the decisions left; empty without that head.
        pub moves_left_loss: Option<f64>,
        /// Loss of the auxiliary head that foretells the last position; empty without that head.
        pub final_state_loss: Option<f64>,
        /// The weighted sum that is minimised.
        pub total_loss: f64,
        /// Euclidean norm of the gradient before clipping.
        pub gradient_norm: f64,
        /// Learning rate of the step.
        pub learning_rate: f64,
        /// Positions in the replay buffer.
        pub replay_positions: u64,
        /// Policy loss on games that nothing is learned from, after the generation's last step; empty in other rows and
        /// where no games are held out.
        pub held_out_policy_loss: Option<f64>,
        /// Value loss on the same games.
        pub held_out_value_loss: Option<f64>,
    }
}

table_row! { "matches":
    /// One match between two players, seen by `a`.
    pub struct MatchRow {
        /// The generation after which it was played.
        pub generation: u32,
        /// Name of the player whose result this is.
        pub a: String,
        /// Name of the opponent.
        pub b: String,
        /// Games played.
        pub games: u64,
        /// Games `a` won.
        pub wins: u64,
        /// Games drawn.
        pub draws: u64,
        /// Games `a` lost.
        pub losses: u64,
        /// Points of `a` per game, in 0..=1, a draw being a half.
        pub score: f64,
        /// Elo of `a` minus Elo of `b`; empty where unbounded (every game won, or every game lost).
        pub elo: Option<f64>,
        /// Lower end of its 95 % interval; empty where unbounded.
        pub elo_low: Option<f64>,
        /// Upper end of its 95 % interval; empty where unbounded.
        pub elo_high: Option<f64>,
        /// Normalized Elo of `a` above `b`: its score above one half in standard deviations of a game's score.
        pub normalized_elo: f64,
        /// Likelihood of superiority: the probability, in 0..=1, that `a` is the stronger one.
        pub los: f64,
        /// Game pairs in which `a` made no point.
        pub pairs_0: u64,
        /// Game pairs in which `a` made half a point.
        pub pairs_half: u64,
        /// Game pairs in which `a` made one point.
        pub pairs_1: u64,
        /// Game pairs in which `a` made one and a half points.
        pub pairs_1_half: u64,
        /// Game pairs in which `a` made two points.
        pub pairs_2: u64,
        /// Points per game, in 0..=1, of whoever moved first.
        pub first_player_share: f64,
        /// Games lost by `a` by its clock, by an illegal decision or by making none.
        pub forfeits_a: u64,
        /// The same for `b`.
        pub forfeits_b: u64,
        /// Log-likelihood ratio of the sequential test; empty where there was none.
        pub sprt_llr: Option<f64>,
        /// The ratio at which the test accepts its first hypothesis.
        pub sprt_lower: Option<f64>,
        /// The ratio at which the test accepts its second hypothesis.
        pub sprt_upper: Option<f64>,
        /// What the gate decided on `a` after all its matches: `promote`, `undecided` or `reject`; empty for baselines.
        pub verdict: Option<String>,
        /// Share of games in 0..=1 that repeat an earlier game of the match, decision for decision.
        pub duplicates: f64,
        /// CPU time of all threads in seconds.
        pub cpu_seconds: f64,
    }
}

/// What a player is in the Elo table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlayerRole {
    /// A fixed opponent, the same for the whole run: a labelled line in plots.
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
        pub player: String,
        /// The generation it is; empty for baselines.
        pub generation: Option<u32>,
        /// Rating in Elo.
        pub elo: f64,
        /// Lower end of its 95 % interval.
        pub elo_low: f64,
        /// Upper end of its 95 % interval.
        pub elo_high: f64,
        /// Rated games it played.
        pub games: u64,
        /// Points per rated game, in 0..=1, a draw being a half.
        pub score: f64,
        /// CPU time of self-play and learning up to this generation, in hours, all threads together.
        pub cumulative_cpu_hours: Option<f64>,
        /// Self-play games the run had finished by then.
        pub cumulative_games: Option<u64>,
        /// Search simulations the run had made by then.
        pub cumulative_simulations: Option<u64>,
        /// What the player is.
        pub role: PlayerRole,
    }
}
