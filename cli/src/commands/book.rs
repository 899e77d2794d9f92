//! `book`: a player's decisions in the first positions of a game, written down.

use std::io::Write;

use selfplay_eval::baselines::{BookConfig, BookPlay, build_book};
use selfplay_eval::{PlayerSpec, build_player};
use selfplay_kit::Games;

use crate::agents::Agents;
use crate::args::{BookArgs, BookPlayArg};
use crate::error::CliError;
use crate::progress::PhaseBar;

/// Writes the book.
///
/// # Errors
/// If the game or the player is wrong, or the file or the output refuses.
pub fn write(args: &BookArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let spec: PlayerSpec = args.spec.parse()?;
    let mut player = build_player(game, &spec, &Agents::for_one_game(&args.machine))?;
    let config = BookConfig {
        decisions: args.decisions as usize,
        games: args.games as usize,
        play: match args.play {
            BookPlayArg::Random => BookPlay::Random,
            BookPlayArg::Own => BookPlay::Own,
        },
        seed: args.seed,
    };
    let bar = PhaseBar::new("book", u64::from(args.games), "games");
    let book = build_book(game, player.as_mut(), &config, |_, _| bar.tick())?;
    drop(bar);
    book.write(&args.file)?;
    writeln!(out, "{} positions in {}", book.entries().len(), args.file.display())?;
    Ok(())
}
