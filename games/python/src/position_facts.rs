//! What the file reports about one position, serialised and decoded.

use selfplay_registry::tactics::HEURISTIC_LIMIT;
use selfplay_registry::{Action, Outcome, Side};

use crate::facts::Facts;

/// Bytes before the actions: result, side to move, number of actions, heuristic, key.
const HEAD: usize = 1 + 1 + 2 + 4 + 16;

/// What the file reports about a position.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionFacts {
    pub outcome: Option<Outcome>,
    pub side: Side,
    pub legal: Box<[Action]>,
    /// For the side to move.
    pub heuristic: i32,
    /// A hash of the complete position.
    pub key: [u8; 16],
    /// The owner of the piece on each cell, row by row: 0, 1, or 2 for neither. Empty if the game does not define it.
    pub cells: Box<[u8]>,
    /// `[plane, row, column]`; empty unless the game has planes of its own.
    pub planes: Box<[f32]>,
}

/// An answer that no position can have. The message begins with the member of the game that returned it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidAnswer {
    #[error("`side_to_move` returned {0}: expected 0 or 1")]
    Side(u8),
    #[error("`heuristic` returned {0}: expected a whole number from -{max} to {max}", max = HEURISTIC_LIMIT - 1)]
    Heuristic(i32),
    #[error("`observation` returned {0}: expected numbers from -1 to 1")]
    Plane(f32),
    #[error("`legal_actions` lists {action}: expected numbers from 0 to {last}")]
    NoSuchAction { action: u16, last: usize },
    #[error("`legal_actions` lists {0} twice")]
    ListedTwice(u16),
    #[error("`legal_actions` is empty, but `outcome` is not terminal")]
    NothingLegal,
    #[error("`legal_actions` is not empty, but `outcome` is terminal")]
    LegalAfterEnd,
    #[error("the process that runs it answered too little")]
    TooShort,
}

impl PositionFacts {
    /// Takes an answer from the front of `bytes`.
    ///
    /// # Errors
    /// [`InvalidAnswer`] with the member at fault.
    pub fn take(bytes: &mut &[u8], facts: &Facts) -> Result<PositionFacts, InvalidAnswer> {
        let head = part(bytes, HEAD)?;
        let outcome = match head[0] {
            0 => None,
            1 => Some(Outcome::Win(Side::First)),
            2 => Some(Outcome::Win(Side::Second)),
            _ => Some(Outcome::Draw),
        };
        let side = match head[1] {
            0 => Side::First,
            1 => Side::Second,
            other => return Err(InvalidAnswer::Side(other)),
        };
        let count = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let heuristic = i32::from_le_bytes(head[4..8].try_into().expect("four bytes"));
        if heuristic.unsigned_abs() >= HEURISTIC_LIMIT.unsigned_abs() {
            return Err(InvalidAnswer::Heuristic(heuristic));
        }
        let key = head[8..].try_into().expect("sixteen bytes");
        let legal = part(bytes, 2 * count)?.as_chunks::<2>().0;
        let legal: Box<[Action]> = legal.iter().map(|&bytes| Action(u16::from_le_bytes(bytes))).collect();
        check_legal(&legal, outcome.is_some(), facts)?;
        let cells = part(bytes, if facts.is_grid { facts.cells() } else { 0 })?.into();
        let numbers = facts.planes.as_ref().map_or(0, Vec::len) * facts.cells();
        let planes = part(bytes, 4 * numbers)?.as_chunks::<4>().0;
        let planes: Box<[f32]> = planes.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        if let Some(&number) = planes.iter().find(|number| !(-1.0..=1.0).contains(*number)) {
            return Err(InvalidAnswer::Plane(number));
        }
        Ok(PositionFacts { outcome, side, legal, heuristic, key, cells, planes })
    }
}

