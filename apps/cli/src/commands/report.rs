//! `report`: everything about a run, or several compared, in one folder: tables, plots, page, text, notebook.

use std::io::Write;
use std::path::Path;

use selfplay_network::NetworkConfig;
use selfplay_network::checkpoint::{MANIFEST_FILE, load_manifest};
use selfplay_notebooks_export::{
    CrossTableRow, GenerationRow, MatchRow, MistakeRow, PictureFiles, PlayerRole, Report, ReportRows, RunMeta,
    RunReport, write_run_report,
};
use selfplay_pipeline::phase::agent_name;
use selfplay_pipeline::samples::sample_positions;
use selfplay_registry::{GameRef, Games};

use crate::args::ReportArgs;
use crate::error::CliError;
use crate::progress::PhaseBar;
use selfplay_pipeline::config::RunConfig;
use selfplay_pipeline::doctor::{DiagnosisInput, diagnose};
use selfplay_pipeline::opening_policy::{board_of, opening_policies, spread};
use selfplay_pipeline::perfect_play::TablebaseEvaluation;
use selfplay_pipeline::provenance::Call;
use selfplay_pipeline::rows::{Damage, collect_rows};
use selfplay_pipeline::run_folder::{RunFolder, folder_name};

/// Generations in the cross table, in addition to the champion.
const CROSS_TABLE_GENERATIONS: usize = 8;

/// Writes it and says where it is. What is damaged or missing is left out, with a warning.
///
/// # Errors
/// If a folder holds no run, or a file or the output cannot be written.
pub fn report(args: &ReportArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let folder = match (&args.out, &args.runs[..]) {
        (Some(folder), _) => folder.clone(),
        (None, [run]) => run.join("report"),
        (None, _) => {
            return Err(CliError::Option {
                option: "--out",
                value: "(none)".into(),
                expected: "expected a folder for the comparison of several runs",
            });
        }
    };
    let runs: Vec<RunReport> = args.runs.iter().map(|run| report_of(run, games, args)).collect::<Result<_, _>>()?;
    for run in &runs {
        for warning in &run.meta.warnings {
            tracing::warn!("{}: {warning}", run.name);
        }
    }
    let pictures = if args.no_png { PictureFiles::Svg } else { PictureFiles::SvgAndPng };
    let files = write_run_report(&folder, &Report { runs, pictures })?;
    let count =
        |ending: &str| files.iter().filter(|path| path.extension().is_some_and(|found| found == ending)).count();
    for page in ["report.html", "report.md", "report.ipynb", "figures.tex"] {
        writeln!(out, "{}", folder.join(page).display())?;
    }
    writeln!(out, "{} tables and {} plots beside them", count("csv"), count("svg"))?;
    Ok(())
}

/// All that is left of one run.
fn report_of(folder: &Path, games: &Games, args: &ReportArgs) -> Result<RunReport, CliError> {
    let run = match RunFolder::open(folder) {
        Ok(run) => run,
        Err(error) => {
            let mut report = tables_alone(folder).ok_or(error)?;
            let said = "has no config and no phase files; the report only has its tables";
            report.meta.warnings.push(format!("{} {said}", folder.display()));
            return Ok(report);
        }
    };
    let mut report = match run.config(games) {
        Ok(config) if folder.join(MANIFEST_FILE).is_file() => released(folder, &config, games)?,
        Ok(config) => from_phases(&run, &config, games, args)?,
        Err(error) => {
            let mut report = tables_alone(folder).unwrap_or_default();
            report.meta.warnings.push(format!("{error}; the report only has the tables"));
            report
        }
    };
    report.name = folder_name(folder);
    Ok(report)
}

/// A released agent: its config, its manifest, and the tables beside them.
fn released(folder: &Path, config: &RunConfig, games: &Games) -> Result<RunReport, CliError> {
    let game = games.find(&config.game)?;
    let manifest = load_manifest(folder)?;
    let (rows, _) = ReportRows::read_lenient(folder);
    let meta = RunMeta {
        game: config.game.clone(),
        network: network_of(config, game),
        search: search_of(config),
        champion: u32::try_from(manifest.provenance.generation).ok(),
        config_text: config.to_toml(),
        machine: "not recorded".into(),
        seed: Some(config.seed),
        commit: manifest.provenance.git_commit,
        board: Some(board_of(game)),
        warnings: vec!["released agent; the report only has the files of its folder".into()],
        ..RunMeta::default()
    };
    Ok(RunReport { meta, rows, ..RunReport::default() })
}

