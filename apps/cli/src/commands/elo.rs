//! `elo`: a rating table over files of results.

use std::fs;
use std::io::Write;
use std::path::Path;

use selfplay_arena::{EloReport, Results, pgn};
use selfplay_notebooks_export::files::write_file;
use selfplay_notebooks_export::plots::RatedName;
use selfplay_notebooks_export::write_rating_plot;
use selfplay_ratings::{Anchor, RatingConfig};
use selfplay_registry::Games;

use crate::args::EloArgs;
use crate::error::CliError;
use crate::wrapped_stdout::stdout_width;

/// Characters in a line where there is no terminal to ask.
const USUAL_WIDTH: usize = 100;

/// Rates the players and writes what is asked for.
///
/// # Errors
/// If a file is missing, damaged or about another game, a game in it cannot have been played so, no games connect the
/// players, the anchor has none, or a file or the output cannot be written.
pub fn rate(args: &EloArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let results = read(args)?;
    // Games that this program does not know are believed.
    for file in results.games() {
        games.find(&file.header.game).map_or(Ok(()), |game| file.check_by(game))?;
    }
    for warning in results.warnings() {
        tracing::warn!("{warning}");
    }
    if let Some(path) = &args.pgn {
        if results.games().is_empty() {
            return Err(CliError::NoGames { path: args.files[0].clone() });
        }
        write_file(path, pgn(results.games()).as_bytes())?;
    }
    let config = RatingConfig {
        samples: args.samples as usize,
        seed: args.seed,
        min_pairs: args.min_pairs,
        ..RatingConfig::with_anchor(Anchor::Mean)
    };
    let report = EloReport::rate(&results, args.anchor.as_deref(), &config)?;
    if let Some(path) = &args.csv {
        write_file(path, report.csv().as_bytes())?;
    }
    if let Some(path) = &args.plot {
        let names =
            report.players.iter().map(|line| RatedName::new(&line.player, line.elo, line.elo_low, line.elo_high));
        let names: Vec<RatedName<'_>> = names.collect();
        let heading = format!("Ratings over {} games, {}", report.games, report.game.as_deref().unwrap_or("any game"));
        write_rating_plot(path, &heading, &names)?;
    }
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report).expect("plain data"))?;
        return Ok(());
    }
    write!(out, "{}", report.text(stdout_width().unwrap_or(USUAL_WIDTH)))?;
    for path in args.csv.iter().chain(&args.plot).chain(&args.pgn) {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

/// All files; where there are several runs' tables, generations have their runs' folders before their names.
fn read(args: &EloArgs) -> Result<Results, CliError> {
    let is_table = |path: &&Path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let paths = || args.files.iter().map(|path| path.as_path());
    let tables = paths().filter(is_table).count();
    let mut results = Results::default();
    for path in paths() {
        if !is_table(&path) {
            results.add_games(path)?;
            continue;
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = |player: &str| {
            if tables > 1 && is_generation(player) {
                folder.join(player).display().to_string()
            } else {
                player.to_owned()
            }
        };
        results.add_matches(path, game_of(folder).as_deref(), &name)?;
    }
    Ok(results)
}

/// Whether this is a name that [`agent_name`](selfplay_pipeline::agent_name) gives: runs share these names, not the players.
fn is_generation(player: &str) -> bool {
    let number = player.strip_prefix("gen-").and_then(|number| number.parse::<u32>().ok());
    number.is_some_and(|number| selfplay_pipeline::phase::agent_name(number) == player)
}

/// Id of the game of the run in `folder`, if its config is there.
fn game_of(folder: &Path) -> Option<String> {
    let config: toml::Table = fs::read_to_string(folder.join("config.toml")).ok()?.parse().ok()?;
    Some(config.get("game")?.as_str()?.to_owned())
}