/// The actions are the game's, each once, and there are some exactly while the game runs.
fn check_legal(legal: &[Action], is_over: bool, facts: &Facts) -> Result<(), InvalidAnswer> {
    let mut is_listed = vec![false; facts.action_count];
    for action in legal {
        match is_listed.get_mut(action.index()) {
            None => {
                return Err(InvalidAnswer::NoSuchAction { action: action.0, last: facts.action_count - 1 });
            }
            Some(true) => return Err(InvalidAnswer::ListedTwice(action.0)),
            Some(new) => *new = true,
        }
    }
    match (legal.is_empty(), is_over) {
        (true, false) => Err(InvalidAnswer::NothingLegal),
        (false, true) => Err(InvalidAnswer::LegalAfterEnd),
        _ => Ok(()),
    }
}

/// So many bytes from the front.
fn part<'a>(bytes: &mut &'a [u8], len: usize) -> Result<&'a [u8], InvalidAnswer> {
    let (part, rest) = bytes.split_at_checked(len).ok_or(InvalidAnswer::TooShort)?;
    *bytes = rest;
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_registry::rng::{RngExt, rng_for};

    fn facts() -> Facts {
        let text = r#"{"id": "a", "title": "a", "side_names": ["x", "y"], "action_count": 5, "max_plies": null,
            "readme": "", "rows": 2, "columns": 2, "is_grid": true, "planes": ["one"], "version": 1, "policy_planes": 0,
            "names": ["0", "1", "2", "3", "4"], "clicks": null, "falls": false, "images": [[0, [0, 1, 2, 3, 4]]],
            "has_board": false}"#;
        serde_json::from_str(text).unwrap()
    }

    /// As the worker writes a running position.
    fn answer(side: u8, actions: &[u16], plane: f32) -> Vec<u8> {
        let mut bytes = vec![0, side];
        bytes.extend((actions.len() as u16).to_le_bytes());
        bytes.extend((-3_i32).to_le_bytes());
        bytes.extend([7; 16]);
        actions.iter().for_each(|action| bytes.extend(action.to_le_bytes()));
        bytes.extend([0, 1, 2, 2]);
        (0..4).for_each(|_| bytes.extend(plane.to_le_bytes()));
        bytes
    }

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let told = PositionFacts::take(&mut &answer(1, &[4, 0], 0.5)[..], &facts()).unwrap();
        assert_eq!((told.outcome, told.side, told.heuristic), (None, Side::Second, -3));
        assert_eq!((&told.legal[..], &told.cells[..]), (&[Action(4), Action(0)][..], &[0, 1, 2, 2][..]));
        assert_eq!(told.planes[..], [0.5; 4]);
    }

    fn with_heuristic(value: i32) -> Vec<u8> {
        let mut bytes = answer(0, &[0], 0.0);
        bytes[4..8].copy_from_slice(&value.to_le_bytes());
        bytes
    }

    #[test]
    fn nonsense_is_named_by_its_member() {
        for (bytes, expected) in [
            (answer(2, &[0], 0.0), "`side_to_move` returned 2"),
            (answer(0, &[5], 0.0), "`legal_actions` lists 5: expected numbers from 0 to 4"),
            (answer(0, &[1, 1], 0.0), "`legal_actions` lists 1 twice"),
            (answer(0, &[], 0.0), "`legal_actions` is empty"),
            (answer(0, &[0], 1.5), "`observation` returned 1.5"),
            (answer(0, &[0], f32::NAN), "`observation` returned NaN"),
            (with_heuristic(10_000), "`heuristic` returned 10000: expected a whole number from -9999 to 9999"),
            (with_heuristic(i32::MIN), "`heuristic` returned -2147483648"),
        ] {
            let error = PositionFacts::take(&mut &bytes[..], &facts()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused() {
        let facts = facts();
        let mut rng = rng_for(&[1]);
        for _ in 0..20_000 {
            let mut bytes = answer(rng.random_range(0..2), &[3, 1], 1.0);
            for _ in 0..rng.random_range(0..4) {
                let at = rng.random_range(0..bytes.len());
                bytes[at] = rng.random_range(0..=255);
            }
            bytes.truncate(rng.random_range(0..=bytes.len()));
            let _ = PositionFacts::take(&mut &bytes[..], &facts);
        }
    }
}
