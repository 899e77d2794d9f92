//! The player that searches with an evaluator, in one game with many leaves or in many games with one leaf each.

use std::collections::HashMap;

use selfplay_env::{Action, Game};
use selfplay_mcts::{Batch, EvaluationCache, Evaluator, Exploration, Limits, Search, SearchConfig, SearchReport, run};

use crate::error::{EvalError, check};
use crate::player::{Choice, Player, Seat, TableSeeds, check_running};
use crate::time_control::{ClockKind, decisions_to_come};

/// Simulations of a decision where nothing else ends its search.
const DEFAULT_SIMULATIONS: u32 = 400;
/// Memory in MiB with which a player remembers evaluations while it plays many games at once.
const CACHE_MIB: u32 = 16;

/// How a [`SearchPlayer`] searches and chooses.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchPlayerConfig {
    /// Selection and solver. There is no root noise in matches.
    pub search: SearchConfig,
    /// What ends the search of each decision, beside the match's clock; without either, 400 simulations. What the tree
    /// inherits from earlier decisions does not count.
    pub limits: Limits,
    /// Leaves evaluated at once when there is a single game; at least 1.
    pub leaves_per_gather: usize,
    /// How random the choice is: in proportion to visits^(1 / temperature); 0 takes the best move. At least 0.
    pub temperature: f32,
}

impl SearchPlayerConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`EvalError::Search`] or [`EvalError::OutOfRange`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), EvalError> {
        self.search.validate()?;
        if self.limits != Limits::default() {
            self.limits.validate()?;
        }
        check(self.leaves_per_gather >= 1, "leaves", self.leaves_per_gather as f64, "at least 1")?;
        let is_temperature = self.temperature.is_finite() && self.temperature >= 0.0;
        check(is_temperature, "temperature", f64::from(self.temperature), "a finite number of at least 0")
    }
}

/// Plays what a PUCT search over an evaluator finds. Each table keeps its tree, which moves along with its game.
///
/// With a limit of simulations alone, several seats are searched together and each batch holds one leaf of each, that
/// no earlier batch held as far as a cache remembers; a single seat fills its batches with `leaves_per_gather` leaves.
/// Time belongs to one decision, so with a limit of time the seats are searched one after the other.
pub struct SearchPlayer<G: Game> {
    name: String,
    config: SearchPlayerConfig,
    evaluator: Box<dyn Evaluator<G> + Send>,
    seeds: TableSeeds,
    tables: HashMap<usize, Table<G>>,
    /// `None` until several seats are searched together.
    cache: Option<EvaluationCache>,
}

impl<G: Game> SearchPlayer<G> {
    /// A player called `name` that searches with `evaluator`.
    ///
    /// # Errors
    /// What [`SearchPlayerConfig::validate`] finds.
    pub fn new(
        name: String,
        config: SearchPlayerConfig,
        evaluator: Box<dyn Evaluator<G> + Send>,
    ) -> Result<Self, EvalError> {
        config.validate()?;
        Ok(SearchPlayer { name, config, evaluator, seeds: TableSeeds::default(), tables: HashMap::new(), cache: None })
    }

    /// What ends the search for the decision of `seat`.
    fn limits_at(&self, seat: &Seat<G>) -> Limits {
        let mut limits = self.config.limits;
        if let Some(clock) = seat.time_left {
            let thinking = clock.thinking_time(decisions_to_come::<G>(seat.history.len()));
            let thinking_ms = (thinking.as_millis() as u64).max(1);
            let own = match clock.clock {
                ClockKind::Wall => &mut limits.time_ms,
                ClockKind::Cpu => &mut limits.cpu_time_ms,
            };
            *own = Some(own.map_or(thinking_ms, |ms| ms.min(thinking_ms)));
        }
        if limits == Limits::default() { Limits::simulations(DEFAULT_SIMULATIONS) } else { limits }
    }

    /// The table of `seat`, taken out of the player, at the position to decide in.
    fn take_table(&mut self, seat: &Seat<G>) -> Table<G> {
        let mut table = self.tables.remove(&seat.table).unwrap_or_else(|| Table::new(&self.config.search));
        table.follow(seat);
        table
    }

