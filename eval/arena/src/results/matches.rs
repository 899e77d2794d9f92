//! The matches of one `matches.csv`, as every training run writes it.
//!
//! Its rows count pairs by their points only. Together with the games drawn and the share of the first player they tell
//! all that ratings rest on ([`PairCounts::from_sums`]).

use crate::error::ArenaError;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use selfplay_ratings::Encounter;
use selfplay_ratings::pair_counts::PairCounts;

/// The columns that are read, in any order and among others.
#[derive(Deserialize)]
struct MatchRow {
    a: String,
    b: String,
    games: u32,
    draws: u32,
    pairs_0: u32,
    pairs_half: u32,
    pairs_1: u32,
    pairs_1_half: u32,
    pairs_2: u32,
    first_player_share: f64,
    duplicates: f64,
}

/// What a `matches.csv` holds.
pub(super) struct RecordedMatches {
    pub encounters: Vec<Encounter>,
    /// Games that repeat an earlier one of their match.
    pub repeats: u64,
    /// Number of the last line, if it was cut off and is left out.
    pub torn_line: Option<usize>,
}

impl RecordedMatches {
    /// Reads the file at `path`. A last line without an end that cannot be read was cut off: it is left out.
    ///
    /// # Errors
    /// [`ArenaError::File`], with the first line that cannot be read or contradicts itself.
    pub fn read(path: &Path) -> Result<Self, ArenaError> {
        let bytes = fs::read(path).map_err(|error| ArenaError::for_file(path, error))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole == 0 {
            return Err(ArenaError::for_file(path, "no complete line"));
        }
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let header = reader.headers().map_err(|error| ArenaError::for_file(path, error))?.clone();
        let mut matches = RecordedMatches { encounters: Vec::new(), repeats: 0, torn_line: None };
        let mut records = reader.records();
        loop {
            let position = records.reader().position().clone();
            let Some(record) = records.next() else { return Ok(matches) };
            let position = record.as_ref().ok().and_then(|record| record.position().cloned()).unwrap_or(position);
            let row = record.and_then(|record| record.deserialize::<MatchRow>(Some(&header)));
            match row.map_err(|error| reason_of(&error)).and_then(|row| matches.add(row)) {
                Ok(()) => (),
                Err(_) if position.byte() >= whole as u64 => {
                    matches.torn_line = Some(position.line() as usize);
                    return Ok(matches);
                }
                Err(reason) => {
                    return Err(ArenaError::for_line(path, position.line() as usize, reason));
                }
            }
        }
    }

    fn add(&mut self, row: MatchRow) -> Result<(), String> {
        let MatchRow { games, draws, first_player_share, duplicates, .. } = row;
        let pentanomial = [row.pairs_0, row.pairs_half, row.pairs_1, row.pairs_1_half, row.pairs_2];
        let counts = PairCounts::from_sums(pentanomial, draws, first_player_share);
        let Some(pair_counts) = counts.filter(|counts| counts.games() == games) else {
            return Err(format!(
                "pairs {pentanomial:?}, {games} games, {draws} draws and {first_player_share} as `first_player_share` \
                 contradict each other"
            ));
        };
        if !(0.0..=1.0).contains(&duplicates) {
            return Err(format!("`duplicates` is {duplicates}: expected a share in 0..=1"));
        }
        self.repeats += (duplicates * f64::from(games)).round() as u64;
        self.encounters.push(Encounter { a: row.a, b: row.b, pair_counts });
        Ok(())
    }
}

/// What is wrong with a row, without the place, which the caller adds.
fn reason_of(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("it has {len} columns: expected {expected_len}, as the header")
        }
        _ => error.to_string(),
    }
}
