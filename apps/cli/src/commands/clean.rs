//! `clean`: what a run does not keep is removed from it.

use std::io::Write;

use indicatif::HumanBytes;
use selfplay_pipeline::retention::{Cleaning, clean as clean_run};
use selfplay_pipeline::run_folder::RunFolder;
use selfplay_registry::Games;

use crate::args::CleanArgs;
use crate::error::CliError;

/// Removes the networks and games that `[retention]` of the run's config, or an option, does not keep.
///
/// # Errors
/// If there is no run, another process works on it, or a file is damaged or cannot be removed.
pub fn clean(args: &CleanArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    let mut config = run.config(games)?;
    config.retention.keep_last = args.keep_last.unwrap_or(config.retention.keep_last);
    config.retention.keep_networks_every = args.keep_networks_every.unwrap_or(config.retention.keep_networks_every);
    config.retention.keep_games |= args.keep_games;
    let _lock = run.lock()?;
    let Cleaning { paths, bytes } = clean_run(&run, &config, args.dry_run)?;
    if args.dry_run {
        paths.iter().try_for_each(|path| writeln!(out, "{}", path.display()))?;
    }
    let done = if args.dry_run { "would be removed" } else { "removed" };
    writeln!(out, "{} networks and shards, {} {done}", paths.len(), HumanBytes(bytes))?;
    Ok(())
}
