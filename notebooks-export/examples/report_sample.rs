//! Writes a report of made-up runs, to be looked at and for the check of the notebook.
//!
//! `cargo run -p selfplay-notebooks-export --example report_sample FOLDER KIND`, where KIND is a number of generations
//! (`1`, `12`, `500`). Or KIND is `several` (runs to compare), `sparse` (numbers and tables missing), `empty` (no rows at all),
//! `damaged` (tables torn and missing, read as far as they go), `large` (150 generations on a board of 19 × 19).

#[path = "../tests/sample/mod.rs"]
mod sample;

use std::error::Error;
use std::path::Path;
use std::time::Instant;
use std::{env, fs, io};

use selfplay_notebooks_export::plots::Board;
use selfplay_notebooks_export::{Report, ReportRows, RunMeta, RunReport, write_run_report};

const BOARD: Board = Board { columns: 6, rows: 6 };

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, kind] = &arguments[..] else {
        return Err("two arguments are needed: a folder, and what to write".into());
    };
    let folder = Path::new(folder);
    let report = report(folder, kind)?;
    let start = Instant::now();
    let paths = write_run_report(folder, &report)?;
    let mut bytes = 0;
    for path in paths.iter().filter(|path| path.extension().is_none_or(|extension| extension != "png")) {
        bytes += fs::metadata(path)?.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    io::Write::write_fmt(
        &mut io::stdout(),
        format_args!("{kind}: {} files, {bytes} bytes without PNGs, {seconds:.2} s\n", paths.len()),
    )?;
    Ok(())
}

fn report(folder: &Path, kind: &str) -> Result<Report, Box<dyn Error>> {
    let runs = match kind {
        "several" => {
            let names = ["base", "learner.batch_size=512", "naïve <b>\"run\"</b> | `x` & co"];
            names.iter().zip([12, 30, 3]).map(|(name, generations)| sample::run(name, generations, BOARD)).collect()
        }
        "sparse" => vec![sparse()],
        "empty" => vec![RunReport { name: "nothing yet".into(), ..RunReport::default() }],
        "damaged" => vec![damaged(folder)?],
        "large" => vec![sample::run("a large board", 150, Board { columns: 19, rows: 19 })],
        generations => vec![sample::run(&format!("{generations} generations"), generations.parse()?, BOARD)],
    };
    Ok(Report { runs, ..Report::default() })
}

/// A run in which much is not known.
fn sparse() -> RunReport {
    let mut run = sample::run("sparse", 12, BOARD);
    run.rows.elo.iter_mut().for_each(|row| row.cumulative_simulations = None);
    run.rows.throughput.iter_mut().for_each(|row| (row.rules_seconds, row.idle_seconds) = (None, None));
    run.rows.generations.iter_mut().for_each(|row| row.ladder_score = None);
    run.rows.selfplay.retain(|row| !(4..7).contains(&row.generation));
    run.rows.calibration.clear();
    run.rows.cross_table.clear();
    run
}

/// A run of which only tables are left, and not all of these whole.
fn damaged(folder: &Path) -> Result<RunReport, Box<dyn Error>> {
    let left = folder.join("left");
    sample::run("damaged", 12, BOARD).rows.write_tables(&left, |_, _| true)?;
    fs::remove_file(left.join("elo.csv"))?;
    for (name, share) in [("losses.csv", 0.6), ("selfplay.csv", 0.7)] {
        let bytes = fs::read(left.join(name))?;
        fs::write(left.join(name), &bytes[..(share * bytes.len() as f64) as usize])?;
    }
    fs::write(left.join("value_error.csv"), b"generation,ply\n\xff\xfe")?;
    let (rows, warnings) = ReportRows::read_lenient(&left);
    Ok(RunReport {
        name: "damaged".into(),
        meta: RunMeta { warnings, ..RunMeta::default() },
        rows,
        ..RunReport::default()
    })
}
