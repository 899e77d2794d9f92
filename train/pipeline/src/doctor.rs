//! What is wrong with a run, in words, and what to try: rules of thumb over the numbers that its phases left.

mod history;

mod checks;

use std::fmt;

use selfplay_notebooks_export::RemarkRow;

use checks::CHECKS;
use history::History;

pub use checks::Diagnostic;
pub use history::{DiagnosisInput, Generation, generations_of};

/// One thing that is wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Remark {
    /// What it is about; at most one remark for each.
    pub symptom: Diagnostic,
    /// What it is called in `metrics.jsonl`.
    pub name: &'static str,
    /// What was seen, with numbers.
    pub seen: String,
    /// What to try.
    pub advice: &'static str,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.seen, self.advice)
    }
}

/// When each symptom first showed, in the order of these generations.
pub fn remarks_of(generations: &[Generation], circumstances: DiagnosisInput) -> Vec<RemarkRow> {
    let mut known: Vec<Diagnostic> = Vec::new();
    let mut rows = Vec::new();
    for count in 1..=generations.len() {
        for remark in diagnose(&generations[..count], circumstances) {
            if !known.contains(&remark.symptom) {
                known.push(remark.symptom);
                let generation = generations[count - 1].number;
                rows.push(RemarkRow { generation, symptom: remark.name.to_owned(), text: remark.to_string() });
            }
        }
    }
    rows
}

/// What is wrong after these generations, in order from 1.
pub fn diagnose(generations: &[Generation], circumstances: DiagnosisInput) -> Vec<Remark> {
    let Some(history) = History::new(generations, circumstances) else { return Vec::new() };
    let remarks = CHECKS.iter().filter_map(|check| {
        let seen = (check.seen)(&history)?;
        Some(Remark { symptom: check.symptom, name: check.name, seen, advice: check.advice })
    });
    remarks.collect()
}

#[cfg(test)]
mod tests;
