//! All processes that a program has started, found by a variable in their environment, which children inherit.
//!
//! A process may leave its group (`setsid`), and then no signal to the group reaches it; its environment stays. The process that
//! asks programs may itself be killed, and then nothing of it runs that could end them; so a guard process waits for that.
//!
//! `process-wrap` and a child subreaper (`PR_SET_CHILD_SUBREAPER`) do less. `process-wrap` kills a group, so that what called
//! `setsid` survives. A subreaper inherits such processes, but cannot tell which program they came from while others play,
//! makes the whole process, such as a Python interpreter, the parent of every orphan, and ends nothing when it is killed.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::LazyLock;

use rustix::process::{Pid, Signal, kill_process};

/// The variable with the mark.
const VARIABLE: &str = "SELFPLAY_PROCESS_TREE";
/// How often a tree is searched at most: one that starts processes all the time is never empty.
const ROUNDS: usize = 3;

/// The mark of this process's programs, different from that of any other.
static OWN: LazyLock<String> = LazyLock::new(|| format!("{}-{:016x}", std::process::id(), random()));

fn random() -> u64 {
    RandomState::new().hash_one(0_u64)
}

/// Waits for the end of this process in whatever way, and then ends what has its mark. Its input is open as long as this
/// process runs; nothing is ever written there.
static GUARD: LazyLock<Option<ChildStdin>> = LazyLock::new(|| {
    // A shell and the usual small programs, since nothing of this process can be counted on by then.
    let script = "trap '' INT TERM HUP QUIT\ncat >/dev/null\nfor round in 1 2 3; do for e in /proc/[0-9]*/environ; do\n\
        if tr '\\000' '\\n' <\"$e\" 2>/dev/null | grep -q \"^$0\"; then p=${e#/proc/}; kill -9 \"${p%/environ}\" 2>/dev/null; fi\n\
        done; done";
    let mark = format!("{VARIABLE}={}-", *OWN);
    let mut guard = Command::new("sh");
    guard
        .args(["-c", script, &mark])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    // Without a shell programs outlive a process that is killed, as ever.
    guard.spawn().ok().and_then(|mut guard| guard.stdin.take())
});

/// The processes of a program.
#[derive(Debug)]
pub(super) struct ProcessTree {
    mark: String,
}

impl ProcessTree {
    /// Has what `command` starts belong to a new tree, which ends with this process at the latest.
    pub(super) fn new(command: &mut Command) -> Self {
        LazyLock::force(&GUARD);
        let mark = format!("{}-{:016x}", *OWN, random());
        command.env(VARIABLE, &mark);
        ProcessTree { mark }
    }

    /// Kills all that is left of it. Does nothing where the system has no `/proc`.
    pub(super) fn kill(&self) {
        for _ in 0..ROUNDS {
            let Ok(left) = self.left() else { return };
            if left.is_empty() {
                return;
            }
            for process in left {
                // It may have ended by itself.
                let _ = kill_process(process, Signal::KILL);
            }
        }
    }

    fn left(&self) -> io::Result<Vec<Pid>> {
        let mark = format!("{VARIABLE}={}", self.mark);
        let has_mark =
            |environment: Vec<u8>| environment.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes());
        let mut left = Vec::new();
        for entry in fs::read_dir("/proc")?.flatten() {
            let number = entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
            let Some(process) = number else { continue };
            // What belongs to others cannot be read, and what has ended is empty.
            if fs::read(entry.path().join("environ")).is_ok_and(has_mark) {
                left.push(process);
            }
        }
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_leaves_the_group_is_found() {
        let mut command = Command::new("sh");
        command.args(["-c", "setsid sleep 100 & sleep 100"]).process_group(0);
        let tree = ProcessTree::new(&mut command);
        let mut child = command.spawn().unwrap();
        while tree.left().unwrap().len() < 3 {
            sleep(Duration::from_millis(5));
        }
        tree.kill();
        child.wait().unwrap();
        while !tree.left().unwrap().is_empty() {
            sleep(Duration::from_millis(5));
        }
    }
}