/// The run from its phase files.
fn from_phases(run: &RunFolder, config: &RunConfig, games: &Games, args: &ReportArgs) -> Result<RunReport, CliError> {
    let missing = run.missing_phases().into_iter();
    let mut warnings: Vec<String> =
        missing.map(|path| format!("{}: missing; its contents are omitted", path.display())).collect();
    let collected = collect_rows(run, config, Damage::Tell(&mut warnings))?;
    warnings.extend(collected.unrated.iter().map(ToString::to_string));
    let calls = Call::noted(run.path());
    let diagnostics = diagnose(&collected.generations, DiagnosisInput::for_run(run, config));
    let each = |what: &dyn Fn(&Call) -> Option<String>| {
        let mut told: Vec<String> = calls.iter().filter_map(what).collect();
        told.dedup();
        told.join("; then ")
    };
    let machine = match each(&|call| Some(call.machine())) {
        none if none.is_empty() => "not recorded".to_owned(),
        machines => machines,
    };
    let commits = each(&|call| call.commit.clone());
    let game = games.find(&config.game)?;
    let meta = RunMeta {
        game: config.game.clone(),
        network: network_of(config, game),
        search: search_of(config),
        dates: dates_of(run).unwrap_or_default(),
        champion: run.champion().ok().flatten(),
        config_text: config.to_toml(),
        machine,
        seed: Some(config.seed),
        commit: (!commits.is_empty()).then_some(commits),
        program_version: calls.last().map_or_else(|| env!("CARGO_PKG_VERSION").into(), |call| call.version.clone()),
        board: None,
        warnings,
        diagnostics: diagnostics.iter().map(ToString::to_string).collect(),
    };
    let mut report = RunReport { name: String::new(), meta, rows: collected.rows, samples: Vec::new() };
    let RunReport { meta, rows, samples, .. } = &mut report;
    if rows.cross_table.is_empty() {
        rows.cross_table = cross_table(rows, meta.champion);
    }
    *samples = sample_positions(run, game);
    let trained = rows.generations.iter().map(|row| row.generation).filter(|&number| run.network(number).exists());
    let trained: Vec<u32> = trained.collect();
    meta.board = Some(board_of(game));
    rows.opening_policy = opening_policies(game, run, &trained, &mut meta.warnings);
    if let Some(table) = &args.table {
        let examination = TablebaseEvaluation::by_table(game, table, args.positions as usize)?;
        rows.mistakes =
            mistakes_of(&examination, run, config, &rows.generations, &spread(&trained), &mut meta.warnings);
    }
    Ok(report)
}

/// Blocks, channels and parameters of the run's network.
fn network_of(config: &RunConfig, game: GameRef) -> String {
    let NetworkConfig { blocks, channels, .. } = config.network;
    let parameters = config.network.parameter_count(&game.shape());
    format!("{blocks} blocks of {channels} channels, {parameters} parameters")
}

/// What searches in self-play and in the gate.
fn search_of(config: &RunConfig) -> String {
    let root = config.selfplay.search.root.name();
    let gate = match (config.gate.num_simulations, config.gate.time_ms) {
        (Some(simulations), _) => format!("{simulations} in the gate"),
        (None, Some(ms)) => format!("{ms} ms a move in the gate"),
        (None, None) => "none in the gate".into(),
    };
    format!("{} simulations a move in self-play ({root}), {gate}", config.selfplay.num_simulations)
}

/// The days on which the first and the last phase of the run were completed.
fn dates_of(run: &RunFolder) -> Option<String> {
    let phases = std::fs::read_dir(run.path().join("phases")).ok()?;
    let times = phases.flatten().filter_map(|entry| entry.metadata().ok()?.modified().ok());
    let days = times.map(|time| time::OffsetDateTime::from(time).date());
    let (first, last) = days.fold(None, |span: Option<(time::Date, time::Date)>, day| {
        Some(span.map_or((day, day), |(first, last)| (first.min(day), last.max(day))))
    })?;
    let written = |day: time::Date| format!("{:04}-{:02}-{:02}", day.year(), u8::from(day.month()), day.day());
    Some(if first == last { written(first) } else { format!("{} to {}", written(first), written(last)) })
}

/// What the champion, some generations and the baselines made of each other, by their newest matches.
fn cross_table(rows: &ReportRows, champion: Option<u32>) -> Vec<CrossTableRow> {
    let all: Vec<u32> = rows.generations.iter().map(|row| row.generation).collect();
    let mut generations: Vec<u32> = spread(&all).into_iter().rev().step_by(2).take(CROSS_TABLE_GENERATIONS).collect();
    generations.extend(champion.filter(|champion| !generations.contains(champion)));
    let names: Vec<String> = generations.into_iter().map(agent_name).collect();
    let is_shown = |name: &str| {
        names.iter().any(|known| known == name)
            || rows.elo.iter().any(|row| row.role == PlayerRole::Baseline && row.player == name)
    };
    let mut shown: Vec<CrossTableRow> = Vec::new();
    // The newest match of two players counts.
    for row in rows.matches.iter().rev().filter(|row| is_shown(&row.a) && is_shown(&row.b)) {
        if !shown.iter().any(|known| known.a == row.a && known.b == row.b) {
            let MatchRow { a, b, games, score, elo, .. } = row.clone();
            shown.push(CrossTableRow { a, b, games, score, elo });
        }
    }
    shown.reverse();
    shown
}

/// What some generations of a run make of the positions. One whose network cannot be read is left out with a word in
/// `warnings`.
fn mistakes_of(
    examination: &TablebaseEvaluation,
    run: &RunFolder,
    config: &RunConfig,
    costs: &[GenerationRow],
    generations: &[u32],
    warnings: &mut Vec<String>,
) -> Vec<MistakeRow> {
    let bar = PhaseBar::new("looking up the tablebase", generations.len() as u64, "generations");
    let mut rows = Vec::new();
    for &generation in generations {
        let cost = costs.iter().find(|row| row.generation == generation);
        let cpu_hours = cost.and_then(|row| row.cumulative_cpu_hours);
        match examination.for_generation(run, config, generation, cpu_hours) {
            Ok(judged) => rows.extend(judged),
            Err(error) => warnings.push(format!("{error}; its moves are omitted")),
        }
        bar.tick();
    }
    rows
}

/// A folder of which only tables are left; `None` if there are none.
fn tables_alone(folder: &Path) -> Option<RunReport> {
    let (rows, warnings) = ReportRows::read_lenient(folder);
    if rows == ReportRows::default() {
        return None;
    }
    let meta = RunMeta { warnings, machine: "not recorded".into(), ..RunMeta::default() };
    Some(RunReport { name: folder_name(folder), meta, rows, ..RunReport::default() })
}
