//! `calibration.txt`: what a player costs on the judge's machine, measured once, read before every move.

use std::path::Path;
use std::time::Duration;

use selfplay_arena::{Clock, Measure};
use selfplay_env::Game;
use selfplay_pente::Pente;
use selfplay_players::{ClockKind, EvalError, MoveRequest, Player, TimeControl, TimeSpan};

use super::instinct::by_instinct;
use crate::files::{read_small, replace_file};

const NAME: &str = "calibration.txt";
/// First word of the file and its version.
const MARK: &str = "selfplay-calibration 1";
const MAX_BYTES: u64 = 4096;
/// Moves that are measured, of a game played by instinct.
const PLIES: usize = 6;
/// What a file may say, in milliseconds; more is somebody else's number.
const MAX_MS: f64 = 60_000.0;

/// What a player costs in CPU time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Calibration {
    /// Until the player is there: the program's start, weights read.
    pub start: Duration,
    /// The least that a move of it costs, however little time it is given.
    pub move_time: Duration,
}

impl Default for Calibration {
    /// What is assumed where nothing was measured: 10 ms each.
    fn default() -> Self {
        Calibration { start: Duration::from_millis(10), move_time: Duration::from_millis(10) }
    }
}

impl Calibration {
    /// Measures what `make_player` makes by the process's CPU time on `clock`; what this process has used before counts
    /// as start.
    ///
    /// # Errors
    /// What the player fails with.
    pub fn measure(
        clock: &dyn Clock,
        make_player: impl FnOnce() -> Result<Box<dyn Player>, EvalError>,
    ) -> Result<Self, EvalError> {
        let mut player = make_player()?;
        let start = clock.read(Measure::ProcessCpu);
        player.new_game(0, 0);
        let time_left = Some(TimeControl { ms: 1, span: TimeSpan::Turn, clock: ClockKind::Cpu });
        let mut position = Pente::<19>::initial();
        let mut history = Vec::new();
        let mut move_time = Duration::ZERO;
        while let Some(action) = by_instinct(&position).filter(|_| history.len() < PLIES) {
            let before = clock.read(Measure::ProcessCpu);
            player.choose(&MoveRequest { table: 0, position: &position, history: &history, time_left })?;
            move_time = move_time.max(clock.read(Measure::ProcessCpu).saturating_sub(before));
            position.play(action);
            history.push(action);
        }
        Ok(Calibration { start, move_time })
    }

    /// What `calibration.txt` in `folder` says, or the default where there is none that can be read.
    pub(super) fn read(folder: &Path) -> Self {
        let text = read_small(&folder.join(NAME), MAX_BYTES).unwrap_or_default();
        Self::parse(&text).unwrap_or_default()
    }

    /// Writes `calibration.txt` into `folder`.
    pub(super) fn write(&self, folder: &Path) -> std::io::Result<()> {
        let [start, move_time] = [self.start, self.move_time].map(|time| time.as_secs_f64() * 1000.0);
        let text = format!("{MARK}\nstart_ms {start:.3}\nmove_ms {move_time:.3}\n");
        replace_file(&folder.join(NAME), &text)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        lines.next().filter(|&line| line == MARK)?;
        let mut time = |key| {
            let ms: f64 = lines.next()?.strip_prefix(key)?.strip_prefix(' ')?.parse().ok()?;
            (0.0..=MAX_MS).contains(&ms).then(|| Duration::from_secs_f64(ms / 1000.0))
        };
        Some(Calibration { start: time("start_ms")?, move_time: time("move_ms")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Calibration::read(folder.path()), Calibration::default());
        let measured = Calibration { start: Duration::from_micros(12_345), move_time: Duration::from_micros(678) };
        measured.write(folder.path()).unwrap();
        assert_eq!(Calibration::read(folder.path()), measured);
        let good = std::fs::read_to_string(folder.path().join(NAME)).unwrap();
        for (from, to) in [("12.345", "NaN"), ("12.345", "-1"), ("12.345", "1e9"), ("calibration 1", "calibration 2")] {
            assert_eq!(Calibration::parse(&good.replace(from, to)), None, "{to}");
        }
        assert_eq!(Calibration::parse(&good[..good.len() - 12]), None);
    }
}
