//! Games and positions.

use std::path::Path;
use std::sync::LazyLock;

use base64::prelude::{BASE64_STANDARD, Engine};
use numpy::{PyArray1, PyArray3, PyArrayMethods, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use selfplay_env::{Action, Outcome, Position as AnyPosition, Side};
use selfplay_notebooks_export::plots::escaped;
use selfplay_python_game::{ENDING, load, with_loaded};
use selfplay_registry::{GameRef, Games};

use crate::errors::{SelfplayError, by_rules, failed};
use crate::picture::picture;

static SHIPPED: LazyLock<Games> = LazyLock::new(|| Games::new(&selfplay_shipped::shipped_games()));

/// The game called `id`, or the one in the Python file of this name.
pub fn game_called(id: &str) -> PyResult<GameRef> {
    let file = Path::new(id);
    if file.extension().is_some_and(|ending| ending == ENDING) {
        return load(file, &SHIPPED.ids()).map_err(failed);
    }
    games()?.find(id).map_err(|unknown| {
        SelfplayError::new_err(format!("{unknown}; load a Python game first with `selfplay_trainer.Game(\"FILE.py\")`"))
    })
}

/// The ids of all games, in the order of tables.
#[pyfunction]
pub fn game_ids() -> PyResult<Vec<&'static str>> {
    Ok(games()?.ids())
}

/// The games of the program, and the one in a Python file that was read.
fn games() -> PyResult<Games> {
    with_loaded(&SHIPPED).map_err(failed)
}

/// What a result is worth for the two sides.
pub fn rewards(outcome: Outcome) -> [f32; 2] {
    Side::BOTH.map(|side| f32::from(outcome.value_for(side)))
}

/// The rules of a game.
#[pyclass(frozen, eq, hash, module = "selfplay_trainer")]
#[derive(Clone, Copy)]
pub struct Game(pub GameRef);

impl PartialEq for Game {
    fn eq(&self, other: &Self) -> bool {
        self.0.id() == other.0.id()
    }
}

impl std::hash::Hash for Game {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.id().hash(state);
    }
}

#[pymethods]
impl Game {
    /// The game called `id`; SelfplayError names those there are.
    #[new]
    fn new(id: &str) -> PyResult<Self> {
        game_called(id).map(Game)
    }

    /// The id on command lines and in configs.
    #[getter]
    fn id(&self) -> &'static str {
        self.0.id()
    }

    /// Name and board size, on one line.
    #[getter]
    fn title(&self) -> &'static str {
        self.0.title()
    }

    /// Names of the two sides, first player first.
    #[getter]
    fn side_names(&self) -> (&'static str, &'static str) {
        self.0.side_names().into()
    }

    /// Maximum length of a game in plies; None if only repetition ends it.
    #[getter]
    fn max_plies(&self) -> Option<usize> {
        self.0.max_plies()
    }

    /// Length of the policy vector: actions are numbers below it.
    #[getter]
    fn action_count(&self) -> usize {
        self.0.shape().action_count
    }

    /// Planes, rows and columns of an encoded position.
    #[getter]
    fn shape(&self) -> (usize, usize, usize) {
        let shape = self.0.shape();
        (shape.planes, shape.height, shape.width)
    }

    /// What each plane holds.
    #[getter]
    fn plane_names(&self) -> Vec<&'static str> {
        self.0.plane_names().to_vec()
    }

    /// The rules and the notation, for people, in Markdown.
    #[getter]
    fn rules(&self) -> &'static str {
        self.0.rules_text()
    }

    /// The notation for an action.
    fn action_name(&self, action: usize) -> PyResult<String> {
        self.checked(action).map(|action| self.0.action_name(action))
    }

    /// The action with this notation. It need not be legal in any given position.
    fn parse_action(&self, text: &str) -> PyResult<usize> {
        self.0.parse_action(text).map(Action::index).map_err(failed)
    }

    /// The position that `moves` lead to from the initial one: a line of text, or a list of texts or numbers.
    ///
    /// Raises SelfplayError, which names the first illegal move and the reason.
    #[pyo3(signature = (moves=None))]
    fn position(&self, moves: Option<&Bound<'_, PyAny>>) -> PyResult<Position> {
        let mut position = Position { position: by_rules(|| self.0.initial())?, history: Vec::new() };
        if let Some(moves) = moves {
            position.play_all(moves)?;
        }
        Ok(position)
    }

    fn __repr__(&self) -> String {
        format!("Game('{}')", self.0.id())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (&'static str,)) {
        (py.get_type::<Game>().into_any(), (self.0.id(),))
    }
}

impl Game {
    fn checked(&self, action: usize) -> PyResult<Action> {
        let count = self.action_count();
        match action < count {
            true => Ok(Action::from_index(action)),
            false => {
                Err(SelfplayError::new_err(format!("{action} is not an action of {}: it has {count}", self.0.id())))
            }
        }
    }
}

/// A position, with the moves that led to it.
#[pyclass(module = "selfplay_trainer")]
pub struct Position {
    pub position: Box<dyn AnyPosition>,
    pub history: Vec<Action>,
}

impl Clone for Position {
    fn clone(&self) -> Self {
        Position { position: self.position.boxed(), history: self.history.clone() }
    }
}

#[pymethods]
impl Position {
    /// The position of the game called `game` after `moves`; see `Game.position`.
    #[new]
    #[pyo3(signature = (game, moves=None))]
    fn new(game: &str, moves: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Game(game_called(game)?).position(moves)
    }

