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
use selfplay_env::{Action, CompleteGame};
use selfplay_mcts::{
    Batch, CachedEvaluator, CancelToken, Deadline, EvaluationCache, Evaluator, Limits, ReadClock, Search, SearchReport,
    SymmetryUse, TimePlan, WhenCertain,
};

use crate::alphabeta::Memory;
use crate::error::EvalError;
use crate::player::{Decision, DecisionAnalysis, MoveRequest, Player, SearchAnalysis, TOLD_LINES, TableSeeds};
use crate::time_control::{ClockKind, TimeSpan, moves_to_go};
use crate::turn_share;
pub use config::{SearchPlayerConfig, SpecSymmetry, Variety, Verification};
use prover::{Effort, Prover};
use solved::Solved;
use table::GameTree;
use thinking::{SearchedMove, Thinking};
use variety::images;

/// Simulations of a move where nothing else ends its search.
const DEFAULT_SIMULATIONS: u32 = 400;
/// Memory in MiB with which a player remembers evaluations by itself, taken as it fills.
pub(crate) const CACHE_MIB: u32 = 64;
/// What the first evaluation of all is taken to need, before any has been timed.
const FIRST_EVALUATION: Duration = Duration::from_millis(10);
/// A time per game in which so many evaluations do not fit is too short for the first of unknown length.
const EVALUATIONS_AT_LEAST: u32 = 4;
/// Positions that alpha-beta looks at for a hurried move, at most.
const HURRIED_NODES: u64 = 2000;

/// Plays what a PUCT search over an evaluator finds.
///
/// With a limit of simulations alone, every move is searched from an empty tree, so that it is a function of the position
/// and the seed. Several requests are then searched together, and each batch holds the leaves of all. With a limit of time the
/// tree moves along with its game, and the requests are searched one after the other; so they are with [`Verification::On`]. What a
/// cache remembers is not evaluated again.
///
/// Where the result is proven, alpha-beta looks for the shortest win or the longest resistance.
///
/// Under a limit of time the search ends early once no time left can change its answer, and under the clock of a match
/// it takes longer where the answer wavers. If the clock leaves no time for an evaluation, alpha-beta decides.
pub struct SearchPlayer<G: CompleteGame> {
    name: String,
    config: SearchPlayerConfig,
    evaluator: CachedEvaluator<G, Box<dyn Evaluator<G> + Send>>,
    prover: Prover,
    /// Solvers, with proofs only.
    solved: Solved<G>,
    seeds: TableSeeds,
    tables: HashMap<usize, GameTree<G>>,
    /// Tables whose games are over, for their memory.
    spare_tables: Vec<GameTree<G>>,
    /// The least that an evaluation has taken, once one has been timed.
    evaluation_time: Option<Duration>,
    /// Read in place of the system's clocks.
    clock: Option<ReadClock>,
}

impl<G: CompleteGame> SearchPlayer<G> {
    /// A player called `name` that searches with `evaluator`, and remembers its answers by itself.
    ///
    /// # Errors
    /// Those of [`sharing`](Self::sharing).
    pub fn new(
        name: String,
        config: SearchPlayerConfig,
        evaluator: Box<dyn Evaluator<G> + Send>,
    ) -> Result<Self, EvalError> {
        Self::sharing(name, config, evaluator, EvaluationCache::new(CACHE_MIB), 0)
    }

    /// The same, which remembers answers in a cache. Evaluators with the same number `network` must give the same answers.
    ///
    /// # Errors
    /// What [`SearchPlayerConfig::validate`] finds, and more memory than there is.
    pub fn sharing(
        name: String,
        config: SearchPlayerConfig,
        evaluator: Box<dyn Evaluator<G> + Send>,
        cache: EvaluationCache,
        network: u64,
    ) -> Result<Self, EvalError> {
        config.validate()?;
        let symmetry_use = match config.symmetry {
            SpecSymmetry::Canonical => SymmetryUse::Canonical,
            SpecSymmetry::Average => SymmetryUse::Averaged,
        };
        Ok(SearchPlayer {
            name,
            prover: Prover::new(config.verify)?,
            solved: Solved::new(config.verify),
            config,
            evaluator: CachedEvaluator::new(evaluator, symmetry_use, cache, network),
            seeds: TableSeeds::default(),
            tables: HashMap::new(),
            spare_tables: Vec::new(),
            evaluation_time: None,
            clock: None,
        })
    }

