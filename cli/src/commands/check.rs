//! `check`: whether a game keeps the laws that the program relies on, and where not.

use std::io::Write;
use std::panic::{set_hook, take_hook};

use selfplay_env::Rules;
use selfplay_env::laws::LawViolation;
use selfplay_kit::{GameRef, Games};

use crate::args::CheckArgs;
use crate::error::CliError;

/// Checks the game, or every game; a law that is broken is shown in the smallest position that was found.
///
/// # Errors
/// A game that there is not; a law that is broken; if the output refuses.
pub fn check(args: &CheckArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let checked: Vec<GameRef> = match &args.game {
        Some(id) => vec![games.find(id)?],
        None => games.iter().collect(),
    };
    for game in checked {
        // A panic of the rules is told as what it is: a law broken in some position.
        let hook = take_hook();
        set_hook(Box::new(|_| {}));
        let found = game.check_laws(args.games, args.decisions, args.seed);
        set_hook(hook);
        match found {
            Ok(()) => writeln!(out, "{} keeps every law in {} random games", game.id(), args.games)?,
            Err(violation) => {
                tell(game, &violation, out)?;
                return Err(CliError::BrokenLaw { game: game.id() });
            }
        }
    }
    Ok(())
}

fn tell(game: &dyn Rules, violation: &LawViolation, out: &mut dyn Write) -> Result<(), CliError> {
    let LawViolation { law, line, .. } = violation;
    writeln!(out, "{}\n", law.trim_end())?;
    let decisions: Vec<&str> = line.split_whitespace().collect();
    match game.play_line(&decisions) {
        Ok((position, _)) if decisions.is_empty() => {
            write!(out, "in the initial position:\n{}", position.board())?;
        }
        Ok((position, _)) => write!(out, "in the position after {line}:\n{}", position.board())?,
        // The notation or the rules themselves are what is wrong.
        Err(error) => writeln!(out, "after {line} ({error})")?,
    }
    Ok(())
}
