//! From records to training batches: replay the game to the position, pick a symmetry, encode, lay out the targets.

use rayon::prelude::*;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Action, PlayableGame, Symmetry, Wdl};

use crate::error::TrainError;
use crate::loss::TrainingBatch;
use crate::replay::{ReplayBuffer, SampledPosition};

/// Draws `rows` positions and encodes each under a random symmetry of the game.
///
/// The batch is a function of the buffer's contents and `seed`; rows are encoded in parallel.
///
/// # Errors
/// If the buffer is empty.
pub fn sample_batch<G: PlayableGame>(
    buffer: &ReplayBuffer,
    rows: usize,
    seed: u64,
) -> Result<TrainingBatch, TrainError> {
    let mut rng = rng_for(&[seed]);
    let picks = (0..rows)
        .map(|_| {
            let sample = buffer.sample(&mut rng)?;
            Ok((sample, G::SYMMETRIES[rng.random_range(0..G::SYMMETRIES.len())]))
        })
        .collect::<Result<Vec<_>, TrainError>>()?;
    let mut batch = TrainingBatch {
        rows,
        planes: vec![0.0; rows * G::ENCODED_LEN],
        legal: vec![0.0; rows * G::ACTION_COUNT],
        policy: vec![0.0; rows * G::ACTION_COUNT],
        wdl: vec![0.0; rows * 3],
    };
    picks
        .par_iter()
        .zip(batch.planes.par_chunks_mut(G::ENCODED_LEN))
        .zip(batch.legal.par_chunks_mut(G::ACTION_COUNT))
        .zip(batch.policy.par_chunks_mut(G::ACTION_COUNT))
        .zip(batch.wdl.par_chunks_mut(3))
        .for_each(|(((((sample, symmetry), planes), legal), policy), wdl)| {
            encode_row::<G>(sample, *symmetry, Row { planes, legal, policy, wdl });
        });
    Ok(batch)
}

/// One row of a training batch; lengths `[planes · height · width]`, `[actions]`, `[actions]`, `[3]`, all zero but
/// for the planes, which are overwritten.
struct Row<'a> {
    planes: &'a mut [f32],
    legal: &'a mut [f32],
    policy: &'a mut [f32],
    wdl: &'a mut [f32],
}