    /// The same player, whose tree search reads `clock` in place of the system's clocks.
    pub fn on_clock(self, clock: ReadClock) -> Self {
        SearchPlayer { clock: Some(clock), ..self }
    }

    /// The simulations of a move in which no clock plays a part; `None` if one does.
    fn simulations_alone(&self, request: &MoveRequest<G>) -> Option<u32> {
        let Limits { simulations, time_ms, cpu_time_ms, .. } = self.config.limits;
        let is_timed = request.time_left.is_some() || time_ms.is_some() || cpu_time_ms.is_some();
        (!is_timed).then(|| simulations.unwrap_or(DEFAULT_SIMULATIONS))
    }

    /// What ends the search for the move of `request`, from now on.
    fn deadline(&self, request: &MoveRequest<G>) -> Deadline {
        let any = request.untyped();
        let own = |ms: Option<u64>| ms.map(|ms| turn_share::share_of_limit(&any, Duration::from_millis(ms)));
        let plan = |kind: ClockKind, own: Option<Duration>| {
            let clock = turn_share::share_of_clock(&any).filter(|clock| clock.clock == kind);
            let given = clock.map(|clock| clock.plan(moves_to_go(G::spec().max_plies, request.history.len())));
            match (given, own) {
                (Some(given), Some(own)) => Some(given.at_most(own)),
                (given, own) => given.or(own.map(TimePlan::exactly)),
            }
        };
        let wall = plan(ClockKind::Wall, own(self.config.limits.time_ms));
        let cpu = plan(ClockKind::Cpu, own(self.config.limits.cpu_time_ms));
        let simulations = self.simulations_alone(request).or(self.config.limits.simulations);
        let when_certain = if self.config.temperature > 0.0 { WhenCertain::GoOn } else { WhenCertain::Stop };
        let deadline = Deadline::planned(simulations, wall, cpu, when_certain)
            .with_cancel_token(self.config.limits.cancel.clone());
        match &self.clock {
            Some(clock) => deadline.on_clock(clock),
            None => deadline,
        }
    }

    /// Whether the match's clock leaves less than an evaluation may take.
    fn is_hurried(&self, request: &MoveRequest<G>, deadline: &Deadline) -> bool {
        let Some(clock) = request.time_left else { return false };
        match self.evaluation_time {
            Some(time) => deadline.left().least().is_some_and(|left| left < time),
            None => {
                let evaluations = if clock.span == TimeSpan::Game { EVALUATIONS_AT_LEAST } else { 1 };
                clock.thinking_time(1) < FIRST_EVALUATION * evaluations
            }
        }
    }

    /// The table of `request`, taken out of the player, at the position to decide in.
    fn take_table(&mut self, request: &MoveRequest<G>) -> GameTree<G> {
        let known = self.tables.remove(&request.table).or_else(|| self.spare_tables.pop());
        let mut table = known.unwrap_or_else(|| GameTree::new(&self.config.search));
        match self.simulations_alone(request) {
            Some(_) => table.set_position(request),
            None => table.follow(request),
        }
        table
    }

