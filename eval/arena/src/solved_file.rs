//! Solved positions on disk, so that they are solved once for many players.
//!
//! The first line says of which game and by which [`SolvedPositionsConfig`], each further line is a [`SolvedBatch`]:
//! ```json
//! {"game":"sum15-6","config":{"stage":{"after":{"start":15,"end":21}},"seed":1,"nodes":3000000,"memory_mib":256}}
//! {"candidates":16,"unsolved":0,"positions":[{"actions":"4,0,8 …","value":1,"preserving":"2,2,3","critical":true}],"crc":…}
//! ```
//! Where the game has a solver of its own, the first line says `"solver":"own"` and positions have their `turns`.

use crate::error::ArenaError;
use std::path::{Path, PathBuf};

use selfplay_env::game_text::Disagreement;
use selfplay_env::{Action, NotationError, Rules};
use selfplay_players::playable::Playable;
use selfplay_storage::{AppendFile, Care};
use serde::{Deserialize, Serialize};

use crate::solved_positions::{
    FRUITLESS_BATCHES, PositionQuota, PositionSample, SolvedBatch, SolvedPosition, SolvedPositions,
    SolvedPositionsConfig,
};

/// A file of solved positions, and the source of more of them.
pub struct SolvedFile {
    game: &'static dyn Playable,
    path: PathBuf,
    file: AppendFile,
    source: SolvedPositions,
    batches: Vec<SolvedBatch>,
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Header {
    game: String,
    /// What solves, if it is not the solver for all games: another one gives up other positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    solver: Option<String>,
    config: SolvedPositionsConfig,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchLine {
    candidates: u64,
    unsolved: usize,
    positions: Vec<PositionLine>,
    /// CRC-32 of the line without this entry; older ones have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crc: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionLine {
    actions: String,
    value: i8,
    preserving: String,
    critical: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turns: Option<u32>,
}

impl SolvedFile {
    /// Opens the file at `path` to use what it holds, or begins one. A torn last line is cut off.
    ///
    /// # Errors
    /// What [`SolvedPositionsConfig::validate`] finds; [`ArenaError::File`] if the file cannot be read or written, belongs to another
    /// game or `config`, or holds something else.
    pub fn open(path: &Path, game: &'static dyn Playable, config: SolvedPositionsConfig) -> Result<Self, ArenaError> {
        let source = SolvedPositions::new(game, config.clone())?;
        let refused = |error: std::io::Error| ArenaError::for_file(path, error);
        let solver = game.has_solver().then(|| "own".into());
        let header = Header { game: game.id().into(), solver, config: config.clone() };
        let header_line = line_of(&header);
        let (file, text) = AppendFile::resume_lines(path, &header_line, Care::Locked).map_err(refused)?;
        let mut opened = SolvedFile { game, path: path.into(), file, source, batches: Vec::new() };
        let (first, rest) = text.split_once('\n').unwrap_or_default();
        let found: Header =
            serde_json::from_str(first).map_err(|error| ArenaError::for_file(path, format!("line 1: {error}")))?;
        if found != header {
            let (found, asked) = (first, header_line.trim_end());
            return Err(ArenaError::for_file(
                path,
                format!("it was made as {found}, but {asked} is requested; name another file"),
            ));
        }
        opened.file.keep(text.len()).map_err(refused)?;
        for (index, line) in rest.lines().enumerate() {
            let batch = read_batch(game, line).map_err(|error| ArenaError::for_line(path, index + 2, error))?;
            opened.batches.push(batch);
        }
        opened.source.pass_over(opened.batches.last().map_or(0, |batch| batch.candidates));
        Ok(opened)
    }

    /// The first positions that `quota` asks for, or as many as there are. Those the file does not hold yet are solved and
    /// added to it; `progress` is called with their number after every batch.
    ///
    /// # Errors
    /// [`ArenaError::File`] if the file cannot be written; less memory than the solver's tables need.
    pub fn first(
        &mut self,
        quota: PositionQuota,
        mut progress: impl FnMut(usize),
    ) -> Result<PositionSample, ArenaError> {
        let mut fruitless = 0;
        while !quota.is_met(self.positions()) && fruitless < FRUITLESS_BATCHES {
            let batch = self.source.draw()?;
            fruitless = if batch.positions.is_empty() { fruitless + 1 } else { 0 };
            self.append(&batch_line(self.game, &batch))?;
            self.batches.push(batch);
            progress(self.positions().count());
        }
        Ok(quota.take(self.positions().cloned()))
    }

    fn positions(&self) -> impl Iterator<Item = &SolvedPosition> {
        self.batches.iter().flat_map(|batch| &batch.positions)
    }

    /// Candidates that the solver gave up among all it looked at.
    pub fn unsolved(&self) -> usize {
        self.batches.iter().map(|batch| batch.unsolved).sum()
    }

    fn append(&mut self, line: &impl Serialize) -> Result<(), ArenaError> {
        self.file.append(line_of(line).as_bytes()).map_err(|error| ArenaError::for_file(&self.path, error.to_string()))
    }
}

fn line_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data") + "\n"
}

fn batch_line(rules: &dyn Rules, batch: &SolvedBatch) -> BatchLine {
    let line = |solved: &SolvedPosition| PositionLine {
        actions: rules.format_line(&solved.history),
        value: solved.value,
        preserving: rules.format_line(&solved.preserving),
        critical: solved.is_critical,
        turns: solved.turns,
    };
    let mut line = BatchLine {
        candidates: batch.candidates,
        unsolved: batch.unsolved,
        positions: batch.positions.iter().map(line).collect(),
        crc: None,
    };
    line.crc = Some(crc_of(&line));
    line
}

fn crc_of(line: &BatchLine) -> u32 {
    crc32fast::hash(line_of(line).as_bytes())
}

fn read_batch(rules: &dyn Rules, line: &str) -> Result<SolvedBatch, SolvedLineError> {
    let mut line: BatchLine = serde_json::from_str(line)?;
    if line.crc.take().is_some_and(|crc| crc != crc_of(&line)) {
        return Err(SolvedLineError::Checksum);
    }
    let read = |position: PositionLine| {
        let PositionLine { actions, value, preserving, critical, turns } = position;
        let solved = read_position(rules, &actions, value, &preserving, turns)?;
        match solved.is_critical == critical {
            true => Ok(solved),
            false => Err(SolvedLineError::Critical { actions, found: critical, expected: solved.is_critical }),
        }
    };
    let positions = line.positions.into_iter().map(read).collect::<Result<_, SolvedLineError>>()?;
    Ok(SolvedBatch { candidates: line.candidates, unsolved: line.unsolved, positions })
}

/// Why a line holds no solved positions.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SolvedLineError {
    #[error(transparent)]
    Format(#[from] serde_json::Error),
    #[error("checksum mismatch")]
    Checksum,
    #[error(transparent)]
    Actions(#[from] Disagreement),
    #[error(transparent)]
    Notation(#[from] NotationError),
    #[error("{reason}")]
    Illegal { reason: String },
    #[error("invalid solution: value {value} preserved by `{preserving}`")]
    NoSolution { value: i8, preserving: String },
    #[error("`{actions}`: critical is {found}, expected {expected}")]
    Critical { actions: String, found: bool, expected: bool },
}

/// Stands for every distinct action of a position.
const ALL_ACTIONS: &str = "*";

/// A solved position from its parts in text, whose actions must be legal.
pub(crate) fn read_position(
    rules: &dyn Rules,
    actions: &str,
    value: i8,
    preserving: &str,
    turns: Option<u32>,
) -> Result<SolvedPosition, SolvedLineError> {
    let names: Vec<&str> = actions.split_whitespace().collect();
    let (reached, history) = rules.play_line(&names)?;
    let names = preserving.split_whitespace();
    let mut distinct = Vec::new();
    reached.distinct_actions(&mut distinct);
    let found = match preserving {
        ALL_ACTIONS => distinct.clone(),
        _ => names.map(|name| rules.parse_action(name)).collect::<Result<Vec<Action>, _>>()?,
    };
    if let Some(&other) = found.iter().find(|action| !distinct.contains(action)) {
        return Err(SolvedLineError::Illegal { reason: reached.illegal_reason(other) });
    }
    if found.is_empty() || !(-1..=1).contains(&value) {
        return Err(SolvedLineError::NoSolution { value, preserving: preserving.to_owned() });
    }
    let is_critical = found.len() < distinct.len();
    Ok(SolvedPosition { history, value, preserving: found, is_critical, turns })
}

#[cfg(test)]
mod tests {
    use selfplay_connect4::Connect4;
    use selfplay_env::Typed;
    use selfplay_tictactoe::TicTacToe;

    use super::*;
    use crate::solved_positions::Stage;

    fn config() -> SolvedPositionsConfig {
        SolvedPositionsConfig { stage: Stage::After(2..=5), seed: 5, nodes: 1_000_000, memory_mib: 1 }
    }

    #[test]
    fn what_is_solved_is_kept_and_torn_lines_are_solved_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("solved.jsonl");
        let positions = |count| {
            let mut file = SolvedFile::open(&path, &Typed::<TicTacToe>::IT, config()).unwrap();
            file.first(PositionQuota::any(count), |_| ()).unwrap().any
        };
        let all = positions(60);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 30]).unwrap();
        assert_eq!(positions(60), all);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        assert_eq!(positions(10), all[..10]);
        assert_eq!(std::fs::read(&path).unwrap(), whole, "nothing more is solved than asked for");
        std::fs::write(&path, &whole[..20]).unwrap();
        assert_eq!(positions(60), all, "not even the header was written");
    }

