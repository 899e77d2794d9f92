//! The player that searches with an evaluator, in one game with many leaves or in many games with one leaf each.

mod config;
mod prover;
mod solved;
mod table;
mod thinking;
mod variety;

use std::collections::HashMap;
use std::time::Duration;

use selfplay_env::rng::RngExt;
use selfplay_env::{Action, WholeGame};
use selfplay_mcts::{
    Batch, CancelToken, Deadline, EvaluationCache, Evaluator, Limits, ReadClock, Search, SearchReport, TimePlan,
    WhenCertain,
};

use crate::alphabeta::Memory;
use crate::error::EvalError;
use crate::player::{Choice, Player, Seat, TOLD_LINES, TableSeeds};
use crate::time_control::{ClockKind, TimeSpan, decisions_to_come};
use crate::turn_share;
pub use config::{Proofs, SearchPlayerConfig, SpecSymmetry, Variety};
use prover::{Effort, Prover};
use solved::Solved;
use table::Table;
use thinking::{Thinking, Thought};
use variety::images;

/// Simulations of a decision where nothing else ends its search.
const DEFAULT_SIMULATIONS: u32 = 400;
/// Memory in MiB with which a player remembers evaluations, taken as it fills.
const CACHE_MIB: u32 = 64;
/// What the first evaluation of all is taken to need, before any has been timed.
const FIRST_EVALUATION: Duration = Duration::from_millis(10);
/// A time for a whole game in which so many evaluations do not fit is too short for the first of unknown length.
const EVALUATIONS_AT_LEAST: u32 = 4;
/// Positions that alpha-beta looks at for a hurried decision, at most.
const HURRIED_NODES: u64 = 2000;

/// Plays what a PUCT search over an evaluator finds.
///
/// With a limit of simulations alone, every move is searched from an empty tree, so that it is a function of the position
/// and the seed. Several seats are then searched together, and each batch holds the leaves of all. With a limit of time the
/// tree moves along with its game, and the seats are searched one after the other; so they are with [`Proofs::On`]. What a
/// cache remembers is not evaluated again.
///
/// Where the result is proven, alpha-beta looks for the shortest win or the longest resistance.
///
/// Under a limit of time the search ends early once no time left can change its answer, and under the clock of a match
/// it takes longer where the answer wavers. If the clock leaves no time for an evaluation, alpha-beta decides.
pub struct SearchPlayer<G: WholeGame> {
    name: String,
    config: SearchPlayerConfig,
    evaluator: Box<dyn Evaluator<G> + Send>,
    prover: Prover,
    /// Solvers, with proofs only.
    solved: Solved<G>,
    seeds: TableSeeds,
    tables: HashMap<usize, Table<G>>,
    /// Tables whose games are over, for their memory.
    spare_tables: Vec<Table<G>>,
    cache: EvaluationCache,
    /// The least that an evaluation has taken, once one has been timed.
    evaluation_time: Option<Duration>,
    /// Read in place of the system's clocks.
    clock: Option<ReadClock>,
}

impl<G: WholeGame> SearchPlayer<G> {
    /// A player called `name` that searches with `evaluator`.
    ///
    /// # Errors
    /// What [`SearchPlayerConfig::validate`] finds, and more memory than there is.
    pub fn new(
        name: String,
        config: SearchPlayerConfig,
        evaluator: Box<dyn Evaluator<G> + Send>,
    ) -> Result<Self, EvalError> {
        config.validate()?;
        Ok(SearchPlayer {
            name,
            prover: Prover::new(config.proofs)?,
            solved: Solved::new(config.proofs),
            config,
            evaluator,
            seeds: TableSeeds::default(),
            tables: HashMap::new(),
            spare_tables: Vec::new(),
            cache: EvaluationCache::new(CACHE_MIB),
            evaluation_time: None,
            clock: None,
        })
    }

    /// The same player, whose tree search reads `clock` in place of the system's clocks.
    pub fn on_clock(self, clock: ReadClock) -> Self {
        SearchPlayer { clock: Some(clock), ..self }
    }

    /// The simulations of a decision in which no clock plays a part; `None` if one does.
    fn simulations_alone(&self, seat: &Seat<G>) -> Option<u32> {
        let Limits { simulations, time_ms, cpu_time_ms, .. } = self.config.limits;
        let is_timed = seat.time_left.is_some() || time_ms.is_some() || cpu_time_ms.is_some();
        (!is_timed).then(|| simulations.unwrap_or(DEFAULT_SIMULATIONS))
    }

