//! `play`: a person against a player, in the terminal.

use std::io::{Write, stdin, stdout};

use selfplay_frontends::{Style, TerminalSetting, play_terminal};
use selfplay_players::build_player;
use selfplay_registry::Games;

use crate::args::PlayArgs;
use crate::error::CliError;
use selfplay_pipeline::Agents;

/// Plays one game.
///
/// # Errors
/// If the game or the player is wrong, or input or output fails.
pub fn play(args: &PlayArgs, games: &Games, mut out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let spec = games.players().parse(&args.spec)?;
    let mut player = build_player(game, &spec, &Agents::for_one_game(args.machine.machine()))?;
    let setting = TerminalSetting { human: args.side.into(), seed: args.seed, style: Style::for_output(&stdout()) };
    play_terminal(game, player.as_mut(), setting, &mut stdin().lock(), &mut out)?;
    Ok(())
}
