//! Games on disk: written pair by pair, replayed through the rules when matches resume.
//!
//! The first line is a [`GamesHeader`]; a match is continued only under the same header. Every further line is a game in
//! the form of [`game_line`](crate::game_line).

use crate::error::ArenaError;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use selfplay_env::game_text::result_mark;
use selfplay_env::{Outcome, Position, Rules, Side};
use selfplay_storage::{AppendFile, Care};

use crate::arena::{GameResult, Termination, more_time_left};
use crate::game_line::{GameLine, GameLineError, GamesHeader, SideName};

/// A game from a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredGame {
    /// Number of its line, counted from 1.
    pub line: usize,
    /// Number of its match.
    pub match_number: usize,
    /// Players A and B, as indices into the header's list.
    pub players: [usize; 2],
    /// The game.
    pub result: GameResult,
}

/// A games file open for appending; no other program that asks can open it meanwhile.
#[derive(Debug)]
pub struct GamesFile {
    path: PathBuf,
    file: AppendFile,
    rules: &'static dyn Rules,
}

impl GamesFile {
    /// A new file for games by `rules` that holds the header.
    ///
    /// # Errors
    /// [`ArenaError::File`], also if there is such a file.
    pub fn create(path: &Path, rules: &'static dyn Rules, header: &GamesHeader) -> Result<Self, ArenaError> {
        let file = AppendFile::create(path, header_line(header).as_bytes(), Care::Locked);
        let file = file.map_err(|error| ArenaError::for_file(path, error))?;
        Ok(GamesFile { path: path.to_owned(), file, rules })
    }

    /// Opens a file of games by `rules` to append to, and returns its games in order. Creates the file if it does not
    /// exist.
    ///
    /// All games are replayed. What a killed program has left behind is cut off: a torn last line, and the first game
    /// of a pair without the second.
    ///
    /// # Errors
    /// [`ArenaError::File`]: what the system says, another header, or the first line that is not a game in the format, or
    /// not one by the rules.
    pub fn resume(
        path: &Path,
        rules: &'static dyn Rules,
        header: &GamesHeader,
    ) -> Result<(Self, Vec<StoredGame>), ArenaError> {
        let (file, text) = AppendFile::resume_lines(path, &header_line(header), Care::Locked)
            .map_err(|error| ArenaError::for_file(path, error))?;
        let mut file = GamesFile { path: path.to_owned(), file, rules };
        let (first, rest) = text.split_once('\n').unwrap_or_default();
        file.check_header(first, header)?;
        let mut games = Vec::new();
        let mut kept = first.len() + 1;
        let mut pair_begins = kept;
        for (index, line) in rest.split_terminator('\n').enumerate() {
            let number = index + 2;
            let game = read_game(rules, line, number).map_err(|reason| file.bad_game(number, reason))?;
            if game.result.a_side == Side::First {
                pair_begins = kept;
            }
            kept += line.len() + 1;
            games.push(game);
        }
        if games.last().is_some_and(|game| game.result.a_side == Side::First) {
            games.pop();
            kept = pair_begins;
        }
        file.file.keep(kept).map_err(|error| ArenaError::for_file(path, error))?;
        Ok((file, games))
    }

    /// Writes the two games of a pair, which are then in the hands of the operating system.
    ///
    /// # Errors
    /// [`ArenaError::File`].
    pub fn append(&mut self, match_number: usize, players: [usize; 2], pair: &[GameResult]) -> Result<(), ArenaError> {
        let lines: String = pair.iter().map(|game| write_game(self.rules, match_number, players, game)).collect();
        self.file.append(lines.as_bytes()).map_err(|error| ArenaError::for_file(&self.path, error))
    }

    /// [`ArenaError::File`] about one line of this file.
    pub(crate) fn bad_game(&self, line: usize, reason: impl Display) -> ArenaError {
        ArenaError::for_line(&self.path, line, reason)
    }

    fn check_header(&self, line: &str, header: &GamesHeader) -> Result<(), ArenaError> {
        let found: serde_json::Value =
            serde_json::from_str(line).map_err(|error| self.bad_game(1, format!("invalid header: {error}")))?;
        let expected = serde_json::to_value(header).expect("plain data");
        match first_difference("", &found, &expected) {
            None => Ok(()),
            Some(difference) => {
                let advice = "name another file, or use the same settings to resume";
                Err(ArenaError::for_file(&self.path, format!("the file has other games: {difference}; {advice}")))
            }
        }
    }
}

/// A line of a text of games is wrong.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {source}")]
pub struct GamesTextError {
    /// Its number, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub source: GameLineError,
}

/// Games of one match by `rules` as lines.
pub fn games_to_text(rules: &dyn Rules, games: &[GameResult]) -> String {
    games.iter().map(|game| write_game(rules, 0, [0, 1], game)).collect()
}

