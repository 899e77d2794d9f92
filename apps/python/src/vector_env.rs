//! Many games of one kind at once, stepped together.

use std::sync::LazyLock;

use numpy::{PyArray, PyArray1, PyArray2, PyArray4, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rayon::prelude::*;
use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{Action, Position as AnyPosition};
use selfplay_registry::GameRef;

use crate::errors::{SelfplayError, by_rules};
use crate::game::{Game, Position, game_called, rewards};

/// Games that a thread takes at once: below so many a second thread costs more than it gives.
const GAMES_PER_TASK: usize = 256;

/// The process that read the module.
pub static OWNER: LazyLock<u32> = LazyLock::new(std::process::id);

/// One game of it.
struct Seat {
    position: Box<dyn AnyPosition>,
    history: Vec<Action>,
    legal: Vec<Action>,
}

/// What the arrays hold of one game.
struct Row<'a> {
    planes: &'a mut [f32],
    mask: &'a mut [i8],
    rewards: &'a mut [f32],
    terminated: &'a mut bool,
    to_move: &'a mut i8,
}

impl Seat {
    fn new(game: GameRef) -> Self {
        Seat { position: game.initial(), history: Vec::new(), legal: Vec::new() }
    }

    /// Plays, restarts where the game is over, and shows what is there then.
    fn step(&mut self, action: Action, row: &mut Row<'_>) {
        self.position.play(action);
        self.history.push(action);
        let outcome = self.position.outcome();
        row.rewards.copy_from_slice(&outcome.map_or([0.0; 2], rewards));
        *row.terminated = outcome.is_some();
        if outcome.is_some() {
            self.position = self.position.rules().initial();
            self.history.clear();
        }
        self.show(row);
    }

    fn show(&mut self, row: &mut Row<'_>) {
        self.position.legal_actions(&mut self.legal);
        self.position.encode(row.planes);
        row.mask.fill(0);
        for action in &self.legal {
            row.mask[action.index()] = 1;
        }
        *row.to_move = self.position.side_to_move().index() as i8;
    }
}

/// Many games that are stepped together. A game that is over restarts at the next step.
#[pyclass(module = "selfplay_trainer")]
pub struct VectorEnv {
    game: GameRef,
    seats: Vec<Seat>,
    rng: GameRng,
    /// `[games, planes, rows, columns]` of float32: observations of each game's side to move. This array, and those below, are
    /// overwritten by each step: copy what you keep.
    #[pyo3(get)]
    observations: Py<PyArray4<f32>>,
    /// `[games, actions]` of int8: 1 for legal actions, else 0.
    #[pyo3(get)]
    action_mask: Py<PyArray2<i8>>,
    /// `[games, 2]` of float32: rewards of the last step for the first and the second player; zeros while games run.
    #[pyo3(get)]
    rewards: Py<PyArray2<f32>>,
    /// `[games]` of bool: whether the last step ended the game; the other arrays then show the next game.
    #[pyo3(get)]
    terminated: Py<PyArray1<bool>>,
    /// `[games]` of int8: 0 if the first player is to move, 1 if the second is.
    #[pyo3(get)]
    side_to_move: Py<PyArray1<i8>>,
}

#[pymethods]
impl VectorEnv {
    /// So many games of the game called `game`; `seed` is that of `random_actions`.
    #[new]
    #[pyo3(signature = (game, games, seed=0))]
    fn new(py: Python<'_>, game: &str, games: usize, seed: u64) -> PyResult<Self> {
        let game = game_called(game)?;
        if games == 0 {
            return Err(SelfplayError::new_err("expected at least one game"));
        }
        let shape = game.shape();
        let mut env = VectorEnv {
            game,
            seats: by_rules(|| (0..games).map(|_| Seat::new(game)).collect())?,
            rng: rng_for(&[seed]),
            observations: PyArray::zeros(py, [games, shape.planes, shape.height, shape.width], false).unbind(),
            action_mask: PyArray::zeros(py, [games, shape.action_count], false).unbind(),
            rewards: PyArray::zeros(py, [games, 2], false).unbind(),
            terminated: PyArray::from_vec(py, vec![false; games]).unbind(),
            side_to_move: PyArray::zeros(py, [games], false).unbind(),
        };
        env.reset(py, None)?;
        Ok(env)
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(self.game)
    }

    fn __len__(&self) -> usize {
        self.seats.len()
    }

