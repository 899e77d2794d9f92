//! A process in a group of its own: started, watched, killed with all that it started, and its CPU time.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid};
use wait4::Wait4;

use super::error::{ProgramError, StartError};
use super::process_tree::ProcessTree;

/// The variable with the MiB of address space that each program that plays may have.
const MEMORY: &str = "SELFPLAY_PROGRAM_MEMORY_MIB";
/// Lines of standard error that are remembered, and bytes of each.
const LAST_LINES: usize = 5;
const LINE_BYTES: u64 = 400;
/// How long to wait for the last lines of a process that has ended, where others that it started still hold the pipe.
const LAST_WORDS_WAIT: Duration = Duration::from_secs(1);
/// A process is looked at again after this part of the time that it has run, within these limits.
const POLL_PART: u32 = 50;
const SHORTEST_POLL: Duration = Duration::from_micros(200);
const LONGEST_POLL: Duration = Duration::from_millis(5);

/// A running or finished process, killed with its group and all that it started when dropped, and when this process ends in
/// whatever way.
pub struct Process {
    /// `None` once it is waited for.
    child: Option<Child>,
    group: Pid,
    tree: ProcessTree,
    last_lines: Arc<Mutex<VecDeque<String>>>,
    /// Closed when standard error is.
    stderr_end: Receiver<()>,
}

impl Process {
    /// Starts the command `words` in `folder`, or in the current one. Standard error is remembered.
    ///
    /// # Errors
    /// [`StartError`]; nothing runs then.
    pub fn start(words: &[String], folder: Option<&Path>, stdin: Stdio, stdout: Stdio) -> Result<Self, StartError> {
        let program = || words[0].clone();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(stdin).stdout(stdout).stderr(Stdio::piped()).process_group(0);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let tree = ProcessTree::new(&mut command);
        let refused = |error: std::io::Error| StartError::Refused { program: program(), reason: error.to_string() };
        let mut child = command.spawn().map_err(refused)?;
        let group = Pid::from_child(&child);
        if let Err(reason) = limit_memory(group) {
            let _ = child.kill().and_then(|()| child.wait());
            return Err(StartError::Memory { program: program(), variable: MEMORY, reason });
        }
        let stderr = child.stderr.take();
        let last_lines = Arc::default();
        let (end, stderr_end) = channel();
        if let Some(stderr) = stderr {
            let last_lines = Arc::clone(&last_lines);
            thread::spawn(move || {
                remember_last_lines(stderr, &last_lines);
                drop(end);
            });
        }
        Ok(Process { child: Some(child), group, tree, last_lines, stderr_end })
    }

    /// The process itself, for its pipes; `None` once it is waited for.
    pub fn child(&mut self) -> Option<&mut Child> {
        self.child.as_mut()
    }

    /// How it ended, as in `exited with status 1`; `None` while it runs. It stays unreaped, so that its number, and its
    /// group's, cannot pass to another process.
    pub fn end(&self) -> Option<String> {
        if self.child.is_none() {
            return Some("was killed".into());
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.group), options) {
            Ok(status) => status.as_ref().map(describe),
            Err(error) => Some(format!("is lost: {error}")),
        }
    }

    /// [`end`](Self::end), waiting for it up to `limit`.
    pub fn wait(&self, limit: Duration) -> Option<String> {
        let start = Instant::now();
        loop {
            let end = self.end();
            let elapsed = start.elapsed();
            if end.is_some() || elapsed >= limit {
                return end;
            }
            let pause = (elapsed / POLL_PART).clamp(SHORTEST_POLL, LONGEST_POLL);
            thread::sleep(pause.min(limit - elapsed));
        }
    }

    /// Kills the group, and what has left it, and returns the CPU time of the process and of those that it waited for, by the system's count.
    pub fn finish(&mut self) -> Option<Duration> {
        let mut child = self.child.take()?;
        // There is nobody left to kill if the whole group has ended; a process that has left its group is killed alone.
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = child.kill();
        self.tree.kill();
        child.wait4().ok().map(|used| used.rusage.utime + used.rusage.stime)
    }

    /// CPU time of all processes of the group so far, in steps of some milliseconds; `None` where the system has no
    /// `/proc`.
    pub fn cpu_time_so_far(&self) -> Option<Duration> {
        let group = self.group.as_raw_nonzero().get();
        let mut ticks = 0;
        for entry in fs::read_dir("/proc").ok()?.flatten() {
            let is_process = entry.file_name().to_str().is_some_and(|name| name.bytes().all(|b| b.is_ascii_digit()));
            // A process may end while we look.
            let Some(stat) = is_process.then(|| fs::read_to_string(entry.path().join("stat")).ok()).flatten() else {
                continue;
            };
            ticks += ticks_in_group(&stat, group).unwrap_or(0);
        }
        Some(Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64))
    }

    /// `fault` with what the process wrote last to standard error. Waits a moment for it if the process has ended.
    pub fn with_last_words<F>(&self, fault: F) -> ProgramError<F> {
        if self.end().is_some() {
            // Nothing is ever sent: this ends when the pipe is closed, or after the wait.
            let _ = self.stderr_end.recv_timeout(LAST_WORDS_WAIT);
        }
        let lines = self.last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        ProgramError { fault, last_words: (!lines.is_empty()).then(|| lines.join(" | ")) }
    }
}

/// Limits the address space of a process, and of those that it will start, as the variable says, if it is there.
fn limit_memory(process: Pid) -> Result<(), String> {
    let Ok(asked) = std::env::var(MEMORY) else { return Ok(()) };
    let mib: u64 = asked.trim().parse().ok().filter(|mib| *mib > 0).ok_or("it is no number of MiB above 0")?;
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, prlimit};
        let limit = Some(mib.saturating_mul(1 << 20));
        let limit = Rlimit { current: limit, maximum: limit };
        prlimit(Some(process), Resource::As, limit).map(drop).map_err(|error| error.to_string())
    }
    #[cfg(not(target_os = "linux"))]
    Err(format!("this system limits no other process ({mib} MiB asked for {process:?})"))
}

impl Drop for Process {
    fn drop(&mut self) {
        self.finish();
    }
}

fn describe(status: &WaitIdStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(status), _) => format!("exited with status {status}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".into(),
    }
}

/// Clock ticks that a process has used, and its children that it waited for, by its line in `/proc`; `None` if it is
/// not of `group`.
fn ticks_in_group(stat: &str, group: i32) -> Option<u64> {
    // The name in brackets may hold anything; the numbers are those of proc_pid_stat(5) from the third on.
    let (_, numbers) = stat.rsplit_once(')')?;
    let numbers: Vec<&str> = numbers.split_whitespace().collect();
    if numbers.get(2)?.parse() != Ok(group) {
        return None;
    }
    numbers.get(11..15)?.iter().map(|ticks| ticks.parse::<u64>().ok()).sum()
}

fn remember_last_lines(stderr: ChildStderr, last_lines: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    // Long lines are remembered in parts.
    while matches!(reader.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line), Ok(1..)) {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        line.clear();
        if !text.is_empty() {
            let mut lines = last_lines.lock().unwrap_or_else(PoisonError::into_inner);
            if lines.len() == LAST_LINES {
                lines.pop_front();
            }
            lines.push_back(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_process_is_read_whatever_its_name() {
        let stat = "7 (a) b) S 1 42 42 0 -1 0 0 0 0 0 5 6 70 80 20 0 1 0 0";
        assert_eq!(ticks_in_group(stat, 42), Some(161));
        assert_eq!(ticks_in_group(stat, 41), None);
        assert_eq!(ticks_in_group("7 (cut) S 1 42", 42), None);
    }
}
