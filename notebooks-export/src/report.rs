//! What a run folder shows during the run: tables and three pictures, quick to write after each generation.

use std::path::{Path, PathBuf};

use crate::files::write_file;
use crate::plots::{EloAxis, Picture, RatedName, ablation_plot, elo_plot, interval_plot, loss_plot};
use crate::report_rows::{ALWAYS_WRITTEN, make_folder, table_path};
use crate::tables::{check_finite, write_csv};
use crate::{AblationRow, EloRow, ExportError, LossRow, MatchRow, ReportRows, SelfPlayRow};

/// Writes `elo`, `losses`, `selfplay` and `matches` as `.csv`, then the other tables that have rows, then `elo_cpu_hours`,
/// `elo_games` and `losses` as `.svg` and `.png`, into `folder`, which is made where it is missing; returns the paths in
/// that order.
///
/// # Errors
/// [`ExportError::NotFinite`] before anything is written; [`ExportError::Write`], [`ExportError::Format`] and
/// [`ExportError::Draw`] with the files before it in place.
pub fn write_report(folder: &Path, rows: &ReportRows) -> Result<Vec<PathBuf>, ExportError> {
    rows.check_finite()?;
    make_folder(folder)?;
    let mut paths = vec![
        table_path::<EloRow>(folder),
        table_path::<LossRow>(folder),
        table_path::<SelfPlayRow>(folder),
        table_path::<MatchRow>(folder),
    ];
    write_csv(&paths[0], &rows.elo)?;
    write_csv(&paths[1], &rows.losses)?;
    write_csv(&paths[2], &rows.selfplay)?;
    write_csv(&paths[3], &rows.matches)?;
    paths.extend(rows.write_tables(folder, |name, has_rows| has_rows && !ALWAYS_WRITTEN.contains(&name))?);

    paths.extend(write_picture(folder, "elo_cpu_hours", &elo_plot(&rows.elo, EloAxis::CpuHours))?);
    paths.extend(write_picture(folder, "elo_games", &elo_plot(&rows.elo, EloAxis::Games))?);
    paths.extend(write_picture(folder, "losses", &loss_plot(&rows.losses))?);
    Ok(paths)
}

/// Writes the table of an ablation as `ablation.csv`, and its plot with this heading as `ablation.svg` and
/// `ablation.png`, into `folder`; returns the paths in that order.
///
/// # Errors
/// Those of [`write_report`].
pub fn write_ablation(folder: &Path, heading: &str, rows: &[AblationRow]) -> Result<Vec<PathBuf>, ExportError> {
    check_finite(rows)?;
    make_folder(folder)?;
    let table = table_path::<AblationRow>(folder);
    write_csv(&table, rows)?;
    let [svg, png] = write_picture(folder, "ablation", &ablation_plot(rows, heading))?;
    Ok(vec![table, svg, png])
}

/// Writes the plot of some ratings, in the order given, to `path`: as PNG if it ends so, else as SVG.
///
/// # Errors
/// [`ExportError::Draw`], [`ExportError::Write`].
pub fn write_rating_plot(path: &Path, heading: &str, names: &[RatedName<'_>]) -> Result<(), ExportError> {
    write_plot(path, &interval_plot(names, heading, "Elo"))
}

/// Writes a picture to `path`: as PNG if it ends so, else as SVG.
///
/// # Errors
/// [`ExportError::Draw`], [`ExportError::Write`].
pub fn write_plot(path: &Path, picture: &Picture) -> Result<(), ExportError> {
    let is_png = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    if is_png { write_file(path, &picture.to_png()?) } else { write_file(path, picture.to_svg()?.as_bytes()) }
}

/// Writes a picture as `<name>.svg` and `<name>.png` into `folder`.
///
/// # Errors
/// [`ExportError::Draw`], [`ExportError::Write`].
pub fn write_picture(folder: &Path, name: &str, picture: &Picture) -> Result<[PathBuf; 2], ExportError> {
    let svg = write_svg(folder, name, picture)?;
    let png = folder.join(format!("{name}.png"));
    write_file(&png, &picture.to_png()?)?;
    Ok([svg, png])
}

/// Writes a picture as `<name>.pgf`, for LaTeX, into `folder`.
///
/// # Errors
/// [`ExportError::Draw`], [`ExportError::Write`].
pub fn write_pgf(folder: &Path, name: &str, picture: &Picture) -> Result<PathBuf, ExportError> {
    let path = folder.join(format!("{name}.pgf"));
    write_file(&path, picture.to_pgf()?.as_bytes())?;
    Ok(path)
}

/// Writes a picture as `<name>.svg` into `folder`.
///
/// # Errors
/// [`ExportError::Draw`], [`ExportError::Write`].
pub fn write_svg(folder: &Path, name: &str, picture: &Picture) -> Result<PathBuf, ExportError> {
    let path = folder.join(format!("{name}.svg"));
    write_file(&path, picture.to_svg()?.as_bytes())?;
    Ok(path)
}
