//! Positions of a run's newest games that show something: where the search changed the network's mind, where it was wrong,
//! and what it proved.

use selfplay_env::{Action, Outcome, Rules, Side};
use selfplay_notebooks_export::SamplePosition;
use selfplay_train::shard::read_shard;
use selfplay_train::{GameRecord, SearchTarget};

use crate::phase::Phase;
use crate::run_folder::RunFolder;

/// Moves of a position that are reported.
const TOLD_MOVES: usize = 4;
/// Actions of a game that are reported with a position, at most; those before are in the board.
const LISTED_PLIES: usize = 12;

/// How much a position is worth showing; not at all for 0.
type Merit = fn(&StoredPosition<'_>) -> f32;

/// One position and why it is shown.
struct StoredPosition<'a> {
    game: &'a GameRecord,
    /// Actions before it.
    number: usize,
    side: Side,
    target: &'a SearchTarget,
}

/// At most three positions of different games of the newest generation whose games can be read.
pub fn sample_positions(run: &RunFolder, rules: &dyn Rules) -> Vec<SamplePosition> {
    let is_played = |&generation: &u32| run.phase_path(generation, Phase::SelfPlay).exists();
    let played: Vec<u32> = (1..).take_while(is_played).collect();
    let read = |&generation: &u32| Some((generation, read_shard(&run.shard(generation)).ok()?));
    let Some((generation, (header, games))) = played.iter().rev().find_map(read) else { return Vec::new() };
    let fits = header.game == rules.id() && header.encoding_version == rules.shape().encoding_version;
    let games = games.iter().filter(|game| fits && game.agrees_with(rules));
    let positions: Vec<StoredPosition<'_>> = games.flat_map(|game| positions_of(rules, game)).collect();
    let criteria: [(&str, Merit); 3] = [
        ("largest difference between search and network", |found| found.target.surprise),
        ("largest error of the root value", misjudgement),
        ("earliest proven position", |found| match found.target.proven {
            Some(_) => 1.0 / (1.0 + found.number as f32),
            None => 0.0,
        }),
    ];
    let mut shown: Vec<u32> = Vec::new();
    let mut samples = Vec::new();
    for (reason, merit) in criteria {
        let others = positions.iter().filter(|found| !shown.contains(&found.game.game_number));
        let best = others.map(|found| (merit(found), found)).filter(|(merit, _)| *merit > 0.0);
        let Some((_, best)) = best.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        shown.push(best.game.game_number);
        samples.push(sample(rules, generation, reason, best));
    }
    samples
}

/// The positions of a game that were searched.
fn positions_of<'a>(rules: &dyn Rules, game: &'a GameRecord) -> Vec<StoredPosition<'a>> {
    let mut position = rules.initial();
    let mut positions = Vec::new();
    for (number, ply) in game.plies.iter().enumerate() {
        let side = position.side_to_move();
        positions.extend(ply.target.as_ref().map(|target| StoredPosition { game, number, side, target }));
        position.play(Action(ply.action));
    }
    positions
}

/// How far the expected score lies from the result, 0 to 1.
fn misjudgement(found: &StoredPosition<'_>) -> f32 {
    let wdl = found.target.wdl();
    let result = (f32::from(found.game.end.value_outcome().value_for(found.side)) + 1.0) / 2.0;
    (wdl.win + wdl.draw / 2.0 - result).abs()
}

fn sample(rules: &dyn Rules, generation: u32, reason: &str, found: &StoredPosition<'_>) -> SamplePosition {
    let StoredPosition { game, number, side, target } = *found;
    let plies: Vec<Action> = game.plies.iter().map(|ply| Action(ply.action)).collect();
    let position = rules.after(&plies[..number]);
    let sides = rules.side_names();
    let mover = sides[side.index()];
    let percent = |share: f32| format!("{:.0} %", 100.0 * share);
    let mut shares: Vec<(Action, f32)> = target.policy_shares().collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let liked: Vec<String> = shares
        .iter()
        .take(TOLD_MOVES)
        .map(|&(action, share)| format!("{} {}", rules.action_name(action), percent(share)))
        .collect();
    let wdl = target.wdl();
    let expected = match target.proven {
        Some(1) => format!("proven won for {mover}"),
        Some(0) => "proven drawn".to_owned(),
        Some(_) => format!("proven lost for {mover}"),
        None => format!("win {}, draw {}, loss {}", percent(wdl.win), percent(wdl.draw), percent(wdl.loss)),
    };
    let result = match game.end.value_outcome() {
        Outcome::Win(side) => format!("{} won", sides[side.index()]),
        Outcome::Draw => "it was drawn".to_owned(),
    };
    let next = &plies[number..plies.len().min(number + LISTED_PLIES)];
    SamplePosition {
        title: format!("Generation {generation}, game {}, after {number} moves: {reason}", game.game_number),
        board: position.board(),
        lines: vec![
            format!("{mover} to move. The search looked at {}.", liked.join(", ")),
            format!("It expected: {expected}; surprise {:.2} nats.", target.surprise),
            format!("Played: {}.", rules.format_line(next)),
            format!("In the end {result}, after {} moves.", plies.len()),
        ],
    }
}
