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
        return Err(io::Error::other("not a regular file"));
    }
    let file = File::open(path)?;
    // Room for all of it: one read, where a growing buffer would take many.
    let mut bytes = Vec::with_capacity(file.metadata()?.len().min(limit) as usize + 64);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("larger than {limit} bytes")));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes `text` to the file at `path`: a reader that finds the file finds the complete text. If the folder accepts no
/// other file, the file is written in place.
///
/// # Errors
/// If neither works.
pub(crate) fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    // A rename over a file has some file systems write to the disk at once, which takes milliseconds; onto nothing, it is
    // done in memory. Whether there was a file to remove does not matter.
    let remove = |()| fs::remove_file(path).or(Ok(()));
    let renamed = fs::write(&temporary, text).and_then(remove).and_then(|()| fs::rename(&temporary, path));
    if renamed.is_ok() {
        return Ok(());
    }
    // What is left of the first try is of no use to anybody.
    let _ = fs::remove_file(&temporary);
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole_and_read_with_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for text in ["first", "second, longer", ""] {
            replace_file(&path, text).unwrap();
            assert_eq!(read_small(&path, 14).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        replace_file(&path, "fifteen letters").unwrap();
        assert!(read_small(&path, 14).unwrap_err().to_string().contains("larger than 14 bytes"));
        assert!(replace_file(&folder.path().join("no/such/folder"), "x").is_err());
        // The name of the temporary file is taken by a folder.
        fs::create_dir(folder.path().join("file.new")).unwrap();
        replace_file(&path, "in place").unwrap();
        assert_eq!(read_small(&path, 14).unwrap(), "in place");
        assert!(read_small(folder.path(), 14).is_err() && replace_file(folder.path(), "x").is_err());
    }
}
