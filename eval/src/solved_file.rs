//! Solved positions on disk, so that they are solved once and many players are judged by them.
//!
//! The first line says of which game and by which [`SolvedPositionsConfig`], each further line is a [`SolvedBatch`]:
//! ```json
//! {"game":"sum15-6","config":{"decisions":{"start":15,"end":21},"seed":1,"nodes":3000000,"memory_mib":256}}
//! {"candidates":16,"unsolved":0,"positions":[{"decisions":"4,0,8 …","value":1,"keeping":"2,2,3","critical":true}],"crc":…}
//! ```
//! Where the game has a solver of its own, the first line says `"solver":"own"` and positions have their `turns`.

use std::path::{Path, PathBuf};

use selfplay_env::{Action, Rules};
use selfplay_files::{AppendFile, Care};
use serde::{Deserialize, Serialize};

use crate::error::EvalError;
use crate::playable::Playable;
use crate::solved_positions::{FRUITLESS_BATCHES, SolvedBatch, SolvedPosition, SolvedPositions, SolvedPositionsConfig};

/// A file of solved positions, and the source of more of them.
pub struct SolvedFile {
    game: &'static dyn Playable,
    path: PathBuf,
    file: AppendFile,
    source: SolvedPositions,
    config: SolvedPositionsConfig,
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
    decisions: String,
    value: i8,
    keeping: String,
    critical: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turns: Option<u32>,
}

impl SolvedFile {
    /// Opens the file at `path` to use what it holds, or begins one. A torn last line is cut off.
    ///
    /// # Errors
    /// What [`SolvedPositionsConfig::validate`] finds; [`EvalError::File`] if the file refuses, belongs to another
    /// game or `config`, or holds something else.
    pub fn open(path: &Path, game: &'static dyn Playable, config: SolvedPositionsConfig) -> Result<Self, EvalError> {
        let source = SolvedPositions::new(game, config.clone())?;
        let refused = |error: std::io::Error| EvalError::of_file(path, error);
        let solver = game.has_solver().then(|| "own".into());
        let header = Header { game: game.id().into(), solver, config: config.clone() };
        let header_line = line_of(&header);
        let (file, text) = AppendFile::resume_lines(path, &header_line, Care::Locked).map_err(refused)?;
        let mut opened = SolvedFile { game, path: path.into(), file, source, config, batches: Vec::new() };
        let (first, rest) = text.split_once('\n').unwrap_or_default();
        let found: Header =
            serde_json::from_str(first).map_err(|error| EvalError::of_file(path, format!("line 1: {error}")))?;
        if found != header {
            let (found, asked) = (first, header_line.trim_end());
            return Err(EvalError::of_file(
                path,
                format!("it was made as {found}, asked for is {asked}; name another file"),
            ));
        }
        opened.file.keep(text.len()).map_err(refused)?;
        for (index, line) in rest.lines().enumerate() {
            let batch = read_batch(game, line)
                .map_err(|reason| EvalError::of_file(path, format!("line {}: {reason}", index + 2)))?;
            opened.batches.push(batch);
        }
        opened.source.pass_over(opened.batches.last().map_or(0, |batch| batch.candidates));
        Ok(opened)
    }

    /// The first `count` positions; those the file does not hold yet are solved and added to it, and `progress` is told
    /// how many there are after every batch.
    ///
    /// # Errors
    /// [`EvalError::NoSolvedPosition`] if there are not so many; [`EvalError::File`] if the file refuses; less
    /// memory than the solver's tables need.
    pub fn first(&mut self, count: usize, mut progress: impl FnMut(usize)) -> Result<Vec<SolvedPosition>, EvalError> {
        let mut found = self.batches.iter().map(|batch| batch.positions.len()).sum::<usize>();
        let mut fruitless = 0;
        while found < count {
            if fruitless == FRUITLESS_BATCHES {
                let (least, most) = (*self.config.decisions.start(), *self.config.decisions.end());
                let nodes = self.config.nodes;
                return Err(EvalError::NoSolvedPosition {
                    game: self.game.id(),
                    found,
                    wanted: count,
                    least,
                    most,
                    nodes,
                });
            }
            let batch = self.source.draw()?;
            fruitless = if batch.positions.is_empty() { fruitless + 1 } else { 0 };
            found += batch.positions.len();
            self.append(&batch_line(self.game, &batch))?;
            self.batches.push(batch);
            progress(found.min(count));
        }
        Ok(self.batches.iter().flat_map(|batch| &batch.positions).take(count).cloned().collect())
    }

