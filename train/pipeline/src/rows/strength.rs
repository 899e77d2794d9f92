//! Rows about who is how strong: matches, ladder, ratings.

use std::collections::HashMap;

use selfplay_arena::{GateDecision, MatchSummary, SprtSummary};
use selfplay_notebooks_export::{EloRow, LadderRow, MatchRow, PlayerRole, ReportRows};
use selfplay_players::spec::RandomSpec;
use selfplay_ratings::{RatingConfig, RatingTable, Unrated};

use super::training::Costs;
use crate::error::RunError;
use crate::phase::{BaselinesReport, GateReport, PhaseTime, agent_name};

/// All matches of a run, and who played them.
#[derive(Default)]
pub struct Strength {
    matches: Vec<MatchSummary>,
    generations: HashMap<String, Candidate>,
}

/// A generation that was put to the gate.
struct Candidate {
    number: u32,
    costs: Costs,
    role: PlayerRole,
}

impl Strength {
    /// Adds the matches among the baselines.
    pub fn add_baselines(&mut self, rows: &mut ReportRows, report: BaselinesReport) {
        rows.matches.extend(match_rows(0, &report.matches, report.time, None));
        self.matches.extend(report.matches.iter().cloned());
    }

    /// Adds the matches of a generation, before which training had cost so much.
    pub fn add_gate(&mut self, rows: &mut ReportRows, generation: u32, report: &GateReport, costs: Costs) {
        let role = if report.is_promoted() { PlayerRole::Champion } else { PlayerRole::Candidate };
        self.generations.insert(agent_name(generation), Candidate { number: generation, costs, role });
        rows.matches.extend(match_rows(generation, &report.matches, report.time, Some(report.verdict.decision)));
        // The ladder is played first, baseline by baseline.
        rows.ladder.extend(report.matches.iter().zip(&report.ladder.baselines).map(|(played, baseline)| LadderRow {
            generation,
            baseline: baseline.player.clone(),
            games: played.games.into(),
            wins: played.wins.into(),
            draws: played.draws.into(),
            losses: played.losses.into(),
            score: played.score,
        }));
        self.matches.extend(report.matches.iter().cloned());
    }

    /// Adds the ratings over all matches, with `random` at 0: baselines first, then the generations in order. Returns
    /// those who have none.
    ///
    /// # Errors
    /// If the matches cannot be rated.
    pub fn rate(self, rows: &mut ReportRows) -> Result<Option<Unrated>, RunError> {
        if self.matches.is_empty() {
            return Ok(None);
        }
        let encounters: Vec<_> = self.matches.iter().map(MatchSummary::encounter).collect();
        let table = RatingTable::fit(&encounters, &RatingConfig::anchored_at(RandomSpec::default().to_string()))?;
        let unrated = table.unrated();
        for rating in table.ratings {
            let Some(estimate) = rating.estimate else { continue };
            let candidate = self.generations.get(&rating.player);
            rows.elo.push(EloRow {
                generation: candidate.map(|candidate| candidate.number),
                elo: estimate.elo,
                elo_low: estimate.low,
                elo_high: estimate.high,
                games: rating.games,
                score: rating.score,
                cumulative_cpu_hours: candidate.map(|candidate| candidate.costs.cpu_hours()),
                cumulative_games: candidate.map(|candidate| candidate.costs.games),
                cumulative_simulations: candidate.map(|candidate| candidate.costs.simulations),
                role: candidate.map_or(PlayerRole::Baseline, |candidate| candidate.role),
                player: rating.player,
            });
        }
        rows.elo.sort_by_key(|row| row.generation);
        Ok(unrated)
    }
}

/// The rows of some matches; the time of their phase is dealt out over them by their games.
fn match_rows(
    generation: u32,
    matches: &[MatchSummary],
    time: PhaseTime,
    decision: Option<GateDecision>,
) -> impl Iterator<Item = MatchRow> {
    let games: u32 = matches.iter().map(|played| played.games).sum();
    matches.iter().map(move |played| {
        let [pairs_0, pairs_half, pairs_1, pairs_1_half, pairs_2] = played.pentanomial.map(u64::from);
        let [forfeits_a, forfeits_b] = played.forfeits.map(u64::from);
        let sprt = played.sprt.map(|SprtSummary { state, .. }| state);
        MatchRow {
            generation,
            a: played.a.clone(),
            b: played.b.clone(),
            games: played.games.into(),
            wins: played.wins.into(),
            draws: played.draws.into(),
            losses: played.losses.into(),
            score: played.score,
            elo: bounded(played.elo),
            elo_low: bounded(played.elo_low),
            elo_high: bounded(played.elo_high),
            normalized_elo: played.normalized_elo,
            los: played.los,
            pairs_0,
            pairs_half,
            pairs_1,
            pairs_1_half,
            pairs_2,
            first_player_share: played.first_player_share,
            forfeits_a,
            forfeits_b,
            sprt_llr: sprt.and_then(|state| bounded(state.llr)),
            sprt_lower: sprt.map(|state| state.lower),
            sprt_upper: sprt.map(|state| state.upper),
            verdict: decision.map(|decision| decision.name().to_owned()),
            duplicates: played.duplicates,
            cpu_seconds: time.cpu_seconds * f64::from(played.games) / f64::from(games.max(1)),
        }
    })
}

/// A number that the games bound.
fn bounded(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
