//! `games`: what there is to play.

use std::io::Write;

use selfplay_env::PolicyShape;
use selfplay_registry::{GameRef, Games};
use serde::Serialize;

use crate::args::GamesArgs;
use crate::error::CliError;

#[derive(Serialize)]
struct GameRow {
    id: &'static str,
    title: &'static str,
    sides: [&'static str; 2],
    actions: usize,
    policy_planes: Option<usize>,
    planes: usize,
    height: usize,
    width: usize,
    symmetries: usize,
    max_plies: Option<usize>,
    encoding_version: u32,
}

fn row(game: GameRef) -> GameRow {
    let shape = game.shape();
    GameRow {
        id: game.id(),
        title: game.title(),
        sides: game.side_names(),
        actions: shape.action_count,
        policy_planes: match shape.policy {
            PolicyShape::Planes(planes) => Some(planes),
            PolicyShape::Dense => None,
        },
        planes: shape.planes,
        height: shape.height,
        width: shape.width,
        symmetries: game.symmetries().len(),
        max_plies: game.max_plies(),
        encoding_version: shape.encoding_version,
    }
}

/// Prints the table of games.
///
/// # Errors
/// If the output cannot be written.
pub fn games(args: &GamesArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let rows: Vec<GameRow> = games.iter().map(row).collect();
    if args.json {
        let text = serde_json::to_string_pretty(&rows).expect("rows are plain data");
        writeln!(out, "{text}")?;
        return Ok(());
    }
    writeln!(out, "{:<18}{:>8}{:>12}{:>12}{:>15}  title", "id", "actions", "planes", "symmetries", "max plies")?;
    for row in rows {
        let planes = format!("{}×{}×{}", row.planes, row.height, row.width);
        let longest = row.max_plies.map_or("–".into(), |n| n.to_string());
        writeln!(
            out,
            "{:<18}{:>8}{:>12}{:>12}{:>15}  {}",
            row.id, row.actions, planes, row.symmetries, longest, row.title
        )?;
    }
    Ok(())
}
