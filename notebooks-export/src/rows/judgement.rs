//! How well a generation judges: its values against results, what it would play first, its moves against perfect play.

use super::table_row;

table_row! { "calibration":
    /// Positions of one generation's self-play games whose root value lies in one interval, and how those games ended.
    pub struct CalibrationRow {
        /// The generation that played.
        pub generation: u32 = "",
        /// Lower end of the interval of root values, as expected score of the side to move (a loss 0, a win 1).
        pub predicted_low: f64 = "0 to 1",
        /// Upper end of the interval.
        pub predicted_high: f64 = "0 to 1",
        /// Positions whose root value lies in the interval.
        pub positions: u64 = "positions",
        /// Mean of their root values, as expected score.
        pub mean_predicted: f64 = "0 to 1",
        /// Mean of the points that the side to move made in the end, a draw being a half.
        pub mean_scored: f64 = "0 to 1",
    }
}

table_row! { "value_error":
    /// How far root values were from the results of the games, at one ply of one generation's self-play games.
    pub struct ValueErrorRow {
        /// The generation that played.
        pub generation: u32 = "",
        /// Moves made before the position, 0 at the start of the game.
        pub ply: u32 = "plies",
        /// Positions compared.
        pub positions: u64 = "positions",
        /// Mean distance of the root value, as expected score, from the points made in the end.
        pub mean_absolute_error: f64 = "0 to 1",
        /// Mean square of this distance.
        pub mean_squared_error: f64 = "0 to 1",
    }
}

table_row! { "opening_policy":
    /// The network's policy at the initial position, on one cell of the board.
    pub struct OpeningPolicyRow {
        /// The generation whose network it is.
        pub generation: u32 = "",
        /// Column of the cell, 0 on the left.
        pub column: u32 = "",
        /// Row of the cell, 0 at the top.
        pub row: u32 = "",
        /// Sum of the probabilities of all moves whose first place is the cell.
        pub probability: f64 = "0 to 1",
    }
}

table_row! { "mistakes":
    /// One generation's moves, at so many simulations each, in random positions whose value under perfect play a
    /// tablebase tells.
    pub struct MistakeRow {
        /// The generation whose network decides.
        pub generation: u32 = "",
        /// Search simulations for each move; 0 where the network's first choice is played without a search.
        pub simulations: u32 = "simulations",
        /// Positions, the same for all generations.
        pub positions: u64 = "positions",
        /// Positions in which some move gives value away.
        pub critical: u64 = "positions",
        /// Positions in which the generation's move does: from a win to a draw or a loss, or from a draw to a loss.
        pub mistakes: u64 = "positions",
        /// Share of all positions in which it does.
        pub share: f64 = "0 to 1",
        /// Lower end of its 95 % interval.
        pub share_low: f64 = "0 to 1",
        /// Upper end of its 95 % interval.
        pub share_high: f64 = "0 to 1",
        /// CPU time of self-play and learning up to this generation, in hours, all threads together.
        pub cumulative_cpu_hours: Option<f64> = "h",
    }
}
