//! What the doctor looks at: what the generations of a run left, and how it was computed.

use crate::config::RunConfig;
use crate::error::RunError;
use crate::phase::{GateReport, LearnReport, Phase, SelfPlayReport};
use crate::provenance::Call;
use crate::run_folder::RunFolder;

/// Generations in a row that must show a kind before it is one.
const LASTING: usize = 3;

/// What a generation left.
#[derive(Clone, Debug)]
pub struct Generation {
    /// Its number, from 1.
    pub number: u32,
    /// Self-play.
    pub selfplay: SelfPlayReport,
    /// Learning, if that is done.
    pub learn: Option<LearnReport>,
    /// The gate, if that is done.
    pub gate: Option<GateReport>,
}

/// What the finished generations of a run left, in order from 1.
///
/// # Errors
/// If a phase file is damaged.
pub fn generations_of(run: &RunFolder) -> Result<Vec<Generation>, RunError> {
    let mut generations = Vec::new();
    while let Some(generation) = Generation::read(run, generations.len() as u32 + 1)? {
        generations.push(generation);
    }
    Ok(generations)
}

impl Generation {
    /// What generation `number`, from 1, left in the run folder; `None` before its self-play is done.
    ///
    /// # Errors
    /// If a phase file is damaged.
    pub fn read(run: &RunFolder, number: u32) -> Result<Option<Self>, RunError> {
        let Some(selfplay) = run.completed(number, Phase::SelfPlay)? else { return Ok(None) };
        let (learn, gate) = (run.completed(number, Phase::Learn)?, run.completed(number, Phase::Gate)?);
        Ok(Some(Generation { number, selfplay, learn, gate }))
    }

    /// CPU time of its self-play and learning.
    pub fn training_cpu_seconds(&self) -> f64 {
        self.selfplay.time.cpu_seconds + self.learn.as_ref().map_or(0.0, |learn| learn.time.cpu_seconds)
    }
}

/// What has to be known of a run besides its generations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagnosisInput {
    /// Threads that work.
    pub threads: usize,
    /// Whether networks are computed on the CPU; where they are not, cores wait for another device.
    pub is_on_cpu: bool,
    /// Whether it went on from another run's weights, so that its policies were sharp from the start.
    pub is_continued: bool,
}

impl DiagnosisInput {
    /// Those of this run, by its last call.
    pub fn for_run(run: &RunFolder, config: &RunConfig) -> Self {
        let calls = Call::noted(run.path());
        DiagnosisInput {
            threads: Call::last_threads(&calls),
            is_on_cpu: calls.last().is_none_or(Call::is_on_cpu),
            is_continued: config.init_from.is_some(),
        }
    }
}

/// What checks look at: the generations of a run, at least one.
pub struct History<'a> {
    /// All of them, from 1.
    pub generations: &'a [Generation],
    /// The first of them.
    pub first: &'a Generation,
    /// The last of them.
    pub newest: &'a Generation,
    /// What else has to be known.
    pub circumstances: DiagnosisInput,
}

impl<'a> History<'a> {
    /// Of these generations; `None` if there is none.
    pub fn new(generations: &'a [Generation], circumstances: DiagnosisInput) -> Option<Self> {
        let (first, newest) = (generations.first()?, generations.last()?);
        Some(History { generations, first, newest, circumstances })
    }

    /// The last ones, as many as a kind has to last.
    pub fn recent(&self) -> &'a [Generation] {
        &self.generations[self.generations.len().saturating_sub(LASTING)..]
    }

    /// Whether the last generations, as many as it takes, show a kind.
    pub fn lasts(&self, shows: impl Fn(&Generation) -> bool) -> bool {
        self.recent().len() == LASTING && self.recent().iter().all(shows)
    }
}
