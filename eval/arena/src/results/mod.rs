//! Results from any of our files, of any game: what is to be rated, and what of the files is not.

mod lines;

mod games;
mod matches;

use crate::error::ArenaError;
use std::collections::HashSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

pub use games::RecordedGames;
use matches::RecordedMatches;
use selfplay_ratings::Encounter;

/// More game pairs than anyone has played; beyond it sums would not be exact.
const MAX_PAIRS: u64 = 1 << 28;

/// What is left out of a file, in words for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResultsWarning {
    /// The last line was cut off.
    TornLine {
        /// The file.
        path: PathBuf,
        /// Number of the line, counted from 1.
        line: usize,
    },
    /// Games whose pair is not whole.
    HalfPairs {
        /// The file.
        path: PathBuf,
        /// How many.
        games: usize,
    },
    /// Games of players against themselves.
    OwnGames {
        /// The file.
        path: PathBuf,
        /// How many.
        games: usize,
    },
    /// The file holds no result.
    Empty {
        /// The file.
        path: PathBuf,
    },
}

impl fmt::Display for ResultsWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultsWarning::TornLine { path, line } => {
                write!(f, "{}, line {line}: truncated line omitted", path.display())
            }
            ResultsWarning::HalfPairs { path, games } => {
                write!(f, "{}: {games} games of incomplete pairs omitted", path.display())
            }
            ResultsWarning::OwnGames { path, games } => {
                write!(f, "{}: {games} games of players against themselves omitted", path.display())
            }
            ResultsWarning::Empty { path } => write!(f, "{}: no results", path.display()),
        }
    }
}

/// The results of any number of files. Players of the same name are the same player.
#[derive(Debug, Default)]
pub struct Results {
    /// Id of the game, if a file has it, and that file.
    game: Option<(String, PathBuf)>,
    paths: Vec<PathBuf>,
    encounters: Vec<Encounter>,
    games: Vec<RecordedGames>,
    /// Hashes of games with their players.
    known: HashSet<u64>,
    repeats: u64,
    stopped: u64,
    pairs: u64,
    warnings: Vec<ResultsWarning>,
}

impl Results {
    /// Adds the games of the file at `path`, in the form of [`GamesFile`](crate::GamesFile).
    ///
    /// # Errors
    /// [`ArenaError::File`]: those of [`RecordedGames::read`], files of different games, the same games again.
    pub fn add_games(&mut self, path: &Path) -> Result<(), ArenaError> {
        self.add_path(path)?;
        let file = RecordedGames::read(path)?;
        self.check_game(path, &file.header.game)?;
        if let Some(other) = self.games.iter().find(|other| file.is_copy_of(other)) {
            return Err(same_games(path, &other.path));
        }
        for game in file.games.iter().filter(|game| !file.is_own(game.line.players)) {
            let mut hasher = DefaultHasher::new();
            let players = game.by_order().map(|player| &file.header.players[player]);
            (players, &game.line.moves).hash(&mut hasher);
            self.repeats += u64::from(!self.known.insert(hasher.finish()));
        }
        self.stopped += file.stopped() as u64;
        self.warn_of(path, file.torn_line, file.halves(), file.own_games());
        self.add_encounters(path, file.encounters())?;
        self.games.push(file);
        Ok(())
    }

    /// Adds the matches of a `matches.csv`, whose players are called what `name` makes of their names there; `game` is
    /// the id of its game, which the file does not tell.
    ///
    /// # Errors
    /// [`ArenaError::File`], with the first line that cannot be read or contradicts itself; files of different games, the
    /// same games again.
    pub fn add_matches(
        &mut self,
        path: &Path,
        game: Option<&str>,
        name: &dyn Fn(&str) -> String,
    ) -> Result<(), ArenaError> {
        self.add_path(path)?;
        let matches = RecordedMatches::read(path)?;
        if let Some(game) = game {
            self.check_game(path, game)?;
        }
        self.repeats += matches.repeats;
        let (own, others): (Vec<_>, Vec<_>) = matches
            .encounters
            .into_iter()
            .map(|Encounter { a, b, pair_counts }| Encounter { a: name(&a), b: name(&b), pair_counts })
            .partition(|encounter| encounter.a == encounter.b);
        let own_games = own.iter().map(|encounter| encounter.pair_counts.games() as usize).sum();
        self.warn_of(path, matches.torn_line, 0, own_games);
        self.add_encounters(path, others)
    }

    /// Id of the game, if a file has it.
    pub fn game(&self) -> Option<&str> {
        self.game.as_ref().map(|(game, _)| game.as_str())
    }

    /// All game pairs, match by match.
    pub fn encounters(&self) -> &[Encounter] {
        &self.encounters
    }

    /// The files of games, in the order in which they were added.
    pub fn games(&self) -> &[RecordedGames] {
        &self.games
    }

    /// Games that repeat an earlier one of the same players, move for move; in a `matches.csv` within one match.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Games that were stopped and count as draws, as far as files of games tell.
    pub fn stopped(&self) -> u64 {
        self.stopped
    }

    /// What is left out.
    pub fn warnings(&self) -> &[ResultsWarning] {
        &self.warnings
    }

    fn add_path(&mut self, path: &Path) -> Result<(), ArenaError> {
        let absolute = path.canonicalize().map_err(|error| ArenaError::for_file(path, error))?;
        if self.paths.contains(&absolute) {
            return Err(ArenaError::for_file(path, "given twice"));
        }
        self.paths.push(absolute);
        Ok(())
    }

    fn check_game(&mut self, path: &Path, game: &str) -> Result<(), ArenaError> {
        let (known, other) = self.game.get_or_insert_with(|| (game.to_owned(), path.to_owned()));
        if known == game {
            return Ok(());
        }
        let other = other.display();
        Err(ArenaError::for_file(
            path,
            format!("it holds games of {game}, {other} holds games of {known}: rate them separately"),
        ))
    }

    fn warn_of(&mut self, path: &Path, torn_line: Option<usize>, halves: usize, own_games: usize) {
        let path = || path.to_owned();
        self.warnings.extend(torn_line.map(|line| ResultsWarning::TornLine { path: path(), line }));
        self.warnings.extend((halves > 0).then(|| ResultsWarning::HalfPairs { path: path(), games: halves }));
        self.warnings.extend((own_games > 0).then(|| ResultsWarning::OwnGames { path: path(), games: own_games }));
    }

    fn add_encounters(&mut self, path: &Path, encounters: Vec<Encounter>) -> Result<(), ArenaError> {
        if encounters.is_empty() {
            self.warnings.push(ResultsWarning::Empty { path: path.to_owned() });
        }
        self.pairs += encounters.iter().map(|encounter| u64::from(encounter.pair_counts.pairs())).sum::<u64>();
        if self.pairs > MAX_PAIRS {
            return Err(ArenaError::for_file(
                path,
                format!("{} game pairs in all: expected at most {MAX_PAIRS}", self.pairs),
            ));
        }
        self.encounters.extend(encounters);
        Ok(())
    }
}

fn same_games(path: &Path, other: &Path) -> ArenaError {
    ArenaError::for_file(path, format!("it holds the same games as {}: give only one of the two", other.display()))
}
