//! `gtp`: a player that other programs talk to.

use std::io::{Write, stdin};

use selfplay_env::{GameVisitor, PlayableGame, with_game};
use selfplay_eval::{PlayerSpec, build_player};
use selfplay_play::serve_gtp;

use crate::agents::Agents;
use crate::args::GtpArgs;
use crate::error::CliError;

/// Answers commands until `quit` or the end of the input.
///
/// # Errors
/// If the game or the player is wrong, or input or output refuse.
pub fn speak(args: &GtpArgs, out: &mut dyn Write) -> Result<(), CliError> {
    struct Speak<'a>(&'a GtpArgs, &'a mut dyn Write);
    impl GameVisitor for Speak<'_> {
        type Output = Result<(), CliError>;

        fn visit<G: PlayableGame>(self) -> Self::Output {
            let Speak(args, mut out) = self;
            let spec: PlayerSpec = args.spec.parse()?;
            let mut player = build_player::<G, _>(&spec, &Agents::for_one_game(&args.machine))?;
            serve_gtp(player.as_mut(), args.seed, &mut stdin().lock(), &mut out)?;
            Ok(())
        }
    }
    with_game(&args.game, Speak(args, out))?
}
