//! Validation of results: limits of their size before they are decoded, then their bytes, then the games, by the rules.

use std::ops::Range;

use selfplay_arena::{Fixture, GameResult, games_from_text};
use selfplay_pipeline::{RunConfig, RunMatch};
use selfplay_registry::GameRef;
use selfplay_train::shard::{MAGIC, from_shard_bytes, max_record_bytes};
use selfplay_train::{GameRecord, ShardHeader};

use crate::error::InvalidResult;
use crate::wire::TaskKey;

/// Bytes of a frame around a record, of a shard's header, and of the fields of a match's game beside its moves.
const FRAME_BYTES: usize = 8;
const HEADER_BYTES: usize = 1024;
const GAME_BYTES: usize = 64 * 1024;
/// Bytes of a move in a match's game: a name and a space, at most.
const MOVE_BYTES: usize = 32;
/// Simulations that a search may make beyond its limit: the last batch of leaves is evaluated as a whole.
const SPARE_SIMULATIONS: u64 = 4096;

/// Bytes of the result of the task `key`, uncompressed, at most.
pub fn max_result_bytes(key: &TaskKey, game: GameRef, config: &RunConfig) -> usize {
    match *key {
        TaskKey::GameRange { count, .. } => {
            let game_bytes = FRAME_BYTES + max_game_bytes(game, config);
            (MAGIC.len() + HEADER_BYTES).saturating_add(game_bytes.saturating_mul(count as usize))
        }
        TaskKey::Pairs { of, count, .. } => {
            let moves = max_plies(game, of.config(config).max_plies).saturating_mul(MOVE_BYTES);
            moves.saturating_add(GAME_BYTES).saturating_mul(2 * count)
        }
    }
}

/// Bytes of a game of self-play, at most.
pub fn max_game_bytes(game: GameRef, config: &RunConfig) -> usize {
    max_record_bytes(max_plies(game, config.selfplay.max_plies as usize), game.shape().action_count)
}

/// Plies of a game, at most: by the rules, and by the config.
fn max_plies(game: GameRef, configured: usize) -> usize {
    game.max_plies().map_or(configured, |plies| plies.min(configured))
}

/// The games with these numbers of the run of `config`.
pub fn range_games(
    bytes: &[u8],
    game: GameRef,
    config: &RunConfig,
    generation: u32,
    numbers: Range<u32>,
) -> Result<Vec<GameRecord>, InvalidResult> {
    let max_bytes = max_game_bytes(game, config);
    let (header, records) = from_shard_bytes(bytes, numbers.len(), max_bytes).ok_or(InvalidResult::NotAShard)?;
    let expected = ShardHeader::new(game, config.seed, generation);
    if header != expected {
        return Err(InvalidResult::OtherGames { found: header.into(), expected: expected.into() });
    }
    if !numbers.eq(records.iter().map(|record| record.game_number)) {
        return Err(InvalidResult::NotTheRange);
    }
    for record in &records {
        let number = record.game_number;
        if record.plies.len() > config.selfplay.max_plies as usize {
            return Err(InvalidResult::TooManyActions(number));
        }
        let selfplay = &config.selfplay;
        let searched =
            selfplay.num_simulations.max(selfplay.initial_num_simulations).max(selfplay.playout_cap_fast_visits);
        if record.simulations > record.plies.len() as u64 * (u64::from(searched) + SPARE_SIMULATIONS) {
            return Err(InvalidResult::ImpossibleCount(number));
        }
        if !record.agrees_with(game) {
            return Err(InvalidResult::AgainstTheRules(number));
        }
    }
    Ok(records)
}

/// The games of some pairs of a match of the run of `config`.
pub fn pair_games(
    bytes: &[u8],
    game: GameRef,
    config: &RunConfig,
    which: RunMatch,
    first: usize,
    count: usize,
) -> Result<Vec<GameResult>, InvalidResult> {
    let text = str::from_utf8(bytes).map_err(|_| InvalidResult::NotText)?;
    let games = games_from_text(game, text)?;
    let numbers = 2 * first..2 * (first + count);
    if !numbers.clone().eq(games.iter().map(GameResult::number)) {
        return Err(InvalidResult::NotThePairs);
    }
    let match_config = which.config(config);
    let fixture = Fixture::new(game, [0, 1], match_config.clone())?;
    let openings = fixture.openings(first..first + count)?;
    for (number, played) in numbers.zip(&games) {
        let opening = &openings[number / 2 - first];
        let length = played.actions.len();
        if played.opening_len != opening.len() || !played.actions.starts_with(opening) {
            return Err(InvalidResult::OtherOpening(number));
        }
        if length > match_config.max_plies || !played.move_times.is_empty() {
            return Err(InvalidResult::OtherMatch(number));
        }
    }
    Ok(games)
}
