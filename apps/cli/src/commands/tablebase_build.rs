//! `tablebase build`: the value of every position of a game.

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use selfplay_env::position_index::PositionIndex;
use selfplay_pipeline::all_cores;
use selfplay_registry::{GameRef, Games};
use selfplay_tablebase::{BuildProgress, Summary, TablebaseConfig, build_tablebase};
use tracing::info;

use crate::args::TablebaseBuildArgs;
use crate::commands::tablebase_inspect::{in_words, size};
use crate::error::CliError;
use crate::interrupt::say_when_interrupted;
use crate::progress::PhaseBar;

/// Sweeps that take longer appear in the log.
const LONG_SWEEP_SECONDS: f64 = 1.0;

/// Builds the tablebase, or resumes an interrupted build.
///
/// # Errors
/// If the game has no position index or no such rules, or the file is there already; those of [`build_tablebase`].
pub fn build(args: &TablebaseBuildArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let position_index = position_index_of(game, args.rules.as_deref())?;
    if !args.force && args.out.symlink_metadata().is_ok() {
        return Err(CliError::FileExists { path: args.out.clone() });
    }
    let config = TablebaseConfig {
        memory_mib: args.memory,
        threads: args.threads.map_or_else(all_cores, usize::from),
        turns: !args.outcomes_only,
        save_every: Duration::from_millis(args.save_every),
    };
    say_when_interrupted("the last saved state remains; run the same command to resume");
    let begun = Instant::now();
    let mut sweep = Sweep::default();
    let summary =
        build_tablebase(game.id(), position_index, &args.out, &config, &mut |progress| sweep.follow(progress))?;
    drop(sweep);
    print(&summary, out)?;
    let bytes = fs::metadata(&args.out).map_err(CliError::io(&args.out))?.len();
    let seconds = begun.elapsed().as_secs_f64();
    writeln!(out, "{}: {}, made in {seconds:.1} s", args.out.display(), size(bytes))?;
    Ok(())
}

fn print(summary: &Summary, out: &mut dyn Write) -> Result<(), CliError> {
    let initial = in_words(summary.initial, "the first player");
    let positions = summary.positions();
    writeln!(out, "{initial}; {positions} turn-start positions up to symmetry")?;
    let (wins, losses) = (summary.wins.iter().sum(), summary.losses.iter().sum());
    for (name, count) in [("won", wins), ("drawn", summary.draws), ("lost", losses)] {
        writeln!(out, "{name:<6}{count:>14}{:>8.3} %", 100.0 * count as f64 / positions as f64)?;
    }
    Ok(())
}

/// The bar of the sweep that is on.
#[derive(Default)]
struct Sweep {
    turns: Option<u8>,
    begun: Option<Instant>,
    bar: Option<PhaseBar>,
}

impl Sweep {
    fn follow(&mut self, progress: &BuildProgress) {
        let BuildProgress { turns, passed, count, judged, decided } = *progress;
        if self.turns != Some(turns) {
            self.turns = Some(turns);
            self.begun = Some(Instant::now());
            self.bar = Some(PhaseBar::with_text(&format!("lost in {turns}"), count, "positions"));
        }
        if let Some(bar) = &self.bar {
            bar.reach(passed);
            bar.say(format!("{judged} evaluated, {decided} decided"));
        }
        if passed == count
            && let Some(begun) = self.begun.take()
        {
            let seconds = begun.elapsed().as_secs_f64();
            if seconds < LONG_SWEEP_SECONDS {
                return;
            }
            info!("lost in {turns}: {judged} evaluated, {decided} decided in {seconds:.1} s");
        }
    }
}

fn position_index_of(game: GameRef, rules: Option<&str>) -> Result<&'static dyn PositionIndex, CliError> {
    let played = game.position_index().ok_or_else(|| CliError::NoPositionIndex { game: game.id() })?;
    let Some(name) = rules else { return Ok(played) };
    let mut all = vec![played];
    all.extend(played.variants());
    let known: Vec<_> = all.iter().map(|position_index| position_index.name()).collect();
    let known = known.join(", ");
    let found = all.into_iter().find(|position_index| position_index.name() == name);
    found.ok_or_else(|| CliError::NoSuchRules { game: game.id(), name: name.to_owned(), known })
}
