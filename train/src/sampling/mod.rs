//! From records to training batches: replay the game to the position, pick a symmetry, encode, lay out the targets.

#[cfg(test)]
mod tests;

use rayon::prelude::*;
use selfplay_env::GameShape;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_mcts::SearchConfig;
use selfplay_network::AuxiliaryConfig;

use crate::error::TrainError;
use crate::record::GameRecord;
use crate::replay::{ReplayBuffer, SampledPosition};
use crate::row::{Row, SampleView};
use crate::trainable::Trainable;
use selfplay_network::training::{AuxiliaryBatch, LearnerConfig, TrainingBatch};

/// Draws `config.batch_size` positions of `game` and encodes each under a random symmetry of the game, with targets for the
/// auxiliary `heads`. The moves that `search` looks at share the policy.
///
/// The batch is a function of the buffer's contents, the configs and `seed`; rows are encoded in parallel.
///
/// # Errors
/// If the buffer is empty.
pub fn sample_batch(
    game: &dyn Trainable,
    buffer: &ReplayBuffer,
    config: &LearnerConfig,
    heads: AuxiliaryConfig,
    search: &SearchConfig,
    seed: u64,
) -> Result<TrainingBatch, TrainError> {
    let mut rng = rng_for(&[seed]);
    let symmetries = game.symmetries();
    let picks = (0..config.batch_size)
        .map(|_| {
            let sample = buffer.sample(&mut rng)?;
            let symmetry = symmetries[rng.random_range(0..symmetries.len())];
            let is_blunder = config.punish_blunder_share > 0.0 && rng.random::<f64>() < config.punish_blunder_share;
            Ok((sample, SampleView { symmetry, blunder: is_blunder.then(|| rng.random()) }))
        })
        .collect::<Result<Vec<_>, TrainError>>()?;
    Ok(encode(game, &picks, config, heads, search))
}

/// All positions of `games`, which are of `game`, that have something to learn, as they were played; `None` if there are none.
pub fn batch_of_games<'a>(
    game: &dyn Trainable,
    games: impl IntoIterator<Item = &'a GameRecord>,
    config: &LearnerConfig,
    heads: AuxiliaryConfig,
    search: &SearchConfig,
) -> Option<TrainingBatch> {
    let pick = |game, ply| (SampledPosition { game, ply }, SampleView::PLAIN);
    let picks: Vec<_> =
        games.into_iter().flat_map(|game| game.targets().map(move |(ply, _)| pick(game, ply))).collect();
    (!picks.is_empty()).then(|| encode(game, &picks, config, heads, search))
}

/// One row for each pick, as its view has it.
fn encode(
    game: &dyn Trainable,
    picks: &[(SampledPosition<'_>, SampleView)],
    config: &LearnerConfig,
    heads: AuxiliaryConfig,
    search: &SearchConfig,
) -> TrainingBatch {
    let mut batch = empty_batch(&game.shape(), picks.len(), heads);
    picks.par_iter().zip(rows_of(&mut batch)).for_each(|((sample, view), row)| {
        game.encode_row(sample, *view, config, search, row);
    });
    batch
}

/// Zeros for `rows` positions and the targets of `heads`.
fn empty_batch(shape: &GameShape, rows: usize, heads: AuxiliaryConfig) -> TrainingBatch {
    let numbers = |per_row: usize| vec![0.0; rows * per_row];
    let numbers_if = |is_on: bool, per_row: usize| numbers(if is_on { per_row } else { 0 });
    TrainingBatch {
        rows,
        planes: numbers(shape.encoded_len()),
        candidates: numbers(shape.action_count),
        policy: numbers(shape.action_count),
        wdl: numbers(3),
        auxiliary: AuxiliaryBatch {
            opponent_policy: numbers_if(heads.opponent_policy, shape.action_count),
            finished: numbers_if(heads.moves_left || heads.final_state, 1),
            moves_left: numbers_if(heads.moves_left, 1),
            final_state: numbers_if(heads.final_state, shape.final_state_len()),
        },
    }
}

/// The rows of the batch, each with its share of every part.
fn rows_of(batch: &mut TrainingBatch) -> Vec<Row<'_>> {
    let rows = batch.rows;
    let AuxiliaryBatch { opponent_policy, finished, moves_left, final_state } = &mut batch.auxiliary;
    let parts = [
        &mut batch.planes,
        &mut batch.candidates,
        &mut batch.policy,
        &mut batch.wdl,
        opponent_policy,
        finished,
        moves_left,
        final_state,
    ];
    let mut parts = parts.map(|numbers| {
        let per_row = numbers.len() / rows.max(1);
        (numbers.as_mut_slice(), per_row)
    });
    // A part that no head asks for is empty, and so is each row's share of it.
    let mut next_row = || parts.each_mut().map(|(rest, len)| rest.split_off_mut(..*len).unwrap_or_default());
    (0..rows)
        .map(|_| {
            let [planes, candidates, policy, wdl, opponent_policy, finished, moves_left, final_state] = next_row();
            Row { planes, candidates, policy, wdl, opponent_policy, finished, moves_left, final_state }
        })
        .collect()
}
