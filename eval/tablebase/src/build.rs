//! Makes a table: sweep after sweep, over all threads, kept on disk as it grows.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::{Duration, Instant};

use selfplay_env::position_index::PositionIndex;

use crate::error::TableError;
use crate::inverse::Inverse;
use crate::layout::{Header, VERSION};
use crate::shards::{Shards, run_watched};
use crate::summary::Summary;
use crate::sweep::{SHARD, SweepProgress, Values};
use crate::unfinished::{self, Unfinished};
use crate::value::MAX_TURNS;
use crate::write::write;

const MIB: u64 = 1 << 20;

/// How to make a table.
#[derive(Clone, Debug)]
pub struct TablebaseConfig {
    /// Memory that its values may take, in MiB.
    pub memory_mib: u64,
    /// Threads, at least 1. The table does not depend on it.
    pub threads: usize,
    /// Whether the table tells the turns to the end, or only who wins.
    pub turns: bool,
    /// Interval at which the values are written to disk, to resume from.
    pub save_every: Duration,
}

/// How far a table is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BuildProgress {
    /// The sweep that is on finds what is lost in so many turns.
    pub turns: u8,
    /// Numbers that it has passed.
    pub passed: u64,
    /// Numbers there are.
    pub count: u64,
    /// Numbers it has judged, which had not been decided before.
    pub judged: u64,
    /// Those of them that it has decided.
    pub decided: u64,
}

/// The observer; called about ten times a second, and before every sweep.
pub type Watch<'a> = dyn FnMut(&BuildProgress) + Send + 'a;

/// Makes the table of `game` with the turns of `position_index` in the file `out`; unfinished work is next to it, in
/// `out` with `.unfinished` behind its name.
///
/// # Errors
/// [`TableError`].
pub fn build_tablebase(
    game: &str,
    position_index: &dyn PositionIndex,
    out: &Path,
    config: &TablebaseConfig,
    watch: &mut Watch<'_>,
) -> Result<Summary, TableError> {
    let mut unfinished = out.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let unfinished = Path::new(&unfinished);
    let mut tabulation = Tabulation::begin(game, position_index, config, unfinished)?;
    tabulation.finish(watch)?;
    let header = Header {
        selfplay_table: VERSION,
        game: game.into(),
        rules: position_index.name().into(),
        numbers: position_index.count(),
        turns: config.turns,
    };
    let bytes = tabulation.values.bytes;
    write(out, &header, &bytes)?;
    match fs::remove_file(unfinished) {
        // Somebody who made the same table at the same time was done first.
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(TableError::in_file(unfinished)(error)),
        _ => {}
    }
    Ok(Summary::from_bytes(&bytes, position_index.initial()))
}

/// A table in the making.
pub(crate) struct Tabulation<'a> {
    position_index: &'a dyn PositionIndex,
    /// What the unfinished table says of itself.
    header: Unfinished,
    values: Values,
    config: &'a TablebaseConfig,
    unfinished: &'a Path,
    /// In which numbers of turns there are wins.
    win_turns: Vec<bool>,
    /// Whether a side may lose by a turn of its own, as far as is known: what is lost in one turn needs that.
    can_end_lost: bool,
}

impl<'a> Tabulation<'a> {
    /// Begins the table of `game` with these turns, or resumes from what the file `unfinished` has of it.
    ///
    /// # Errors
    /// [`TableError::Memory`]; what [`unfinished::read`] says.
    pub fn begin(
        game: &str,
        position_index: &'a dyn PositionIndex,
        config: &'a TablebaseConfig,
        unfinished: &'a Path,
    ) -> Result<Self, TableError> {
        let count = position_index.count();
        let refused = |needed: u64| TableError::Memory {
            game: format!("{game}, {}", position_index.name()),
            needed_mib: needed.div_ceil(MIB),
            allowed_mib: config.memory_mib,
        };
        let allowed = config.memory_mib.saturating_mul(MIB);
        let left = allowed.checked_sub(count).ok_or_else(|| refused(count))?;
        let inverse = match position_index.walks_back() {
            true => None,
            false => Some(Inverse::new(position_index, left).ok_or_else(|| refused(allowed + MIB))?),
        };
        let bytes = bytemuck::allocation::try_zeroed_slice_box::<AtomicU8>(count as usize);
        let mut bytes = bytes.map_err(|()| refused(count))?;
        let header = Unfinished::new(game, position_index.name(), count);
        let header = unfinished::read(unfinished, &header, &mut bytes)?.unwrap_or(header);
        let values = Values { bytes, inverse };
        let win_turns = values.win_turns();
        Ok(Tabulation { position_index, header, values, config, unfinished, win_turns, can_end_lost: true })
    }

    /// Sweeps until nothing is left to find, and leaves the values on disk.
    ///
    /// # Errors
    /// [`TableError::TooLong`]; if the unfinished table cannot be written.
    pub fn finish(&mut self, watch: &mut Watch<'_>) -> Result<(), TableError> {
        let mut saved = Instant::now();
        while let Some(turns) = self.header.turns {
            // What is lost in `turns` has a turn to a win of the other side in one turn less.
            let can_find = match turns {
                0 => true,
                1 => self.can_end_lost,
                _ => self.win_turns[usize::from(turns) - 1],
            };
            if can_find {
                self.sweep(turns, &mut saved, watch)?;
            }
            let is_last = turns >= 2 && !self.win_turns[usize::from(turns) - 1..].contains(&true);
            self.header.turns = (!is_last && turns < MAX_TURNS).then_some(turns + 1);
            if self.header.turns.is_none() || saved.elapsed() >= self.config.save_every {
                self.save()?;
                saved = Instant::now();
            }
        }
        Ok(())
    }

    fn save(&self) -> Result<(), TableError> {
        unfinished::write(self.unfinished, &self.header, &self.values.bytes)
    }

    fn sweep(&mut self, turns: u8, saved: &mut Instant, watch: &mut Watch<'_>) -> Result<(), TableError> {
        let (count, found) = (self.header.count, SweepProgress::default());
        let shards = Shards::new(count, SHARD);
        let mut failure = None;
        let this = &*self;
        let work = || {
            while let Some(shard) = shards.take() {
                this.values.sweep(this.position_index, shard, turns, &found);
            }
        };
        let progress = || BuildProgress {
            turns,
            passed: found.passed.load(Relaxed),
            count,
            judged: found.judged.load(Relaxed),
            decided: found.decided.load(Relaxed),
        };
        run_watched(this.config.threads, work, || {
            watch(&progress());
            if saved.elapsed() >= this.config.save_every {
                if let Err(error) = this.save() {
                    shards.stop();
                    failure = Some(error);
                }
                *saved = Instant::now();
            }
            Duration::from_millis(if progress().passed < SHARD { 1 } else { 100 })
        });
        watch(&progress());
        if let Some(error) = failure {
            return Err(error);
        }
        if found.has_written_wins.load(Relaxed) {
            self.win_turns[usize::from(turns) + 1] = true;
        }
        if turns == 0 {
            self.can_end_lost = found.can_end_lost.load(Relaxed);
        }
        if found.is_too_long.load(Relaxed) {
            let game = format!("{}, {}", self.header.game, self.header.rules);
            return Err(TableError::TooLong { game, most: MAX_TURNS });
        }
        Ok(())
    }
}
