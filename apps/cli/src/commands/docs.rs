//! `docs`: the pages of documentation that come with the program.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use selfplay_config::suggestion::did_you_mean_path;
use selfplay_pipeline::resources::{released_in, shipped_folder};

use crate::args::DocsArgs;
use crate::error::CliError;

/// The folder whose pages go by their own names.
const PAGES: &str = "docs";
const RESEARCH: &str = "docs/research";
/// A page that goes by its folder's name.
const README: &str = "README.md";

/// Prints the page that was asked for, or a list of all.
///
/// # Errors
/// A page that does not exist; a program that stands alone; if a file or the output cannot be written.
pub fn docs(args: &DocsArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let folder = shipped_folder().ok_or(CliError::NoDocs)?;
    let pages = pages(&folder);
    if let Some(asked) = &args.page {
        let Some((_, path)) = pages.iter().find(|(name, _)| name == asked) else {
            let hint = did_you_mean_path(asked, '/', pages.iter().map(|(name, _)| name.as_str()));
            return Err(CliError::UnknownPage { page: asked.clone(), hint });
        };
        return Ok(out.write_all(read(path)?.as_bytes())?);
    }
    for (name, path) in &pages {
        let text = read(path)?;
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
        writeln!(out, "{name:<34} {title}")?;
    }
    writeln!(out, "\nFiles that they name lie in {}", folder.display())?;
    Ok(())
}

/// All pages, each with its name.
fn pages(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut pages = Vec::new();
    let docs = folder.join(PAGES);
    for path in [entries(&docs), entries(&folder.join(RESEARCH))].concat() {
        if path.extension().is_some_and(|extension| extension == "md") {
            let name = path.strip_prefix(&docs).expect("it is in there").with_extension("");
            pages.push((name.to_string_lossy().into_owned(), path));
        }
    }
    let with_readme = [entries(&folder.join("games")), entries(&released_in(folder))].concat();
    for place in [folder.to_owned(), folder.join("configs")].into_iter().chain(with_readme) {
        let name = place.strip_prefix(folder).expect("it is in there").to_string_lossy().into_owned();
        let page = place.join(README);
        if page.is_file() {
            pages.push((if name.is_empty() { "README".into() } else { name }, page));
        }
    }
    pages
}

/// What is in a folder, in the order of names; nothing if it is not there.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).map_or(Vec::new(), |entries| entries.flatten().map(|entry| entry.path()).collect());
    paths.sort();
    paths
}

fn read(page: &Path) -> Result<String, CliError> {
    fs::read_to_string(page).map_err(CliError::io(page))
}
