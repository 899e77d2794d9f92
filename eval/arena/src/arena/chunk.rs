//! Plays some pairs of a match to their ends with one pair of player objects: in lockstep, or one game after the other.

use crate::error::ArenaError;
use selfplay_players::EvalError;
use std::ops::Range;
use std::time::Duration;

use selfplay_env::{Action, Rules};

use super::clock::{Clock, Measure};
use super::config::MatchConfig;
use super::game_in_flight::GameInFlight;
use super::game_result::GameResult;
use selfplay_players::player::{Decision, MoveRequest, Player};

/// How players are timed: by which clock, counting what.
#[derive(Clone, Copy)]
pub(super) struct Stopwatch<'a> {
    pub(super) clock: &'a dyn Clock,
    pub(super) measure: Measure,
}

/// The observer of a chunk.
pub(super) trait MatchMonitor {
    /// Whether the results are no longer wanted.
    fn is_cancelled(&self) -> bool;
    /// A game has ended; `pair` holds both games of its pair if the other one has, too.
    fn game_ended(&self, pair: Option<[&GameResult; 2]>);
}

/// A chunk about to be played.
pub(super) struct Chunk<'a> {
    tables: Vec<GameInFlight<'a>>,
    monitor: &'a dyn MatchMonitor,
}

impl<'a> Chunk<'a> {
    /// Seats the players at the games of `pairs`, whose openings are `openings`.
    pub(super) fn begin(
        rules: &dyn Rules,
        players: &mut [Box<dyn Player>; 2],
        pairs: Range<usize>,
        openings: &[Vec<Action>],
        config: &'a MatchConfig,
        monitor: &'a dyn MatchMonitor,
    ) -> Self {
        let numbers = 2 * pairs.start..2 * pairs.end;
        let opening = |number: usize| &openings[number / 2 - pairs.start];
        let tables: Vec<GameInFlight> =
            numbers.map(|number| GameInFlight::begin(rules, number, opening(number), config)).collect();
        for table in &tables {
            for (index, player) in players.iter_mut().enumerate() {
                player.new_game(table.number(), config.player_seed(table.number(), index));
            }
        }
        let chunk = Chunk { tables, monitor };
        // An opening that reaches the cap by itself ends both games of its pair at once.
        for (first, pair) in chunk.tables.chunks_exact(2).enumerate() {
            if !pair[0].is_running() {
                monitor.game_ended(None);
                chunk.announce_end(2 * first + 1);
            }
        }
        chunk
    }

    /// Plays all games at the same time: player A decides in all games where it is to move, then player B, and so on.
    /// `None` if the monitor loses interest.
    ///
    /// # Errors
    /// What a player reports that is no reason to lose a game.
    ///
    /// # Panics
    /// If a player answers another number of requests than it was asked.
    pub(super) fn play_in_lockstep(
        mut self,
        players: &mut [Box<dyn Player>; 2],
    ) -> Result<Option<Vec<GameResult>>, ArenaError> {
        while self.tables.iter().any(GameInFlight::is_running) {
            for index in 0..players.len() {
                if self.monitor.is_cancelled() {
                    return Ok(None);
                }
                let is_asked = |table: &GameInFlight| table.is_running() && table.player_to_move() == index;
                let asked: Vec<usize> = (0..self.tables.len()).filter(|&i| is_asked(&self.tables[i])).collect();
                if asked.is_empty() {
                    continue;
                }
                let answers = {
                    let requests: Vec<MoveRequest> = asked.iter().map(|&i| self.tables[i].request()).collect();
                    players[index].choose_all(&requests)
                };
                assert_eq!(answers.len(), asked.len(), "{} answers every request once", players[index].name());
                for (&table, answer) in asked.iter().zip(answers) {
                    self.take(table, answer, None, players)?;
                }
            }
        }
        Ok(Some(self.into_results()))
    }

    /// Plays the games one after the other and measures every move.
    /// `None` if the monitor loses interest.
    ///
    /// # Errors
    /// What a player reports that is no reason to lose a game.
    pub(super) fn play_one_by_one(
        mut self,
        players: &mut [Box<dyn Player>; 2],
        stopwatch: Stopwatch,
    ) -> Result<Option<Vec<GameResult>>, ArenaError> {
        for index in 0..self.tables.len() {
            while self.tables[index].is_running() {
                if self.monitor.is_cancelled() {
                    return Ok(None);
                }
                let player = &mut players[self.tables[index].player_to_move()];
                let start = stopwatch.clock.read(stopwatch.measure);
                let answer = player.choose(&self.tables[index].request());
                let passed = stopwatch.clock.read(stopwatch.measure).saturating_sub(start);
                let spent = match (&answer, stopwatch.measure) {
                    (_, Measure::Wall) | (Err(_), _) => passed,
                    (Ok(choice), _) => choice.cpu_time_ms().map_or(passed, Duration::from_millis),
                };
                self.take(index, answer, Some(spent), players)?;
            }
        }
        Ok(Some(self.into_results()))
    }

    fn take(
        &mut self,
        table: usize,
        answer: Result<Decision, EvalError>,
        spent: Option<Duration>,
        players: &mut [Box<dyn Player>; 2],
    ) -> Result<(), ArenaError> {
        self.tables[table].take(answer, spent)?;
        if !self.tables[table].is_running() {
            for player in players {
                player.end_game(self.tables[table].number());
            }
            self.announce_end(table);
        }
        Ok(())
    }

    fn announce_end(&self, table: usize) {
        let pair = [table & !1, table | 1].map(|index| &self.tables[index]);
        let is_complete = pair.iter().all(|table| !table.is_running());
        self.monitor.game_ended(is_complete.then(|| pair.map(GameInFlight::result)));
    }

    fn into_results(self) -> Vec<GameResult> {
        self.tables.into_iter().map(GameInFlight::into_result).collect()
    }
}
