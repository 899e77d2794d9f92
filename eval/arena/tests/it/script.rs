//! Shell scripts that stand for programs outside, and what tests ask of their players.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use selfplay_env::{Action, CompleteGame, Game};
use selfplay_players::program::ProgramConfig;
use selfplay_players::{Decision, EvalError, MoveRequest, Player};
use tempfile::TempDir;

/// A script in a folder of its own, with a log.
pub struct Script {
    folder: TempDir,
}

impl Script {
    pub fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("program.sh"), text).unwrap();
        Script { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the script wrote into `name`, line by line.
    pub fn lines(&self, name: &str) -> Vec<String> {
        fs::read_to_string(self.path(name)).unwrap_or_default().lines().map(|line| line.trim_end().into()).collect()
    }

    pub fn command(&self) -> String {
        format!("sh '{}' '{}'", self.path("program.sh").display(), self.path("log").display())
    }
}

/// Time enough for a script on a busy machine.
pub fn patient(config: ProgramConfig) -> ProgramConfig {
    ProgramConfig { time_ms: Some(20_000), ..config }
}

pub fn choose<G: CompleteGame>(
    player: &mut dyn Player,
    position: &G,
    history: &[Action],
) -> Result<Decision, EvalError> {
    player.choose(&MoveRequest { table: 3, position, history, time_left: None })
}

/// Why the player has no move at the start of a game.
pub fn failure<G: CompleteGame>(player: &mut dyn Player) -> String {
    match choose(player, &G::initial(), &[]) {
        Err(EvalError::PlayerFailed { player, table: 3, reason }) if player == "program" => reason,
        other => panic!("{other:?}"),
    }
}

pub fn after<G: Game>(line: &str) -> (G, Vec<Action>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    selfplay_env::game_text::play_line(&words).unwrap()
}

/// Whether the process with the number in the file is gone, or dead and not yet buried.
pub fn is_gone(path: &Path) -> bool {
    let number = fs::read_to_string(path).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", number.trim()));
    stat.map_or(true, |stat| stat.contains(") Z "))
}

/// Waits for what the system does a moment later.
pub fn soon(condition: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !condition() && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    condition()
}
