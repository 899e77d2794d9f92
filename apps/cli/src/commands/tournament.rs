//! `tournament`: many players, pairing by pairing.

use std::io::Write;

use selfplay_arena::{TournamentConfig, TournamentFormat, play_tournament};
use selfplay_registry::Games;

use crate::args::{FormatArg, TournamentArgs};
use crate::contest::{LiveTable, games_file, match_config, participants, setting};
use crate::error::CliError;
use crate::interrupt::say_when_interrupted;
use selfplay_pipeline::Agents;

/// Plays the tournament and prints its cross table.
///
/// # Errors
/// If the game, a player or an option is wrong, the file of games belongs to another contest, or the output cannot be written.
pub fn play(args: &TournamentArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let format = match args.format {
        FormatArg::RoundRobin => TournamentFormat::RoundRobin,
        FormatArg::Gauntlet => TournamentFormat::Gauntlet,
        FormatArg::Elimination => TournamentFormat::Elimination,
    };
    let config = TournamentConfig { format, pairing: match_config(&args.contest, args.games)? };
    let game = games.find(&args.game)?;
    let specs = args.specs.iter().map(|spec| games.players().parse(spec)).collect::<Result<Vec<_>, _>>()?;
    let agents = Agents::for_many_games(args.contest.machine.machine());
    let participants = participants(game, &specs, &agents)?;
    let names: Vec<&str> = participants.iter().map(|participant| participant.name()).collect();
    let title = format!("tournament of {}", names.join(" "));
    let path = games_file(&args.contest, game.id(), &title, &config, &participants)?;
    say_when_interrupted("finished games are saved; run the same command to resume");
    let mut live = LiveTable::new("tournament", most_games(&config, specs.len()), None);
    let setting = setting(&args.contest.machine, &specs, None);
    let report = play_tournament(game, &participants, &config, &setting, Some(&path), &mut live)?;
    let played_before = report.games - live.new_games;
    drop(live);
    if args.contest.json {
        writeln!(out, "{}", serde_json::to_string(&report).expect("plain data"))?;
        return Ok(());
    }
    write!(out, "{}", report.text())?;
    writeln!(out, "won by {}", report.winners().join(", "))?;
    writeln!(out, "{} games in {}", report.games, path.display())?;
    if played_before > 0 {
        writeln!(out, "{played_before} of them were played earlier; delete the file to play new ones")?;
    }
    Ok(())
}

/// Games of the tournament; in an elimination it is not known before how many fewer they are.
fn most_games(config: &TournamentConfig, players: usize) -> usize {
    let pairings = match config.format {
        TournamentFormat::Gauntlet => players.saturating_sub(1),
        TournamentFormat::RoundRobin | TournamentFormat::Elimination => players * players.saturating_sub(1) / 2,
    };
    2 * config.pairing.pairs * pairings
}
