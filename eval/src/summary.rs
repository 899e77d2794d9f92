//! A match as one row of plain numbers, for tables and files.

use serde::{Deserialize, Serialize};

use crate::arena::MatchReport;
use crate::elo::{EloEstimate, Encounter};
use crate::pair_counts::PairCounts;

/// What a match came to, seen from player A.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchSummary {
    /// Name of player A.
    pub a: String,
    /// Name of player B.
    pub b: String,
    /// Games played.
    pub games: u32,
    /// Games that A won.
    pub wins: u32,
    /// Games drawn, those stopped at the cap included.
    pub draws: u32,
    /// Games that A lost.
    pub losses: u32,
    /// Games stopped at the cap.
    pub capped: u32,
    /// Pairs in which A got 0, ½, 1, 1½ and 2 points.
    pub pair_counts: PairCounts,
    /// A's points per game in 0..=1.
    pub score: f64,
    /// A's rating above B's; see [`EloEstimate::of_match`].
    pub elo: f64,
    /// Lower end of the 95 % interval of `elo`.
    pub elo_low: f64,
    /// Upper end of the 95 % interval of `elo`.
    pub elo_high: f64,
    /// Share of games in 0..=1 that repeat an earlier game of the match.
    pub duplicates: f64,
    /// Points per game in 0..=1 of whoever had the first move.
    pub first_player_share: f64,
}

impl MatchSummary {
    /// The match as input for [`RatingTable::fit`](crate::RatingTable::fit).
    pub fn encounter(&self) -> Encounter {
        Encounter { a: self.a.clone(), b: self.b.clone(), wins: self.wins, draws: self.draws, losses: self.losses }
    }
}

impl From<&MatchReport> for MatchSummary {
    fn from(report: &MatchReport) -> Self {
        let pair_counts = report.pair_counts();
        let elo = EloEstimate::of_match(&pair_counts);
        MatchSummary {
            a: report.a.clone(),
            b: report.b.clone(),
            games: report.games.len() as u32,
            wins: report.wins(),
            draws: report.draws(),
            losses: report.losses(),
            capped: report.capped(),
            pair_counts,
            score: pair_counts.score(),
            elo: elo.elo,
            elo_low: elo.low,
            elo_high: elo.high,
            duplicates: report.duplicates(),
            first_player_share: report.first_player_share(),
        }
    }
}
