//! The laws every game keeps, checked on random games: the one test that any new game must pass.

use std::any::Any;
use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::advice_laws::check_advice;
use crate::encoding::encoding_of;
use crate::exchange_laws::check_exchange;
use crate::game_text::format_line;
use crate::rng::{GameRng, RngExt, rng_for};
use crate::view_laws::check_view;
use crate::{Action, FinalState, PolicyShape, Side, Symmetry, WholeGame};

/// As many positions are looked at for a smaller counter-example.
const MOST_POSITIONS: usize = 5_000;

/// A law that a game broke, with the decisions that led there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{game}: {law} ({})", if line.is_empty() { "in the initial position".into() } else { format!("after: {line}") })]
pub struct LawViolation {
    /// Id of the game.
    pub game: &'static str,
    /// What went wrong.
    pub law: String,
    /// The decisions from the start, in the game's notation.
    pub line: String,
    /// How many these are.
    pub decisions: usize,
}

/// Plays `games` random games of at most `max_decisions` decisions and checks every law at every position.
///
/// # Errors
/// The first [`LawViolation`] found.
pub fn check_laws<G: WholeGame>(games: u64, max_decisions: usize, seed: u64) -> Result<(), LawViolation> {
    let static_laws = guarded(check_static::<G>);
    static_laws.map_err(|law| LawViolation { game: G::ID, law, line: String::new(), decisions: 0 })?;
    let mut known = Known::<G>::new();
    for game in 0..games {
        let mut rng = rng_for(&[seed, game]);
        let mut position = G::initial();
        let mut line = Vec::new();
        loop {
            let legal = known.check(&position, &line, &mut rng)?;
            if legal.is_empty() || line.len() == max_decisions {
                break;
            }
            let action = legal[rng.random_range(0..legal.len())];
            position = known.played(&position, action, &line)?;
            line.push(action);
        }
        if let Some(most) = G::MAX_DECISIONS
            && line.len() > most
        {
            return Err(violation::<G>(format!("the game is longer than MAX_DECISIONS = {most}"), &line));
        }
    }
    known.check_all()
}

/// A violation after fewer decisions than `found`, if one is among the positions nearest to the initial one; else `found`.
pub fn smallest_violation<G: WholeGame>(found: LawViolation, seed: u64) -> LawViolation {
    let mut known = Known::<G>::new();
    let mut seen = HashSet::new();
    let mut ahead = VecDeque::from([(G::initial(), Vec::new())]);
    while let Some((position, line)) = ahead.pop_front() {
        if line.len() >= found.decisions || known.looked_at > MOST_POSITIONS {
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
            if seen.insert(next.position_hash()) {
                ahead.push_back((next, [line.as_slice(), &[action]].concat()));
            }
        }
    }
    found
}

fn violation<G: WholeGame>(law: String, line: &[Action]) -> LawViolation {
    LawViolation { game: G::ID, law, line: format_line::<G>(line), decisions: line.len() }
}

/// What `look` finds, a panic included.
fn guarded<T>(look: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|panic| Err(format!("the game panics: {}", said(&*panic))))
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}

/// The positions met, and what must be the same wherever they are met again.
struct Known<G> {
    by_hash: HashMap<u64, G>,
    by_board: HashMap<String, Vec<(G, u64)>>,
    by_evaluation_key: HashMap<u64, (Vec<f32>, Vec<Action>)>,
    looked_at: usize,
    shows_pieces: bool,
}

impl<G: WholeGame> Known<G> {
    fn new() -> Self {
        let (by_hash, by_board, by_evaluation_key) = Default::default();
        Known { by_hash, by_board, by_evaluation_key, looked_at: 0, shows_pieces: false }
    }

    /// Checks every law at the position that `line` leads to; its legal actions.
    fn check(&mut self, position: &G, line: &[Action], rng: &mut GameRng) -> Result<Vec<Action>, LawViolation> {
        self.looked_at += 1;
        let checked = guarded(|| {
            check_position(position, rng)?;
            self.compare(position)?;
            let mut legal = Vec::new();
            position.legal_actions(&mut legal);
            Ok(legal)
        });
        checked.map_err(|law| violation::<G>(law, line))
    }

    fn played(&self, position: &G, action: Action, line: &[Action]) -> Result<G, LawViolation> {
        let played = guarded(|| {
            let mut next = position.clone();
            next.play(action);
            Ok(next)
        });
        played.map_err(|law| violation::<G>(format!("{law}, on {}", G::action_name(action)), line))
    }