    /// All that decides about the move of `request`, whose search is `search`, until `deadline`.
    fn thinking<'a>(
        &'a mut self,
        request: &MoveRequest<G>,
        search: &'a mut Search<G>,
        deadline: &'a mut Deadline,
    ) -> Thinking<'a, G> {
        self.prover.begin(request, memory(deadline), deadline.cancel_token());
        Thinking {
            search,
            plies_played: request.history.len(),
            leaves_per_gather: self.config.leaves_for(deadline.simulations()),
            evaluator: &mut self.evaluator,
            prover: &mut self.prover,
            solved: &mut self.solved,
            deadline,
        }
    }

    /// Thinks about the move of `request`, whose table is `table`, until `deadline`.
    fn think(&mut self, request: &MoveRequest<G>, table: &mut GameTree<G>, deadline: &mut Deadline) -> SearchedMove {
        let mut actions: Vec<Action> = Vec::new();
        request.position.distinct_actions(&mut actions);
        let is_hurried = self.is_hurried(request, deadline);
        let has_proofs = self.config.verify == Verification::On && actions.len() > 1;
        if has_proofs {
            self.solved.begin(memory(deadline));
        }
        let pick = self.pick(request);
        let thinking = self.thinking(request, &mut table.search, deadline);
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
    fn pick(&self, request: &MoveRequest<G>) -> impl Fn(&SearchReport) -> Action + use<G> {
        let (temperature, rng) = (self.config.temperature, self.seeds.rng(request));
        move |report| report.sample(temperature, &mut rng.clone())
    }

    /// Puts the table back and makes the choice.
    fn settle(
        &mut self,
        request: &MoveRequest<G>,
        table: GameTree<G>,
        thought: SearchedMove,
        extras: Extras,
    ) -> Decision {
        self.tables.insert(request.table, table);
        let SearchedMove { mut action, report, proof } = thought;
        if self.config.variety == Variety::On {
            let equals = images(request.position, action);
            action = equals[self.seeds.rng(request).random_range(0..equals.len())];
        }
        let Extras { time_used, lines } = extras;
        Decision { action, analysis: DecisionAnalysis::Search(SearchAnalysis { report, proof, time_used, lines }) }
    }

    /// Searches all `tables` up to `simulations`; each batch holds the leaves of all. What each of them finds is what it
    /// would find alone.
    fn search_together(&mut self, tables: &mut [GameTree<G>], simulations: u32) {
        let leaves = self.config.leaves_for(Some(simulations));
        let mut batch = Batch::new();
        let mut asked = Vec::with_capacity(tables.len());
        loop {
            batch.clear();
            asked.clear();
            for (index, table) in tables.iter_mut().enumerate() {
                let count = table.gather(simulations, leaves, &self.evaluator, &mut batch);
                asked.extend((count > 0).then_some((index, count)));
            }
            if batch.is_empty() {
                return;
            }
            self.evaluator.evaluate_unknown(batch.leaves_mut());
            let mut answers = batch.leaves();
            for &(index, count) in &asked {
                let (own, others) = answers.split_at(count);
                tables[index].search.apply(own);
                answers = others;
            }
        }
    }
}

impl<G: CompleteGame> Player for SearchPlayer<G> {
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

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        let request = &request.typed::<G>(&self.name)?;
        let mut deadline = self.deadline(request);
        let mut table = self.take_table(request);
        let thought = self.think(request, &mut table, &mut deadline);
        self.evaluation_time = deadline.evaluation_time().into_iter().chain(self.evaluation_time).min();
        let lines = best_lines(&table.search, &thought);
        Ok(self.settle(request, table, thought, Extras { time_used: deadline.time_used(), lines }))
    }

    fn choose_all(&mut self, requests: &[MoveRequest]) -> Vec<Result<Decision, EvalError>> {
        let typed: Vec<Result<MoveRequest<G>, EvalError>> =
            requests.iter().map(|request| request.typed(&self.name)).collect();
        let running: Vec<&MoveRequest<G>> = typed.iter().flatten().collect();
        let simulations = running.first().and_then(|request| self.simulations_alone(request));
        let simulations = match simulations {
            Some(simulations) if running.len() > 1 && self.config.verify == Verification::Off => simulations,
            _ => return requests.iter().map(|request| self.choose(request)).collect(),
        };
        let mut tables: Vec<GameTree<G>> = running.iter().map(|request| self.take_table(request)).collect();
        self.search_together(&mut tables, simulations);
        let mut tables = tables.into_iter();
        let settled = typed.into_iter().map(|request| {
            let (request, mut table) = (&request?, tables.next().expect("a table for each running game"));
            let pick = self.pick(request);
            let thought = self.thinking(request, &mut table.search, &mut self.deadline(request)).alone(pick);
            Ok(self.settle(request, table, thought, Extras::default()))
        });
        settled.collect()
    }
}

/// What a move that is asked for alone carries beside its search.
#[derive(Default)]
struct Extras {
    time_used: Option<Duration>,
    lines: Vec<Vec<Action>>,
}

/// What a move until `deadline` may use of what earlier ones proved: nothing where it must depend on its position alone.
fn memory(deadline: &Deadline) -> Memory {
    if deadline.is_timed() { Memory::Keep } else { Memory::Forget }
}

/// What is expected after the move and the next best moves.
fn best_lines<G: CompleteGame>(search: &Search<G>, thought: &SearchedMove) -> Vec<Vec<Action>> {
    let others = thought.report.moves.iter().map(|m| m.action).filter(|&action| action != thought.action);
    let proven = &thought.report.principal_variation;
    let line = |action: Action| match proven.first() {
        Some(&first) if first == action => proven.clone(),
        _ => search.line_of(action),
    };
    [thought.action].into_iter().chain(others).take(TOLD_LINES).map(line).collect()
}
