//! `report`: the tables and plots of a run.

use std::io::Write;

use crate::args::ReportArgs;
use crate::error::CliError;
use crate::results::write_results;
use crate::run_folder::RunFolder;

/// Rebuilds them in the run's folder and prints where they are.
///
/// # Errors
/// If there is no run, one of its files is damaged or missing, or a file or the output refuses.
pub fn report(args: &ReportArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    run.check_phases()?;
    for path in write_results(&run, &run.config()?)?.files {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}
