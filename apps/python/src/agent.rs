//! Players: trained agents, and players by their specification.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use numpy::{PyArray, PyArray2, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray4, PyUntypedArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use selfplay_bundle::head::AGENT;
use selfplay_bundle::{AgentKind, BundledNetwork, CarriedAgent, agent_in};
use selfplay_env::rng::derive_seed;
use selfplay_env::{Action, Wdl};
use selfplay_mcts::{CancelToken, LeafBatch};
use selfplay_network::Precision;
use selfplay_pipeline::{Agents, Machine, all_cores};
use selfplay_players::spec::{PolicySpec, SearchSpec};
use selfplay_players::{
    Analysis, EvalError, MoveRequest, NetworkSource, Player, PlayerKinds, PlayerSpec, RELEASED_CHECKPOINT, build_player,
};
use selfplay_registry::GameRef;

use crate::errors::{SelfplayError, failed};
use crate::game::{Game, Position, game_called};

/// An array of rows.
type Table<'py> = Bound<'py, PyArray2<f32>>;

/// Where networks come from.
enum Networks {
    /// Checkpoints and runs, by their folder.
    Folders(Agents),
    /// The file of an agent.
    Carried(BundledNetwork),
}

impl Networks {
    fn source(&self) -> &dyn NetworkSource {
        match self {
            Networks::Folders(agents) => agents,
            Networks::Carried(network) => network,
        }
    }
}

/// A player of one game, or of every one.
#[pyclass(module = "selfplay_trainer")]
pub struct Agent {
    spec: PlayerSpec,
    networks: Networks,
    /// Id of the only game that it plays.
    game: Option<String>,
    seed: u64,
    /// How many moves it was asked for: each draws anew, so that games differ.
    actions: AtomicU64,
    /// Players that are not thinking, by game and limit of time: to make one takes longer than many a move.
    idle: Mutex<Vec<(PlayerKey, Box<dyn Player>)>>,
}

/// Players that are kept for the next question.
const MAX_IDLE: usize = 2;

