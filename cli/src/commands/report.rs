//! `report`: everything about a run, or several compared, in one folder: tables, plots, page, text, notebook.

use std::io::Write;
use std::path::Path;

use selfplay_kit::Games;
use selfplay_notebooks_export::{
    GenerationRow, MistakeRow, PictureFiles, Report, ReportRows, RunMeta, RunReport, write_run_report,
};

use crate::args::ReportArgs;
use crate::error::CliError;
use crate::progress::PhaseBar;
use selfplay_run::calls::Call;
use selfplay_run::config::RunConfig;
use selfplay_run::doctor::{Circumstances, diagnose};
use selfplay_run::opening_policy::{board_of, opening_policies, spread};
use selfplay_run::perfect_play::Examination;
use selfplay_run::rows::{Damage, collect_rows};
use selfplay_run::run_folder::{RunFolder, folder_name};

/// Writes it and says where it is. What is damaged or missing is left out, with a warning.
///
/// # Errors
/// If a folder holds no run, or a file or the output refuses.
pub fn report(args: &ReportArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let folder = match (&args.out, &args.runs[..]) {
        (Some(folder), _) => folder.clone(),
        (None, [run]) => run.join("report"),
        (None, _) => {
            return Err(CliError::Option {
                option: "--out",
                value: "(none)".into(),
                expected: "several runs are compared in a folder of its own: name one",
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
    for page in ["report.html", "report.md", "report.ipynb"] {
        writeln!(out, "{}", folder.join(page).display())?;
    }
    writeln!(out, "{} tables and {} plots beside them", count("csv"), count("svg"))?;
    Ok(())
}

/// All that is left of one run.
fn report_of(folder: &Path, games: &Games, args: &ReportArgs) -> Result<RunReport, CliError> {
    let run = match RunFolder::open(folder) {
        Ok(run) => run,
        Err(error) => return tables_alone(folder).ok_or(error.into()),
    };
    let mut report = match run.config(games) {
        Ok(config) => from_phases(&run, &config, games, args)?,
        Err(error) => {
            let mut report = tables_alone(folder).unwrap_or_default();
            report.meta.warnings.push(format!("{error}; only what the tables hold is told"));
            report
        }
    };
    report.name = folder_name(folder);
    Ok(report)
}

/// The run from its phase files.
fn from_phases(run: &RunFolder, config: &RunConfig, games: &Games, args: &ReportArgs) -> Result<RunReport, CliError> {
    let missing = run.missing_phases().into_iter();
    let mut warnings: Vec<String> =
        missing.map(|path| format!("{} is missing; what it held is left out", path.display())).collect();
    let collected = collect_rows(run, config, Damage::Tell(&mut warnings))?;
    warnings.extend(collected.unrated.iter().map(|player| format!("not rated: {player}")));
    let calls = Call::noted(run.path());
    let remarks = diagnose(&collected.generations, Circumstances::of(run, config));
    let machine = match &calls[..] {
        [] => "not recorded".to_owned(),
        calls => calls.iter().map(Call::describe).collect::<Vec<_>>().join("; then "),
    };
    let meta = RunMeta {
        game: config.game.clone(),
        config_text: config.to_toml(),
        machine,
        seed: Some(config.seed),
        commit: calls.last().and_then(|call| call.commit.clone()),
        program_version: calls.last().map_or_else(|| env!("CARGO_PKG_VERSION").into(), |call| call.version.clone()),
        board: None,
        warnings,
        remarks: remarks.iter().map(ToString::to_string).collect(),
    };
    let mut report = RunReport { name: String::new(), meta, rows: collected.rows };
    let game = games.find(&config.game)?;
    let RunReport { meta, rows, .. } = &mut report;
    let trained = rows.generations.iter().map(|row| row.generation).filter(|&number| run.network(number).exists());
    let trained: Vec<u32> = trained.collect();
    meta.board = Some(board_of(game));
    rows.opening_policy = opening_policies(game, run, &trained, &mut meta.warnings);
    if let Some(table) = &args.table {
        let examination = Examination::by_table(game, table, args.positions as usize)?;
        rows.mistakes =
            mistakes_of(&examination, run, config, &rows.generations, &spread(&trained), &mut meta.warnings);
    }
    Ok(report)
}

/// What some generations of a run make of the positions. One whose network cannot be read is left out with a word in
/// `warnings`.
fn mistakes_of(
    examination: &Examination,
    run: &RunFolder,
    config: &RunConfig,
    costs: &[GenerationRow],
    generations: &[u32],
    warnings: &mut Vec<String>,
) -> Vec<MistakeRow> {
    let bar = PhaseBar::new("judging by the table", generations.len() as u64, "generations");
    let mut rows = Vec::new();
    for &generation in generations {
        let cost = costs.iter().find(|row| row.generation == generation);
        let cpu_hours = cost.and_then(|row| row.cumulative_cpu_hours);
        match examination.of_generation(run, config, generation, cpu_hours) {
            Ok(judged) => rows.extend(judged),
            Err(error) => warnings.push(format!("{error}; its decisions are left out")),
        }
        bar.tick();
    }
    rows
}

/// A folder of which only tables are left; `None` if there are none.
fn tables_alone(folder: &Path) -> Option<RunReport> {
    let (rows, mut warnings) = ReportRows::read_lenient(folder);
    if rows == ReportRows::default() {
        return None;
    }
    warnings.push(format!("{} has no config and no phase files; its tables are all that is told", folder.display()));
    let meta = RunMeta { warnings, machine: "not recorded".into(), ..RunMeta::default() };
    Some(RunReport { name: folder_name(folder), meta, rows })
}
