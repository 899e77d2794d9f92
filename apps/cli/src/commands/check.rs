//! `check`: whether a game keeps the conformance checks that the program relies on, and where not.

use std::io::Write;
use std::panic::{set_hook, take_hook};

use selfplay_env::Rules;
use selfplay_env::conformance::RandomGames;
use selfplay_python_game::{check_python_game, file_of};
use selfplay_registry::{GameRef, Games};

use crate::args::CheckArgs;
use crate::commands::check_players::check_players;
use crate::error::CliError;

/// Checks the game, or every game; a failed check is shown in the smallest position that was found. With players,
/// checks these.
///
/// # Errors
/// A game or player that there is not; a failed check; an oversight; if the output cannot be written.
pub fn check(args: &CheckArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let checked: Vec<GameRef> = match &args.game {
        Some(id) => vec![games.find(id)?],
        None => games.iter().collect(),
    };
    if !args.player.is_empty() {
        return check_players(args, &checked, games.players(), out);
    }
    for game in checked {
        // A panic of the rules is told as what it is: a failed check in some position.
        let hook = take_hook();
        set_hook(Box::new(|_| {}));
        let own =
            if file_of(game.id()).is_some() { check_python_game(args.games, args.plies, args.seed) } else { Ok(()) };
        let found = own.and_then(|()| game.check_conformance(args.games, args.plies, args.seed));
        set_hook(hook);
        match found {
            Ok(played) => tell(game, &played, args.plies, out)?,
            Err(violation) => {
                let place = violation.place.map(|place| format!("\n{place}"));
                writeln!(
                    out,
                    "{}\n{}",
                    violation.failure.trim_end(),
                    place.unwrap_or_default().trim_end_matches('\n')
                )?;
                return Err(CliError::Violated { game: game.id() });
            }
        }
    }
    Ok(())
}

/// How the games went, and what no check forbids but few games mean.
fn tell(game: &dyn Rules, played: &RandomGames, most: usize, out: &mut dyn Write) -> Result<(), CliError> {
    let RandomGames { wins, draws, unfinished, lengths, actions } = played;
    let [first, second] = game.side_names();
    let (shortest, median, longest) = (lengths[0], lengths[lengths.len() / 2], lengths[lengths.len() - 1]);
    writeln!(out, "{} passes all conformance checks in {} random games", game.id(), lengths.len())?;
    writeln!(
        out,
        "  {first} won {}, {second} {}, drawn {draws}; {shortest} to {longest} plies, median {median}; \
         {first} moved {} times, {second} {}",
        wins[0], wins[1], actions[0], actions[1]
    )?;
    let mut note = |text: String| writeln!(out, "  note: {text}");
    if *unfinished > 0 {
        note(format!("{unfinished} games were not over at ply {most}"))?;
    }
    let finished = wins[0] + wins[1] + draws;
    if finished > 0 && *draws == finished {
        note("all games were drawn".into())?;
    }
    for side in [0, 1] {
        let (name, other) = (game.side_names()[side], game.side_names()[1 - side]);
        // Games of a single move tell nobody whether that is against the rules of the interface.
        if actions[side] == 0 {
            note(format!("{name} never moved: does `play` change the side to move?"))?;
        }
        if wins[side] == 0 && wins[1 - side] > 0 {
            note(format!("only {other} won games"))?;
        }
    }
    Ok(())
}
