//! The laws every game keeps, checked on random games: the one test that any new game must pass.

use std::collections::HashMap;

use crate::advice_laws::check_advice;
use crate::encoding::encoding_of;
use crate::exchange_laws::check_exchange;
use crate::game_text::format_line;
use crate::rng::{GameRng, RngExt, rng_for};
use crate::view_laws::check_view;
use crate::{Action, FinalState, PolicyShape, Side, Symmetry, WholeGame};

/// A law that a game broke, with the decisions that led there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{game}: {law} (after: {line})")]
pub struct LawViolation {
    /// Id of the game.
    pub game: &'static str,
    /// What went wrong.
    pub law: String,
    /// The decisions from the start, in the game's notation.
    pub line: String,
}

/// Plays `games` random games of at most `max_decisions` decisions and checks every law at every position.
///
/// # Errors
/// The first [`LawViolation`] found.
pub fn check_laws<G: WholeGame>(games: u64, max_decisions: usize, seed: u64) -> Result<(), LawViolation> {
    let fail = |law: String, line: &[Action]| LawViolation { game: G::ID, law, line: format_line::<G>(line) };
    check_static::<G>().map_err(|law| fail(law, &[]))?;
    let mut hashes: HashMap<u64, G> = HashMap::new();
    let mut evaluated: HashMap<u64, (Vec<f32>, Vec<Action>)> = HashMap::new();
    for game in 0..games {
        let mut rng = rng_for(&[seed, game]);
        let mut position = G::initial();
        let mut line = Vec::new();
        let mut legal = Vec::new();
        loop {
            check_position(&position, &mut rng).map_err(|law| fail(law, &line))?;
            for position in [position.clone(), position.exchanged()] {
                let known = hashes.entry(position.position_hash()).or_insert_with(|| position.clone());
                if *known != position {
                    return Err(fail("two different positions share a hash".into(), &line));
                }
            }
            let mut distinct = Vec::new();
            position.distinct_actions(&mut distinct);
            let asked = (encoding_of(&position), distinct);
            let known = evaluated.entry(position.evaluation_key()).or_insert_with(|| asked.clone());
            if *known != asked {
                return Err(fail("different encodings or distinct actions share an evaluation key".into(), &line));
            }
            position.legal_actions(&mut legal);
            if legal.is_empty() || line.len() == max_decisions {
                break;
            }
            let action = legal[rng.random_range(0..legal.len())];
            position.play(action);
            line.push(action);
        }
        if let Some(most) = G::MAX_DECISIONS
            && line.len() > most
        {
            return Err(fail(format!("the game is longer than MAX_DECISIONS = {most}"), &line));
        }
    }
    Ok(())
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
            return Err(format!("generation and is_legal differ on {}", G::action_name(action)));
        }
        if !listed {
            let mut copy = position.clone();
            if copy.try_play(action).is_ok() || copy != before {
                return Err(format!("try_play accepts or damages on the illegal {}", G::action_name(action)));
            }
        }
    }
    if legal.is_empty() != position.outcome().is_some() {
        return Err(format!("{} legal actions with outcome {:?}", legal.len(), position.outcome()));
    }
    check_distinct(position, &legal)?;
    check_symmetries(position, &legal, rng)?;
    check_exchange(position, &legal, rng)?;
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
            return Err(format!("{symmetry:?} is not undone by its inverse"));
        }
        if image.outcome() != position.outcome() || image.side_to_move() != position.side_to_move() {
            return Err(format!("{symmetry:?} changes the outcome or the side to move"));
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
            return Err(format!("{symmetry:?} of {} is not legal in the image", G::action_name(action)));
        }
        let expected = played_first.transform(symmetry);
        if expected != transformed_first || expected.position_hash() != transformed_first.position_hash() {
            return Err(format!("play does not commute with {symmetry:?} on {}", G::action_name(action)));
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
    let exchanged = position.exchanged();
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
        if final_state_of(&exchanged, side.opponent()) != target {
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
                return Err(format!("the final state does not move with {symmetry:?}"));
            }
        }
    }
    Ok(())
}
