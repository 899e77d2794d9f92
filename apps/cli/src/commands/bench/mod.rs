//! `bench`: what this machine does, as rates and as ratios between rates of the same run.
//!
//! Ratios say more than rates: both sides are measured in turn, round by round, so that a slow or busy machine slows
//! both. A value is the median over the rounds.

mod measure;

mod alpha_beta;
mod arithmetic;
mod inference;
mod learner;
mod rules;
mod searching;
mod self_play;
mod whole_run;

use std::io::Write;

use selfplay_registry::Games;

use crate::args::{BenchArgs, BenchSection};
use crate::error::CliError;

use measure::{Bench, Report};

/// Runs the sections asked for, by default all that measure training, and prints the table or one JSON object.
///
/// # Errors
/// If the device cannot be opened, a temporary file cannot be written, or the output does.
pub fn bench(args: &BenchArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let bench = Bench {
        threads: args.machine.machine().threads,
        rounds: args.rounds.into(),
        seconds: args.seconds,
        games: games.clone(),
    };
    let mut report = Report::default();
    let all =
        [BenchSection::Network, BenchSection::Search, BenchSection::Env, BenchSection::Selfplay, BenchSection::Train];
    let sections = if args.sections.is_empty() { &all[..] } else { &args.sections[..] };
    for section in sections {
        tracing::info!("measuring {section:?}");
        match section {
            BenchSection::Network => inference::measure(&bench, &mut report)?,
            BenchSection::Search => searching::measure(&bench, &mut report)?,
            BenchSection::Env => rules::measure(&bench, &mut report),
            BenchSection::Selfplay => self_play::measure(&bench, &mut report)?,
            BenchSection::Train => learner::measure(&bench, &mut report)?,
            BenchSection::Kernels => arithmetic::measure(&bench, &mut report),
            BenchSection::Run => whole_run::measure(&bench, &mut report)?,
            BenchSection::Alphabeta => alpha_beta::measure(&bench, &mut report)?,
        }
    }
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report).expect("plain data"))?;
    } else {
        report.print(out)?;
    }
    Ok(())
}
