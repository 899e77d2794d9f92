//! The ladder: fixed baselines that every candidate meets, so that progress is measured against something that does not
//! move.

use selfplay_env::rng::derive_seed;
use serde::{Deserialize, Serialize};

use crate::arena::{MatchConfig, MatchProgress, MatchReport, MatchSetting, Pacing, play_match};
use crate::error::EvalError;
use crate::pair_counts::PairCounts;
use crate::playable::Playable;
use crate::player::Player;
use crate::roster::{NetworkSource, build_player};
use crate::spec::PlayerSpec;
use crate::statistics::{PairMoments, ScoreEstimate};

/// The result against one baseline.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RungScore {
    /// Specification of the baseline.
    pub player: String,
    /// Game pairs against it, from the climber's view.
    pub pair_counts: PairCounts,
}

/// The results against all baselines of a ladder, in the ladder's order.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LadderRecord {
    /// One entry a baseline.
    pub rungs: Vec<RungScore>,
}

impl LadderRecord {
    /// The record of the player who was A in all of `reports`.
    pub fn from_reports(reports: &[MatchReport]) -> Self {
        let rung = |report: &MatchReport| RungScore { player: report.b.clone(), pair_counts: report.pair_counts() };
        LadderRecord { rungs: reports.iter().map(rung).collect() }
    }

    /// The mean of the scores against each baseline, all counting alike, with the 95 % interval that follows from their
    /// standard errors; `None` without baselines.
    pub fn score(&self) -> Option<ScoreEstimate> {
        if self.rungs.is_empty() {
            return None;
        }
        let count = self.rungs.len() as f64;
        let mean = self.rungs.iter().map(|rung| rung.pair_counts.score()).sum::<f64>() / count;
        let squared_error = |rung: &RungScore| PairMoments::of(&rung.pair_counts).standard_error().powi(2);
        let variance: f64 = self.rungs.iter().map(squared_error).sum();
        Some(ScoreEstimate::from_standard_error(mean, variance.sqrt() / count))
    }

    /// The baselines' specifications.
    pub fn players(&self) -> Vec<String> {
        self.rungs.iter().map(|rung| rung.player.clone()).collect()
    }
}

/// Plays one match at `game` against each baseline of `ladder`; the climber is player A of every report.
///
/// Records are comparable if they come from the same `config`: with the same seed every climber gets the same openings
/// against each baseline. `setting` says how the climber wants to be played with; baselines that look at the clock are
/// played one by one in any case. `progress` gets the number of the baseline and how far its match is.
///
/// # Errors
/// Those of [`play_match`] and [`build_player`].
pub fn play_ladder(
    game: &'static dyn Playable,
    make_climber: impl Fn() -> Result<Box<dyn Player>, EvalError> + Sync,
    ladder: &[PlayerSpec],
    source: &dyn NetworkSource,
    config: &MatchConfig,
    setting: &MatchSetting,
    progress: impl Fn(usize, MatchProgress) + Sync,
) -> Result<Vec<MatchReport>, EvalError> {
    let play_rung = |(rung, spec): (usize, &PlayerSpec)| {
        let config = MatchConfig { seed: derive_seed(&[config.seed, rung as u64]), ..config.clone() };
        let pacing = if spec.depends_on_time() { Pacing::OneByOne } else { setting.pacing };
        let setting = MatchSetting { pacing, ..*setting };
        play_match(
            game,
            &make_climber,
            || build_player(game, spec, source),
            &config,
            &setting,
            |done| progress(rung, done),
        )
    };
    ladder.iter().enumerate().map(play_rung).collect()
}
