//! A match as one row of plain numbers, for tables and files.

use selfplay_ratings::pair_counts::PairCounts;
use selfplay_ratings::{Encounter, MatchStrength, SprtConfig, SprtModel, SprtState};
use serde::{Deserialize, Serialize};

use crate::arena::MatchReport;

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
    /// Games that A and B lost by their clock, by an illegal move, or by making none.
    pub forfeits: [u32; 2],
    /// Pairs by A's result as the first player and as the second, each lost, drawn, won.
    pub pair_counts: PairCounts,
    /// Pairs in which A got 0, ½, 1, 1½ and 2 points.
    pub pentanomial: [u32; 5],
    /// A's points per game in 0..=1.
    pub score: f64,
    /// A's rating above B's; see [`MatchStrength::elo`].
    pub elo: f64,
    /// Lower end of the 95 % interval of `elo`.
    pub elo_low: f64,
    /// Upper end of the 95 % interval of `elo`.
    pub elo_high: f64,
    /// The same in normalized Elo; see [`MatchStrength::normalized_elo`].
    pub normalized_elo: f64,
    /// Lower end of the 95 % interval of `normalized_elo`.
    pub normalized_elo_low: f64,
    /// Upper end of the 95 % interval of `normalized_elo`.
    pub normalized_elo_high: f64,
    /// Likelihood in 0..=1 that A is the stronger player; see [`MatchStrength::los`].
    pub los: f64,
    /// Share of games drawn, in 0..=1.
    pub draw_ratio: f64,
    /// Pairs that A won for each that it lost; `None` if it lost none.
    pub pairs_ratio: Option<f64>,
    /// The sequential test, if the match was one.
    pub sprt: Option<SprtSummary>,
    /// Share of games in 0..=1 that repeat an earlier game of the match.
    pub duplicates: f64,
    /// Points per game in 0..=1 of the player with the first move.
    pub first_player_share: f64,
}

/// A sequential test and where it stands.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SprtSummary {
    /// The hypotheses and error rates.
    pub config: SprtConfig,
    /// Where the test stands after the match.
    pub state: SprtState,
}

impl SprtSummary {
    /// The test that `config` describes, after the pairs in `counts`.
    pub fn from_counts(config: SprtConfig, counts: &PairCounts) -> Self {
        SprtSummary { config, state: config.state(counts) }
    }
}

/// As in `SPRT [-50, 50] llr 3.02 ≥ 2.94`, or `SPRT [-50, 50] normalized llr 3.02 ≥ 2.94`.
impl std::fmt::Display for SprtSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SprtConfig { elo0, elo1, model, .. } = self.config;
        let model = if model == SprtModel::Normalized { "normalized " } else { "" };
        write!(f, "SPRT [{elo0}, {elo1}] {model}{}", self.state)
    }
}

impl MatchSummary {
    /// The match as input for [`RatingTable::fit`](selfplay_ratings::RatingTable::fit).
    pub fn encounter(&self) -> Encounter {
        Encounter { a: self.a.clone(), b: self.b.clone(), pair_counts: self.pair_counts }
    }

    /// The same match, played as a sequential test.
    #[must_use]
    pub fn with_sprt(self, config: SprtConfig) -> Self {
        let sprt = Some(SprtSummary::from_counts(config, &self.pair_counts));
        MatchSummary { sprt, ..self }
    }
}

impl From<&MatchReport> for MatchSummary {
    fn from(report: &MatchReport) -> Self {
        let pair_counts = report.pair_counts();
        let MatchStrength { elo, normalized_elo, los, draw_ratio, pairs_ratio } =
            MatchStrength::from_counts(&pair_counts);
        MatchSummary {
            a: report.a.clone(),
            b: report.b.clone(),
            games: report.games.len() as u32,
            wins: report.wins(),
            draws: report.draws(),
            losses: report.losses(),
            capped: report.capped(),
            forfeits: report.forfeits(),
            pair_counts,
            pentanomial: pair_counts.pentanomial(),
            score: pair_counts.score(),
            elo: elo.elo,
            elo_low: elo.low,
            elo_high: elo.high,
            normalized_elo: normalized_elo.elo,
            normalized_elo_low: normalized_elo.low,
            normalized_elo_high: normalized_elo.high,
            los,
            draw_ratio,
            pairs_ratio,
            sprt: None,
            duplicates: report.duplicates(),
            first_player_share: report.first_player_share(),
        }
    }
}
