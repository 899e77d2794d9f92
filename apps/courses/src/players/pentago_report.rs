//! The agent of a student's report on Pentago-Swap: alpha-beta three moves deep over how close stones stand together.
//!
//! The report: the first two stones go to the centres of quadrants, "after the first two steps, I run my alpha-beta
//! pruning algorithm with a depth of 3". The value of a position is the opponent's spread minus the spread of the side
//! to move. A finished game is worth ±100,000, at any depth. The report's ideas for extensions are options: tree search
//! within a memory limit, a precomputed opening book, an evaluation that considers all moves. What the report leaves
//! open: moves with the same successor are tried once, and equally good ones are chosen by the table's seed.

use std::path::PathBuf;

use selfplay_config::{InvalidKey, check};
use selfplay_env::rng::{GameRng, RngExt};
use selfplay_env::{Action, Game, Rules};
use selfplay_mcts::CancelToken;
use selfplay_pentago_swap::PentagoSwap;

use super::pentago_spread::{REPORT_WIN, SpreadEvaluation, outcome_value};
use super::sizes::wrong_game;
use crate::book::Book;
use selfplay_players::baselines::move_clock::MoveClock;
use selfplay_players::baselines::uct::{DEFAULT_MEMORY_MIB, MAX_MEMORY_MIB};
use selfplay_players::baselines::uct_tree::{UctLimits, UctTree, WhenFull};
use selfplay_players::player_settings;
use selfplay_players::settings::domain::{Keyword, Text};
use selfplay_players::{
    Decision, DecisionAnalysis, EvalError, MoveRequest, NetworkSource, Playable, Player, PlayerBuilder, TableSeeds,
};

const NAME: &str = "pentago-report";
const MAX_DEPTH: u32 = 36;
const DEFAULT_DEPTH: u32 = 3;
/// Stones that go to the centres of quadrants before any search.
const OPENING_STONES: usize = 2;
/// The centres of the quadrants, as 6 · row + column.
const CENTRES: [usize; 4] = [7, 10, 25, 28];
/// Cells of the board; an action is its cell plus this times its swap.
const CELLS: usize = 36;

/// How the agent decides after its opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportSearch {
    /// As in the report.
    AlphaBeta,
    /// Monte-Carlo tree search until its memory is full: "as much random move as I can as long as it is under the memory
    /// limit". Ends earlier where the match's clock says so, or after as many simulations as nodes fit.
    MonteCarlo,
}

impl Keyword for ReportSearch {
    const WORDS: &'static [(&'static str, Self)] =
        &[("alphabeta", ReportSearch::AlphaBeta), ("mcts", ReportSearch::MonteCarlo)];
}

player_settings! {
    #[derive(Eq)]
    /// The agent's options; the default is the report's agent.
    pub struct PentagoReportConfig, kind "pentago-report", then check_together {
        /// Plies looked ahead. In a match with a clock the deepest search up to this depth that ends in time.
        pub depth("depth"): u32 = DEFAULT_DEPTH, in 1..=MAX_DEPTH;
        /// What a running position is worth at the horizon.
        pub evaluation("evaluation"): SpreadEvaluation = SpreadEvaluation::Board;
        /// How it decides after its opening.
        pub search("search"): ReportSearch = ReportSearch::AlphaBeta;
        /// Memory of the Monte-Carlo tree in MiB.
        pub memory_mib("memory"): u32 = DEFAULT_MEMORY_MIB, in 1..=MAX_MEMORY_MIB;
        /// A [`Book`] file, asked before anything else, opening included. It is checked when it is read.
        pub book("book"): Option<PathBuf> = None, as Text("the path of a book file");
    }
}

impl PentagoReportConfig {
    fn check_together(&self) -> Result<(), InvalidKey> {
        let default = PentagoReportConfig::default();
        let wrong = match self.search {
            ReportSearch::AlphaBeta if self.memory_mib != default.memory_mib => ["memory", "`search=mcts`"],
            ReportSearch::MonteCarlo if self.depth != default.depth => ["depth", "`search=alphabeta`"],
            ReportSearch::MonteCarlo if self.evaluation != default.evaluation => ["evaluation", "`search=alphabeta`"],
            _ => return Ok(()),
        };
        let [key, search] = wrong;
        check(false, key, "set", &format!("it only with {search}"))
    }
}

impl PlayerBuilder for PentagoReportConfig {
    fn is_complete(&self) -> bool {
        self.book.is_none()
    }

    fn build(
        &self,
        game: &'static dyn Playable,
        name: String,
        _source: &dyn NetworkSource,
    ) -> Result<Box<dyn Player>, EvalError> {
        pentago_report(game, name, self)
    }
}

/// The agent, called `name`.
///
/// # Errors
/// [`EvalError::WrongGame`] unless the game of `rules` is Pentago-Swap; what [`PentagoReportConfig::validate`] and [`Book::read`] find.
pub fn pentago_report(
    rules: &'static dyn Rules,
    name: String,
    config: &PentagoReportConfig,
) -> Result<Box<dyn Player>, EvalError> {
    config.validate()?;
    if rules.id() != PentagoSwap::spec().id {
        return Err(wrong_game(rules, NAME, &[PentagoSwap::spec().id]));
    }
    let book = config.book.as_deref().map(|path| Book::read(rules, path)).transpose()?;
    let method = match config.search {
        ReportSearch::AlphaBeta => Method::AlphaBeta { depth: config.depth, evaluation: config.evaluation },
        ReportSearch::MonteCarlo => Method::MonteCarlo(UctTree::new(config.memory_mib)),
    };
    Ok(Box::new(PentagoReport { name, method, book, seeds: TableSeeds::default(), cancel: None }))
}

