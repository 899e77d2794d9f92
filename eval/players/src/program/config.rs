//! Which program is a player, and how long it may take.

use std::env;
use std::path::Path;
use std::time::Duration;

use crate::error::EvalError;
use crate::player_settings;
use crate::settings::domain::Time;
use crate::time_control::{ClockKind, TimeControl};

player_settings! {
    #[derive(Eq)]
    /// A program and its limits.
    pub struct ProgramConfig, kind "program" {
        /// Wall-clock milliseconds for each of its turns; the match's clock holds as well. `None` for no limit but the
        /// match's, or five minutes where a match has no clock.
        pub time_ms("time"): Option<u64> = None, as Time;
        /// The command line, split into words as a shell splits it; nothing else of a shell works here. Words that name
        /// files of the current folder are made absolute, since the program may run in another folder.
        pub command(*): String = String::new(), as "the program's command, after all options,";
        /// Milliseconds that it may take, between games, until it is ready to play.
        pub start_ms: u64 = 30_000, in 1..=3_600_000;
        /// Milliseconds beyond its time after which it is killed.
        pub grace_ms: u64 = 250;
    }
}

/// A turn may take this long where nothing else limits it.
const LONGEST_TURN: Duration = Duration::from_secs(300);
/// Longer than any match; instants this far from now can be represented.
const FOREVER: Duration = Duration::from_secs(1_000_000_000);
/// A program whose CPU time counts may be waiting for a core: it is killed after this many times its time has passed.
const WALL_PER_CPU: u32 = 3;

impl ProgramConfig {
    /// A program with the default limits.
    pub fn new(command: &str) -> Self {
        ProgramConfig { command: command.into(), ..ProgramConfig::default() }
    }

    /// The words of the command line, files with absolute paths; at least one.
    ///
    /// # Errors
    /// [`EvalError::BadCommand`] if the command cannot be split or its program does not exist, [`EvalError::InvalidKey`] for
    /// a limit out of range.
    pub fn words(&self) -> Result<Vec<String>, EvalError> {
        self.validate()?;
        let bad = |expected| EvalError::BadCommand { command: self.command.clone(), expected };
        if cfg!(not(unix)) {
            return Err(bad("a Unix system: nothing else ends all that a program has started"));
        }
        let words = shlex::split(&self.command).ok_or_else(|| bad("every quotation mark to be closed"))?;
        let program = words.first().ok_or_else(|| bad("a program and its arguments"))?;
        if !is_program(program) {
            return Err(bad("a program that exists, by its path or in a folder of PATH"));
        }
        Ok(words.iter().enumerate().map(|(index, word)| absolute(index, word)).collect())
    }

    /// What the program may use for a turn in a match that leaves it `time_left`.
    pub fn turn_time(&self, time_left: Option<TimeControl>) -> Duration {
        let given = time_left.map(|time| Duration::from_millis(time.ms));
        self.own_time().into_iter().chain(given).min().unwrap_or(LONGEST_TURN)
    }

    /// How long to wait for a turn before the program is killed, by the wall clock.
    pub fn turn_limit(&self, time_left: Option<TimeControl>) -> Duration {
        let given = time_left.map(|time| match time.clock {
            ClockKind::Wall => Duration::from_millis(time.ms),
            ClockKind::Cpu => Duration::from_millis(time.ms).saturating_mul(WALL_PER_CPU),
        });
        let limit = self.own_time().into_iter().chain(given).min().unwrap_or(LONGEST_TURN);
        limit.min(FOREVER).saturating_add(Duration::from_millis(self.grace_ms).min(FOREVER))
    }

    fn own_time(&self) -> Option<Duration> {
        self.time_ms.map(Duration::from_millis)
    }
}

/// Whether a first word names something that can be started.
fn is_program(word: &str) -> bool {
    if word.contains('/') {
        return Path::new(word).is_file();
    }
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(word).is_file()))
}

/// The word, made absolute if it is the path of a file; a program without a slash comes from PATH.
fn absolute(index: usize, word: &str) -> String {
    let is_path = if index == 0 { word.contains('/') } else { Path::new(word).exists() };
    let path = is_path.then(|| std::path::absolute(word).ok()).flatten();
    path.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| word.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_control::TimeSpan;

    #[test]
    fn commands_are_split_as_by_a_shell_and_checked() {
        let words = ProgramConfig::new("sh -c 'echo  a' \"b c\"").words().unwrap();
        assert_eq!(words, ["sh", "-c", "echo  a", "b c"]);
        for command in ["", "sh 'x", "no-such-program-anywhere", "./no/such/file"] {
            let error = ProgramConfig::new(command).words().unwrap_err();
            assert!(error.to_string().starts_with(&format!("program `{command}`: expected ")), "{error}");
        }
        // Tests run in the folder of the crate.
        let words = ProgramConfig::new("sh Cargo.toml src --flag").words().unwrap();
        assert!(words[1].starts_with('/') && words[1].ends_with("/Cargo.toml"), "{words:?}");
        assert!(words[2].ends_with("/src") && words[3] == "--flag", "{words:?}");
    }

    #[test]
    fn the_shorter_of_own_and_given_time_counts() {
        let config = ProgramConfig { time_ms: Some(500), grace_ms: 100, ..ProgramConfig::new("sh") };
        let given = |ms, clock| Some(TimeControl { ms, span: TimeSpan::Game, clock });
        assert_eq!(config.turn_limit(None), Duration::from_millis(600));
        assert_eq!(config.turn_limit(given(200, ClockKind::Wall)), Duration::from_millis(300));
        assert_eq!(config.turn_limit(given(100, ClockKind::Cpu)), Duration::from_millis(400));
        assert_eq!(config.turn_limit(given(2000, ClockKind::Wall)), Duration::from_millis(600));
        assert_eq!(config.turn_time(given(200, ClockKind::Cpu)), Duration::from_millis(200));
        assert_eq!(ProgramConfig::new("sh").turn_time(None), LONGEST_TURN);
        // Even absurd limits can be added to an instant.
        let endless = ProgramConfig { time_ms: Some(u64::MAX), grace_ms: u64::MAX, ..config };
        assert!(std::time::Instant::now().checked_add(endless.turn_limit(None)).is_some());
    }
}
