//! `gtp`: a player that other programs talk to.

use std::io::{Write, stdin};

use selfplay_frontends::serve_gtp;
use selfplay_players::build_player;
use selfplay_registry::Games;

use crate::args::GtpArgs;
use crate::error::CliError;
use selfplay_pipeline::Agents;

/// Answers commands until `quit` or the end of the input.
///
/// # Errors
/// If the game or the player is wrong, or input or output fails.
pub fn speak(args: &GtpArgs, games: &Games, mut out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let spec = games.players().parse(&args.spec)?;
    let mut player = build_player(game, &spec, &Agents::for_one_game(args.machine.machine()))?;
    serve_gtp(game, player.as_mut(), args.seed, &mut stdin().lock(), &mut out)?;
    Ok(())
}
