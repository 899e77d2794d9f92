//! `play`: a person against a player, in the terminal.

use std::io::{Write, stdin, stdout};

use selfplay_env::{GameVisitor, PlayableGame, with_game};
use selfplay_eval::{PlayerSpec, build_player};
use selfplay_play::{Style, TerminalSetting, play_terminal};

use crate::agents::Agents;
use crate::args::PlayArgs;
use crate::error::CliError;

/// Plays one game.
///
/// # Errors
/// If the game or the player is wrong, or input or output refuse.
pub fn play(args: &PlayArgs, out: &mut dyn Write) -> Result<(), CliError> {
    struct Play<'a>(&'a PlayArgs, &'a mut dyn Write);
    impl GameVisitor for Play<'_> {
        type Output = Result<(), CliError>;

        fn visit<G: PlayableGame>(self) -> Self::Output {
            let Play(args, mut out) = self;
            let spec: PlayerSpec = args.spec.parse()?;
            let mut player = build_player::<G, _>(&spec, &Agents::for_one_game(&args.machine))?;
            let setting = TerminalSetting { human: args.side.into(), seed: args.seed, style: Style::of(&stdout()) };
            play_terminal(player.as_mut(), setting, &mut stdin().lock(), &mut out)?;
            Ok(())
        }
    }
    with_game(&args.game, Play(args, out))?
}