fn encode_row<G: PlayableGame>(sample: &SampledPosition<'_>, symmetry: Symmetry, row: Row<'_>) {
    let mut position = G::initial();
    for decision in &sample.game.decisions[..sample.decision] {
        position.play(Action(decision.action));
    }
    let position = position.transform(symmetry);
    position.encode(row.planes);
    let mut distinct = Vec::new();
    position.distinct_actions(&mut distinct);
    for action in distinct {
        row.legal[action.index()] = 1.0;
    }
    let target = sample.target();
    for (action, share) in target.policy_shares() {
        // The image of a canonical action need not be the canonical one of the image.
        let image = position.canonical_action(G::transform_action(action, symmetry));
        row.policy[image.index()] += share;
    }
    let target = Wdl::certain(sample.game.end.value_outcome(), position.side_to_move());
    row.wdl.copy_from_slice(&[target.win, target.draw, target.loss]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{DecisionRecord, GameEnd, GameRecord};
    use crate::replay::ReplayConfig;
    use selfplay_env::games::tictactoe::TicTacToe;
    use selfplay_env::registry::GAME_IDS;
    use selfplay_env::{Game, GameVisitor, TensorEncoding, with_game};

    /// X takes the top left corner, O the centre, X the cell right of the corner.
    fn buffer() -> ReplayBuffer {
        let decisions = [(0, 0), (4, 4), (1, 1)].map(|(action, best)| DecisionRecord {
            action,
            visits: vec![(best, 3), (8, 1)],
            root_value: 0.0,
        });
        let mut buffer = ReplayBuffer::new();
        let game = GameRecord { game_number: 0, decisions: decisions.to_vec(), end: GameEnd::FirstWon, simulations: 0 };
        buffer.extend([game], &ReplayConfig::default());
        buffer
    }

    #[test]
    fn rows_are_consistent_under_every_symmetry() {
        let batch = sample_batch::<TicTacToe>(&buffer(), 64, 5).unwrap();
        for row in 0..batch.rows {
            let planes = &batch.planes[row * 27..][..27];
            let legal = &batch.legal[row * 9..][..9];
            let policy = &batch.policy[row * 9..][..9];
            let wdl = &batch.wdl[row * 3..][..3];
            let own: f32 = planes[..9].iter().sum();
            let opponent: f32 = planes[9..18].iter().sum();
            let first_to_move = own == opponent;
            assert_eq!(wdl, if first_to_move { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] });
            assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            for cell in 0..9 {
                let occupied = planes[cell] + planes[9 + cell];
                assert_eq!(legal[cell], 1.0 - occupied);
                assert!(policy[cell] == 0.0 || legal[cell] == 1.0, "policy on an illegal cell");
            }
            // Move 3 is played beside X's corner: the target keeps that neighbourhood under every symmetry.
            if own == 1.0 && opponent == 1.0 {
                let corner = (0..9).find(|&c| planes[c] == 1.0).unwrap();
                let target = (0..9).find(|&c| policy[c] == 0.75).unwrap();
                let distance = (corner / 3usize).abs_diff(target / 3) + (corner % 3).abs_diff(target % 3);
                assert_eq!(distance, 1);
            }
        }
        assert_eq!(TicTacToe::ENCODED_LEN, 27);
        assert!(TicTacToe::initial().outcome().is_none());
    }

    #[test]
    fn a_batch_is_a_function_of_its_seed() {
        let buffer = buffer();
        let one = sample_batch::<TicTacToe>(&buffer, 16, 5).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let two = pool.install(|| sample_batch::<TicTacToe>(&buffer, 16, 5).unwrap());
        assert_eq!((one.planes, one.policy), (two.planes, two.policy));
        let other = sample_batch::<TicTacToe>(&buffer, 16, 6).unwrap();
        assert_ne!(two.legal, other.legal);
    }

    struct TargetsFollowTheRules;

    impl GameVisitor for TargetsFollowTheRules {
        type Output = ();

        /// Each recorded action's weight stands, in every image, on the action with the image's successor.
        fn visit<G: PlayableGame>(self) {
            let mut rng = rng_for(&[4]);
            let mut position = G::initial();
            let mut decisions: Vec<DecisionRecord> = Vec::new();
            let mut distinct = Vec::new();
            for _ in 0..12 {
                position.distinct_actions(&mut distinct);
                if distinct.is_empty() {
                    return;
                }
                let visits: Vec<(u16, u32)> = distinct.iter().zip(1..).map(|(action, n)| (action.0, n)).collect();
                let action = distinct[rng.random_range(0..distinct.len())];
                decisions.push(DecisionRecord { action: action.0, visits, root_value: 0.0 });
                let game =
                    GameRecord { game_number: 0, decisions: decisions.clone(), end: GameEnd::FirstWon, simulations: 0 };
                for &symmetry in G::SYMMETRIES {
                    check_image(&game, &position, symmetry);
                }
                position.play(action);
            }
        }
    }

    fn check_image<G: PlayableGame>(game: &GameRecord, position: &G, symmetry: Symmetry) {
        let mut planes = vec![0.0; G::ENCODED_LEN];
        let (mut legal, mut policy, mut wdl) = (vec![0.0; G::ACTION_COUNT], vec![0.0; G::ACTION_COUNT], [0.0; 3]);
        let row = Row { planes: &mut planes, legal: &mut legal, policy: &mut policy, wdl: &mut wdl };
        let sample = SampledPosition { game, decision: game.decisions.len() - 1 };
        encode_row::<G>(&sample, symmetry, row);
        let after = |position: &G, action: Action| {
            let mut child = position.clone();
            child.play(action);
            child
        };
        let image = position.transform(symmetry);
        let visits = &game.decisions[sample.decision].visits;
        let total: u32 = visits.iter().map(|(_, n)| n).sum();
        let mut targets = 0;
        for (index, &share) in policy.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            targets += 1;
            assert_eq!(legal[index], 1.0, "{}: a target that is not a distinct action", G::ID);
            let there = after(&image, Action::from_index(index));
            let came_from =
                visits.iter().find(|(action, _)| after(position, Action(*action)).transform(symmetry) == there);
            let (_, n) = came_from.unwrap_or_else(|| panic!("{}: a target that nothing leads to", G::ID));
            assert!((share - *n as f32 / total as f32).abs() < 1e-6, "{}: a target of another weight", G::ID);
        }
        assert_eq!(targets, visits.len(), "{}: targets were lost", G::ID);
        let expected = Wdl::certain(game.end.value_outcome(), position.side_to_move());
        assert_eq!(wdl, [expected.win, expected.draw, expected.loss]);
    }

    #[test]
    fn targets_follow_the_rules_of_every_game_under_every_symmetry() {
        for id in GAME_IDS {
            with_game(id, TargetsFollowTheRules).unwrap();
        }
    }
}
