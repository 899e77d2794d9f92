//! What was probably meant by the path of a file that is not there.

use std::fs;
use std::path::Path;

use selfplay_config::suggestion::nearest;

/// ` (did you mean FILE?)` for the file beside `path` whose name is most like it, or nothing.
pub fn did_you_mean_file(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let meant = nearest(&name, names.iter().map(String::as_str).filter(|other| **other != *name));
    meant.map_or(String::new(), |other| format!(" (did you mean {}?)", path.with_file_name(other).display()))
}
