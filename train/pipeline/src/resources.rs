//! What comes with the program: configs, and a trained agent for each of its games.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use selfplay_players::RELEASED_CHECKPOINT;

/// Where a program that is installed as `bin/selfplay` has its files.
const INSTALLED: &str = "share/selfplay";
/// The configs, in either.
const CONFIGS: &str = "configs";

/// The program whose files are meant, if it is not the running one.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Sets the program whose shipped files are used, for a module in another program's process. Only the first call
/// counts.
pub fn look_beside(program: PathBuf) {
    PROGRAM.get_or_init(|| program);
}

/// The folder that holds `configs/` and `checkpoints/released/`: `share/selfplay` next to the program's `bin/`, or the
/// source tree in which it was built. `None` if neither exists.
pub fn shipped_folder() -> Option<PathBuf> {
    let program = PROGRAM.get().cloned().or_else(|| std::env::current_exe().ok())?;
    // A link to the program leads to where its files are.
    folder_of(&program.canonicalize().ok()?)
}

fn folder_of(program: &Path) -> Option<PathBuf> {
    let folders = program.parent()?.ancestors();
    let mut candidates = folders.flat_map(|folder| [folder.join(INSTALLED), folder.to_owned()]);
    candidates.find(|folder| folder.join(CONFIGS).is_dir() && released_in(folder).is_dir())
}

/// The trained agents in the folder that [`shipped_folder`] finds.
pub fn released_in(folder: &Path) -> PathBuf {
    folder.join("checkpoints").join(RELEASED_CHECKPOINT)
}

/// The config that is meant by `path`: the file there or, where there is none, one of those that come with the program, as
/// `sum15-4/quickstart`, with or without the ending and the folder's name before it.
pub fn config_file(path: &Path) -> PathBuf {
    file_among(path, &shipped_configs(path))
}

fn file_among(path: &Path, others: &[PathBuf]) -> PathBuf {
    let found = || others.iter().find(|path| path.is_file()).cloned();
    if path.exists() && !path.is_dir() { path.to_owned() } else { found().unwrap_or_else(|| path.to_owned()) }
}

/// Where the config of this name could be among those that come with the program.
pub fn shipped_configs(name: &Path) -> Vec<PathBuf> {
    shipped_folder().filter(|_| name.is_relative()).map_or(Vec::new(), |folder| configs_in(&folder, name))
}

fn configs_in(folder: &Path, name: &Path) -> Vec<PathBuf> {
    let file = folder.join(CONFIGS).join(name.strip_prefix(CONFIGS).unwrap_or(name));
    vec![file.with_added_extension("toml"), file]
}

/// The folder of the trained agent of a game that comes with the program; none if there is none.
pub fn released(game: &str) -> Option<PathBuf> {
    Some(released_in(&shipped_folder()?).join(game)).filter(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_program_finds_what_was_installed_beside_it() {
        let installed = tempfile::tempdir().unwrap();
        let program = installed.path().join("bin/selfplay");
        assert_eq!(folder_of(&program), None);
        let share = installed.path().join(INSTALLED);
        fs::create_dir_all(share.join(CONFIGS)).unwrap();
        assert_eq!(folder_of(&program), None, "half of it is nothing");
        fs::create_dir_all(released_in(&share)).unwrap();
        assert_eq!(folder_of(&program), Some(share));
    }

    #[test]
    fn shipped_configs_are_found_by_name_and_files_of_ones_own_come_first() {
        let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let found = |name: &str| file_among(Path::new(name), &configs_in(&tree, Path::new(name)));
        let quickstart = tree.join("configs/sum15-4/quickstart.toml");
        for name in ["sum15-4/quickstart", "sum15-4/quickstart.toml", "configs/sum15-4/quickstart.toml"] {
            assert_eq!(found(name), quickstart, "{name}");
        }
        for other in ["Cargo.toml", "sum15-4", "none", ""] {
            assert_eq!(found(other), Path::new(other));
        }
        assert_eq!(config_file(Path::new("/configs/none")), Path::new("/configs/none"));
    }
}