    #[test]
    fn a_file_of_something_else_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("solved.jsonl");
        let mut file = SolvedFile::open(&path, &Typed::<TicTacToe>::IT, config()).unwrap();
        file.first(PositionQuota::any(5), |_| ()).unwrap();
        drop(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        let reason = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let error = SolvedFile::open(&path, &Typed::<TicTacToe>::IT, config()).err().unwrap().to_string();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            error
        };
        assert!(reason("hello").contains("line 1"));
        assert!(reason(&whole.replace("\"seed\":5", "\"seed\":6")).contains("name another file"));
        assert!(reason(&whole.replacen("\"value\":", "\"value\":7", 1)).contains("line 2"));
        let spoilt = whole.replacen("\"critical\":true", "\"critical\":false", 1);
        assert!(spoilt != whole && reason(&spoilt).contains("line 2: checksum mismatch"), "{spoilt}");
        std::fs::write(&path, &whole).unwrap();
        assert!(
            SolvedFile::open(&path, &Typed::<Connect4>::IT, config()).err().unwrap().to_string().contains("connect4")
        );
    }

    #[test]
    fn a_game_without_so_many_positions_gives_all_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let config = SolvedPositionsConfig { stage: Stage::After(0..=1), ..config() };
        let mut file = SolvedFile::open(&folder.path().join("few.jsonl"), &Typed::<TicTacToe>::IT, config).unwrap();
        assert_eq!(file.first(PositionQuota::any(11), |_| ()).unwrap().any.len(), 10);
    }
}
