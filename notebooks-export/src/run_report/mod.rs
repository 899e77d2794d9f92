//! The whole report of one run or of several: tables, plots, a page, a text to paste and a notebook.
//!
//! The modules stand in dependency order: a file imports only from files above it.

mod contents;
mod figures;
mod summary;
mod text;

mod html;
mod latex;
mod markdown;
mod notebook;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::ExportError;
use crate::files::write_file;
use crate::report::{write_pgf, write_picture, write_svg};
use crate::report_rows::make_folder;

pub use contents::{PictureFiles, Report, RunMeta, RunReport, SamplePosition};
use figures::{Figure, Section, comparison_figures, run_figures};
use text::folder_names;

/// Writes the report into `folder`, which is made where it is missing; returns the paths of all files.
///
/// One run has its tables in `tables/` and its pictures in `plots/`; several have theirs in `<run>/tables/` and
/// `<run>/plots/`, `<run>` being the name as far as file names take it, and `plots/` holds the comparison. Beside them
/// stand `report.html`, one file that needs no other, `report.md`, `report.ipynb`, and `figures.tex` for LaTeX, which reads
/// the pictures in PGF. A plot without data has no
/// picture, and a table without rows no file; the pages say why. Numbers in the tables are rounded to six significant digits.
///
/// # Errors
/// [`ExportError::NotFinite`] before anything is written; [`ExportError::Write`], [`ExportError::Format`] and
/// [`ExportError::Draw`] with some of the files in place.
pub fn write_run_report(folder: &Path, report: &Report) -> Result<Vec<PathBuf>, ExportError> {
    for run in &report.runs {
        run.rows.check_finite()?;
    }
    make_folder(folder)?;
    let names = folder_names(report.runs.iter().map(|run| run.name.as_str()));
    let prefix = |name: &String| if report.runs.len() == 1 { String::new() } else { format!("{name}/") };
    let sections: Vec<Section> = report
        .runs
        .iter()
        .zip(&names)
        .map(|(run, name)| Section { run, prefix: prefix(name), figures: run_figures(run) })
        .collect();
    let comparison = if report.runs.len() > 1 { comparison_figures(&report.runs) } else { Vec::new() };

    let mut paths = Vec::new();
    let mut pictures: Vec<(PathBuf, &Figure)> = Vec::new();
    let drawn = |figures: &'_ [Figure]| figures.iter().any(|figure| figure.picture.missing().is_none());
    for (place, figures) in [(String::new(), &comparison)]
        .into_iter()
        .chain(sections.iter().map(|part| (part.prefix.clone(), &part.figures)))
    {
        let plots = folder.join(place).join("plots");
        if drawn(figures) {
            make_folder(&plots)?;
        }
        let seen = figures.iter().filter(|figure| figure.picture.missing().is_none());
        pictures.extend(seen.map(|figure| (plots.clone(), figure)));
    }
    for section in &sections {
        paths.extend(
            section
                .run
                .rows
                .rounded()
                .write_tables(&folder.join(&section.prefix).join("tables"), |_, has_rows| has_rows)?,
        );
    }
    paths.extend(write_pictures(&pictures, report.pictures)?);
    let parts = markdown::parts(&sections, &comparison);
    let pages = [
        ("report.html", html::page(&sections, &comparison, report.pictures)?),
        ("report.ipynb", notebook::notebook(&sections, &parts)),
        ("report.md", parts.concat()),
        ("figures.tex", latex::document(&sections, &comparison)),
    ];
    for (name, text) in pages {
        let path = folder.join(name);
        write_file(&path, text.as_bytes())?;
        paths.push(path);
    }
    Ok(paths)
}

/// Writes the files of every picture, on all cores; returns the paths in the order of `pictures`.
fn write_pictures(pictures: &[(PathBuf, &Figure)], files: PictureFiles) -> Result<Vec<PathBuf>, ExportError> {
    let next = AtomicUsize::new(0);
    let written = Mutex::new(Vec::new());
    let work = || {
        while let Some((folder, figure)) = pictures.get(next.fetch_add(1, Ordering::Relaxed)) {
            let pictures = match files {
                PictureFiles::SvgAndPng => write_picture(folder, figure.id, &figure.picture).map(Vec::from),
                PictureFiles::Svg => write_svg(folder, figure.id, &figure.picture).map(|svg| vec![svg]),
            };
            let result = pictures.and_then(|mut paths| {
                paths.push(write_pgf(folder, figure.id, &figure.picture)?);
                Ok(paths)
            });
            let has_failed = result.is_err();
            written.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((folder, figure.id, result));
            if has_failed {
                break;
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(pictures.len()).min(8);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut written = written.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    written.sort_by_key(|(folder, id, _)| {
        pictures.iter().position(|(place, figure)| place == *folder && figure.id == *id)
    });
    let mut paths = Vec::new();
    for (_, _, result) in written {
        paths.extend(result?);
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plots::Board;
    use crate::plots::text_boxes::assert_texts_are_apart;
    use crate::sample;

    #[test]
    fn no_text_of_any_plot_is_cut_off_or_lies_over_another() {
        let boards = [(3, 3), (7, 6), (6, 6), (19, 19)].map(|(columns, rows)| Board { columns, rows });
        for (index, generations) in [0, 1, 2, 12, 61, 500, 1500].into_iter().enumerate() {
            let board = boards[index % boards.len()];
            let run = sample::run(
                "a run with a name that is far too long for a legend, a heading or a file",
                generations,
                board,
            );
            for figure in run_figures(&run) {
                assert_texts_are_apart(&figure.picture, &format!("{}, {generations} generations", figure.id));
            }
            let runs = vec![run; 9];
            for figure in comparison_figures(&runs) {
                assert_texts_are_apart(&figure.picture, &format!("{}, {generations} generations", figure.id));
            }
        }
    }

    #[test]
    fn a_tournament_of_many_fits() {
        let mut run = sample::run("many", 1, Board { columns: 6, rows: 6 });
        let name = |index: usize| format!("search:checkpoint=runs/long/path/number-{index},simulations=800");
        let row = run.rows.cross_table[0].clone();
        run.rows.cross_table = (0..30)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .map(|(a, b)| crate::CrossTableRow { a: name(a), b: name(b), ..row.clone() })
            .collect();
        let figures = run_figures(&run);
        let cross_table = figures.iter().find(|figure| figure.id == "cross_table").unwrap();
        assert_texts_are_apart(&cross_table.picture, "cross_table");
        assert!(cross_table.picture.to_svg().unwrap().contains("6 weaker players not shown"));
    }
}
