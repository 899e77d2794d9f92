//! The games of one file, whatever their game: who met whom, who moved first, who won.

use crate::error::ArenaError;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use selfplay_env::{Outcome, Rules, Side};

use super::lines::{FileLine, lines_of};
use selfplay_ratings::Encounter;
use selfplay_ratings::pair_counts::PairCounts;

use crate::game_line::{GAMES_FORMAT, GameLine, GameLineError, GamesHeader, SideName};
use crate::games_file::replayed;

/// A file of games, read without the rules of their game: the recorded results are believed until they are
/// [checked](RecordedGames::check_by).
#[derive(Debug)]
pub struct RecordedGames {
    /// The file.
    pub path: PathBuf,
    /// Its first line.
    pub header: GamesHeader,
    /// Number of the last line, if it was cut off and is left out.
    pub torn_line: Option<usize>,
    pub(crate) games: Vec<RecordedGame>,
    /// The two games of each whole pair, that with A as the first player before the other, as indices of `games`.
    pairs: Vec<[usize; 2]>,
}

/// One game of a file.
#[derive(Debug)]
pub(crate) struct RecordedGame {
    pub line: GameLine,
    pub outcome: Option<Outcome>,
}

impl RecordedGame {
    /// Who moved first and who second, as indices into the header's list.
    pub fn by_order(&self) -> [usize; 2] {
        let [a, b] = self.line.players;
        match self.line.a_side {
            SideName::First => [a, b],
            SideName::Second => [b, a],
        }
    }

    /// 1 if A won, 0 for a draw or a game that was stopped, −1 if A lost.
    fn a_value(&self) -> i8 {
        let side = match self.line.a_side {
            SideName::First => Side::First,
            SideName::Second => Side::Second,
        };
        self.outcome.map_or(0, |outcome| outcome.value_for(side))
    }
}

impl RecordedGames {
    /// Reads the file at `path`. A last line without an end that cannot be read was cut off: it is left out.
    ///
    /// # Errors
    /// [`ArenaError::File`], with the first line that contradicts the format or an earlier
    /// line.
    pub fn read(path: &Path) -> Result<Self, ArenaError> {
        let bytes = fs::read(path).map_err(|error| ArenaError::for_file(path, error))?;
        let mut lines = lines_of(&bytes);
        let Some(first) = lines.next() else { return Err(ArenaError::for_file(path, "it is empty")) };
        let header = read_header(first.text).map_err(|reason| first.error(path, reason))?;
        let mut file =
            RecordedGames { path: path.to_owned(), header, torn_line: None, games: Vec::new(), pairs: Vec::new() };
        let mut halves = HashMap::new();
        for line in lines {
            match file.add(&line, &mut halves) {
                Ok(()) => (),
                Err(_) if line.is_open => file.torn_line = Some(line.number),
                Err(reason) => return Err(line.error(path, reason)),
            }
        }
        // A pair is written at once: only the last may have been torn.
        let alone = halves.into_values().filter_map(|pair| match pair {
            [Some(game), None] | [None, Some(game)] => Some(game),
            _ => None,
        });
        match alone.filter(|&game| game + 1 < file.games.len()).min() {
            None => Ok(file),
            Some(game) => {
                let GameLine { match_number, game, .. } = &file.games[game].line;
                Err(ArenaError::for_file(
                    path,
                    format!(
                        "game {game} of match {match_number} has no partner: the other game of its pair is missing"
                    ),
                ))
            }
        }
    }

