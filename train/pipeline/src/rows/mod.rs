//! From the phase files of a run to the rows of its tables.

mod strength;
mod training;

use selfplay_notebooks_export::ReportRows;
use selfplay_ratings::Unrated;

use crate::config::RunConfig;
use crate::doctor::Generation;
use crate::error::RunError;
use crate::phase::{BaselinesReport, GateReport, LearnReport, Phase, SelfPlayReport};
use crate::run_folder::RunFolder;
use strength::Strength;
use training::Costs;

/// All rows of a run as far as it is done.
pub struct CollectedRows {
    /// The rows of each table.
    pub rows: ReportRows,
    /// What they were made from: the generations in order from 1, up to the first without a self-play report.
    pub generations: Vec<Generation>,
    /// Players without a rating.
    pub unrated: Option<Unrated>,
}

/// What becomes of a phase file that cannot be read.
pub enum Damage<'a> {
    /// It is an error.
    Refuse,
    /// It counts as missing, with a word here.
    Tell(&'a mut Vec<String>),
}

impl Damage<'_> {
    fn or_none<T>(&mut self, read: Result<Option<T>, RunError>) -> Result<Option<T>, RunError> {
        match (read, self) {
            (Err(error), Damage::Tell(warnings)) => {
                warnings.push(format!("{error}; omitted"));
                Ok(None)
            }
            (read, _) => read,
        }
    }
}

/// Collects the rows from the run's phase files.
///
/// # Errors
/// If a phase file is damaged and that is rejected, or the matches cannot be rated.
pub fn collect_rows(run: &RunFolder, config: &RunConfig, mut damage: Damage<'_>) -> Result<CollectedRows, RunError> {
    let mut rows = ReportRows::default();
    let mut generations = Vec::new();
    let (mut costs, mut strength) = (Costs::default(), Strength::default());
    if let Some(report) = damage.or_none(run.completed::<BaselinesReport>(0, Phase::Baselines))? {
        strength.add_baselines(&mut rows, report);
    }
    // Only those that are there: a stray file with a great number must not make this slow.
    for &generation in run.generations_present().range(..=config.generations) {
        let selfplay: Option<SelfPlayReport> = damage.or_none(run.completed(generation, Phase::SelfPlay))?;
        let learn: Option<LearnReport> = damage.or_none(run.completed(generation, Phase::Learn))?;
        let gate: Option<GateReport> = damage.or_none(run.completed(generation, Phase::Gate))?;
        if selfplay.is_none() && learn.is_none() && gate.is_none() {
            continue;
        }
        costs.add(selfplay.as_ref(), learn.as_ref());
        training::add_generation(&mut rows, generation, selfplay.as_ref(), learn.as_ref(), gate.as_ref(), &costs);
        if let Some(report) = &selfplay {
            training::add_selfplay(&mut rows, generation, report);
        }
        if let Some(report) = &learn {
            rows.losses.extend(training::loss_rows(generation, report));
        }
        if let Some(report) = &gate {
            strength.add_gate(&mut rows, generation, report, costs);
        }
        if let Some(selfplay) = selfplay.filter(|_| generations.len() + 1 == generation as usize) {
            generations.push(Generation { number: generation, selfplay, learn, gate });
        }
    }
    let unrated = strength.rate(&mut rows)?;
    Ok(CollectedRows { rows, generations, unrated })
}
