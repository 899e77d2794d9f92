//! Which machines and programs a run was computed with: `calls.jsonl` in its folder, a line for each change.

use std::fs;
use std::io::Write;
use std::path::Path;

use selfplay_network::DeviceKind;
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::machine::{Machine, all_cores};

const CALLS_FILE: &str = "calls.jsonl";

/// What a call of `train` computes with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Call {
    /// Version of the program.
    pub version: String,
    /// The commit that it was built from, if it was built in a checkout.
    pub commit: Option<String>,
    /// Name of the processor.
    pub cpu: String,
    /// Worker threads.
    pub threads: usize,
    /// Where networks are computed.
    pub device: String,
}

impl Call {
    /// This call of a program that was built from `commit`.
    pub fn this(machine: Machine, commit: Option<&str>) -> Self {
        Call {
            version: env!("CARGO_PKG_VERSION").into(),
            commit: commit.map(str::to_owned),
            cpu: cpu_name(),
            threads: machine.threads,
            device: machine.device.to_string(),
        }
    }

    /// Keeps it with the run in `folder`, unless the call before was the same.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn note(&self, folder: &Path) -> Result<(), RunError> {
        if Call::noted(folder).last() == Some(self) {
            return Ok(());
        }
        let path = folder.join(CALLS_FILE);
        // A line that was cut off by a crash must not swallow this one.
        let is_torn = fs::read(&path).is_ok_and(|bytes| bytes.last().is_some_and(|&byte| byte != b'\n'));
        let line = serde_json::to_string(self).expect("plain data");
        let text = format!("{}{line}\n", if is_torn { "\n" } else { "" });
        let file = fs::File::options().create(true).append(true).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(RunError::io(&path))
    }

    /// What is kept with the run in `folder`, the first call first; lines that cannot be read are passed over.
    pub fn noted(folder: &Path) -> Vec<Call> {
        let text = fs::read_to_string(folder.join(CALLS_FILE)).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Threads of the last of these calls; all cores if there is none.
    pub fn last_threads(calls: &[Call]) -> usize {
        calls.last().map_or_else(all_cores, |call| call.threads)
    }

    /// Whether it computed networks on the CPU.
    pub fn is_on_cpu(&self) -> bool {
        self.device.parse().is_ok_and(DeviceKind::is_cpu)
    }

    /// The machine in words.
    pub fn machine(&self) -> String {
        let Call { cpu, threads, device, .. } = self;
        format!("{cpu}, {threads} threads, device {device}")
    }
}

/// The processor as the system names it.
pub fn cpu_name() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_noted_and_torn_lines_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let call = |threads| Call {
            version: "1".into(),
            commit: None,
            cpu: "some \"CPU\"".into(),
            threads,
            device: "cpu".into(),
        };
        for threads in [2, 2, 4] {
            call(threads).note(folder.path()).unwrap();
        }
        assert_eq!(Call::noted(folder.path()), [call(2), call(4)]);
        let path = folder.path().join(CALLS_FILE);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 5]).unwrap();
        call(8).note(folder.path()).unwrap();
        assert_eq!(Call::noted(folder.path()), [call(2), call(8)]);
        assert!(call(8).is_on_cpu() && !Call { device: "cuda".into(), ..call(8) }.is_on_cpu());
        assert_eq!(call(8).machine(), "some \"CPU\", 8 threads, device cpu");
    }
}
