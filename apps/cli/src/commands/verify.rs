//! `verify`: a player against every line of play of the opponent.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use selfplay_arena::{VerificationConfig, VerificationReport};
use selfplay_players::build_player;
use selfplay_registry::Games;
use serde::Serialize;

use crate::args::VerifyArgs;
use crate::commands::rules::position_after;
use crate::error::CliError;
use crate::progress::PhaseBar;
use selfplay_pipeline::agents::{Agents, POSITIONS_AT_ONCE};

/// Lost games shown in the text output; the JSON output has more.
const SHOWN_LOSSES: usize = 10;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    player: String,
    games: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    /// Positions in which the player was asked.
    asked: u64,
    /// The first hundred games lost, moves separated by spaces.
    losses: Vec<String>,
}

/// Plays every game that the opponent can choose against the player, and prints the results.
///
/// # Errors
/// If the game, the player or a move is wrong, the game is over, or the output cannot be written.
pub fn verify(args: &VerifyArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let spec = games.players().parse(&args.spec)?;
    let (position, after) = position_after(game, &args.actions)?;
    if position.outcome().is_some() {
        return Err(CliError::GameOver);
    }
    let agents = Agents::for_many_games(args.machine.machine());
    let name = build_player(game, &spec, &agents)?.name();
    let config = VerificationConfig { side: args.side.into(), after, seed: args.seed, at_once: POSITIONS_AT_ONCE };
    let bar = PhaseBar::spinner("verifying");
    let (played, lost) = (AtomicU64::new(0), AtomicU64::new(0));
    let report = VerificationReport::run(
        game,
        || build_player(game, &spec, &agents),
        &config,
        |share| {
            let games = played.fetch_add(share.games(), Ordering::Relaxed) + share.games();
            let lost = lost.fetch_add(share.lost, Ordering::Relaxed) + share.lost;
            bar.say(format!("{games} games, {lost} lost"));
        },
    )?;
    drop(bar);
    let VerificationReport { won, drawn, lost, asked, .. } = report;
    let games = report.games();
    let losses = report.losses.iter().map(|loss| game.format_line(loss));
    if args.json {
        let report = Report { player: name, games, won, drawn, lost, asked, losses: losses.collect() };
        writeln!(out, "{}", serde_json::to_string(&report).expect("plain data"))?;
        return Ok(());
    }
    writeln!(out, "{name}")?;
    writeln!(out, "{games} games: {won} won, {drawn} drawn, {lost} lost; {asked} positions evaluated")?;
    for loss in losses.take(SHOWN_LOSSES) {
        writeln!(out, "lost: {loss}")?;
    }
    Ok(())
}
