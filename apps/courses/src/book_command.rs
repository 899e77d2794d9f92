//! `book`: a player's moves in the first positions of a game, written down.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use selfplay::{Agents, CliError, Games, MachineArgs, PhaseBar, check_folder, game_id};
use selfplay_players::build_player;

use crate::book_builder::{BookConfig, BookPlay, build_book};

/// Who plays the games of a book.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BookPlayArg {
    /// All moves are random.
    Random,
    /// The player against random moves.
    Own,
}

/// Arguments of `book`.
#[derive(Args, Debug)]
pub struct BookArgs {
    /// Id of the game (see `selfplay games`), or a Python file with one.
    #[arg(value_parser = game_id)]
    pub game: String,
    /// The player whose moves are written down, such as alphabeta:depth=5.
    pub spec: String,
    /// Write the book to this file.
    pub file: PathBuf,
    /// Replace an existing file.
    #[arg(long)]
    pub force: bool,
    /// Depth of the book in plies.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub plies: u32,
    /// Number of games that generate the book's positions.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub games: u32,
    /// Moves of these games.
    #[arg(long, value_enum, default_value_t = BookPlayArg::Own)]
    pub play: BookPlayArg,
    /// Seed of the player's random choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

/// Writes the book.
///
/// # Errors
/// If the game or the player is wrong, or the file is there already, or it or the output cannot be written.
pub fn write(args: &BookArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    if !args.force && args.file.symlink_metadata().is_ok() {
        return Err(CliError::FileExists { path: args.file.clone() });
    }
    check_folder(&args.file)?;
    args.machine.start_threads();
    let spec = games.players().parse(&args.spec)?;
    let mut player = build_player(game, &spec, &Agents::for_one_game(args.machine.machine()))?;
    let config = BookConfig {
        plies: args.plies as usize,
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
