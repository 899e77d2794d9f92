//! Small files: read with a bound, written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The text of the ordinary file at `path`, which must have at most `limit` bytes. Bytes that are not UTF-8 become
/// replacement characters.
///
/// # Errors
/// If there is no such file, it cannot be read, is longer, or is a folder, a pipe or a device.
pub(crate) fn read_small(path: &Path, limit: u64) -> io::Result<String> {
    // Opening a pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no ordinary file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("it has more than {limit} bytes")));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Puts `text` into the file at `path`, in one step for whoever reads it. Where the folder takes no other file, the
/// file is written in place.
///
/// # Errors
/// If neither works.
pub(crate) fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let renamed = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, path));
    if renamed.is_ok() {
        return Ok(());
    }
    // What is left of the first try is of no use to anybody.
    let _ = fs::remove_file(&temporary);
    fs::write(path, text)
}