    /// Candidates that the solver gave up among all it looked at.
    pub fn unsolved(&self) -> usize {
        self.batches.iter().map(|batch| batch.unsolved).sum()
    }

    fn append(&mut self, line: &impl Serialize) -> Result<(), EvalError> {
        self.file.append(line_of(line).as_bytes()).map_err(|error| EvalError::of_file(&self.path, error.to_string()))
    }
}

fn line_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data") + "\n"
}

fn batch_line(rules: &dyn Rules, batch: &SolvedBatch) -> BatchLine {
    let line = |solved: &SolvedPosition| PositionLine {
        decisions: rules.format_line(&solved.history),
        value: solved.value,
        keeping: rules.format_line(&solved.keeping),
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

fn read_batch(rules: &dyn Rules, line: &str) -> Result<SolvedBatch, String> {
    let mut line: BatchLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if line.crc.take().is_some_and(|crc| crc != crc_of(&line)) {
        return Err("its checksum is another".into());
    }
    let read = |position: PositionLine| {
        let decisions: Vec<&str> = position.decisions.split_whitespace().collect();
        let (reached, history) = rules.play_line(&decisions).map_err(|error| error.to_string())?;
        let keeping = position.keeping.split_whitespace();
        let keeping = keeping.map(|name| rules.parse_action(name)).collect::<Result<Vec<Action>, _>>();
        let keeping = keeping.map_err(|error| error.to_string())?;
        if let Some(&illegal) = keeping.iter().find(|&&action| !reached.is_legal(action)) {
            return Err(reached.illegal_reason(illegal));
        }
        if keeping.is_empty() || !(-1..=1).contains(&position.value) {
            return Err(format!("value {} kept by `{}` is no solution", position.value, position.keeping));
        }
        let PositionLine { value, critical, turns, .. } = position;
        Ok(SolvedPosition { history, value, keeping, is_critical: critical, turns })
    };
    let positions = line.positions.into_iter().map(read).collect::<Result<_, String>>()?;
    Ok(SolvedBatch { candidates: line.candidates, unsolved: line.unsolved, positions })
}

#[cfg(test)]
mod tests {
    use selfplay_connect4::Connect4;
    use selfplay_env::Typed;
    use selfplay_tictactoe::TicTacToe;

    use super::*;

    fn config() -> SolvedPositionsConfig {
        SolvedPositionsConfig { decisions: 2..=5, seed: 5, nodes: 1_000_000, memory_mib: 1 }
    }

    #[test]
    fn what_is_solved_is_kept_and_torn_lines_are_solved_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("solved.jsonl");
        let positions =
            |count| SolvedFile::open(&path, &Typed::<TicTacToe>::IT, config()).unwrap().first(count, |_| ()).unwrap();
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
        file.first(5, |_| ()).unwrap();
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
        assert!(spoilt != whole && reason(&spoilt).contains("line 2: its checksum is another"), "{spoilt}");
        std::fs::write(&path, &whole).unwrap();
        assert!(
            SolvedFile::open(&path, &Typed::<Connect4>::IT, config()).err().unwrap().to_string().contains("connect4")
        );
    }

    #[test]
    fn a_game_without_so_many_positions_says_how_many_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let config = SolvedPositionsConfig { decisions: 0..=1, ..config() };
        let mut file = SolvedFile::open(&folder.path().join("few.jsonl"), &Typed::<TicTacToe>::IT, config).unwrap();
        let error = file.first(11, |_| ()).unwrap_err().to_string();
        assert!(error.contains("only 10 positions, of 11 wanted"), "{error}");
    }
}
