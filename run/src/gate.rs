//! The gate phase: matches of a candidate against champion and ladder, the verdict, and the baselines themselves.

use selfplay_env::rng::derive_seed;
use selfplay_eval::{
    Champion, LadderRecord, MatchSetting, MatchSummary, Pacing, build_player, play_ladder, play_match,
};

use crate::agents::Agents;
use crate::contestant::Contestant;
use crate::error::RunError;
use crate::once::Once;
use crate::phase::{BaselinesReport, GateReport};
use crate::training::Training;

/// Keep the openings of different kinds of match apart; those against the ladder are the same for every generation.
const BASELINE_STREAM: u64 = 0xBA5E;
const LADDER_STREAM: u64 = 0x1ADD;
const CHAMPION_STREAM: u64 = 0xC4A3;
/// Share of repeated games in a match above which whoever follows is told.
const MOST_DUPLICATES: f64 = 0.25;

/// Repeated games say nothing new: verdict and ratings look surer than they are.
fn duplicates_among(matches: &[MatchSummary]) -> impl Iterator<Item = String> {
    matches.iter().filter(|played| played.duplicates > MOST_DUPLICATES).map(|played| {
        let MatchSummary { a, b, duplicates, .. } = played;
        let percent = 100.0 * duplicates;
        format!("{percent:.0} % of the games of {a} against {b} repeat another; raise gate.opening_decisions")
    })
}

/// Plays the baselines of the ladder against each other, unless that is done, so that their ratings rest on more than
/// the candidates' games.
///
/// # Errors
/// If a match fails or a file refuses.
pub fn measure_baselines(training: &Training<'_>) -> Result<(), RunError> {
    let Training { config, game, .. } = training;
    let gate = &config.gate;
    let rungs = gate.ladder.len();
    let games = rungs * rungs.saturating_sub(1) * gate.ladder_pairs;
    training.once(0, games as u64, |progress| {
        let agents = Agents::of_run(training);
        let mut matches = Vec::new();
        for (index, a) in gate.ladder.iter().enumerate() {
            let seed = derive_seed(&[config.seed, BASELINE_STREAM, index as u64]);
            let rest = &gate.ladder[index + 1..];
            let make = || build_player(*game, a, &agents);
            let setting = MatchSetting { pacing: Pacing::of([a]), ..MatchSetting::default() };
            let on_game = |_, _| progress.tick();
            let reports = play_ladder(*game, make, rest, &agents, &gate.ladder_match(seed), &setting, on_game)?;
            matches.extend(reports.iter().map(MatchSummary::from));
        }
        Ok(|time| BaselinesReport { matches, time })
    })?;
    Ok(())
}

/// The champion that a candidate has to pass.
pub struct Reigning {
    /// Its generation.
    pub generation: u32,
    /// Its own record against the ladder.
    pub ladder: LadderRecord,
}

/// Puts the generation's network to the gate, with `champion` as it was before, unless that is done.
///
/// # Errors
/// If a checkpoint cannot be read, a match fails or a file refuses.
pub fn judge(
    training: &Training<'_>,
    generation: u32,
    champion: Option<&Reigning>,
) -> Result<Once<GateReport>, RunError> {
    let Training { run, config, machine, game, .. } = training;
    let gate = &config.gate;
    let pairs = gate.ladder_pairs * gate.ladder.len() + champion.map_or(0, |_| gate.pairs);
    let judged = training.once(generation, 2 * pairs as u64, |progress| {
        let contestant = |generation| Contestant::load(*game, run, config, *machine, generation);
        let candidate = contestant(generation)?;
        let ladder_match = gate.ladder_match(derive_seed(&[config.seed, LADDER_STREAM]));
        let agents = Agents::of_run(training);
        let climber = || candidate.player(gate.limits());
        let on_game = |_, _| progress.tick();
        let reports = play_ladder(*game, climber, &gate.ladder, &agents, &ladder_match, &gate.setting(), on_game)?;
        let ladder = LadderRecord::from_reports(&reports);
        let mut matches: Vec<MatchSummary> = reports.iter().map(MatchSummary::from).collect();
        let verdict = match champion {
            None => gate.decide(&ladder, None)?,
            Some(champion) => {
                let opponent = contestant(champion.generation)?;
                let champion_match =
                    gate.champion_match(derive_seed(&[config.seed, CHAMPION_STREAM, generation.into()]));
                let stop = gate.stop_rule();
                let setting = MatchSetting { stop: Some(&stop), ..gate.setting() };
                let on_game = |_| progress.tick();
                let report =
                    play_match(*game, climber, || opponent.player(gate.limits()), &champion_match, &setting, on_game)?;
                let summary = MatchSummary::from(&report);
                matches.push(match gate.sprt {
                    Some(sprt) => summary.with_sprt(sprt),
                    None => summary,
                });
                let known = Champion { pair_counts: &report.pair_counts(), ladder: &champion.ladder };
                gate.decide(&ladder, Some(known))?
            }
        };
        let champion = champion.map(|champion| champion.generation);
        Ok(move |time| GateReport { matches, ladder, champion, verdict, time })
    })?;
    if judged.is_new {
        for warning in duplicates_among(&judged.report.matches) {
            training.observer.warned(&format!("generation {generation}: {warning}"));
        }
    }
    Ok(judged)
}
