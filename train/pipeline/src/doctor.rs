//! What is wrong with a run, in words, and what to try: rules of thumb over the numbers that its phases left.

mod history;

mod checks;

use std::fmt;

use selfplay_notebooks_export::DiagnosticRow;

use checks::CHECKS;
use history::History;

pub use checks::DiagnosticKind;
pub use history::{DiagnosisInput, Generation, generations_of};

/// One thing that is wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// What it is about; at most one diagnostic for each.
    pub kind: DiagnosticKind,
    /// What it is called in `metrics.jsonl`.
    pub name: &'static str,
    /// What was seen, with numbers.
    pub seen: String,
    /// What to try.
    pub advice: &'static str,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.seen, self.advice)
    }
}

/// When each kind first showed, in the order of these generations.
pub fn diagnostics_of(generations: &[Generation], circumstances: DiagnosisInput) -> Vec<DiagnosticRow> {
    let mut known: Vec<DiagnosticKind> = Vec::new();
    let mut rows = Vec::new();
    for count in 1..=generations.len() {
        for diagnostic in diagnose(&generations[..count], circumstances) {
            if !known.contains(&diagnostic.kind) {
                known.push(diagnostic.kind);
                let generation = generations[count - 1].number;
                rows.push(DiagnosticRow { generation, kind: diagnostic.name.to_owned(), text: diagnostic.to_string() });
            }
        }
    }
    rows
}

/// What is wrong after these generations, in order from 1.
pub fn diagnose(generations: &[Generation], circumstances: DiagnosisInput) -> Vec<Diagnostic> {
    let Some(history) = History::new(generations, circumstances) else { return Vec::new() };
    let diagnostics = CHECKS.iter().filter_map(|check| {
        let seen = (check.seen)(&history)?;
        Some(Diagnostic { kind: check.kind, name: check.name, seen, advice: check.advice })
    });
    diagnostics.collect()
}

#[cfg(test)]
mod tests;
