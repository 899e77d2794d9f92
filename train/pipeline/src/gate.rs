//! The gate phase: matches of a candidate against champion and ladder, the verdict, and the baselines themselves.

use selfplay_arena::{Champion, LadderRecord, MatchSummary};

use crate::error::RunError;
use crate::phase::{BaselinesReport, GateReport};
use crate::run_match::{RunMatch, RunPlayers};
use crate::run_phase::PhaseResult;
use crate::training::Training;

/// Plays the baselines of the ladder against each other, unless that is done, so that their ratings rest on more than
/// the candidates' games.
///
/// # Errors
/// If a match fails or a file cannot be read or written.
pub fn measure_baselines(training: &Training<'_>) -> Result<(), RunError> {
    let Training { run, config, machine, game, executor, .. } = training;
    let gate = &config.gate;
    let baselines = gate.eval_opponents.len();
    let games = baselines * baselines.saturating_sub(1) * gate.eval_pairs;
    training.run_phase(0, games as u64, |progress| {
        let players = RunPlayers::for_run(*game, run, config, *machine, training.cache());
        let matches = (0..baselines).flat_map(|a| (a + 1..baselines).map(move |b| RunMatch::Baselines { a, b }));
        let matches: Vec<RunMatch> = matches.collect();
        let reports = executor.play_matches(&players, &matches, None, &|| progress.tick())?;
        let matches = reports.iter().map(MatchSummary::from).collect();
        Ok(|time| BaselinesReport { matches, time })
    })?;
    Ok(())
}

/// The champion that a candidate has to pass.
#[derive(Clone, PartialEq, Debug)]
pub struct Incumbent {
    /// Its generation.
    pub generation: u32,
    /// The best record against the ladder of all champions so far, its own or that of an earlier one.
    pub best_ladder: LadderRecord,
}

impl Incumbent {
    /// The champion of `generation` with this record, after `previous`.
    pub fn after(previous: Option<Incumbent>, generation: u32, ladder: &LadderRecord) -> Self {
        let best_ladder = match previous {
            Some(previous) => previous.best_ladder.or_better(ladder),
            None => ladder.clone(),
        };
        Incumbent { generation, best_ladder }
    }
}

/// Puts the generation's network to the gate, with `champion` as it was before, unless that is done.
///
/// # Errors
/// If a checkpoint cannot be read, a match fails or a file cannot be read or written.
pub fn judge(
    training: &Training<'_>,
    generation: u32,
    champion: Option<&Incumbent>,
) -> Result<PhaseResult<GateReport>, RunError> {
    let Training { run, config, machine, game, executor, .. } = training;
    let gate = &config.gate;
    let pairs = gate.eval_pairs * gate.eval_opponents.len() + champion.map_or(0, |_| gate.pairs);
    training.run_phase(generation, 2 * pairs as u64, |progress| {
        let players = RunPlayers::for_run(*game, run, config, *machine, training.cache());
        let on_game = || progress.tick();
        let baselines = 0..gate.eval_opponents.len();
        let baselines: Vec<RunMatch> = baselines.map(|baseline| RunMatch::Ladder { generation, baseline }).collect();
        let reports = executor.play_matches(&players, &baselines, None, &on_game)?;
        let ladder = LadderRecord::from_reports(&reports);
        let mut matches: Vec<MatchSummary> = reports.iter().map(MatchSummary::from).collect();
        let verdict = match champion {
            None => gate.decide(&ladder, None)?,
            Some(champion) => {
                let which = RunMatch::Champion { generation, champion: champion.generation };
                let reports = executor.play_matches(&players, &[which], Some(&gate.stop_rule()), &on_game)?;
                let [report] = &*reports else { unreachable!("one report for one match") };
                let summary = MatchSummary::from(report);
                matches.push(match gate.sprt {
                    Some(sprt) => summary.with_sprt(sprt),
                    None => summary,
                });
                let known = Champion { pair_counts: &report.pair_counts(), best_ladder: &champion.best_ladder };
                gate.decide(&ladder, Some(known))?
            }
        };
        let champion = champion.map(|champion| champion.generation);
        Ok(move |time| GateReport { matches, ladder, champion, verdict, time })
    })
}