    /// Adds the game in `line`; `halves` holds the games of each pair, by match and pair, as far as they came.
    fn add(
        &mut self,
        line: &FileLine,
        halves: &mut HashMap<(usize, usize), [Option<usize>; 2]>,
    ) -> Result<(), GameLineError> {
        let game: GameLine = serde_json::from_slice(line.text).map_err(GameLineError::Format)?;
        let [a, b] = game.players;
        let known = self.header.players.len();
        if a >= known || b >= known {
            return Err(GameLineError::UnknownPlayers { players: [a, b], known });
        }
        let (pair, half) = (game.game / 2, game.game % 2);
        if half != game.a_side as usize {
            return Err(GameLineError::Side { game: game.game });
        }
        let outcome = game.outcome()?;
        let pair = halves.entry((game.match_number, pair)).or_default();
        if pair[half].is_some() {
            return Err(GameLineError::Repeated { game: game.game, match_number: game.match_number });
        }
        if let Some(other) = pair[1 - half].map(|other| &self.games[other].line.players)
            && *other != game.players
        {
            return Err(GameLineError::OtherPlayers { players: [a, b], other: *other });
        }
        pair[half] = Some(self.games.len());
        self.games.push(RecordedGame { line: game, outcome });
        if let [Some(first), Some(second)] = *pair {
            self.pairs.push([first, second]);
        }
        Ok(())
    }

    /// Replays each game by the rules of its game: may it have been played so, and end so?
    ///
    /// # Errors
    /// [`ArenaError::File`], with the first line that says otherwise.
    pub fn check_by(&self, rules: &dyn Rules) -> Result<(), ArenaError> {
        // The header is the first line, and every other one is a game.
        self.games.iter().enumerate().try_for_each(|(index, game)| {
            let found = replayed(rules, &game.line);
            found.map(drop).map_err(|reason| ArenaError::for_line(&self.path, index + 2, reason))
        })
    }

    /// The whole pairs of each match, those of players against themselves left out.
    pub fn encounters(&self) -> Vec<Encounter> {
        let mut counts: Vec<([usize; 2], PairCounts)> = Vec::new();
        let mut places: HashMap<[usize; 2], usize> = HashMap::new();
        for &[first, second] in &self.pairs {
            let players = self.games[first].line.players;
            if self.is_own(players) {
                continue;
            }
            let place = *places.entry(players).or_insert_with(|| {
                counts.push((players, PairCounts::default()));
                counts.len() - 1
            });
            counts[place].1.add_pair(self.games[first].a_value(), self.games[second].a_value());
        }
        let encounter = |([a, b], pair_counts): ([usize; 2], PairCounts)| {
            let [a, b] = [a, b].map(|player| self.header.players[player].clone());
            Encounter { a, b, pair_counts }
        };
        counts.into_iter().map(encounter).collect()
    }

    /// The day on which the file was last written, as PGN has it: `2026.11.26`.
    pub(crate) fn date(&self) -> String {
        let modified = fs::metadata(&self.path).and_then(|metadata| metadata.modified());
        modified.map_or("????.??.??".into(), |time| {
            let (year, month, day) = time::OffsetDateTime::from(time).to_calendar_date();
            format!("{year:04}.{:02}.{day:02}", u8::from(month))
        })
    }

    /// Games whose pair is not whole.
    pub fn halves(&self) -> usize {
        self.games.len() - 2 * self.pairs.len()
    }

    /// Games of players against themselves.
    pub fn own_games(&self) -> usize {
        self.games.iter().filter(|game| self.is_own(game.line.players)).count()
    }

    /// Games that were stopped, whose result is open.
    pub fn stopped(&self) -> usize {
        self.games.iter().filter(|game| game.outcome.is_none()).count()
    }

    pub(crate) fn is_own(&self, [a, b]: [usize; 2]) -> bool {
        self.header.players[a] == self.header.players[b]
    }

    /// Whether both files tell of the same games, one of them perhaps of more.
    pub(super) fn is_copy_of(&self, other: &RecordedGames) -> bool {
        let first = |file: &RecordedGames| {
            file.games.first().map(|game| serde_json::to_string(&game.line).expect("plain data"))
        };
        self.header == other.header && first(self).is_some() && first(self) == first(other)
    }
}

fn read_header(text: &[u8]) -> Result<GamesHeader, String> {
    let header: GamesHeader =
        serde_json::from_slice(text).map_err(|error| format!("invalid header of a games file: {error}"))?;
    if header.format != GAMES_FORMAT {
        return Err(format!(
            "`format` is {}: this version of selfplay reads {GAMES_FORMAT}; play the games again, or use the version that wrote them",
            header.format
        ));
    }
    Ok(header)
}
