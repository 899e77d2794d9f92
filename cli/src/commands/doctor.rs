//! `doctor`: what is wrong with a run, and whether its games are what the rules allow.

use std::io::Write;

use selfplay_env::replay_check::check_game;
use selfplay_env::{Action, GameVisitor, PlayableGame, with_game};
use selfplay_train::shard::read_shard;
use selfplay_train::{EndReason, TrainError};

use crate::args::DoctorArgs;
use crate::doctor::{Circumstances, diagnose, generations_of};
use crate::error::CliError;
use crate::run_folder::RunFolder;

/// Stored games of each shard that are replayed; the newest shards are looked at.
const GAMES_FOR_EACH_SHARD: usize = 64;
const SHARDS: usize = 8;

/// Prints remarks on the run's numbers and replays a sample of its games.
///
/// # Errors
/// If there is no run, a file is damaged, or a stored game does not agree with the rules.
pub fn doctor(args: &DoctorArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let run = RunFolder::open(&args.run)?;
    let config = run.config()?;
    let generations = generations_of(&run)?;
    if generations.is_empty() {
        writeln!(out, "no generation is finished yet")?;
        return Ok(());
    }
    let remarks = diagnose(&generations, Circumstances::of(&run, &config));
    for remark in &remarks {
        writeln!(out, "- {remark}")?;
    }
    if remarks.is_empty() {
        writeln!(out, "nothing odd in the numbers of {} generations", generations.len())?;
    }
    let newest = generations.iter().rev().take(SHARDS).map(|generation| generation.number).collect();
    let replayed = with_game(&config.game, Replay { run: &run, generations: newest })??;
    writeln!(out, "{replayed} stored games replay as recorded, under every symmetry and with the sides exchanged")?;
    Ok(())
}

/// Replays stored games of some generations, as recorded, under every symmetry and with the sides exchanged: a rule that
/// is wrong for one side poisons training silently. Counts them.
struct Replay<'a> {
    run: &'a RunFolder,
    generations: Vec<u32>,
}

impl GameVisitor for Replay<'_> {
    type Output = Result<usize, CliError>;

    fn visit<G: PlayableGame>(self) -> Self::Output {
        let mut replayed = 0;
        for generation in self.generations {
            let path = self.run.shard(generation);
            let (_, records) = read_shard(&path)?;
            let step = records.len().div_ceil(GAMES_FOR_EACH_SHARD).max(1);
            for record in records.iter().step_by(step) {
                if !record.agrees_with_rules::<G>() {
                    let game_number = record.game_number;
                    return Err(TrainError::ImpossibleRecord { path, game_number, game: G::ID }.into());
                }
                let actions: Vec<Action> = record.decisions.iter().map(|made| Action(made.action)).collect();
                let is_over = record.end.reason == EndReason::Rules;
                check_game::<G>(&actions, is_over.then(|| record.end.value_outcome())).map_err(|source| {
                    CliError::Contaminated {
                        path: path.clone(),
                        game_number: record.game_number,
                        source: Box::new(source),
                    }
                })?;
                replayed += 1;
            }
        }
        Ok(replayed)
    }
}
