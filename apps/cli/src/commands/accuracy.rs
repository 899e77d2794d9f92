//! `accuracy`: how often players' moves preserve the value that a position has under perfect play.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use selfplay_arena::{
    AccuracyReport, PositionQuota, PositionSample, SolvedFile, SolvedPosition, SolvedPositions, SolvedPositionsConfig,
    Stage, ValueLoss, pieces_on, read_values,
};
use selfplay_env::Rules;
use selfplay_players::{TablebaseLookup, build_player};
use selfplay_python_game::file_of;
use selfplay_ratings::Proportion;
use selfplay_registry::{GameRef, Games};
use serde::Serialize;

use crate::args::AccuracyArgs;
use crate::error::CliError;
use crate::interrupt::say_when_interrupted;
use crate::placing::make_folder;
use crate::progress::PhaseBar;
use selfplay_pipeline::agents::{Agents, POSITIONS_AT_ONCE};

/// Losses of value printed as text; the JSON has all.
const SHOWN_LOSSES: usize = 10;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    game: &'static str,
    values: String,
    rows: Vec<RowJson>,
}

/// One player at one stage.
struct Row {
    stage: Stage,
    player: String,
    /// The first positions drawn.
    any: AccuracyReport,
    /// The critical positions drawn after them.
    more_critical: AccuracyReport,
}

#[derive(Serialize)]
struct RowJson {
    stage: String,
    player: String,
    critical: Share,
    any: Share,
    any_immediate: Share,
    any_by_pieces: BTreeMap<usize, Share>,
    any_by_task: BTreeMap<&'static str, Share>,
    any_by_turns: BTreeMap<u32, Share>,
    losses: Vec<LossJson>,
}

#[derive(Serialize)]
struct Share {
    preserved: u32,
    positions: u32,
    accuracy: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct LossJson {
    actions: String,
    r#move: String,
    value: i8,
    preserving: String,
}

/// Finds positions with their values, asks the players for a move in each and prints a table.
///
/// # Errors
/// If the game, a player or an option is wrong, a file cannot be used, or the output cannot be written.
pub fn accuracy(args: &AccuracyArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let specs = args.specs.iter().map(|spec| games.players().parse(spec)).collect::<Result<Vec<_>, _>>()?;
    let source = Source::open(args, game)?;
    let agents = Agents::for_many_games(args.machine.machine());
    let mut rows = Vec::new();
    for stage in stages(args) {
        let sample = source.sample(args, game, &stage)?;
        for (spec, text) in specs.iter().zip(&args.specs) {
            let bar = PhaseBar::new("evaluating", (sample.any.len() + sample.more_critical.len()) as u64, "positions");
            let make = || build_player(game, spec, &agents);
            let evaluate = |positions: &[SolvedPosition]| {
                let advance = |some| bar.advance(some as u64);
                AccuracyReport::in_parallel(game, &make, positions, POSITIONS_AT_ONCE, args.seed, &advance)
            };
            let (any, more_critical) = (evaluate(&sample.any)?, evaluate(&sample.more_critical)?);
            rows.push(Row { stage: stage.clone(), player: text.clone(), any, more_critical });
        }
    }
    if args.json {
        let rows = rows.iter().map(|row| row.json(game)).collect();
        let report = Report { game: game.id(), values: source.name(), rows };
        writeln!(out, "{}", serde_json::to_string(&report).expect("plain data"))?;
        return Ok(());
    }
    print_table(&rows, out)?;
    if let [row] = &rows[..] {
        print_details(game, row, out)?;
    }
    writeln!(out, "\nValues: {}.", source.name())?;
    Ok(())
}

/// The stages in the order asked for.
fn stages(args: &AccuracyArgs) -> Vec<Stage> {
    let by_pieces = args.pieces.iter().map(|&pieces| Stage::Pieces(pieces.into()));
    args.after.iter().cloned().map(Stage::After).chain(by_pieces).collect()
}

/// Where positions have their values from.
enum Source {
    /// This program's solver.
    Solver,
    Table(PathBuf),
    /// All positions of a file.
    Values(PathBuf, Vec<SolvedPosition>),
}

impl Source {
    fn open(args: &AccuracyArgs, game: GameRef) -> Result<Source, CliError> {
        if args.solved_file.is_some() && stages(args).len() > 1 {
            return Err(CliError::Option {
                option: "--solved-file",
                value: format!("with {} stages", stages(args).len()),
                expected: "expected one stage: the file holds the positions of one",
            });
        }
        match (&args.table, &args.values) {
            (Some(table), _) => Ok(Source::Table(table.clone())),
            (None, Some(path)) => Ok(Source::Values(path.clone(), read_values(path, game)?)),
            (None, None) => Ok(Source::Solver),
        }
    }

