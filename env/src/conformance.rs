//! The conformance checks every game keeps, checked on random games: the one test that any new game must pass.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::difference::drawn_apart;
use crate::encoding::encoding_of;
use crate::encoding_conformance::{check_encoding, check_final_state};
use crate::exchange_conformance::check_exchange;
use crate::failed_check::failed;
use crate::game_text::format_line;
use crate::position_index_conformance::{check_number, check_position_index};
use crate::rng::{GameRng, RngExt, rng_for};
use crate::rules_conformance::{check_distinct, check_legality, check_static};
use crate::symmetry_conformance::check_symmetries;
use crate::tactics_conformance::check_advice;
use crate::view_conformance::check_view;
use crate::{Action, CompleteGame, FailedCheck, Outcome};

/// As many positions are looked at for a smaller counter-example.
const MAX_POSITIONS: usize = 5_000;

/// A conformance check that a game failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Violation {
    /// Id of the game.
    pub game: &'static str,
    /// What went wrong.
    pub failure: String,
    /// Where; `None` for what is about no position: constants, notation, all games together.
    pub place: Option<FailedPosition>,
}

/// A position in which a check failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedPosition {
    /// The actions from the start, in the game's notation.
    pub line: String,
    /// How many these are.
    pub plies: usize,
    /// The position, drawn.
    pub board: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.game, self.failure)?;
        self.place.as_ref().map_or(Ok(()), |place| write!(f, "\n{place}"))
    }
}

impl fmt::Display for FailedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies {
            0 => writeln!(f, "in the initial position:")?,
            _ => writeln!(f, "in the position after {}:", self.line)?,
        }
        f.write_str(&self.board)
    }
}

/// How the random games went, in which a game was checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RandomGames {
    /// Games won by each side.
    pub wins: [u64; 2],
    /// Games drawn.
    pub draws: u64,
    /// Games that were not over after as many plies as were asked for.
    pub unfinished: u64,
    /// Actions of each game, in ascending order.
    pub lengths: Vec<usize>,
    /// Actions that each side made, of all games.
    pub actions: [u64; 2],
}

impl RandomGames {
    fn add<G: CompleteGame>(&mut self, last: &G, line: &[Action]) {
        match last.outcome() {
            Some(Outcome::Win(side)) => self.wins[side.index()] += 1,
            Some(Outcome::Draw) => self.draws += 1,
            None => self.unfinished += 1,
        }
        self.lengths.insert(self.lengths.partition_point(|&length| length < line.len()), line.len());
    }

    /// Both sides decide, in games of more than one action.
    fn check_sides<G: CompleteGame>(&self) -> Result<(), Violation> {
        let idle = (0..2).find(|&side| self.actions[side] == 0);
        let longest = self.lengths.last().is_some_and(|&length| length > 1);
        idle.filter(|_| longest).map_or(Ok(()), |side| {
            let (name, games) = (G::spec().side_names[side], self.lengths.len());
            let failure = format!("{name} never decides in {games} random games: does `play` change the side to move?");
            Err(Violation { game: G::spec().id, failure, place: None })
        })
    }
}

/// Plays `games` random games of at most `max_plies` plies and runs all conformance checks at every position; how the games
/// went.
///
/// ```
/// use selfplay_env::fixtures::TicTacToe;
/// use selfplay_env::conformance::check_conformance;
///
/// let games = check_conformance::<TicTacToe>(50, 9, 1)?;
/// assert_eq!(games.unfinished, 0);
/// # Ok::<(), selfplay_env::conformance::Violation>(())
/// ```
///
/// # Errors
/// The first [`Violation`] found.
pub fn check_conformance<G: CompleteGame>(games: u64, max_plies: usize, seed: u64) -> Result<RandomGames, Violation> {
    guarded(check_static::<G>).map_err(|failure| Violation {
        game: G::spec().id,
        failure: failure.to_string(),
        place: None,
    })?;
    let mut known = Known::<G>::new();
    let mut played = RandomGames::default();
    for game in 0..games {
        let mut rng = rng_for(&[seed, game]);
        let mut position = G::initial();
        let mut line = Vec::new();
        loop {
            let legal = known.check(&position, &line, &mut rng)?;
            if legal.is_empty() || line.len() == max_plies {
                break;
            }
            played.actions[position.side_to_move().index()] += 1;
            let action = legal[rng.random_range(0..legal.len())];
            position = known.played(&position, action, &line)?;
            line.push(action);
        }
        if let Some(most) = G::spec().max_plies
            && line.len() > most
        {
            return Err(violation(format!("the game is longer than its max_plies, {most}"), &position, &line));
        }
        played.add(&position, &line);
    }
    known.check_all()?;
    let position_index = guarded(|| check_position_index::<G>(&mut rng_for(&[seed, games])));
    position_index.map_err(|failure| Violation { game: G::spec().id, failure: failure.to_string(), place: None })?;
    played.check_sides::<G>()?;
    Ok(played)
}

/// A violation after fewer plies than `found`, if one is among the positions nearest to the initial one; else `found`.
pub fn smallest_violation<G: CompleteGame>(found: Violation, seed: u64) -> Violation {
    let most = found.place.as_ref().map_or(0, |place| place.plies);
    let mut known = Known::<G>::new();
    // The hash itself may be faulty, so positions are compared directly.
    let mut seen: HashMap<u64, Vec<G>> = HashMap::new();
    let mut ahead = VecDeque::from([(G::initial(), Vec::new())]);
    while let Some((position, line)) = ahead.pop_front() {
        if line.len() >= most || known.looked_at > MAX_POSITIONS {
            break;
        }
        let legal = match known.check(&position, &line, &mut rng_for(&[seed])) {
            Ok(legal) => legal,
            Err(smaller) => return smaller,
        };
        for action in legal {
            let next = match known.played(&position, action, &line) {
                Ok(next) => next,
                Err(smaller) => return smaller,
            };
            let alike = seen.entry(guarded(|| Ok(next.position_hash())).unwrap_or_default()).or_default();
            if !alike.contains(&next) {
                alike.push(next.clone());
                ahead.push_back((next, [line.as_slice(), &[action]].concat()));
            }
        }
    }
    found
}

