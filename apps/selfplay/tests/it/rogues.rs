//! Programs that misbehave as players: each loses its games with a reason. The tournament continues to its end and
//! leaves nothing of them behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The shell commands that each program runs in place of its first move, after the game has been set up.
const ROGUES: [(&str, &str); 10] = [
    ("floods", "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done"),
    ("floods-a-line", "exec tr '\\0' a < /dev/zero"),
    ("complains", "while :; do echo no no no no no no no no no no >&2; done"),
    ("hangs", "exec sleep 1000"),
    ("forks", "for i in 1 2 3 4 5 6 7 8; do setsid sleep 1000 & sleep 1000 & done; sleep 1000"),
    ("closes", "exec >&- <&- 2>&-; exec sleep 1000"),
    ("dies", "kill -9 $$"),
    ("is-late", "sleep 3; echo '= a1'; echo; sleep 1000"),
    ("answers-another", "echo '? not my turn'; echo; sleep 1000"),
    ("grows", "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done"),
];

/// A GTP program that is well-behaved until it is to move.
fn script(rogue: &str) -> String {
    format!(
        "while read -r command rest; do case $command in genmove) {rogue};; \
         name) echo '= rogue';; protocol_version) echo '= 2';; *) echo '= ';; esac; echo; done"
    )
}

fn open_files(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/fd")).map_or(0, |files| files.count())
}

/// Processes that run a script of this folder, or what one of them started.
fn left_of(folder: &Path) -> Vec<String> {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let mark = |entry: &fs::DirEntry| {
        let read = |file: &str| fs::read(entry.path().join(file)).unwrap_or_default();
        let text = [read("cmdline"), read("environ")].concat();
        String::from_utf8_lossy(&text).contains(name)
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let own = std::process::id().to_string();
    processes
        .filter(|entry| entry.file_name().to_str() != Some(&own) && mark(entry))
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

#[test]
fn rogues_lose_with_a_reason_and_the_tournament_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rogue) in ROGUES {
        fs::write(folder.path().join(name), script(rogue)).unwrap();
    }
    let rogues = ROGUES.map(|(name, _)| format!("program:sh {}", folder.path().join(name).display()));
    let mut playing = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["tournament", "tictactoe", "random"])
        .args(&rogues)
        .args([
            "--format",
            "gauntlet",
            "--games",
            "2",
            "--move-time",
            "300ms",
            "--games-file",
            "games.jsonl",
            "--threads",
            "2",
        ])
        .current_dir(&folder)
        .env("SELFPLAY_PROGRAM_MEMORY_MIB", "500")
        // What they start has it too, wherever it goes.
        .env("ROGUES", folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut most, mut last) = (0, 0);
    let status = loop {
        if let Some(status) = playing.try_wait().unwrap() {
            break status;
        }
        last = match open_files(playing.id()) {
            0 => last,
            open => open,
        };
        most = most.max(last);
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(status.success());
    assert!(most < 60, "{most} files open: those of programs that are gone stay open");
    let games = fs::read_to_string(folder.path().join("games.jsonl")).unwrap();
    let mut lines = games.lines();
    let header: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    let names: Vec<&str> = header["players"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let games: Vec<serde_json::Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(games.len(), 2 * ROGUES.len(), "all games were played");
    for (place, name) in names.iter().enumerate().filter(|(_, name)| **name != "random") {
        let theirs = games.iter().filter(|game| game["players"].as_array().unwrap().contains(&place.into()));
        for game in theirs {
            let text = game.to_string();
            assert!(text.contains("failed") || text.contains("time"), "{name} lost for no reason: {text}");
        }
    }
    // Those that left are found as well, if not at once.
    for _ in 0..200 {
        if left_of(folder.path()).is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("these still run: {:?}", left_of(folder.path()));
}
