//! Why a run's champion is its champion, in one sentence.

use crate::plots::number_text;
use crate::{EloRow, GenerationRow};

/// Why generation `champion` is the champion: its gate, its score against the ladder, and the best rated generation if
/// that is another one.
pub fn champion_reason(champion: u32, elo: &[EloRow], generations: &[GenerationRow]) -> String {
    let row = generations.iter().find(|row| row.generation == champion);
    let ladder = row.and_then(|row| row.ladder_score);
    let ladder = ladder.map_or(String::new(), |score| format!(", with a ladder score of {score:.3}"));
    format!("Generation {champion} was the last to pass the gate{ladder}; {}.", best_rated(champion, elo))
}

/// Which generation is rated highest, compared with the champion.
fn best_rated(champion: u32, elo: &[EloRow]) -> String {
    let Some(own) = elo.iter().find(|row| row.generation == Some(champion)) else { return "it has no rating".into() };
    let best = elo.iter().filter(|row| row.generation.is_some()).max_by(|a, b| a.elo.total_cmp(&b.elo));
    let Some(EloRow { generation: Some(better), elo, .. }) = best.filter(|row| row.elo > own.elo) else {
        return "no generation is rated higher".into();
    };
    let place = if *elo <= own.elo_high { "within" } else { "above" };
    format!(
        "generation {better} is rated {} Elo higher, {place} the champion's 95 % interval ({} to {})",
        number_text(elo - own.elo, 0),
        number_text(own.elo_low, 0),
        number_text(own.elo_high, 0)
    )
}