    fn name(&self) -> String {
        match self {
            Source::Solver => "this program's solver".into(),
            Source::Table(path) | Source::Values(path, _) => path.display().to_string(),
        }
    }

    /// The positions of `stage`; at least one.
    fn sample(&self, args: &AccuracyArgs, game: GameRef, stage: &Stage) -> Result<PositionSample, CliError> {
        let count = args.positions as usize;
        let quota = PositionQuota { any: count, critical: if args.critical { count } else { 0 } };
        let config =
            SolvedPositionsConfig { stage: stage.clone(), seed: args.seed, nodes: args.nodes, memory_mib: args.memory };
        let sample = match self {
            Source::Solver => solved(args, game, config, quota)?,
            Source::Table(path) => {
                SolvedPositions::new(game, config)?.by_table(TablebaseLookup::open(path, game)?).first(quota)?
            }
            Source::Values(_, positions) => {
                let is_there = |position: &&SolvedPosition| is_at(stage, position, game);
                quota.take(positions.iter().filter(is_there).cloned())
            }
        };
        match sample.any.is_empty() {
            true => Err(CliError::NoPosition { game: game.id(), stage: stage.to_string() }),
            false => Ok(sample),
        }
    }
}

/// Whether a position is at the stage.
fn is_at(stage: &Stage, position: &SolvedPosition, game: GameRef) -> bool {
    match stage {
        Stage::After(plies) => plies.contains(&position.history.len()),
        Stage::Pieces(pieces) => pieces_on(&*game.after(&position.history)) == *pieces,
    }
}

/// Positions that the solver solves now or has solved before.
fn solved(
    args: &AccuracyArgs,
    game: GameRef,
    config: SolvedPositionsConfig,
    quota: PositionQuota,
) -> Result<PositionSample, CliError> {
    let path = solved_file(args, game.id(), &config)?;
    say_when_interrupted("solved positions are saved; run the same command to resume");
    let bar = PhaseBar::new("solving", quota.any.max(quota.critical) as u64, "positions");
    let mut file = SolvedFile::open(&path, game, config)?;
    let sample = file.first(quota, |found| bar.reach(found as u64))?;
    if file.unsolved() > 0 {
        tracing::warn!("{}: {} positions were left out: not solved within --nodes", path.display(), file.unsolved());
    }
    Ok(sample)
}

/// The file asked for, or a name made of all that determines the positions, in a folder that exists.
fn solved_file(args: &AccuracyArgs, game: &str, config: &SolvedPositionsConfig) -> Result<PathBuf, CliError> {
    let path = args.solved_file.clone().unwrap_or_else(|| {
        let mut plan = serde_json::to_vec(config).expect("plain data");
        // Under other rules positions have other values.
        plan.extend(file_of(game).iter().flat_map(|file| file.source.bytes()));
        Path::new("solved").join(game).join(format!("{:08x}.jsonl", crc32fast::hash(&plan)))
    });
    make_folder(&path)?;
    Ok(path)
}

impl Row {
    /// All critical positions of the row.
    fn critical(&self) -> Proportion {
        [self.any.preserved_critical, self.more_critical.preserved].into_iter().sum()
    }