/// A failed check in `position`, which `line` leads to.
fn violation<G: CompleteGame>(failure: String, position: &G, line: &[Action]) -> Violation {
    // Whatever is broken may be the drawing.
    let board = guarded(|| Ok(position.board())).unwrap_or_else(|panic| format!("(no board: {panic})\n"));
    let place = FailedPosition { line: format_line::<G>(line), plies: line.len(), board };
    Violation { game: G::spec().id, failure, place: Some(place) }
}

/// What `look` finds, a panic included.
fn guarded<T>(look: impl FnOnce() -> Result<T, FailedCheck>) -> Result<T, FailedCheck> {
    catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|panic| Err(failed!("the game panics: {}", said(&*panic))))
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}

/// The positions met, and what must be the same wherever they are met again.
struct Known<G> {
    by_hash: HashMap<u64, G>,
    by_board: HashMap<String, Vec<(G, u64)>>,
    by_evaluation_key: HashMap<u64, (Vec<f32>, Vec<Action>, G)>,
    looked_at: usize,
    shows_pieces: bool,
}

impl<G: CompleteGame> Known<G> {
    fn new() -> Self {
        let (by_hash, by_board, by_evaluation_key) = Default::default();
        Known { by_hash, by_board, by_evaluation_key, looked_at: 0, shows_pieces: false }
    }

    /// Runs all conformance checks at the position that `line` leads to; its legal actions.
    fn check(&mut self, position: &G, line: &[Action], rng: &mut GameRng) -> Result<Vec<Action>, Violation> {
        self.looked_at += 1;
        let checked = guarded(|| {
            let legal = check_position(position, rng)?;
            self.compare(position)?;
            Ok(legal)
        });
        checked.map_err(|failure| violation(failure.to_string(), position, line))
    }

    fn played(&self, position: &G, action: Action, line: &[Action]) -> Result<G, Violation> {
        let played = guarded(|| {
            let mut next = position.clone();
            next.play(action);
            Ok(next)
        });
        played.map_err(|failure| violation(format!("{failure}, on {}", G::action_name(action)), position, line))
    }

    /// Compares hashes, keys and encodings with those of the positions met before.
    fn compare(&mut self, position: &G) -> Result<(), FailedCheck> {
        let hash = position.position_hash();
        let other = self.by_hash.entry(hash).or_insert_with(|| position.clone());
        if other != position {
            let [here, there] = drawn_apart(position, other);
            return Err(failed!("two different positions share a hash:\n{here}and\n{there}"));
        }
        let alike = self.by_board.entry(position.board()).or_default();
        match alike.iter().find(|(other, _)| other == position) {
            Some(&(_, other)) if other != hash => {
                return Err("the same position has two hashes, by the way that it was reached".into());
            }
            Some(_) => {}
            None => alike.push((position.clone(), hash)),
        }
        let mut distinct = Vec::new();
        position.distinct_actions(&mut distinct);
        distinct.sort_unstable();
        let (planes, key) = (encoding_of(position), position.evaluation_key());
        let known = self.by_evaluation_key.entry(key);
        let (encoding, actions, other) = known.or_insert_with(|| (planes.clone(), distinct.clone(), position.clone()));
        if *encoding != planes || *actions != distinct {
            let [here, there] = drawn_apart(position, other);
            let apart = if *encoding == planes { "distinct actions" } else { "encodings" };
            return Err(failed!("two positions with one `evaluation_key` have different {apart}:\n{here}and\n{there}"));
        }
        let cells = G::spec().grid.map_or(0, |(rows, columns)| rows * columns);
        self.shows_pieces |= cells == 0 || (0..cells).any(|cell| position.owner(cell).is_some());
        Ok(())
    }

    /// Laws that only all positions together can break.
    fn check_all(&self) -> Result<(), Violation> {
        let mut encodings = self.by_evaluation_key.values().map(|(encoding, ..)| encoding);
        let first = encodings.next();
        let failure = match first {
            Some(_) if !self.shows_pieces => "the game has a GRID, and `owner` never finds a piece on it",
            Some(first) if self.by_evaluation_key.len() > 1 && encodings.all(|other| other == first) => {
                "every position has the same encoding: a network would see nothing"
            }
            _ => return Ok(()),
        };
        Err(Violation { game: G::spec().id, failure: failure.into(), place: None })
    }
}

/// Laws at one position; its legal actions.
fn check_position<G: CompleteGame>(position: &G, rng: &mut GameRng) -> Result<Vec<Action>, FailedCheck> {
    let before = position.clone();
    let legal = check_legality(position)?;
    check_distinct(position, &legal)?;
    check_symmetries(position, &legal, rng)?;
    if G::sides_are_alike() {
        check_exchange(position, &legal, rng)?;
    }
    check_encoding(position)?;
    check_final_state(position)?;
    check_advice(position, rng)?;
    check_view(position, &legal)?;
    check_number(position)?;
    if *position != before {
        return Err("a query changed the position".into());
    }
    Ok(legal)
}
