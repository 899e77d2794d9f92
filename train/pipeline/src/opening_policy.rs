//! What the networks of a run would play first: the policy at the initial position, cell by cell.

use selfplay_env::Rules;
use selfplay_env::view::Click;
use selfplay_mcts::{Leaf, Network};
use selfplay_network::checkpoint::load_weights;
use selfplay_network::{FusedEvaluator, Precision};
use selfplay_notebooks_export::OpeningPolicyRow;
use selfplay_notebooks_export::plots::Board;

use crate::error::RunError;
use crate::run_folder::RunFolder;

/// As many generations as a picture has room for, and as are asked by a table.
const MAX_GENERATIONS: usize = 12;

/// The board that openings by `rules` are drawn on.
pub fn board_of(rules: &dyn Rules) -> Board {
    let layout = rules.layout();
    Board { columns: layout.columns as u32, rows: layout.rows as u32 }
}

/// The policies of some of `generations`, evenly spread from the first to the last. A network that cannot be read is left
/// out with a word in `warnings`.
pub fn opening_policies(
    rules: &dyn Rules,
    run: &RunFolder,
    generations: &[u32],
    warnings: &mut Vec<String>,
) -> Vec<OpeningPolicyRow> {
    let mut rows = Vec::new();
    for &generation in &spread(generations) {
        match opening_policy(rules, run, generation) {
            Ok(cells) => rows.extend(cells),
            Err(error) => warnings.push(format!("{error}; its opening policy is omitted")),
        }
    }
    rows
}

/// At most twelve of them, evenly spread, first and last among them.
pub fn spread(generations: &[u32]) -> Vec<u32> {
    let (count, last) = (generations.len().min(MAX_GENERATIONS), generations.len().saturating_sub(1));
    (0..count).map(|index| generations[index * last / count.saturating_sub(1).max(1)]).collect()
}

/// The network's policy at the initial position, added up over the actions that begin on each cell of the ground; nothing
/// where actions are made in a list, not on the board.
fn opening_policy(rules: &dyn Rules, run: &RunFolder, generation: u32) -> Result<Vec<OpeningPolicyRow>, RunError> {
    let (weights, _) = load_weights(&run.own_network(generation)?, rules.shape())?;
    let mut evaluator = FusedEvaluator::checked(rules, &weights, Precision::F32)?;
    let mut asked = vec![Leaf::new(rules.initial())];
    evaluator.evaluate_batch(&mut asked);
    let first = &asked[0];
    let layout = rules.layout();
    let mut probabilities = vec![0.0; layout.places.len()];
    let mut is_on_board = false;
    for (&action, &prior) in first.actions.iter().zip(&first.priors) {
        let clicks = first.position.clicks(action);
        let place = clicks.into_iter().find_map(|click| match click {
            Click::Place(place) => Some(place),
            _ => None,
        });
        if let Some(place) = place {
            probabilities[place] += f64::from(prior);
            is_on_board = true;
        }
    }
    if !is_on_board {
        return Ok(Vec::new());
    }
    let ground = layout.places.iter().zip(probabilities).filter(|(place, _)| place.level == 0);
    Ok(ground
        .map(|(place, probability)| OpeningPolicyRow {
            generation,
            column: place.column as u32,
            row: place.row as u32,
            probability,
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_are_spread_from_the_first_to_the_last() {
        let all: Vec<u32> = (0..500).collect();
        assert!(spread(&[]).is_empty());
        assert_eq!(spread(&[7]), [7]);
        assert_eq!(spread(&all[..12]), all[..12]);
        let some = spread(&all);
        assert_eq!((some.len(), some[0], some[11]), (12, 0, 499));
        assert!(some.is_sorted());
    }
}