    /// Restarts every game.
    #[pyo3(signature = (seed=None))]
    fn reset(&mut self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        if let Some(seed) = seed {
            self.rng = rng_for(&[seed]);
        }
        let game = self.game;
        self.each(py, |_, seat, row| {
            *seat = Seat::new(game);
            row.rewards.fill(0.0);
            *row.terminated = false;
            seat.show(row);
        })
    }

    /// Plays one action, `[games]` of int64, in every game. Raises SelfplayError if one is illegal; then none is played.
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = actions.extract::<PyReadonlyArray1<'_, i64>>().map_err(|_| {
            let count = self.seats.len();
            PyTypeError::new_err(format!("expected actions as a NumPy array of {count} int64 numbers"))
        })?;
        let actions: Vec<i64> = actions.as_array().to_vec();
        if actions.len() != self.seats.len() {
            let (given, games) = (actions.len(), self.seats.len());
            return Err(SelfplayError::new_err(format!("{given} actions for {games} games")));
        }
        // All are looked at before anything is played. The mask would say the same, but anybody can write it.
        let is_legal = |row: usize, action: i64| {
            self.seats[row].legal.iter().any(|legal| i64::try_from(legal.index()) == Ok(action))
        };
        if let Some((row, &action)) = actions.iter().enumerate().find(|&(row, &action)| !is_legal(row, action)) {
            return Err(self.refused(row, action));
        }
        self.each(py, |number, seat, row| seat.step(Action::from_index(actions[number] as usize), row))
    }

    /// A legal action for every game, `[games]` of int64, chosen uniformly.
    fn random_actions<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let VectorEnv { seats, rng, .. } = self;
        let random = |seat: &Seat| seat.legal[rng.random_range(0..seat.legal.len())].index() as i64;
        PyArray::from_vec(py, seats.iter().map(random).collect())
    }

    /// The position of one game, by its row.
    fn position(&self, number: usize) -> PyResult<Position> {
        let seat = self.seats.get(number).ok_or_else(|| {
            SelfplayError::new_err(format!("there is no game {number}: the environment has {}", self.seats.len()))
        })?;
        Ok(Position { position: seat.position.boxed(), history: seat.history.clone() })
    }

    fn __repr__(&self) -> String {
        format!("VectorEnv('{}', {})", self.game.id(), self.seats.len())
    }
}

impl VectorEnv {
    /// Does `what` with every game, its number, and its rows of the arrays, on all threads and without Python's lock.
    fn each(&mut self, py: Python<'_>, what: impl Fn(usize, &mut Seat, &mut Row<'_>) + Sync) -> PyResult<()> {
        let shape = self.game.shape();
        let mut observations = self.observations.bind(py).try_readwrite()?;
        let mut mask = self.action_mask.bind(py).try_readwrite()?;
        let mut rewards = self.rewards.bind(py).try_readwrite()?;
        let mut terminated = self.terminated.bind(py).try_readwrite()?;
        let mut to_move = self.side_to_move.bind(py).try_readwrite()?;
        let planes = observations.as_slice_mut()?;
        let (mask, rewards) = (mask.as_slice_mut()?, rewards.as_slice_mut()?);
        let (terminated, to_move) = (terminated.as_slice_mut()?, to_move.as_slice_mut()?);
        let seats = &mut self.seats;
        // Rayon's threads do not live in a process that was forked: there one does all.
        let games_per_task = if *OWNER == std::process::id() { GAMES_PER_TASK } else { usize::MAX };
        let stepped = || {
            let rows = seats
                .par_iter_mut()
                .zip(planes.par_chunks_mut(shape.encoded_len()))
                .zip(mask.par_chunks_mut(shape.action_count))
                .zip(rewards.par_chunks_mut(2))
                .zip(terminated)
                .zip(to_move);
            rows.enumerate().with_min_len(games_per_task).for_each(
                |(number, (((((seat, planes), mask), rewards), terminated), to_move))| {
                    what(number, seat, &mut Row { planes, mask, rewards, terminated, to_move });
                },
            );
        };
        py.detach(|| by_rules(stepped))
    }

    fn refused(&self, row: usize, action: i64) -> PyErr {
        let (position, count) = (&self.seats[row].position, self.game.shape().action_count);
        let reason = match usize::try_from(action) {
            Ok(index) if index < count => {
                let action = Action::from_index(index);
                let name = self.game.action_name(action);
                format!("{index} ({name}) is not legal here: {}", position.illegal_reason(action))
            }
            _ => format!("{action} is not an action of {}: it has {count}", self.game.id()),
        };
        SelfplayError::new_err(format!("game {row}: {reason}"))
    }
}
