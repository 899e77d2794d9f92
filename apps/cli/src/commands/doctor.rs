//! `doctor`: what is wrong with a run, whether its games are what the rules allow, and whether its files are as they were written.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;

use selfplay_env::{Action, Rules};
use selfplay_players::TablebaseLookup;
use selfplay_ratings::Proportion;
use selfplay_registry::Games;
use selfplay_train::{EndReason, TrainError};

use crate::args::DoctorArgs;
use crate::error::CliError;
use selfplay_pipeline::RunError;
use selfplay_pipeline::doctor::{DiagnosisInput, Generation, diagnose, generations_of};
use selfplay_pipeline::integrity::Integrity;
use selfplay_pipeline::perfect_play::GamesByTable;
use selfplay_pipeline::retention::CleanedGames;
use selfplay_pipeline::run_folder::RunFolder;
use selfplay_pipeline::self_play::read_games;

/// Stored games of each shard that are replayed; the newest shards are looked at.
const GAMES_FOR_EACH_SHARD: usize = 64;
const SHARDS: usize = 8;

/// Prints diagnostics on the run's numbers and replays a sample of its games.
///
/// # Errors
/// If there is no run, a file is damaged, or a stored game does not agree with the rules.
pub fn doctor(args: &DoctorArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    let config = run.config(games)?;
    if args.check {
        return check(Integrity::check(games.find(&config.game)?, &run, &config), out);
    }
    let generations = generations_of(&run)?;
    if generations.is_empty() {
        if let Some(path) = run.missing_phases().into_iter().next() {
            return Err(RunError::MissingReport { path }.into());
        }
        writeln!(out, "no generation is complete yet")?;
        return Ok(());
    }
    let diagnostics = diagnose(&generations, DiagnosisInput::for_run(&run, &config));
    for diagnostic in &diagnostics {
        writeln!(out, "- {diagnostic}")?;
    }
    if diagnostics.is_empty() {
        writeln!(out, "no diagnostics for {} generations", generations.len())?;
    }
    let cleaned = CleanedGames::read(&run)?.last();
    let with_games = generations.iter().rev().filter(|generation| generation.number > cleaned);
    let newest: Vec<&Generation> = with_games.take(SHARDS).collect();
    let game = games.find(&config.game)?;
    let tablebase = args.table.as_deref().map(|table| TablebaseLookup::open(table, game)).transpose()?;
    let Stored { games, repeated, replayed, by_table } = replay(game, &run, &newest, tablebase.as_ref())?;
    writeln!(out, "{replayed} stored games replay {}", manners(game))?;
    if tablebase.is_some() {
        print_by_table(&by_table, out)?;
    }
    if repeated > 0 {
        let (share, generations) = (100.0 * repeated as f64 / games as f64, newest.len());
        writeln!(
            out,
            "{repeated} of {games} games ({share:.0} %) in the newest {generations} generations are duplicates"
        )?;
        if repeated > games / 2 {
            let more = "raise temperature, root noise or random starts, unless the game has few distinct games";
            writeln!(out, "- most games are duplicates; {more}")?;
        }
    }
    Ok(())
}

/// Says what was found, each problem on a line of its own.
fn check(found: Integrity, out: &mut dyn Write) -> Result<(), CliError> {
    let Integrity { read, problems } = found;
    for problem in &problems {
        writeln!(out, "- {problem}")?;
    }
    if !problems.is_empty() {
        return Err(CliError::DamagedRun { damaged: problems.len(), files: read });
    }
    writeln!(out, "{read} reports, shards and checkpoints match their checksums")?;
    Ok(())
}

/// What a table says of the games of some generations.
fn print_by_table(by_table: &BTreeMap<u32, GamesByTable>, out: &mut dyn Write) -> Result<(), CliError> {
    writeln!(out, "accuracy of fully searched moves, by the tablebase:")?;
    for (generation, GamesByTable { kept, .. }) in by_table {
        writeln!(out, "  generation {generation}: {kept}")?;
    }
    let proven: Proportion = by_table.values().map(|of| of.proven).sum();
    let Proportion { successes, trials } = proven;
    match trials - successes {
        0 => writeln!(out, "{trials} wins and losses proven by searches agree with the tablebase")?,
        wrong => writeln!(
            out,
            "- {wrong} of {trials} wins and losses proven by searches contradict the tablebase: the rules, the search or the tablebase is wrong"
        )?,
    }
    Ok(())
}

/// The ways in which games of `game` are replayed, in words.
fn manners(game: &dyn Rules) -> &'static str {
    match (game.symmetries().len() > 1, game.sides_are_alike()) {
        (true, true) => "as recorded, under every symmetry and with the sides exchanged",
        (true, false) => "as recorded and under every symmetry",
        (false, true) => "as recorded and with the sides exchanged",
        (false, false) => "as recorded",
    }
}

/// Games of some generations.
#[derive(Default)]
struct Stored {
    games: usize,
    /// Those that consist of the same moves as an earlier one.
    repeated: usize,
    /// Those that were replayed.
    replayed: usize,
    /// What a table says of them, by generation; nothing without one.
    by_table: BTreeMap<u32, GamesByTable>,
}

/// Replays stored games of some generations, as recorded, under every symmetry and with the sides exchanged: a rule that
/// is wrong for one side poisons training silently.
fn replay(
    game: &dyn Rules,
    run: &RunFolder,
    generations: &[&Generation],
    tablebase: Option<&TablebaseLookup>,
) -> Result<Stored, CliError> {
    let mut stored = Stored::default();
    let mut known: HashSet<Vec<u16>> = HashSet::new();
    for Generation { number, selfplay, .. } in generations {
        let generation = *number;
        let path = run.shard(generation);
        // A shard that was cut short is whole as far as it goes: only the report tells that games are gone.
        let records = read_games(run, generation, &selfplay.summary)?;
        let lines = records.iter().map(|record| record.plies.iter().map(|made| made.action).collect());
        stored.games += records.len();
        stored.repeated += lines.filter(|line: &Vec<u16>| !known.insert(line.clone())).count();
        let step = records.len().div_ceil(GAMES_FOR_EACH_SHARD).max(1);
        for record in records.iter().step_by(step) {
            let game_number = record.game_number;
            if !record.agrees_with(game) {
                return Err(TrainError::ImpossibleRecord { path, game_number, game: game.id() }.into());
            }
            let actions: Vec<Action> = record.plies.iter().map(|made| Action(made.action)).collect();
            let is_over = record.end.reason == EndReason::Rules;
            let checked = game.check_game(&actions, is_over.then(|| record.end.value_outcome()));
            checked.map_err(|source| {
                let (path, source) = (path.clone(), Box::new(source));
                CliError::Contaminated { path, game_number, source }
            })?;
            if let Some(tablebase) = tablebase {
                stored.by_table.entry(generation).or_default().count(tablebase, game, record)?;
            }
            stored.replayed += 1;
        }
    }
    Ok(stored)
}
