//! One game of self-play in flight: how it begins, when a decision is due, when it is over.

use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{Action, Advice, Outcome};
use selfplay_mcts::{Batch, EvaluationCache, Exploration, Search, SearchReport};

use crate::record::{DecisionRecord, EndReason, GameEnd, GameRecord, Resignation, SearchTarget};
use crate::selfplay_config::{ResignConfig, SelfPlayConfig};
use crate::starts::draw_start;

/// Keeps the streams of self-play apart from the run's other random choices.
const SELF_PLAY_STREAM: u64 = 0x5E1F;

/// What the games of a lane have in common.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    pub config: &'a SelfPlayConfig,
    pub run_seed: u64,
    /// Generation being played, from 1.
    pub generation: u32,
    /// The games of the generation before.
    pub earlier: &'a [&'a GameRecord],
}

/// A game in flight.
pub(crate) struct Seat<G: Advice> {
    search: Search<G>,
    rng: GameRng,
    record: GameRecord,
    effort: Effort,
    /// Simulations that the decision gets.
    simulations: u32,
    /// Full searches in a row in which each side found its position hopeless.
    hopeless_searches: [u32; 2],
    is_played_on: bool,
}

/// What [`Seat::advance`] stopped at.
pub(crate) enum SeatState {
    /// Its search waits for the evaluation of a leaf, the last of the batch.
    WaitsForLeaf,
    /// The game is over; its record is whole.
    GameOver,
}

/// How a decision is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// With all simulations and with exploration; learned from.
    Full,
    /// With few simulations, as well as it can be.
    Fast,
}

impl<G: Advice> Seat<G> {
    /// The seat of game `game_number`, which begins.
    pub(crate) fn new(game_number: u32, table: Table<'_>) -> Self {
        let mut seat = Seat {
            search: Search::new(table.config.search.clone()),
            rng: rng_for(&[]),
            record: GameRecord::new(game_number),
            effort: Effort::Full,
            simulations: 0,
            hopeless_searches: [0, 0],
            is_played_on: false,
        };
        seat.start_game(game_number, table);
        seat
    }

    /// Begins game `game_number` and returns the record of the game before.
    pub(crate) fn start_game(&mut self, game_number: u32, table: Table<'_>) -> GameRecord {
        let Table { config, run_seed, generation, .. } = table;
        self.rng = rng_for(&[run_seed, SELF_PLAY_STREAM, u64::from(generation), u64::from(game_number)]);
        let before = std::mem::replace(&mut self.record, GameRecord::new(game_number));
        self.hopeless_searches = [0, 0];
        let start = draw_start::<G>(&config.starts, table.earlier, config.max_decisions, &mut self.rng);
        let mut position = G::initial();
        for action in start {
            let action = position.canonical_action(action);
            self.record.decisions.push(DecisionRecord { action: action.0, target: None });
            position.play(action);
        }
        self.is_played_on = config.resign.value > -1.0 && self.rng.random::<f64>() < config.resign.play_on_share;
        self.search.set_position(&position);
        self.start_move(table);
        before
    }

    /// The record of the game, given away.
    pub(crate) fn into_record(self) -> GameRecord {
        self.record
    }

    /// Decisions made in the game.
    pub(crate) fn decisions(&self) -> usize {
        self.record.decisions.len()
    }

    /// The search, to be given the answer to its leaf.
    pub(crate) fn search_mut(&mut self) -> &mut Search<G> {
        &mut self.search
    }

    /// Goes on until the search needs an evaluation that `cache` does not know, or the game is over.
    pub(crate) fn advance(&mut self, table: Table<'_>, cache: &mut EvaluationCache, batch: &mut Batch<G>) -> SeatState {
        loop {
            if self.search.simulations() >= self.simulations || self.search.is_decided() {
                if let Some(end) = self.decide(table.config) {
                    self.record.end = end;
                    return SeatState::GameOver;
                }
                self.start_move(table);
            } else if self.search.gather_unknown(cache, batch) {
                return SeatState::WaitsForLeaf;
            }
        }
    }

    fn start_move(&mut self, table: Table<'_>) {
        let Table { config, generation, .. } = table;
        let is_full = config.full_search_share >= 1.0 || self.rng.random::<f64>() < config.full_search_share;
        if is_full {
            self.effort = Effort::Full;
            self.simulations = config.simulations_in(generation);
            self.search.start_move(Exploration::On { simulations: self.simulations, rng: &mut self.rng });
        } else {
            self.effort = Effort::Fast;
            self.simulations = config.fast_simulations;
            self.search.start_move(Exploration::Off);
        }
    }

    /// Makes the decision that the search recommends; the end of the game if that is over now.
    fn decide(&mut self, config: &SelfPlayConfig) -> Option<GameEnd> {
        let report = self.search.report();
        let side = self.search.position().side_to_move();
        let temperature = config.temperature.at(self.record.decisions.len());
        let action: Action = report.sample(temperature, &mut self.rng);
        let target = (self.effort == Effort::Full).then(|| SearchTarget::new(&report, side));
        let resigned = self.resigns(&report, &config.resign);
        self.record.simulations += u64::from(self.search.simulations());
        self.record.decisions.push(DecisionRecord { action: action.0, target });
        self.search.advance(action);

        if let Some(outcome) = self.search.position().outcome() {
            return Some(GameEnd::by_rules(outcome));
        }
        if config.stop_proven
            && let Some(outcome) = self.search.proven().or_else(|| self.search.foreseen())
        {
            return Some(GameEnd::new(outcome, EndReason::Proven));
        }
        if let Some(outcome) = resigned.filter(|_| !self.is_played_on) {
            return Some(GameEnd::new(outcome, EndReason::Resigned));
        }
        (self.record.decisions.len() >= config.max_decisions as usize).then_some(GameEnd::CAPPED)
    }

    /// The outcome that the side to move concedes, if it resigns after this search; noted when it happens first.
    fn resigns(&mut self, report: &SearchReport, config: &ResignConfig) -> Option<Outcome> {
        if config.value <= -1.0 || self.effort == Effort::Fast {
            return None;
        }
        let side = self.search.position().side_to_move();
        let searches = &mut self.hopeless_searches[side.index()];
        *searches = if f64::from(report.wdl.value()) < config.value { *searches + 1 } else { 0 };
        if *searches < config.searches || self.record.resignation.is_some() {
            return None;
        }
        let conceded = Outcome::Win(side.opponent());
        let after = self.record.decisions.len() as u32;
        self.record.resignation = Some(Resignation { after, concedes: conceded.into() });
        Some(conceded)
    }
}
