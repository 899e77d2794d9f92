//! All tables and plots of a run into one folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::write_file;
use crate::plots::{EloAxis, Picture, ablation_plot, elo_plot, loss_plot};
use crate::tables::{check_finite, write_csv};
use crate::{AblationRow, EloRow, ExportError, LossRow, MatchRow, SelfPlayRow};

/// Everything a report shows; each list may be empty.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct ReportRows {
    /// Self-play by generation.
    pub selfplay: Vec<SelfPlayRow>,
    /// Losses by training step.
    pub losses: Vec<LossRow>,
    /// Matches in the order they were played.
    pub matches: Vec<MatchRow>,
    /// Ratings, baselines and generations.
    pub elo: Vec<EloRow>,
}

/// Writes `elo`, `losses`, `selfplay` and `matches` as `.csv`, and `elo_cpu_hours`, `elo_games` and `losses` as `.svg`
/// and `.png`, into `folder`, which is made where it is missing; returns the paths in that order.
///
/// # Errors
/// [`ExportError::NotFinite`] before anything is written; [`ExportError::Write`], [`ExportError::Format`] and
/// [`ExportError::Draw`] with the files before it in place.
pub fn write_report(folder: &Path, rows: &ReportRows) -> Result<Vec<PathBuf>, ExportError> {
    check_finite(&rows.elo)?;
    check_finite(&rows.losses)?;
    check_finite(&rows.selfplay)?;
    check_finite(&rows.matches)?;
    fs::create_dir_all(folder).map_err(|source| ExportError::Write { path: folder.to_owned(), source })?;

    let table_paths = ["elo.csv", "losses.csv", "selfplay.csv", "matches.csv"].map(|name| folder.join(name));
    write_csv(&table_paths[0], &rows.elo)?;
    write_csv(&table_paths[1], &rows.losses)?;
    write_csv(&table_paths[2], &rows.selfplay)?;
    write_csv(&table_paths[3], &rows.matches)?;

    let mut paths = Vec::from(table_paths);
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
    fs::create_dir_all(folder).map_err(|source| ExportError::Write { path: folder.to_owned(), source })?;
    let table = folder.join("ablation.csv");
    write_csv(&table, rows)?;
    let [svg, png] = write_picture(folder, "ablation", &ablation_plot(rows, heading))?;
    Ok(vec![table, svg, png])
}

/// Writes a picture in both formats.
fn write_picture(folder: &Path, name: &str, picture: &Picture) -> Result<[PathBuf; 2], ExportError> {
    let (svg, png) = (folder.join(format!("{name}.svg")), folder.join(format!("{name}.png")));
    write_file(&svg, picture.to_svg().as_bytes())?;
    write_file(&png, &picture.to_png()?)?;
    Ok([svg, png])
}
