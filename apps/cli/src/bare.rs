//! The programs without an agent into which `export` embeds agents. They lie in the folder of the running program or in
//! its shipped folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use selfplay_pipeline::resources::shipped_folder;

use crate::error::CliError;

/// What the part of a program that plays agents has behind the program's name.
const AGENT_SUFFIX: &str = "-agent";
/// The program of pages.
const PAGE_PROGRAM: &str = "selfplay_page.wasm";
/// Where cargo leaves it, from the folder where it leaves the running one.
const BUILT: [&str; 2] = ["../wasm32-wasip1/dist", "../wasm32-wasip1/release"];

fn own() -> Result<PathBuf, CliError> {
    std::env::current_exe().map_err(CliError::io(Path::new("this program")))
}

/// The program that plays agents of this program's games: the file `given`, which must print this `kind`.
///
/// Without `given`, it is the agent-only program in the folder of the running program or in the shipped folder, if that
/// prints this `kind`. Otherwise it is the running program itself.
pub fn agent_program(given: Option<&Path>, kind: &str) -> Result<PathBuf, CliError> {
    let is_of_this = |part: &Path| {
        let told = Command::new(part).stdin(Stdio::null()).stderr(Stdio::null()).output();
        told.is_ok_and(|told| told.stdout == kind.as_bytes())
    };
    if let Some(given) = given {
        let given = given.canonicalize().map_err(CliError::io(given))?;
        return if is_of_this(&given) { Ok(given) } else { Err(CliError::OtherProgram { path: given }) };
    }
    let own = own()?;
    let name = own.file_stem().map(|name| format!("{}{AGENT_SUFFIX}", name.to_string_lossy()));
    let name = name.map(|name| Path::new(&name).with_extension(std::env::consts::EXE_EXTENSION));
    let mut parts =
        name.iter().flat_map(|name| [Some(own.with_file_name(name)), shipped_folder().map(|folder| folder.join(name))]);
    Ok(parts.find_map(|part| part.filter(|part| part.is_file() && is_of_this(part))).unwrap_or(own))
}

/// The program of pages: the file `given`, or the one in the folder of the running program, in cargo's build folders or
/// in the shipped folder.
pub fn page_program(given: Option<&Path>) -> Result<Vec<u8>, CliError> {
    if let Some(path) = given {
        return fs::read(path).map_err(CliError::io(path));
    }
    let own = own()?;
    let folder = own.parent().unwrap_or(Path::new("."));
    let places =
        [folder.join(PAGE_PROGRAM)].into_iter().chain(BUILT.map(|built| folder.join(built).join(PAGE_PROGRAM)));
    let mut places = places.chain(shipped_folder().map(|folder| folder.join(PAGE_PROGRAM)));
    let found = places.find_map(|path| fs::read(path).ok());
    found.ok_or_else(|| CliError::NoPageProgram { path: folder.join(PAGE_PROGRAM) })
}