    /// Compares hashes, keys and encodings with those of the positions met before.
    fn compare(&mut self, position: &G) -> Result<(), String> {
        let hash = position.position_hash();
        let other = self.by_hash.entry(hash).or_insert_with(|| position.clone());
        if other != position {
            let [here, there] = [position.board(), other.board()];
            return Err(format!("two different positions share a hash:\n{here}and\n{there}"));
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
        let asked = (encoding_of(position), distinct);
        let known = self.by_evaluation_key.entry(position.evaluation_key()).or_insert_with(|| asked.clone());
        if *known != asked {
            return Err("different encodings or distinct actions share an evaluation key".into());
        }
        let cells = G::GRID.map_or(0, |(rows, columns)| rows * columns);
        self.shows_pieces |= cells == 0 || (0..cells).any(|cell| position.owner(cell).is_some());
        Ok(())
    }

    /// Laws that only all positions together can break.
    fn check_all(&self) -> Result<(), LawViolation> {
        let mut encodings = self.by_evaluation_key.values().map(|(encoding, _)| encoding);
        let first = encodings.next();
        let law = match first {
            Some(_) if !self.shows_pieces => "the game has a GRID, and `owner` never finds a piece on it",
            Some(first) if self.by_evaluation_key.len() > 1 && encodings.all(|other| other == first) => {
                "every position has the same encoding: a network would see nothing"
            }
            _ => return Ok(()),
        };
        Err(violation::<G>(law.into(), &[]))
    }
}

/// Laws about the constants and the notation.
fn check_static<G: WholeGame>() -> Result<(), String> {
    if G::PLANE_NAMES.len() != G::PLANES {
        return Err(format!("{} plane names for {} planes", G::PLANE_NAMES.len(), G::PLANES));
    }
    if let PolicyShape::Planes(planes) = G::POLICY
        && planes * G::HEIGHT * G::WIDTH != G::ACTION_COUNT
    {
        return Err("policy planes × cells is not the action count".into());
    }
    if G::SYMMETRIES.first() != Some(&Symmetry::IDENTITY) {
        return Err("the first symmetry is not the identity".into());
    }
    for index in 0..G::ACTION_COUNT {
        let action = Action::from_index(index);
        let name = G::action_name(action);
        match G::parse_action(&name) {
            Ok(read) if read == action => {}
            Ok(read) => return Err(format!("action {index} is written `{name}`, which reads as {}", read.0)),
            Err(error) => return Err(format!("action {index} is written `{name}`, which does not read: {error}")),
        }
        for &symmetry in G::SYMMETRIES {
            let there = G::transform_action(action, symmetry);
            if there.index() >= G::ACTION_COUNT || G::transform_action(there, symmetry.inverse()) != action {
                return Err(format!("action {index} does not come back from {symmetry:?}"));
            }
        }
    }
    for text in ["", "?", "0", "zz", "-z9", "1,1", "99Z", "é"] {
        if let Ok(action) = G::parse_action(text)
            && action.index() >= G::ACTION_COUNT
        {
            return Err(format!("`{text}` reads as an action beyond the last"));
        }
    }
    Ok(())
}

/// Laws at one position.
fn check_position<G: WholeGame>(position: &G, rng: &mut GameRng) -> Result<(), String> {
    let before = position.clone();
    let mut legal = Vec::new();
    position.legal_actions(&mut legal);
    let mut is_listed = vec![false; G::ACTION_COUNT];
    for action in &legal {
        if std::mem::replace(&mut is_listed[action.index()], true) {
            return Err(format!("{} is listed twice", G::action_name(*action)));
        }
    }
    for (index, &listed) in is_listed.iter().enumerate() {
        let action = Action::from_index(index);
        if position.is_legal(action) != listed {
            let [in_list, in_word] = [listed, !listed].map(|yes| if yes { "has" } else { "denies" });
            let name = G::action_name(action);
            return Err(format!("`legal_actions` {in_list} {name}, and `is_legal` {in_word} it"));
        }
        if !listed {
            let mut copy = position.clone();
            if copy.try_play(action).is_ok() || copy != before {
                return Err(format!("try_play accepts or damages on the illegal {}", G::action_name(action)));
            }
        }
    }
    match position.outcome() {
        None if legal.is_empty() => return Err("nothing is legal, and the game is not over (`outcome` is None)".into()),
        Some(outcome) if !legal.is_empty() => {
            let count = legal.len();
            return Err(format!("the game is over ({outcome:?}), and {count} decisions are still legal"));
        }
        _ => {}
    }
    check_distinct(position, &legal)?;
    check_symmetries(position, &legal, rng)?;
    if G::SIDES_ARE_ALIKE {
        check_exchange(position, &legal, rng)?;
    }
    check_encoding(position)?;
    check_final_state(position)?;
    check_advice(position, rng)?;
    check_view(position, &legal)?;
    if *position != before {
        return Err("a query changed the position".into());
    }
    Ok(())
}

fn check_distinct<G: WholeGame>(position: &G, legal: &[Action]) -> Result<(), String> {
    let successor = |action: Action| {
        let mut child = position.clone();
        child.play(action);
        child
    };
    let mut distinct = Vec::new();
    position.distinct_actions(&mut distinct);
    let mut successors: HashMap<u64, Vec<(Action, G)>> = HashMap::new();
    for &action in &distinct {
        if !legal.contains(&action) {
            return Err(format!("the distinct action {} is not legal", G::action_name(action)));
        }
        let child = successor(action);
        let bucket = successors.entry(child.position_hash()).or_default();
        if bucket.iter().any(|(_, other)| *other == child) {
            return Err(format!("{} repeats a successor among the distinct actions", G::action_name(action)));
        }
        bucket.push((action, child));
    }
    for &action in legal {
        let child = successor(action);
        let found = successors.get(&child.position_hash()).and_then(|b| b.iter().find(|(_, other)| *other == child));
        let Some((representative, _)) = found else {
            return Err(format!("no distinct action leads where {} leads", G::action_name(action)));
        };
        if position.canonical_action(action) != *representative {
            return Err(format!("canonical_action of {} is not its representative", G::action_name(action)));
        }
    }
    Ok(())
}

fn check_symmetries<G: WholeGame>(position: &G, legal: &[Action], rng: &mut GameRng) -> Result<(), String> {
    for &symmetry in G::SYMMETRIES {
        let image = position.transform(symmetry);
        if image.transform(symmetry.inverse()) != *position {
            return Err(format!("{symmetry}, and the same undone, the board is another"));
        }
        if image.outcome() != position.outcome() || image.side_to_move() != position.side_to_move() {
            return Err(format!("{symmetry}, the outcome or the side to move is another"));
        }
        if legal.is_empty() {
            continue;
        }
        let action = legal[rng.random_range(0..legal.len())];
        let mut played_first = position.clone();
        played_first.play(action);
        let mut transformed_first = image;
        let image_action = G::transform_action(action, symmetry);
        if transformed_first.try_play(image_action).is_err() {
            let [name, image_name] = [action, image_action].map(G::action_name);
            return Err(format!("{symmetry}, {name} becomes {image_name}, which is not legal there"));
        }
        let expected = played_first.transform(symmetry);
        let [name, image_name] = [action, image_action].map(G::action_name);
        if expected != transformed_first {
            let [first, second] = [expected.board(), transformed_first.board()];
            return Err(format!(
                "{symmetry}, {name} becomes {image_name}, which does something else there: {name} and then the board \
                 {symmetry}\n{first}but the board {symmetry} and then {image_name}\n{second}"
            ));
        }
        if expected.position_hash() != transformed_first.position_hash() {
            return Err(format!(
                "{symmetry}, after {image_name}, the position has two hashes, by the way it was reached"
            ));
        }
    }
    Ok(())
}

fn check_encoding<G: WholeGame>(position: &G) -> Result<(), String> {
    let planes = encoding_of(position);
    match planes.iter().position(|x| !(-1.0..=1.0).contains(x)) {
        Some(index) => Err(format!("encoded number {index} is {}, not in -1..=1", planes[index])),
        None => Ok(()),
    }
}

fn final_state_of<G: WholeGame>(position: &G, side: Side) -> Vec<f32> {
    let mut target = vec![f32::NAN; G::FINAL_STATE_LEN];
    position.final_state(side, &mut target);
    target
}

fn check_final_state<G: WholeGame>(position: &G) -> Result<(), String> {
    let exchanged = G::SIDES_ARE_ALIKE.then(|| position.exchanged());
    let cells = G::HEIGHT * G::WIDTH;
    for side in Side::BOTH {
        let target = final_state_of(position, side);
        let is_possible = match G::FINAL_STATE {
            FinalState::None => true,
            FinalState::Margin => (-1.0..=1.0).contains(&target[0]),
            FinalState::Cells => (0..cells).all(|cell| {
                let classes = [target[cell], target[cells + cell], target[2 * cells + cell]];
                classes.iter().all(|&x| x == 0.0 || x == 1.0) && classes.iter().sum::<f32>() == 1.0
            }),
        };
        if !is_possible {
            return Err(format!("the final state seen by {side:?} is impossible: {target:?}"));
        }
        if exchanged.as_ref().is_some_and(|exchanged| final_state_of(exchanged, side.opponent()) != target) {
            return Err("with the sides exchanged the final state is another".into());
        }
        let mut by_opponent = final_state_of(position, side.opponent());
        match G::FINAL_STATE {
            FinalState::None => {}
            FinalState::Margin => by_opponent[0] = -by_opponent[0],
            FinalState::Cells => by_opponent[..2 * cells].rotate_left(cells),
        }
        if by_opponent != target {
            return Err(format!("the final state seen by {side:?} is not the other side's reversed"));
        }
        for &symmetry in G::SYMMETRIES {
            let found = final_state_of(&position.transform(symmetry), side);
            let mut expected = target.clone();
            for (class, of_class) in target.chunks_exact(cells).enumerate().filter(|_| target.len() > 1) {
                for (cell, &number) in of_class.iter().enumerate() {
                    let (row, column) = symmetry.map(cell / G::WIDTH, cell % G::WIDTH, G::HEIGHT, G::WIDTH);
                    expected[class * cells + row * G::WIDTH + column] = number;
                }
            }
            if found != expected {
                return Err(format!("{symmetry}, the final state does not move with the board"));
            }
        }
    }
    Ok(())
}
