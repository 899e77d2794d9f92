//! `mistakes`: how often a player gives away what a position is worth under perfect play.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use selfplay_env::Rules;
use selfplay_eval::{
    Mistake, MistakesReport, PlayerSpec, Proportion, SolvedFile, SolvedPosition, SolvedPositions,
    SolvedPositionsConfig, TableJudge, build_player,
};
use selfplay_foreign::file_of;
use selfplay_kit::{GameRef, Games};
use serde::Serialize;

use crate::args::MistakesArgs;
use crate::error::CliError;
use crate::interrupt::say_when_interrupted;
use crate::placing::make_folder;
use crate::progress::PhaseBar;
use selfplay_run::agents::{Agents, POSITIONS_AT_ONCE};

/// Mistakes told to people; the rest is in the JSON.
const SHOWN_MISTAKES: usize = 10;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    player: String,
    kept: Share,
    kept_critical: Share,
    kept_immediate: Share,
    by_pieces: BTreeMap<usize, Share>,
    by_task: BTreeMap<&'static str, Share>,
    by_turns: BTreeMap<u32, Share>,
    mistakes: Vec<MistakeJson>,
}

#[derive(Serialize)]
struct Share {
    kept: u32,
    positions: u32,
    share: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct MistakeJson {
    decisions: String,
    r#move: String,
    value: i8,
    keeping: String,
}

/// Solves positions as far as the file does not know them, asks the player and prints what it made of them.
///
/// # Errors
/// If the game, the player or an option is wrong, the file refuses or holds something else, or the output refuses.
pub fn mistakes(args: &MistakesArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let spec: PlayerSpec = args.spec.parse()?;
    let mut player = build_player(game, &spec, &Agents::for_one_game(args.machine.machine()))?;
    let config = SolvedPositionsConfig {
        decisions: decisions(&args.decisions)?,
        seed: args.seed,
        nodes: args.nodes,
        memory_mib: args.memory,
    };
    let count = args.positions as usize;
    let (positions, source) = match &args.table {
        Some(table) => (by_table(game, table, config, count)?, format!("values by {}", table.display())),
        None => by_solver(args, game, config, count)?,
    };
    let bar = PhaseBar::new("judging", count as u64, "positions");
    let judged = |some| bar.advance(some as u64);
    let report = MistakesReport::of(game, player.as_mut(), &positions, POSITIONS_AT_ONCE, args.seed, judged)?;
    drop(bar);
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&json(game, player.name(), &report)).expect("plain data"))?;
        return Ok(());
    }
    print(game, &player.name(), &report, out)?;
    if !report.kept_by_turns.is_empty() {
        print_groups(&report, out)?;
    }
    writeln!(out, "{source}")?;
    Ok(())
}

/// Positions that the solver has solved, now or before, and where they are kept.
fn by_solver(
    args: &MistakesArgs,
    game: GameRef,
    config: SolvedPositionsConfig,
    count: usize,
) -> Result<(Vec<SolvedPosition>, String), CliError> {
    let path = solved_file(args, game.id(), &config)?;
    say_when_interrupted("what is solved is kept, and the same command goes on");
    let bar = PhaseBar::new("solving", count as u64, "positions");
    let mut file = SolvedFile::open(&path, game, config)?;
    let positions = file.first(count, |found| bar.reach(found as u64))?;
    Ok((positions, format!("solved positions in {}, {} others given up", path.display(), file.unsolved())))
}

/// Positions with the values of the table at `path`.
fn by_table(
    game: GameRef,
    path: &Path,
    config: SolvedPositionsConfig,
    count: usize,
) -> Result<Vec<SolvedPosition>, CliError> {
    let mut source = SolvedPositions::new(game, config)?.by_table(TableJudge::open(path, game)?);
    let positions = source.first(count)?;
    if positions.len() < count {
        let found = positions.len();
        return Err(CliError::TooFewPositions { game: game.id(), found, wanted: count });
    }
    Ok(positions)
}

