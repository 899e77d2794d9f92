//! `completions` and `man`: what a shell and a reader of manuals want to know of this program, from its own arguments.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;

use crate::error::CliError;

/// Prints the completions of `command` for a shell.
///
/// # Errors
/// If the output cannot be written.
pub fn completions(shell: Shell, mut command: Command, out: &mut dyn Write) -> Result<(), CliError> {
    let name = command.get_name().to_owned();
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut text);
    Ok(out.write_all(&text)?)
}

/// Writes a manual page of `command` and one of each of its commands into `folder`; prints the first if there is none.
///
/// # Errors
/// If a file or the output cannot be written.
pub fn man(folder: Option<&PathBuf>, command: Command, out: &mut dyn Write) -> Result<(), CliError> {
    let Some(folder) = folder else {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).render(&mut text)?;
        return Ok(out.write_all(&text)?);
    };
    fs::create_dir_all(folder).map_err(CliError::io(folder))?;
    clap_mangen::generate_to(command, folder).map_err(CliError::io(folder))?;
    writeln!(out, "manual pages in {}; `man -l {}/selfplay.1` shows the first", folder.display(), folder.display())?;
    Ok(())
}