    /// What ends the search for the decision of `seat`, from now on.
    fn deadline(&self, seat: &Seat<G>) -> Deadline {
        let any = seat.of_any_game();
        let own = |ms: Option<u64>| ms.map(|ms| turn_share::of_limit(&any, Duration::from_millis(ms)));
        let plan = |kind: ClockKind, own: Option<Duration>| {
            let clock = turn_share::of_clock(&any).filter(|clock| clock.clock == kind);
            let given = clock.map(|clock| clock.plan(decisions_to_come(G::spec().max_plies, seat.history.len())));
            match (given, own) {
                (Some(given), Some(own)) => Some(given.at_most(own)),
                (given, own) => given.or(own.map(TimePlan::exactly)),
            }
        };
        let wall = plan(ClockKind::Wall, own(self.config.limits.time_ms));
        let cpu = plan(ClockKind::Cpu, own(self.config.limits.cpu_time_ms));
        let simulations = self.simulations_alone(seat).or(self.config.limits.simulations);
        let when_certain = if self.config.temperature > 0.0 { WhenCertain::GoOn } else { WhenCertain::Stop };
        let deadline = Deadline::planned(simulations, wall, cpu, when_certain)
            .with_cancel_token(self.config.limits.cancel.clone());
        match &self.clock {
            Some(clock) => deadline.on_clock(clock),
            None => deadline,
        }
    }

    /// Whether the match's clock leaves less than an evaluation may take.
    fn is_hurried(&self, seat: &Seat<G>, deadline: &Deadline) -> bool {
        let Some(clock) = seat.time_left else { return false };
        match self.evaluation_time {
            Some(time) => deadline.left().least().is_some_and(|left| left < time),
            None => {
                let evaluations = if clock.span == TimeSpan::Game { EVALUATIONS_AT_LEAST } else { 1 };
                clock.thinking_time(1) < FIRST_EVALUATION * evaluations
            }
        }
    }

    /// The table of `seat`, taken out of the player, at the position to decide in.
    fn take_table(&mut self, seat: &Seat<G>) -> Table<G> {
        let known = self.tables.remove(&seat.table).or_else(|| self.spare_tables.pop());
        let mut table = known.unwrap_or_else(|| Table::new(&self.config.search));
        match self.simulations_alone(seat) {
            Some(_) => table.set_position(seat),
            None => table.follow(seat),
        }
        table
    }

    /// All that decides about the move of `seat`, whose search is `search`, until `deadline`.
    fn thinking<'a>(
        &'a mut self,
        seat: &Seat<G>,
        search: &'a mut Search<G>,
        deadline: &'a mut Deadline,
    ) -> Thinking<'a, G> {
        self.prover.begin(seat, memory(deadline), deadline.cancel_token());
        Thinking {
            search,
            decisions_made: seat.history.len(),
            leaves_per_gather: self.config.leaves_for(deadline.simulations()),
            evaluator: &mut *self.evaluator,
            cache: &mut self.cache,
            prover: &mut self.prover,
            solved: &mut self.solved,
            deadline,
        }
    }

    /// Thinks about the decision of `seat`, whose table is `table`, until `deadline`.
    fn think(&mut self, seat: &Seat<G>, table: &mut Table<G>, deadline: &mut Deadline) -> Thought {
        let mut actions: Vec<Action> = Vec::new();
        seat.position.distinct_actions(&mut actions);
        let is_hurried = self.is_hurried(seat, deadline);
        let has_proofs = self.config.proofs == Proofs::On && actions.len() > 1;
        if has_proofs {
            self.solved.begin(memory(deadline));
        }
        let pick = self.pick(seat);
        let thinking = self.thinking(seat, &mut table.search, deadline);
        if is_hurried {
            let time = thinking.deadline.left();
            thinking.hurried(Effort { time, nodes: Some(HURRIED_NODES) }, pick)
        } else if has_proofs {
            thinking.with_proofs(pick)
        } else {
            thinking.alone(pick)
        }
    }

    /// How a move is chosen from a report: by the temperature and the seed of the table.
    fn pick(&self, seat: &Seat<G>) -> impl Fn(&SearchReport) -> Action + use<G> {
        let (temperature, rng) = (self.config.temperature, self.seeds.rng(seat));
        move |report| report.sample(temperature, &mut rng.clone())
    }

    /// Puts the table back and makes the choice.
    fn settle(&mut self, seat: &Seat<G>, table: Table<G>, thought: Thought, time_used: Option<Duration>) -> Choice {
        self.tables.insert(seat.table, table);
        let Thought { mut action, report, proof } = thought;
        if self.config.variety == Variety::On {
            let equals = images(seat.position, action);
            action = equals[self.seeds.rng(seat).random_range(0..equals.len())];
        }
        Choice { report: Some(report), proof, time_used, ..Choice::of(action) }
    }

    /// Searches all `tables` up to `simulations`; each batch holds the leaves of all. What each of them finds is what it
    /// would find alone.
    fn search_together(&mut self, tables: &mut [Table<G>], simulations: u32) {
        let leaves = self.config.leaves_for(Some(simulations));
        let mut batch = Batch::new();
        let mut asked = Vec::with_capacity(tables.len());
        loop {
            batch.clear();
            asked.clear();
            for (index, table) in tables.iter_mut().enumerate() {
                let count = table.gather(simulations, leaves, &mut self.cache, &mut batch);
                asked.extend((count > 0).then_some((index, count)));
            }
            if batch.is_empty() {
                return;
            }
            self.cache.evaluate(&mut *self.evaluator, batch.leaves_mut());
            let mut answers = batch.leaves();
            for &(index, count) in &asked {
                let (own, others) = answers.split_at(count);
                tables[index].search.apply(own);
                answers = others;
            }
        }
    }
}