/// `8..24`: at least and at most so many random decisions.
fn decisions(text: &str) -> Result<std::ops::RangeInclusive<usize>, CliError> {
    let ends = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match ends {
        Some((low, high)) if low <= high => Ok(low..=high),
        _ => Err(CliError::Option {
            option: "--decisions",
            value: text.into(),
            expected: "expected the fewest and the most random decisions, such as 12..30",
        }),
    }
}

/// The file asked for, or a name made of all that decides the positions, in a folder that is there.
fn solved_file(args: &MistakesArgs, game: &str, config: &SolvedPositionsConfig) -> Result<PathBuf, CliError> {
    let path = args.solved_file.clone().unwrap_or_else(|| {
        let mut plan = serde_json::to_vec(config).expect("plain data");
        // Under other rules positions are worth something else.
        plan.extend(file_of(game).iter().flat_map(|file| file.source.bytes()));
        Path::new("solved").join(game).join(format!("{:08x}.jsonl", crc32fast::hash(&plan)))
    });
    make_folder(&path)?;
    Ok(path)
}

fn json(game: &dyn Rules, player: String, report: &MistakesReport) -> Report {
    let share = |kept: &Proportion| {
        let [low, high] = kept.interval();
        Share { kept: kept.successes, positions: kept.trials, share: kept.share(), low, high }
    };
    let mistake = |mistake: &Mistake| MistakeJson {
        decisions: game.format_line(&mistake.history),
        r#move: game.action_name(mistake.decision),
        value: mistake.value,
        keeping: game.format_line(&mistake.keeping),
    };
    Report {
        player,
        kept: share(&report.kept),
        kept_critical: share(&report.kept_critical),
        kept_immediate: share(&report.kept_immediate),
        by_pieces: report.kept_by_pieces.iter().map(|(&pieces, kept)| (pieces, share(kept))).collect(),
        by_task: report.kept_by_task.iter().map(|(&task, kept)| (task, share(kept))).collect(),
        by_turns: report.kept_by_turns.iter().map(|(&turns, kept)| (turns, share(kept))).collect(),
        mistakes: report.mistakes.iter().map(mistake).collect(),
    }
}

/// What is told apart where the end is known.
fn print_groups(report: &MistakesReport, out: &mut dyn Write) -> Result<(), CliError> {
    writeln!(out, "by what is to be done:")?;
    for (task, kept) in &report.kept_by_task {
        writeln!(out, "  {task}: {kept}")?;
    }
    writeln!(out, "by pieces on the board:")?;
    for (pieces, kept) in &report.kept_by_pieces {
        writeln!(out, "{pieces:>4}  {kept}")?;
    }
    writeln!(out, "by turns to the end:")?;
    for (turns, kept) in &report.kept_by_turns {
        writeln!(out, "{turns:>4}  {kept}")?;
    }
    Ok(())
}

fn print(game: &dyn Rules, player: &str, report: &MistakesReport, out: &mut dyn Write) -> Result<(), CliError> {
    writeln!(out, "{player}")?;
    writeln!(out, "value kept in {}", report.kept)?;
    writeln!(out, "where a decision can lose it: {}", report.kept_critical)?;
    for (value, kept) in &report.kept_by_value {
        let name = match value {
            1 => "won",
            0 => "drawn",
            _ => "lost",
        };
        writeln!(out, "  {name:<6}{kept}")?;
    }
    if report.kept_immediate.trials > 0 {
        writeln!(out, "won with the next decision: {}", report.kept_immediate)?;
    }
    for Mistake { history, decision, value, keeping } in report.mistakes.iter().take(SHOWN_MISTAKES) {
        let value = if *value == 1 { "won" } else { "drawn" };
        let (history, decision) = (game.format_line(history), game.action_name(*decision));
        writeln!(out, "mistake: {decision} after {history}: {value} by {}", game.format_line(keeping))?;
    }
    Ok(())
}