struct PentagoReport {
    name: String,
    method: Method,
    book: Option<Book>,
    seeds: TableSeeds,
    cancel: Option<CancelToken>,
}

/// [`ReportSearch`] with what it needs.
enum Method {
    AlphaBeta { depth: u32, evaluation: SpreadEvaluation },
    MonteCarlo(UctTree),
}

impl Player for PentagoReport {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        self.seeds.new_game(table, seed);
    }

    fn set_cancel_token(&mut self, token: Option<CancelToken>) {
        self.cancel = token;
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<Decision, EvalError> {
        let clock = MoveClock::start(None, request).with_cancel_token(self.cancel.clone());
        let request = &request.typed::<PentagoSwap>(&self.name)?;
        let position = request.position;
        let mut rng = self.seeds.rng(request);
        let known = self.book.as_ref().and_then(|book| book.best(position));
        if let Some(action) = known.or_else(|| opening_move(position, &mut rng)) {
            return Ok(Decision::new(action));
        }
        match &mut self.method {
            Method::AlphaBeta { depth, evaluation } => {
                let action = best_move(position, *depth, *evaluation, clock, &mut rng);
                Ok(Decision::new(action))
            }
            Method::MonteCarlo(tree) => {
                let simulations = tree.most_nodes() as u32;
                let exploration = std::f64::consts::SQRT_2;
                let limits = UctLimits { simulations, clock, when_full: WhenFull::Stop, exploration };
                let report = tree.search(position, &limits, &mut rng);
                let action = report.best();
                Ok(Decision { action, analysis: DecisionAnalysis::Playouts { report, lines: Vec::new() } })
            }
        }
    }
}

/// A random move that puts one of the first two own stones on the centre of a quadrant, if there is one.
fn opening_move(position: &PentagoSwap, rng: &mut GameRng) -> Option<Action> {
    if position.cells_of(position.side_to_move()).count() >= OPENING_STONES {
        return None;
    }
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    actions.retain(|action| CENTRES.contains(&(action.index() % CELLS)));
    (!actions.is_empty()).then(|| actions[rng.random_range(0..actions.len())])
}

/// The best move of the deepest search up to `depth` that ends in time; the first of equally good ones in a random
/// order. Depth 1 is always finished.
fn best_move(
    position: &PentagoSwap,
    depth: u32,
    evaluation: SpreadEvaluation,
    clock: MoveClock,
    rng: &mut GameRng,
) -> Action {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    for last in (1..actions.len()).rev() {
        actions.swap(last, rng.random_range(0..=last));
    }
    // Shallow searches only serve as something to fall back on.
    let shallowest = if clock.is_running() { 1 } else { depth };
    let mut search = FailHard { evaluation, clock, is_interruptible: false, buffers: Vec::new() };
    search.buffers.resize(depth as usize + 1, Vec::new());
    let mut best = actions[0];
    for depth in shallowest..=depth {
        search.is_interruptible = depth > 1;
        match search.best_of(position, &actions, depth) {
            Some(found) => best = found,
            None => break,
        }
    }
    best
}

/// Alpha-beta as the encyclopedia has it: fail-hard, without a table or an order of moves.
struct FailHard {
    evaluation: SpreadEvaluation,
    clock: MoveClock,
    is_interruptible: bool,
    /// The actions of each depth, to be used again.
    buffers: Vec<Vec<Action>>,
}

impl FailHard {
    /// The first of the best `actions`; `None` if time ran out.
    fn best_of(&mut self, position: &PentagoSwap, actions: &[Action], depth: u32) -> Option<Action> {
        let mut best = (-REPORT_WIN - 1, actions[0]);
        for &action in actions {
            let value = self.value_after(position, action, depth, best.0, REPORT_WIN + 1)?;
            if value > best.0 {
                best = (value, action);
            }
        }
        Some(best.1)
    }

    /// The value of `action` for the side that plays it, cut off to `alpha..=beta`; `None` if time ran out.
    fn value_after(
        &mut self,
        position: &PentagoSwap,
        action: Action,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        let mut child = *position;
        child.play(action);
        let value = match child.outcome() {
            Some(outcome) => outcome_value(outcome, position.side_to_move()),
            None if depth == 1 => -self.evaluation.value(&child, &mut self.buffers[0]),
            None => -self.value(&child, depth - 1, -beta, -alpha)?,
        };
        Some(value.clamp(alpha, beta))
    }

    /// The value of a running position for its side to move, cut off to `alpha..=beta`; `None` if time ran out.
    fn value(&mut self, position: &PentagoSwap, depth: u32, mut alpha: i32, beta: i32) -> Option<i32> {
        if self.is_interruptible && self.clock.is_over() {
            return None;
        }
        let mut actions = std::mem::take(&mut self.buffers[depth as usize]);
        position.distinct_actions(&mut actions);
        for &action in &actions {
            alpha = self.value_after(position, action, depth, alpha, beta)?;
            if alpha >= beta {
                break;
            }
        }
        self.buffers[depth as usize] = actions;
        Some(alpha)
    }
}