/// Reads what [`games_to_text`] writes, and replays each game.
///
/// # Errors
/// [`GamesTextError`] about the first line that is not a game of such a match by `rules`.
pub fn games_from_text(rules: &dyn Rules, text: &str) -> Result<Vec<GameResult>, GamesTextError> {
    let read = |(index, text): (usize, &str)| {
        let line = index + 1;
        let game = read_game(rules, text, line).map_err(|source| GamesTextError { line, source })?;
        match (game.match_number, game.players) {
            (0, [0, 1]) => Ok(game.result),
            _ => Err(GamesTextError { line, source: GameLineError::OtherMatch }),
        }
    };
    text.lines().enumerate().map(read).collect()
}

fn header_line(header: &GamesHeader) -> String {
    serde_json::to_string(header).expect("plain data") + "\n"
}

/// Where two JSON values part first, in words.
fn first_difference(at: &str, found: &serde_json::Value, expected: &serde_json::Value) -> Option<String> {
    use serde_json::Value::{Array, Null, Object};
    let inside = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    match (found, expected) {
        (Object(found), Object(expected)) => found.keys().chain(expected.keys()).find_map(|key| {
            let [found, expected] = [found, expected].map(|object| object.get(key).unwrap_or(&Null));
            first_difference(&inside(key), found, expected)
        }),
        (Array(found), Array(expected)) if found.len() == expected.len() => {
            let pairs = found.iter().zip(expected).enumerate();
            pairs
                .into_iter()
                .find_map(|(index, (found, expected))| first_difference(&inside(&index.to_string()), found, expected))
        }
        _ => (found != expected).then(|| format!("`{at}` is {found} in the file and {expected} here")),
    }
}

fn write_game(rules: &dyn Rules, match_number: usize, players: [usize; 2], game: &GameResult) -> String {
    let position = rules.after(&game.actions);
    let ms = |time: &Duration| time.as_micros() as f64 / 1000.0;
    let is_timed = !game.move_times.is_empty();
    let line = GameLine {
        match_number,
        game: game.number(),
        players,
        a_side: [SideName::First, SideName::Second][game.a_side.index()],
        opening: game.opening_len,
        moves: rules.format_line(&game.actions),
        result: result_mark(game.outcome).to_owned(),
        end: game.termination.clone(),
        used_ms: is_timed.then(|| game.time_used.each_ref().map(ms)),
        ms: game.move_times.iter().map(ms).collect(),
        final_board: position.board(),
    };
    serde_json::to_string(&line).expect("plain data") + "\n"
}

/// Reads a line and replays its game.
fn read_game(rules: &dyn Rules, text: &str, line: usize) -> Result<StoredGame, GameLineError> {
    let parsed: GameLine = serde_json::from_str(text).map_err(GameLineError::Format)?;
    let result = replayed(rules, &parsed)?;
    // Whatever else is in the line follows from what was read.
    let again = write_game(rules, parsed.match_number, parsed.players, &result);
    if again.trim_end() != text {
        return Err(GameLineError::Contradiction { expected: again.trim_end().to_owned() });
    }
    Ok(StoredGame { line, match_number: parsed.match_number, players: parsed.players, result })
}

/// Replays the game of a line.
pub(crate) fn replayed(rules: &dyn Rules, line: &GameLine) -> Result<GameResult, GameLineError> {
    let names: Vec<&str> = line.moves.split_whitespace().collect();
    let (position, actions) = rules.play_line(&names)?;
    let move_times: Vec<Duration> =
        line.ms.iter().map(|ms| Duration::from_micros((ms * 1000.0).round() as u64)).collect();
    let time_used = add_up(rules, &names, line.opening, &move_times);
    let result = GameResult {
        opening: line.game / 2,
        opening_len: line.opening,
        a_side: Side::BOTH[line.game % 2],
        actions,
        outcome: line.outcome()?,
        termination: line.end.clone(),
        move_times,
        time_used,
    };
    check_end(&*position, &result)?;
    Ok(result)
}

/// What the first and the second player used.
fn add_up(rules: &dyn Rules, names: &[&str], opening_len: usize, times: &[Duration]) -> [Duration; 2] {
    let mut position = rules.initial();
    let mut used = [Duration::ZERO; 2];
    let mut times = times.iter();
    for index in 0..=names.len() {
        if index >= opening_len {
            used[position.side_to_move().index()] += times.next().copied().unwrap_or_default();
        }
        if let Some(action) = names.get(index).and_then(|name| rules.parse_action(name).ok()) {
            position.play(action);
        }
    }
    used
}

/// Whether the game can have ended so in `position`.
fn check_end(position: &dyn Position, game: &GameResult) -> Result<(), GameLineError> {
    let here = position.outcome();
    let expected = match &game.termination {
        Termination::Rules if here.is_none() => return Err(GameLineError::End("the game is not over by the rules")),
        Termination::Rules => here,
        Termination::MoreTimeLeft if here != Some(Outcome::Draw) => {
            return Err(GameLineError::End("the game is not drawn"));
        }
        Termination::MoreTimeLeft => more_time_left(&game.time_used).map(Outcome::Win),
        _ if here.is_some() => return Err(GameLineError::End("the game was already over")),
        Termination::Capped => None,
        _ => Some(Outcome::Win(position.side_to_move().opponent())),
    };
    if expected == game.outcome {
        return Ok(());
    }
    let [recorded, expected] = [game.outcome, expected].map(result_mark);
    Err(GameLineError::OtherResult { recorded, expected })
}
