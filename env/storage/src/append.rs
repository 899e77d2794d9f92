//! Files that are appended to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::replace::sync_folder;

/// Locking and durability of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Care {
    /// No other program that locks the file can open it meanwhile. Appended data has reached the operating system.
    Locked,
    /// Appended data is on the disk. The caller ensures that no other process writes the file.
    Synced,
    /// The file can be recreated, so neither.
    None,
}

/// A file that begins with a header and grows at its end.
///
/// A crash may leave damaged data after the complete records. Code that resumes a file checks how much of it is valid
/// and [keeps](Self::keep) that part.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    /// Bytes that count; the next ones are written behind them.
    length: u64,
    care: Care,
}

impl AppendFile {
    /// A new file that holds `header`.
    ///
    /// # Errors
    /// What the system says, also if there is such a file.
    pub fn create(path: &Path, header: &[u8], care: Care) -> io::Result<Self> {
        let mut created = Self::open(path, OpenOptions::new().read(true).write(true).create_new(true), care)?;
        created.begin(path, header)?;
        Ok(created)
    }

    /// Opens a file for appending and returns all that it holds, the header included. A file that is missing or holds
    /// only a part of `header` is started with it.
    ///
    /// # Errors
    /// What the system says, that it is not a regular file, and that another program has a [locked](Care::Locked) file.
    pub fn resume(path: &Path, header: &[u8], care: Care) -> io::Result<(Self, Vec<u8>)> {
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let mut resumed = Self::open(path, &options, care)?;
        let mut bytes = Vec::new();
        resumed.length = resumed.file.read_to_end(&mut bytes)? as u64;
        if bytes.len() < header.len() && header.starts_with(&bytes) {
            resumed.begin(path, header)?;
            bytes = header.to_vec();
        }
        Ok((resumed, bytes))
    }

    /// As [`resume`](Self::resume), for a file of lines: returns those that have their end, the header's among them.
    ///
    /// # Errors
    /// Those of [`resume`](Self::resume), and [`io::ErrorKind::InvalidData`] if the lines are no text.
    pub fn resume_lines(path: &Path, header: &str, care: Care) -> io::Result<(Self, String)> {
        let (resumed, mut bytes) = Self::resume(path, header.as_bytes(), care)?;
        bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
        let text = String::from_utf8(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        Ok((resumed, text))
    }

    /// Truncates the file to its first `length` bytes; later data is appended after them.
    ///
    /// # Errors
    /// What the system says.
    pub fn keep(&mut self, length: usize) -> io::Result<()> {
        self.length = length as u64;
        self.cut()
    }

    /// Writes `bytes` at the end with one call.
    ///
    /// # Errors
    /// What the system says; the file is then as it was, as far as the system allows.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let synced = |file: &File| if self.care == Care::Synced { file.sync_data() } else { Ok(()) };
        if let Err(error) = self.file.write_all(bytes).and_then(|()| synced(&self.file)) {
            // Should this fail too, the next call that resumes the file cuts off what was torn.
            let _ = self.cut();
            return Err(error);
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn open(path: &Path, options: &OpenOptions, care: Care) -> io::Result<Self> {
        let file = options.open(path)?;
        // To read a pipe to its end takes for ever, and none can be cut.
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file; name a file"));
        }
        if care == Care::Locked {
            file.try_lock().map_err(|refusal| match refusal {
                TryLockError::Error(source) => source,
                TryLockError::WouldBlock => io::Error::other("another program is writing it"),
            })?;
        }
        Ok(AppendFile { file, length: 0, care })
    }

    fn begin(&mut self, path: &Path, header: &[u8]) -> io::Result<()> {
        self.keep(0)?;
        self.append(header)?;
        match path.parent() {
            Some(folder) if self.care == Care::Synced => sync_folder(folder),
            _ => Ok(()),
        }
    }

    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length)).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const HEADER: &str = "header\n";

    #[test]
    fn every_cut_of_a_file_of_lines_leaves_the_whole_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        AppendFile::create(&path, HEADER.as_bytes(), Care::None).unwrap().append(b"one\ntwo\n").unwrap();
        assert!(AppendFile::create(&path, HEADER.as_bytes(), Care::None).is_err(), "there is one");
        let whole = fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            for care in [Care::Locked, Care::Synced, Care::None] {
                fs::write(&path, &whole[..cut]).unwrap();
                let (mut file, lines) = AppendFile::resume_lines(&path, HEADER, care).unwrap();
                let expected = match cut {
                    ..11 => "header\n",
                    11..15 => "header\none\n",
                    _ => "header\none\ntwo\n",
                };
                assert_eq!(lines, expected, "cut at {cut}");
                file.keep(lines.len()).unwrap();
                file.append(b"more\n").unwrap();
                assert_eq!(fs::read_to_string(&path).unwrap(), lines + "more\n");
            }
        }
    }

    #[test]
    fn what_begins_otherwise_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("precious");
        fs::write(&path, "heard\nthis").unwrap();
        let (_, lines) = AppendFile::resume_lines(&path, HEADER, Care::None).unwrap();
        assert_eq!((lines.as_str(), fs::read_to_string(&path).unwrap().as_str()), ("heard\n", "heard\nthis"));
    }

    #[test]
    fn a_locked_file_is_not_opened_twice() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let first = AppendFile::create(&path, HEADER.as_bytes(), Care::Locked).unwrap();
        let again = || AppendFile::resume(&path, HEADER.as_bytes(), Care::Locked);
        assert!(again().unwrap_err().to_string().contains("another program is writing it"));
        drop(first);
        assert!(again().is_ok());
    }
}