    fn losses(&self) -> impl Iterator<Item = &ValueLoss> {
        self.any.losses.iter().chain(&self.more_critical.losses)
    }

    fn json(&self, game: &dyn Rules) -> RowJson {
        let loss = |loss: &ValueLoss| LossJson {
            actions: game.format_line(&loss.history),
            r#move: game.action_name(loss.action),
            value: loss.value,
            preserving: game.format_line(&loss.preserving),
        };
        RowJson {
            stage: self.stage.to_string(),
            player: self.player.clone(),
            critical: share(&self.critical()),
            any: share(&self.any.preserved),
            any_immediate: share(&self.any.preserved_immediate),
            any_by_pieces: self.any.by_pieces.iter().map(|(&pieces, group)| (pieces, share(group))).collect(),
            any_by_task: self.any.by_task.iter().map(|(&task, group)| (task, share(group))).collect(),
            any_by_turns: self.any.by_turns.iter().map(|(&turns, group)| (turns, share(group))).collect(),
            losses: self.losses().map(loss).collect(),
        }
    }
}

fn share(preserved: &Proportion) -> Share {
    let [low, high] = preserved.interval();
    let Proportion { successes, trials } = *preserved;
    Share { preserved: successes, positions: trials, accuracy: preserved.share(), low, high }
}

/// Prints a row for each stage and player, in Markdown.
fn print_table(rows: &[Row], out: &mut dyn Write) -> Result<(), CliError> {
    writeln!(
        out,
        "| stage | player | accuracy, critical positions (95 %) | of | accuracy, all positions (95 %) | of |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|")?;
    for row in rows {
        let (critical, any) = (row.critical(), row.any.preserved);
        let cells = [percent(&critical), critical.trials.to_string(), percent(&any), any.trials.to_string()];
        writeln!(out, "| {} | `{}` | {} |", row.stage, row.player, cells.join(" | "))?;
    }
    Ok(())
}

/// As in `98.2 % (97.2 to 98.9)`; a dash without trials.
fn percent(share: &Proportion) -> String {
    if share.trials == 0 {
        return "–".into();
    }
    let [low, high] = share.interval().map(|end| 100.0 * end);
    format!("{:.1} % ({low:.1} to {high:.1})", 100.0 * share.share())
}

/// Prints the groups of a single row and its first losses of value.
fn print_details(game: &dyn Rules, row: &Row, out: &mut dyn Write) -> Result<(), CliError> {
    let report = &row.any;
    let mut group = |title: &str, groups: Vec<(String, &Proportion)>| -> Result<(), CliError> {
        writeln!(out, "\n{title}:")?;
        groups.into_iter().try_for_each(|(name, share)| writeln!(out, "  {name}: {share}"))?;
        Ok(())
    };
    let value = |&value: &i8| ["lost", "drawn", "won"][usize::from((value + 1) as u8)].to_owned();
    group("by value", report.by_value.iter().map(|(name, share)| (value(name), share)).collect())?;
    if report.preserved_immediate.trials > 0 {
        group("won with the next move", vec![("all".into(), &report.preserved_immediate)])?;
    }
    if !report.by_turns.is_empty() {
        group("by task", report.by_task.iter().map(|(&task, share)| (task.to_owned(), share)).collect())?;
        group("by pieces on the board", named(&report.by_pieces))?;
        group("by turns to the end", named(&report.by_turns))?;
    }
    for ValueLoss { history, action, value, preserving } in row.losses().take(SHOWN_LOSSES) {
        let value = if *value == 1 { "win" } else { "draw" };
        let (history, action) = (game.format_line(history), game.action_name(*action));
        writeln!(out, "{action} after {history}: loses the {value}, preserved by {}", game.format_line(preserving))?;
    }
    Ok(())
}

/// Groups with their keys as text.
fn named<K: ToString>(groups: &BTreeMap<K, Proportion>) -> Vec<(String, &Proportion)> {
    groups.iter().map(|(key, share)| (key.to_string(), share)).collect()
}
