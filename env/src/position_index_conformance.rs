//! The conformance checks of position indexes.

use std::ops::ControlFlow::{Break, Continue};

use crate::failed_check::failed;
use crate::game_text::format_line;
use crate::position_index::{PositionIndex, Turn};
use crate::position_index_by_rules::for_each_turn;
use crate::rng::{GameRng, RngExt};
use crate::{CompleteGame, FailedCheck, Game};

/// Numbers drawn to be looked at beside those of games.
const DRAWN: usize = 200;

/// The number of a turn start, its position and its turns.
pub(crate) fn check_number<G: CompleteGame>(position: &G) -> Result<(), FailedCheck> {
    let Some(position_index) = G::position_index() else { return Ok(()) };
    if position.outcome().is_some() || !position.starts_turn() {
        return Ok(());
    }
    let number = number_of(position, position_index)?;
    for &symmetry in G::symmetries() {
        let image = number_of(&position.transform(symmetry), position_index)?;
        if image != number {
            return Err(failed!("its number is {number}, and {symmetry} it is {image}"));
        }
    }
    check_position_of::<G>(number)?;
    check_turns(position, number, position_index)
}

/// Numbers that no game may have met.
pub(crate) fn check_position_index<G: CompleteGame>(rng: &mut GameRng) -> Result<(), FailedCheck> {
    let Some(position_index) = G::position_index() else { return Ok(()) };
    if number_of(&G::initial(), position_index)? != position_index.initial() {
        return Err("the position index begins elsewhere than the game".into());
    }
    for _ in 0..DRAWN {
        let number = rng.random_range(0..position_index.count());
        let has_position = position_index.walker().has_position(number);
        match G::at_number(number) {
            Some(_) if !has_position => {
                return Err(failed!("number {number} has a position, its walker says it has none"));
            }
            None if has_position => return Err(failed!("number {number} has no position, its walker says it has one")),
            Some(position) => {
                check_position_of::<G>(number)?;
                if position.outcome().is_none() {
                    check_turns(&position, number, position_index)?;
                }
            }
            None => {}
        }
    }
    Ok(())
}

fn number_of<G: Game>(position: &G, position_index: &dyn PositionIndex) -> Result<u64, FailedCheck> {
    match position.number() {
        Some(number) if number < position_index.count() => Ok(number),
        Some(number) => Err(failed!("its number is {number}, and there are {}", position_index.count())),
        None => Err("a turn start has no number, though the game has a position index".into()),
    }
}

fn check_position_of<G: CompleteGame>(number: u64) -> Result<(), FailedCheck> {
    let position = G::at_number(number).ok_or_else(|| failed!("number {number} has no position"))?;
    match position.number() {
        Some(back) if back == number => Ok(()),
        back => Err(failed!("the position of number {number} has number {back:?}:\n{}", position.board())),
    }
}

/// The turns from the number are those of the position by its rules, and are found backwards.
fn check_turns<G: CompleteGame>(
    position: &G,
    number: u64,
    position_index: &dyn PositionIndex,
) -> Result<(), FailedCheck> {
    let side = position.side_to_move();
    let mut walker = position_index.walker();
    let mut found = Vec::new();
    walker.successors(number, &mut |turn| {
        found.push(turn);
        Continue(())
    });
    if !found.is_sorted_by_key(|turn| matches!(turn, Turn::To(_))) {
        return Err(failed!("its number is {number}, whose turns are told before those that end the game"));
    }
    let mut is_allowed = vec![false; found.len()];
    let went_on = for_each_turn(position, &mut Vec::new(), &mut |reached, actions| {
        // A side without a move has lost at the start of its turn; that position may have a number or not.
        let turns = [reached.number().map(Turn::To), reached.outcome().map(|end| Turn::Ends(end.value_for(side)))];
        let is_alike = |turn: &Turn| turns.contains(&Some(*turn));
        for (is_allowed, _) in is_allowed.iter_mut().zip(&found).filter(|(_, turn)| is_alike(turn)) {
            *is_allowed = true;
        }
        let line = format_line::<G>(actions);
        match reached.outcome() {
            None if reached.number().is_none() => Break(failed!("after {line} a turn start has no number")),
            None if reached.side_to_move() == side => Break(failed!("after the turn {line} the same side is to move")),
            _ if !found.iter().any(is_alike) => Break(failed!("its number is {number}, which lacks the turn {line}")),
            _ => Continue(()),
        }
    });
    if let Break(failure) = went_on {
        return Err(failure);
    }
    if let Some((turn, _)) = found.iter().zip(is_allowed).find(|(_, is_allowed)| !is_allowed) {
        return Err(failed!("its number is {number}, which has a turn that the rules do not allow: {turn:?}"));
    }
    for next in found.iter().filter_map(|turn| if let Turn::To(next) = turn { Some(*next) } else { None }) {
        let mut is_found = !position_index.walks_back();
        if !is_found {
            walker.predecessors(next, &mut |before| is_found |= before == number);
        }
        if !is_found {
            return Err(failed!("a turn leads from number {number} to {next}, and nobody finds it back"));
        }
    }
    Ok(())
}
