//! Whether a result is what it says: read from its bytes, and replayed by the rules.

use std::ops::Range;

use selfplay_arena::{Fixture, GameResult, games_from_text};
use selfplay_pipeline::{RunConfig, RunMatch};
use selfplay_registry::GameRef;
use selfplay_train::shard::from_shard_bytes;
use selfplay_train::{GameRecord, ShardHeader};

use crate::error::InvalidResult;

/// The games with these numbers of the run of `config`.
pub fn range_games(
    bytes: &[u8],
    game: GameRef,
    config: &RunConfig,
    generation: u32,
    numbers: Range<u32>,
) -> Result<Vec<GameRecord>, InvalidResult> {
    let (header, records) = from_shard_bytes(bytes).ok_or(InvalidResult::NotAShard)?;
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
