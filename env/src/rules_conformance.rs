//! The conformance checks of the rules themselves: constants, notation, legality, successors.

use std::collections::HashMap;

use crate::failed_check::failed;
use crate::{Action, CompleteGame, FailedCheck, Game, PolicyShape, Symmetry};

/// Laws about the constants and the notation.
pub(crate) fn check_static<G: CompleteGame>() -> Result<(), FailedCheck> {
    let encoding = G::encoding();
    if let PolicyShape::Planes(planes) = encoding.policy
        && planes * encoding.cells() != G::spec().action_count
    {
        return Err("policy planes × cells is not the action count".into());
    }
    if G::symmetries().first() != Some(&Symmetry::IDENTITY) {
        return Err("the first symmetry is not the identity".into());
    }
    for index in 0..G::spec().action_count {
        let action = Action::from_index(index);
        let name = G::action_name(action);
        match G::parse_action(&name) {
            Ok(read) if read == action => {}
            Ok(read) => return Err(failed!("action {index} is written `{name}`, which reads as {}", read.0)),
            Err(error) => return Err(failed!("action {index} is written `{name}`, which does not read: {error}")),
        }
    }
    for text in ["", "?", "0", "zz", "-z9", "1,1", "99Z", "é"] {
        if let Ok(action) = G::parse_action(text)
            && action.index() >= G::spec().action_count
        {
            return Err(failed!("`{text}` reads as an action beyond the last"));
        }
    }
    Ok(())
}

/// Listing and legality are the same, and the game is over when nothing is legal; the legal actions.
pub(crate) fn check_legality<G: Game>(position: &G) -> Result<Vec<Action>, FailedCheck> {
    let mut legal = Vec::new();
    position.legal_actions(&mut legal);
    let mut is_listed = vec![false; G::spec().action_count];
    for action in &legal {
        if action.index() >= G::spec().action_count {
            return Err(failed!(
                "`legal_actions` lists number {}, and the action count is {}",
                action.0,
                G::spec().action_count
            ));
        }
        if std::mem::replace(&mut is_listed[action.index()], true) {
            return Err(failed!("{} is listed twice", G::action_name(*action)));
        }
    }
    for (index, &listed) in is_listed.iter().enumerate() {
        let action = Action::from_index(index);
        if position.is_legal(action) != listed {
            let [in_list, in_word] = [listed, !listed].map(|yes| if yes { "has" } else { "denies" });
            let name = G::action_name(action);
            return Err(failed!("`legal_actions` {in_list} {name}, and `is_legal` {in_word} it"));
        }
        if !listed {
            let mut copy = position.clone();
            if copy.try_play(action).is_ok() || copy != *position {
                return Err(failed!("try_play accepts or damages on the illegal {}", G::action_name(action)));
            }
        }
    }
    match position.outcome() {
        None if legal.is_empty() => return Err("nothing is legal, and the game is not over (`outcome` is None)".into()),
        Some(outcome) if !legal.is_empty() => {
            let count = legal.len();
            let over = outcome.in_words(G::spec().side_names);
            return Err(failed!("the game is over ({over}), and {count} actions are still legal"));
        }
        _ => {}
    }
    Ok(legal)
}

/// One distinct action for each different successor.
pub(crate) fn check_distinct<G: Game>(position: &G, legal: &[Action]) -> Result<(), FailedCheck> {
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
            return Err(failed!("the distinct action {} is not legal", G::action_name(action)));
        }
        let child = successor(action);
        let bucket = successors.entry(child.position_hash()).or_default();
        if let Some((other, _)) = bucket.iter().find(|(_, other)| *other == child) {
            let [other, name] = [*other, action].map(G::action_name);
            return Err(failed!(
                "{other} and {name} lead to the same position: `distinct_actions` has only one of them, and \
                 `canonical_action` tells which"
            ));
        }
        bucket.push((action, child));
    }
    for &action in legal {
        let child = successor(action);
        let found = successors.get(&child.position_hash()).and_then(|b| b.iter().find(|(_, other)| *other == child));
        let Some((representative, _)) = found else {
            return Err(failed!("no distinct action leads where {} leads", G::action_name(action)));
        };
        if position.canonical_action(action) != *representative {
            return Err(failed!("canonical_action of {} is not its representative", G::action_name(action)));
        }
    }
    Ok(())
}
