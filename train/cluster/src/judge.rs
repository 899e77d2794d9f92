//! Whether a result is what it says: read from its bytes, and replayed by the rules.

use selfplay_arena::{Fixture, GameResult, games_from_text};
use selfplay_pipeline::{RunConfig, RunMatch};
use selfplay_registry::GameRef;
use selfplay_train::shard::from_shard_bytes;
use selfplay_train::{GameRecord, ShardHeader};

/// The games of a lane of the run of `config`; the sentence says what is wrong with them.
pub fn lane_games(
    bytes: &[u8],
    game: GameRef,
    config: &RunConfig,
    generation: u32,
    lane: u32,
) -> Result<Vec<GameRecord>, String> {
    let (header, records) = from_shard_bytes(bytes).ok_or("its checksums are wrong, or it holds no games")?;
    let expected = ShardHeader::new(game, config.seed, generation);
    if header != expected {
        return Err(format!("it holds games of {header}, expected {expected}"));
    }
    if !config.selfplay.games_of_range(lane).eq(records.iter().map(|record| record.game_number)) {
        return Err("its games are not those of the lane".into());
    }
    for record in &records {
        let number = record.game_number;
        if record.decisions.len() > config.selfplay.max_decisions as usize {
            return Err(format!("game {number} is longer than selfplay.max_decisions"));
        }
        if !record.agrees_with(game) {
            return Err(format!("game {number} does not agree with the rules"));
        }
    }
    Ok(records)
}

/// The games of some pairs of a match of the run of `config`; the sentence says what is wrong with them.
pub fn pair_games(
    bytes: &[u8],
    game: GameRef,
    config: &RunConfig,
    which: RunMatch,
    first: usize,
    count: usize,
) -> Result<Vec<GameResult>, String> {
    let text = str::from_utf8(bytes).map_err(|_| "it is no text")?;
    let games = games_from_text(game, text)?;
    let numbers = 2 * first..2 * (first + count);
    if !numbers.clone().eq(games.iter().map(GameResult::number)) {
        return Err("its games are not those of the pairs".into());
    }
    let match_config = which.config(config);
    let fixture = Fixture::new(game, [0, 1], match_config.clone()).map_err(|error| error.to_string())?;
    let openings = fixture.openings(first..first + count).map_err(|error| error.to_string())?;
    for (number, played) in numbers.zip(&games) {
        let opening = &openings[number / 2 - first];
        let length = played.decisions.len();
        if played.opening_len != opening.len() || !played.decisions.starts_with(opening) {
            return Err(format!("game {number} begins with another opening"));
        }
        if length > match_config.max_decisions || !played.decision_times.is_empty() {
            return Err(format!("game {number} was played under other rules of the match"));
        }
    }
    Ok(games)
}