    /// Puts the table back and chooses.
    fn settle(&mut self, seat: &Seat<G>, table: Table<G>, report: SearchReport) -> Choice {
        self.tables.insert(seat.table, table);
        let action = report.sample(self.config.temperature, &mut self.seeds.rng(seat));
        Choice { action, report: Some(report), cpu_time_ms: None }
    }

    /// Searches all `tables` up to `simulations`, one leaf of each in every batch.
    fn search_together(&mut self, tables: &mut [Table<G>], simulations: u32) {
        let cache = self.cache.get_or_insert_with(|| EvaluationCache::new(CACHE_MIB));
        let mut batch = Batch::new();
        let mut owners = Vec::with_capacity(tables.len());
        loop {
            batch.clear();
            owners.clear();
            for (index, table) in tables.iter_mut().enumerate() {
                if table.gather_one(simulations, cache, &mut batch) {
                    owners.push(index);
                }
            }
            if batch.is_empty() {
                return;
            }
            self.evaluator.evaluate(batch.leaves_mut());
            for (&index, leaf) in owners.iter().zip(batch.leaves()) {
                cache.insert(leaf.position.evaluation_key(), leaf);
                tables[index].search.apply(std::slice::from_ref(leaf));
            }
        }
    }
}

impl<G: Game> Player<G> for SearchPlayer<G> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
        if let Some(table) = self.tables.get_mut(&table) {
            table.history = None;
        }
    }

    fn choose(&mut self, seat: &Seat<G>) -> Result<Choice, EvalError> {
        check_running(seat, || self.name.clone())?;
        let mut table = self.take_table(seat);
        let limits = self.limits_at(seat);
        let report = run(&mut table.search, &mut self.evaluator, &limits, self.config.leaves_per_gather);
        Ok(self.settle(seat, table, report))
    }

    fn choose_all(&mut self, seats: &[Seat<G>]) -> Vec<Result<Choice, EvalError>> {
        let limits = seats.first().map_or(self.config.limits, |seat| self.limits_at(seat));
        let simulations = match limits.simulations {
            Some(simulations) if seats.len() > 1 && limits == Limits::simulations(simulations) => simulations,
            _ => return seats.iter().map(|seat| self.choose(seat)).collect(),
        };
        let is_running: Vec<_> = seats.iter().map(|seat| check_running(seat, || self.name.clone())).collect();
        let mut tables: Vec<Table<G>> = seats.iter().map(|seat| self.take_table(seat)).collect();
        self.search_together(&mut tables, simulations);
        let settled = seats.iter().zip(tables).zip(is_running).map(|((seat, table), is_running)| {
            is_running?;
            let report = table.search.report();
            Ok(self.settle(seat, table, report))
        });
        settled.collect()
    }
}

/// One game in flight.
struct Table<G> {
    search: Search<G>,
    /// The decisions that led to the position searched; `None` before the first decision of a game.
    history: Option<Vec<Action>>,
}

impl<G: Game> Table<G> {
    fn new(config: &SearchConfig) -> Self {
        Table { search: Search::new(config.clone()), history: None }
    }

    /// Brings the search to the position of `seat`, with the tree if the game went on from where it stood.
    fn follow(&mut self, seat: &Seat<G>) {
        let new_decisions = self.history.as_deref().and_then(|known| seat.history.strip_prefix(known));
        let arrived = new_decisions.is_some_and(|decisions| {
            let all_legal = decisions.iter().all(|&action| {
                let is_legal = self.search.position().is_legal(action);
                if is_legal {
                    self.search.advance(action);
                }
                is_legal
            });
            all_legal && self.search.position() == seat.position
        });
        if arrived {
            self.search.start_move(Exploration::Off);
        } else {
            self.search.set_position(seat.position);
        }
        self.history = Some(seat.history.to_vec());
    }

    /// Simulates until one leaf needs an evaluation that `cache` does not know; false if the search is finished before.
    fn gather_one(&mut self, simulations: u32, cache: &mut EvaluationCache, batch: &mut Batch<G>) -> bool {
        while !self.search.is_decided() && self.search.simulations() < simulations {
            if self.search.gather_unknown(cache, batch) {
                return true;
            }
        }
        false
    }
}