    /// Its game.
    #[getter]
    fn game(&self) -> PyResult<Game> {
        game_called(self.position.rules().id()).map(Game)
    }

    /// The side to move: 0 for the first player, 1 for the second. It may stay the same after a move (Pylos).
    #[getter]
    fn side_to_move(&self) -> usize {
        self.position.side_to_move().index()
    }

    /// Whether the game is over.
    #[getter]
    fn is_terminal(&self) -> bool {
        self.position.outcome().is_some()
    }

    /// The outcome for the first and the second player: 1 for a win, 0 for a draw, -1 for a loss; None while the game runs.
    #[getter]
    fn returns(&self) -> Option<(f32, f32)> {
        self.position.outcome().map(|outcome| rewards(outcome).into())
    }

    /// Whether the next move starts a turn.
    #[getter]
    fn starts_turn(&self) -> bool {
        self.position.starts_turn()
    }

    /// The moves so far, in the game's notation.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.history.iter().map(|&action| self.position.rules().action_name(action)).collect()
    }

    /// The moves so far, as numbers.
    #[getter]
    fn actions(&self) -> Vec<usize> {
        self.history.iter().map(|action| action.index()).collect()
    }

    /// Every legal action, `[int64]`; empty when the game is over.
    fn legal_actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.legal().iter().map(|action| action.index() as i64).collect::<Vec<_>>().to_pyarray(py)
    }

    /// Every legal action, in the game's notation.
    fn legal_moves(&self) -> Vec<String> {
        self.legal().iter().map(|&action| self.position.rules().action_name(action)).collect()
    }

    /// `[actions]` of int8: 1 for legal actions, else 0.
    fn action_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        let mut mask = vec![0; self.position.rules().shape().action_count];
        self.legal().iter().for_each(|action| mask[action.index()] = 1);
        mask.to_pyarray(py)
    }

    /// The network's input from the view of the side to move: `[planes, rows, columns]` of float32 from -1 to 1.
    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let shape = self.position.rules().shape();
        let mut planes = vec![0.0; shape.encoded_len()];
        self.position.encode(&mut planes);
        planes.to_pyarray(py).reshape([shape.planes, shape.height, shape.width])
    }

    /// Plays a move, given as action number or in the game's notation. Raises SelfplayError if it is illegal; the position is then unchanged.
    fn play(&mut self, action: &Bound<'_, PyAny>) -> PyResult<()> {
        let action = self.read(action)?;
        by_rules(|| self.position.try_play(action))?.map_err(failed)?;
        self.history.push(action);
        Ok(())
    }

    /// A copy, with the moves that led to it.
    fn copy(&self) -> Position {
        self.clone()
    }

    /// The board as an SVG document, as on the web page, with the last move marked.
    fn svg(&self) -> String {
        let last = match self.history.split_last() {
            Some((&last, before)) => self.position.rules().after(before).touched(last),
            None => Vec::new(),
        };
        picture(&*self.position, &last)
    }

    /// A picture for notebooks, in a document of its own, whose style touches nothing else.
    fn _repr_html_(&self) -> String {
        let (title, picture) = (escaped(self.position.rules().title()), BASE64_STANDARD.encode(self.svg()));
        format!("<img alt=\"{title}\" width=\"360\" src=\"data:image/svg+xml;base64,{picture}\">")
    }

    fn __str__(&self) -> String {
        self.position.board()
    }

    fn __repr__(&self) -> String {
        let rules = self.position.rules();
        format!("Position('{}', '{}')", rules.id(), rules.format_line(&self.history))
    }

    fn __eq__(&self, other: &Position) -> bool {
        self.position.is_same(&*other.position)
    }

    fn __hash__(&self) -> u64 {
        self.position.position_hash()
    }

    fn __copy__(&self) -> Position {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Position {
        self.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (&'static str, Vec<String>)) {
        (py.get_type::<Position>().into_any(), (self.position.rules().id(), self.moves()))
    }
}

impl Position {
    fn legal(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.position.legal_actions(&mut actions);
        actions
    }

    /// An action by its number or in the game's notation.
    fn read(&self, action: &Bound<'_, PyAny>) -> PyResult<Action> {
        let rules = self.position.rules();
        if let Ok(text) = action.cast::<PyString>() {
            return rules.parse_action(&text.to_cow()?).map_err(failed);
        }
        let number: usize = action.extract().map_err(|_| {
            PyTypeError::new_err(format!("an action is a number or text in the game's notation, not {action}"))
        })?;
        Game(game_called(rules.id())?).checked(number)
    }

    /// Plays the moves of a line of text or of a list; where one of them cannot be played, none is.
    fn play_all(&mut self, moves: &Bound<'_, PyAny>) -> PyResult<()> {
        let list = match moves.cast::<PyString>() {
            Ok(line) => PyList::new(moves.py(), line.to_cow()?.split_whitespace())?.into_any(),
            Err(_) => moves.clone(),
        };
        let before = self.clone();
        for (number, action) in list.try_iter()?.enumerate() {
            if let Err(error) = action.and_then(|action| self.play(&action)) {
                *self = before;
                let said = error.value(moves.py()).to_string();
                return Err(SelfplayError::new_err(format!("action {}: {said}", number + 1)));
            }
        }
        Ok(())
    }
}