/// Id of the game, and the limit of time in milliseconds.
type PlayerKey = (&'static str, Option<u64>);

#[pymethods]
impl Agent {
    /// See `selfplay_trainer.Agent`.
    #[new]
    #[pyo3(signature = (player, *, threads=None, seed=0))]
    fn new(player: &str, threads: Option<usize>, seed: u64) -> PyResult<Self> {
        let threads = threads.unwrap_or_else(all_cores).max(1);
        let folders = || Networks::Folders(Agents::for_one_game(Machine { threads, ..Machine::default() }));
        let path = Path::new(player);
        if path.is_file() {
            let carried = agent_in(path).map_err(failed)?.ok_or_else(|| {
                let expected =
                    "expected a file that `selfplay export` wrote, a run, a checkpoint or a player's specification";
                SelfplayError::new_err(format!("{player} contains no agent: {expected}"))
            })?;
            return Agent::carried(&carried, threads, seed, folders);
        }
        let spec = match path.is_dir() && player != RELEASED_CHECKPOINT {
            true => PlayerSpec::for_agent(path),
            false => player.to_owned(),
        };
        Ok(Agent::from_spec(PlayerKinds::built_in().parse(&spec).map_err(failed)?, folders(), None, seed))
    }

    /// The player's spec.
    #[getter]
    fn spec(&self) -> String {
        self.spec.to_string()
    }

    /// The move, in the game's notation.
    #[pyo3(signature = (position, time_ms=None))]
    fn act(&self, py: Python<'_>, position: &Position, time_ms: Option<u64>) -> PyResult<String> {
        let seed = derive_seed(&[self.seed, self.actions.fetch_add(1, Ordering::Relaxed)]);
        self.think(py, position, time_ms, seed).map(|analysis| analysis.r#move)
    }

    /// The opinion, as JSON.
    #[pyo3(signature = (position, time_ms=None))]
    fn analyse(&self, py: Python<'_>, position: &Position, time_ms: Option<u64>) -> PyResult<String> {
        let analysis = self.think(py, position, time_ms, self.seed)?;
        Ok(serde_json::to_string(&analysis).expect("plain data"))
    }

    /// Policy `[positions, actions]` and won, drawn, lost `[positions, 3]` of the network alone.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        game: &Game,
        observations: PyReadonlyArray4<'py, f32>,
        action_mask: PyReadonlyArray2<'py, i8>,
    ) -> PyResult<(Table<'py>, Table<'py>)> {
        let game = game.0;
        self.check_game(game)?;
        let shape = game.shape();
        let count = observations.shape()[0];
        let expected = [count, shape.planes, shape.height, shape.width];
        if observations.shape() != expected || action_mask.shape() != [count, shape.action_count] {
            let (given, mask) = (observations.shape(), action_mask.shape());
            return Err(SelfplayError::new_err(format!(
                "{} has observations of the shape {expected:?} and masks of {:?}, not {given:?} and {mask:?}",
                game.id(),
                [count, shape.action_count]
            )));
        }
        let (checkpoint, precision) = if let Some(search) = self.spec.settings::<SearchSpec>() {
            (&search.checkpoint, search.precision.as_deref())
        } else if let Some(policy) = self.spec.settings::<PolicySpec>() {
            (&policy.checkpoint, policy.precision.as_deref())
        } else {
            return Err(SelfplayError::new_err(format!("{} has no network to evaluate with", self.spec)));
        };
        let opened = self.networks.source().open(game, checkpoint, precision).map_err(failed)?;
        let mut network = opened.into_iter().next().expect("a source opens at least one");
        let (planes, mask) = (observations.as_array(), action_mask.as_array());
        if let Some((place, value)) = planes.indexed_iter().find(|(_, value)| !(-1.0..=1.0).contains(*value)) {
            return Err(SelfplayError::new_err(format!("observations{} is {value}: expected -1 to 1", index(place))));
        }
        let actions_of = |row: usize| {
            let legal = mask.row(row).into_iter().enumerate().filter(|&(_, &legal)| legal != 0);
            legal.map(|(action, _)| Action::from_index(action)).collect::<Vec<_>>()
        };
        let mut batch = Rows {
            planes: planes.iter().copied().collect(),
            encoded_len: shape.encoded_len(),
            rows: (0..count).map(|row| (actions_of(row), Vec::new(), Wdl::UNIFORM)).collect(),
        };
        if let Some(row) = batch.rows.iter().position(|(actions, ..)| actions.is_empty()) {
            return Err(SelfplayError::new_err(format!("row {row} of the mask allows no action")));
        }
        py.detach(|| network.evaluate_batch(&mut batch));
        let mut policy = vec![0.0; count * shape.action_count];
        let mut wdl = Vec::with_capacity(3 * count);
        for (row, (actions, priors, value)) in batch.rows.iter().enumerate() {
            for (action, &prior) in actions.iter().zip(priors) {
                policy[row * shape.action_count + action.index()] = prior;
            }
            wdl.extend([value.win, value.draw, value.loss]);
        }
        let policy = PyArray::from_vec(py, policy).reshape([count, shape.action_count])?;
        Ok((policy, PyArray::from_vec(py, wdl).reshape([count, 3])?))
    }

    fn __repr__(&self) -> String {
        format!("Agent('{}')", self.spec)
    }
}

impl Agent {
    fn from_spec(spec: PlayerSpec, networks: Networks, game: Option<String>, seed: u64) -> Self {
        Agent { spec, networks, game, seed, actions: AtomicU64::default(), idle: Mutex::default() }
    }

    fn carried(agent: &CarriedAgent, threads: usize, seed: u64, folders: impl FnOnce() -> Networks) -> PyResult<Self> {
        agent.check_program().map_err(failed)?;
        let game = Some(agent.head.game.clone());
        match &agent.head.kind {
            AgentKind::Network { .. } => {
                let bundle = agent.network().map_err(failed)?;
                let networks = Networks::Carried(BundledNetwork::new(bundle, Precision::fastest(), threads));
                let spec = agent.head.kind.spec(AGENT, &PlayerKinds::built_in()).map_err(failed)?;
                Ok(Agent::from_spec(spec, networks, game, seed))
            }
            AgentKind::Player { spec } => {
                agent.check_head().map_err(failed)?;
                Ok(Agent::from_spec(PlayerKinds::built_in().parse(spec).map_err(failed)?, folders(), game, seed))
            }
            AgentKind::Table => {
                let expected = "give the tablebase, as `table:FILE`";
                Err(SelfplayError::new_err(format!("a tablebase agent cannot be loaded here: {expected}")))
            }
        }
    }

    fn check_game(&self, game: GameRef) -> PyResult<()> {
        match &self.game {
            Some(own) if own != game.id() => {
                Err(SelfplayError::new_err(format!("the agent plays {own}, not {}", game.id())))
            }
            _ => Ok(()),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(PlayerKey, Box<dyn Player>)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_idle(&self, key: PlayerKey) -> Option<Box<dyn Player>> {
        let mut idle = self.idle();
        let found = idle.iter().position(|(known, _)| *known == key)?;
        Some(idle.swap_remove(found).1)
    }

    fn think(&self, py: Python<'_>, position: &Position, time_ms: Option<u64>, seed: u64) -> PyResult<Analysis> {
        let game = game_called(position.position.rules().id())?;
        self.check_game(game)?;
        if position.position.outcome().is_some() {
            return Err(SelfplayError::new_err("the game is over"));
        }
        let key = (game.id(), time_ms);
        let Position { position, history } = position;
        let position = &**position;
        let thought = thinking(py, |cancel| {
            let mut player = match self.take_idle(key) {
                Some(player) => player,
                None => {
                    let spec = match time_ms {
                        Some(time_ms) => self.spec.clone().within(time_ms),
                        None => self.spec.clone(),
                    };
                    build_player(game, &spec, self.networks.source())?
                }
            };
            player.new_game(0, seed);
            player.set_cancel_token(Some(cancel.clone()));
            let choice = player.choose(&MoveRequest { table: 0, position, history, time_left: None })?;
            player.end_game(0);
            let mut idle = self.idle();
            // Whoever gives another time each time would fill the memory.
            if idle.len() >= MAX_IDLE {
                idle.remove(0);
            }
            idle.push((key, player));
            drop(idle);
            Ok::<_, EvalError>(Analysis::new(position, &choice))
        });
        thought?.map_err(failed)
    }
}

/// How often Python is asked whether somebody has pressed Ctrl-C.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);

/// What `think` answers on a thread of its own, without Python's lock. Ctrl-C cancels its token.
///
/// # Errors
/// `KeyboardInterrupt`, once the search has ended, which is at once.
fn thinking<T: Send>(py: Python<'_>, think: impl FnOnce(&CancelToken) -> T + Send) -> PyResult<T> {
    let cancel = CancelToken::new();
    let (answer, mut answered) = channel();
    thread::scope(|scope| {
        let token = cancel.clone();
        scope.spawn(move || {
            let thought = catch_unwind(AssertUnwindSafe(|| think(&token)));
            answer.send(thought)
        });
        loop {
            // One thread may hold a receiver, and whoever lets go of the lock gives it away.
            let waiting = &mut answered;
            match py.detach(move || waiting.recv_timeout(BETWEEN_SIGNALS)) {
                Ok(Ok(thought)) => return Ok(thought),
                // A game in a file ends so, with a sentence about what is wrong in it.
                Ok(Err(panic)) => {
                    let bug = |_| "the player panicked: this is a bug".to_owned();
                    let sentence = panic.downcast::<String>().map_or_else(bug, |sentence| *sentence);
                    return Err(SelfplayError::new_err(sentence));
                }
                Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| cancel.cancel())?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the player panicked: this is a bug"));
                }
            }
        }
    })
}

/// An element's place in an array of observations, as Python writes it.
fn index((row, plane, y, x): (usize, usize, usize, usize)) -> String {
    format!("[{row}, {plane}, {y}, {x}]")
}

/// Rows of arrays as a batch: the encoded positions, and for each its legal actions, priors and value.
struct Rows {
    planes: Vec<f32>,
    encoded_len: usize,
    rows: Vec<(Vec<Action>, Vec<f32>, Wdl)>,
}

impl LeafBatch for Rows {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn encode(&self, leaf: usize, planes: &mut [f32]) {
        planes.copy_from_slice(&self.planes[leaf * self.encoded_len..][..self.encoded_len]);
    }

    fn evaluation(&mut self, leaf: usize) -> (&[Action], &mut Vec<f32>, &mut Wdl) {
        let (actions, priors, wdl) = &mut self.rows[leaf];
        (actions, priors, wdl)
    }
}