impl<G: WholeGame> Player for SearchPlayer<G> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
        if let Some(table) = self.tables.get_mut(&table) {
            table.clear();
        }
    }

    fn end_game(&mut self, table: usize) {
        if let Some(mut table) = self.tables.remove(&table) {
            table.clear();
            self.spare_tables.push(table);
        }
    }

    fn set_cancel_token(&mut self, token: Option<CancelToken>) {
        self.config.limits.cancel = token;
    }

    fn choose(&mut self, seat: &Seat) -> Result<Choice, EvalError> {
        let seat = &seat.of_game::<G>(&self.name)?;
        let mut deadline = self.deadline(seat);
        let mut table = self.take_table(seat);
        let thought = self.think(seat, &mut table, &mut deadline);
        self.evaluation_time = deadline.evaluation_time().into_iter().chain(self.evaluation_time).min();
        let lines = best_lines(&table.search, &thought);
        Ok(Choice { lines, ..self.settle(seat, table, thought, deadline.time_used()) })
    }

    fn choose_all(&mut self, seats: &[Seat]) -> Vec<Result<Choice, EvalError>> {
        let typed: Vec<Result<Seat<G>, EvalError>> = seats.iter().map(|seat| seat.of_game(&self.name)).collect();
        let running: Vec<&Seat<G>> = typed.iter().flatten().collect();
        let simulations = running.first().and_then(|seat| self.simulations_alone(seat));
        let simulations = match simulations {
            Some(simulations) if running.len() > 1 && self.config.proofs == Proofs::Off => simulations,
            _ => return seats.iter().map(|seat| self.choose(seat)).collect(),
        };
        let mut tables: Vec<Table<G>> = running.iter().map(|seat| self.take_table(seat)).collect();
        self.search_together(&mut tables, simulations);
        let mut tables = tables.into_iter();
        let settled = typed.into_iter().map(|seat| {
            let (seat, mut table) = (&seat?, tables.next().expect("a table for each running game"));
            let pick = self.pick(seat);
            let thought = self.thinking(seat, &mut table.search, &mut self.deadline(seat)).alone(pick);
            Ok(self.settle(seat, table, thought, None))
        });
        settled.collect()
    }
}

/// What a decision until `deadline` may use of what earlier ones proved: nothing where it must depend on its position alone.
fn memory(deadline: &Deadline) -> Memory {
    if deadline.is_timed() { Memory::Keep } else { Memory::Forget }
}

/// What is expected after the decision and the next best moves.
fn best_lines<G: WholeGame>(search: &Search<G>, thought: &Thought) -> Vec<Vec<Action>> {
    let others = thought.report.moves.iter().map(|m| m.action).filter(|&action| action != thought.action);
    let proven = &thought.report.principal_variation;
    let line = |action: Action| match proven.first() {
        Some(&first) if first == action => proven.clone(),
        _ => search.line_of(action),
    };
    [thought.action].into_iter().chain(others).take(TOLD_LINES).map(line).collect()
}
