//! Laws that only a game in a file can break: what compiled games have from their language, it has to be asked for.

use std::collections::HashMap;

use selfplay_registry::conformance::{FailedPosition, Violation};
use selfplay_registry::game_text::format_line;
use selfplay_registry::rng::{RngExt, rng_for};
use selfplay_registry::{Action, FailedCheck, Game, Symmetric, Symmetry};

use crate::position::{Foreign, moved};
use crate::position_facts::PositionFacts;

/// Plays `games` random games of at most `max_plies` plies and looks whether the file says the same when it is asked
/// again, copies are copies, a `key` tells positions apart, and the symmetries are there.
///
/// # Errors
/// The violation after the fewest actions of all that were found.
pub fn check_python_game(games: u64, max_plies: usize, seed: u64) -> Result<(), Violation> {
    let mut shortest: Option<Violation> = None;
    let mut known = Known::new();
    for game in 0..games {
        let mut rng = rng_for(&[seed, game]);
        let most = shortest.as_ref().and_then(|found| found.place.as_ref()).map_or(max_plies + 1, |place| place.plies);
        let mut position = Foreign::initial();
        let mut line = Vec::new();
        let mut legal = Vec::new();
        while line.len() < most {
            if let Err(failure) = check_position(&position, &line, &mut known) {
                let place =
                    FailedPosition { line: format_line::<Foreign>(&line), plies: line.len(), board: position.board() };
                shortest =
                    Some(Violation { game: Foreign::spec().id, failure: failure.to_string(), place: Some(place) });
                break;
            }
            position.legal_actions(&mut legal);
            if legal.is_empty() {
                break;
            }
            let action = legal[rng.random_range(0..legal.len())];
            position.play(action);
            line.push(action);
        }
    }
    shortest.map_or(Ok(()), Err)
}

/// What the file says of the first position with each key, and the actions that lead there.
type Known = HashMap<[u8; 16], (PositionFacts, Vec<Action>)>;

fn check_position(position: &Foreign, line: &[Action], known: &mut Known) -> Result<(), FailedCheck> {
    let told = position.told();
    if position.told_again() != *told {
        let how = "it is asked again (does `copy` share a list, or a member change something?)";
        return Err(changed(how, told, &position.told_again()));
    }
    let mut led = HashMap::new();
    for &action in &told.legal {
        let name = Foreign::action_name(action);
        let after = position.told_after(action);
        let again = position.told_again();
        if again != *told {
            let how = format!("{name} is played in a copy (does `copy` share a list?)");
            return Err(changed(&how, told, &again));
        }
        if position.told_after(action) != after {
            return Err(FailedCheck::new(format!(
                "{name}, played twice in the same position, leads to two: {}",
                difference(&after, &position.told_after(action))
            )));
        }
        if let Some(other) = led.insert(after.key, action) {
            return Err(FailedCheck::new(format!(
                "{} and {name} lead to the same position: of actions that come to the same, `legal_actions` lists one alone \
                 (or one is not legal, or `key` leaves out what is not the same)",
                Foreign::action_name(other)
            )));
        }
    }
    let anew = Foreign::after(line);
    if anew.told() != told {
        return Err(FailedCheck::new(format!(
            "the same actions, played anew without copies, lead elsewhere: {}",
            difference(told, anew.told())
        )));
    }
    let (first, there) = known.entry(told.key).or_insert_with(|| (told.clone(), line.to_vec()));
    if first != told {
        let way = if there.is_empty() { "before the first action".into() } else { format_line::<Foreign>(there) };
        return Err(FailedCheck::new(format!(
            "`key` is that of another position ({way}), and {}: what the game shows of a position follows from its `key`",
            difference(first, told)
        )));
    }
    for &symmetry in &Foreign::symmetries()[1..] {
        check_symmetry(told, line, symmetry)?;
    }
    Ok(())
}

/// The mirrored actions lead to the mirrored position.
fn check_symmetry(told: &PositionFacts, line: &[Action], symmetry: Symmetry) -> Result<(), FailedCheck> {
    let mut image = Foreign::initial();
    for action in line.iter().map(|&action| Foreign::transform_action(action, symmetry)) {
        if !image.is_legal(action) {
            return Err(FailedCheck::new(format!(
                "{symmetry}, the game forbids {} on the way here",
                Foreign::action_name(action)
            )));
        }
        image.play(action);
    }
    let there = image.told();
    let becomes = |&action: &Action| Foreign::transform_action(action, symmetry);
    if let Some(&action) = told.legal.iter().find(|action| !there.legal.contains(&becomes(action))) {
        let [name, image] = [action, becomes(&action)].map(Foreign::action_name);
        return Err(FailedCheck::new(format!(
            "{symmetry}, {name} becomes {image}, which is not legal after the mirrored actions: `symmetries` claims too much, or \
             `transform_action` is missing or wrong"
        )));
    }
    let apart = if there.outcome != told.outcome {
        "`outcome` is another"
    } else if there.side != told.side {
        "`side_to_move` is another"
    } else if there.legal.len() != told.legal.len() {
        "`legal_actions` lists others"
    } else if (0..told.cells.len()).any(|cell| there.cells[moved(cell, symmetry)] != told.cells[cell]) {
        "`cells` are others"
    } else if !is_moved(&told.planes, &there.planes, symmetry) {
        "`observation` differs"
    } else {
        return Ok(());
    };
    Err(FailedCheck::new(format!("{symmetry}, {apart} after the same actions: `symmetries` claims too much")))
}

fn is_moved(planes: &[f32], there: &[f32], symmetry: Symmetry) -> bool {
    let cells = crate::host::facts().cells();
    let mut pairs = planes.chunks_exact(cells).zip(there.chunks_exact(cells));
    pairs.all(|(plane, there)| (0..cells).all(|cell| there[moved(cell, symmetry)] == plane[cell]))
}

fn changed(when: &str, before: &PositionFacts, after: &PositionFacts) -> FailedCheck {
    FailedCheck::new(format!("the position changes when {when}: {}", difference(before, after)))
}

/// What is not the same.
fn difference(one: &PositionFacts, other: &PositionFacts) -> &'static str {
    if one.outcome != other.outcome {
        "`outcome` is another"
    } else if one.side != other.side {
        "`side_to_move` is another"
    } else if one.legal != other.legal {
        "`legal_actions` lists others, or in another order"
    } else if one.cells != other.cells {
        "`cells` are others"
    } else if one.planes != other.planes {
        "`observation` differs"
    } else if one.heuristic != other.heuristic {
        "`heuristic` is another"
    } else {
        "an attribute is another"
    }
}
