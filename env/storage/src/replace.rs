//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How the names of files end that are not whole yet.
const TEMPORARY: &str = ".tmp";

/// Replaces the file at `path` by `bytes`: written to `<path>.<process>.tmp`, synced to the disk, then renamed, so that
/// a crash leaves the old file or the new one, and two processes that write the same file do not meet.
///
/// # Errors
/// What the system says; the file at `path` is then unchanged.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_file_with(path, |file| file.write_all(bytes))
}

/// As [`write_file`], for what is too much to hold at once: `write` is given the new file.
///
/// What is no file, such as a device or a pipe, is written to and not replaced. So is standard output under its path,
/// `/dev/stdout`, also where it is redirected to a file. Behind a link the file that it leads to is replaced, and the
/// link stays.
///
/// # Errors
/// What the system or `write` says; the file at `path` is then unchanged.
pub fn write_file_with(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    if let Some(stream) = own_stream(path) {
        return write(&mut stream?);
    }
    match fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => write(&mut File::options().write(true).open(path)?),
        _ if path.is_symlink() => replace_with(&target_of(path)?, write),
        _ => replace_with(path, write),
    }
}

/// Standard output or error, if `path` names it. A file that is opened anew would be written from its beginning.
#[cfg(unix)]
fn own_stream(path: &Path) -> Option<io::Result<File>> {
    use std::os::fd::AsFd;

    let clone = |stream: std::os::fd::BorrowedFd<'_>| stream.try_clone_to_owned().map(File::from);
    match path.to_str()? {
        "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => {
            Some(io::stdout().flush().and_then(|()| clone(io::stdout().as_fd())))
        }
        "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Some(clone(io::stderr().as_fd())),
        _ => None,
    }
}

#[cfg(not(unix))]
fn own_stream(_: &Path) -> Option<io::Result<File>> {
    None
}

/// Where a link leads, also if there is nothing yet.
fn target_of(link: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(link).or_else(|_| {
        let folder = link.parent().unwrap_or(Path::new(""));
        Ok(folder.join(fs::read_link(link)?))
    })
}

fn replace_with(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}{TEMPORARY}", std::process::id()));
    let written = File::create(&temporary)
        .and_then(|mut file| write(&mut file).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one worth telling; on a full disk there may be nothing to remove.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    path.parent().map_or(Ok(()), sync_folder)
}

/// Removes what processes that have ended since left half written in `folder` of files whose names begin with `prefix`; what a
/// running process writes stays. Does nothing where the system does not tell which processes run.
///
/// # Errors
/// What the system says.
pub fn remove_leftovers_of_the_dead(folder: &Path, prefix: &str) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_left = |process| name.starts_with(prefix) && !may_run(process);
        if writer_of(&name).is_some_and(is_left) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Whether the process of this number runs, as far as the system tells; one in another container counts as ended.
pub fn may_run(process: u32) -> bool {
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(process.to_string()).exists()
}

/// The process that writes the temporary file of this name, `NAME.PROCESS.tmp`.
fn writer_of(name: &str) -> Option<u32> {
    name.strip_suffix(TEMPORARY)?.rsplit_once('.')?.1.parse().ok()
}

/// Removes the temporary files of [`write_file`] that killed processes left in `folder`, if there is such a folder. The
/// caller ensures that no process writes there meanwhile.
///
/// # Errors
/// What the system says.
pub fn remove_leftovers(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if writer_of(&entry.file_name().to_string_lossy()).is_some() && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Makes the names in `folder` durable; only Unix can open a folder for that, elsewhere the file system's journal has to
/// do.
///
/// # Errors
/// What the system says.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        write_file(&path, b"old, and longer").unwrap();
        write_file(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_file(&folder.path().join("none/rows.csv"), b"").is_err());
    }

    #[test]
    #[cfg(unix)]
    fn devices_are_written_to_and_links_stay() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        write_file(Path::new("/dev/null"), b"into nothing").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        if Path::new("/dev/full").exists() {
            assert!(write_file(Path::new("/dev/full"), b"no room").is_err());
            assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
        }
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        write_file(&link, b"new").unwrap();
        assert!(link.is_symlink() && fs::read(&file).unwrap() == b"new");
        fs::remove_file(&file).unwrap();
        write_file(&link, b"newer").unwrap();
        assert!(link.is_symlink() && fs::read(&file).unwrap() == b"newer");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_the_dead_left_is_removed_and_what_the_living_write_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let own = format!("agent.{}.tmp", std::process::id());
        // No process has so large a number.
        for name in ["agent.4194399.tmp", &own, "other.4194399.tmp", "agent.x.tmp", "agent"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        remove_leftovers_of_the_dead(folder.path(), "agent").unwrap();
        let left = |name: &str| folder.path().join(name).exists();
        assert!(!left("agent.4194399.tmp") && left(&own) && left("other.4194399.tmp") && left("agent.x.tmp"));
        remove_leftovers_of_the_dead(folder.path(), "").unwrap();
        assert!(!left("other.4194399.tmp") && left("agent") && left(&own));
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["rows.csv", "rows.csv.1234.tmp", "tmp", "notes.tmp", ".12.x.tmp"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        fs::create_dir(folder.path().join("folder.12.tmp")).unwrap();
        remove_leftovers(folder.path()).unwrap();
        let entries = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut left: Vec<_> = entries.collect();
        left.sort();
        assert_eq!(left, [".12.x.tmp", "folder.12.tmp", "notes.tmp", "rows.csv", "tmp"]);
        remove_leftovers(&folder.path().join("none")).unwrap();
    }
}
