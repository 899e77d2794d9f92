//! `games`: what there is to play.

use std::io::Write;

use selfplay_env::registry::GAME_IDS;
use selfplay_env::{GameVisitor, PlayableGame, PolicyShape, with_game};
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
    max_decisions: Option<usize>,
    encoding_version: u32,
}

struct Describe;

impl GameVisitor for Describe {
    type Output = GameRow;

    fn visit<G: PlayableGame>(self) -> GameRow {
        GameRow {
            id: G::ID,
            title: G::TITLE,
            sides: G::SIDE_NAMES,
            actions: G::ACTION_COUNT,
            policy_planes: match G::POLICY {
                PolicyShape::Planes(planes) => Some(planes),
                PolicyShape::Dense => None,
            },
            planes: G::PLANES,
            height: G::HEIGHT,
            width: G::WIDTH,
            symmetries: G::SYMMETRIES.len(),
            max_decisions: G::MAX_DECISIONS,
            encoding_version: G::ENCODING_VERSION,
        }
    }
}

/// Prints the table of games.
///
/// # Errors
/// If the output refuses.
pub fn games(args: &GamesArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let rows = GAME_IDS.iter().map(|id| with_game(id, Describe)).collect::<Result<Vec<_>, _>>()?;
    if args.json {
        let text = serde_json::to_string_pretty(&rows).expect("rows are plain data");
        writeln!(out, "{text}")?;
        return Ok(());
    }
    writeln!(out, "{:<14}{:>8}{:>12}{:>12}{:>15}  title", "id", "actions", "planes", "symmetries", "max decisions")?;
    for row in rows {
        let planes = format!("{}×{}×{}", row.planes, row.height, row.width);
        let longest = row.max_decisions.map_or("–".into(), |n| n.to_string());
        writeln!(
            out,
            "{:<14}{:>8}{:>12}{:>12}{:>15}  {}",
            row.id, row.actions, planes, row.symmetries, longest, row.title
        )?;
    }
    Ok(())
}
