//! `show`, `perft`, `replay`, `random-games`: the rules by themselves.

use std::fs;
use std::io::Write;

use selfplay_env::game_text::result_mark;
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Position, Rules};
use selfplay_registry::Games;
use serde::Serialize;

use crate::args::{PerftArgs, PositionArgs, RandomGamesArgs, ReplayArgs};
use crate::error::CliError;

/// A random game that has not ended by then is printed as unfinished.
const MAX_PLIES: usize = 10_000;

/// The position after `moves`, given in the game's notation.
///
/// # Errors
/// The first move that cannot be read or is not legal.
pub fn position_after(rules: &dyn Rules, actions: &[String]) -> Result<(Box<dyn Position>, Vec<Action>), CliError> {
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    Ok(rules.play_line(&actions)?)
}

/// What `show --json` prints: a position as networks see it.
#[derive(Serialize)]
struct Shown {
    /// Side to move, 0 for the first player.
    side: usize,
    /// 1 the first player has won, 2 the second, 0 drawn, * running.
    result: &'static str,
    /// `[planes, height, width]`
    shape: [usize; 3],
    /// The encoded position, from the side to move's view, row-major.
    planes: Vec<f32>,
    /// The distinct moves with their indices in the policy.
    moves: Vec<ShownMove>,
}

#[derive(Serialize)]
struct ShownMove {
    r#move: String,
    index: usize,
}

fn shown(position: &dyn Position) -> Shown {
    let (rules, shape) = (position.rules(), position.rules().shape());
    let mut planes = vec![0.0; shape.encoded_len()];
    position.encode(&mut planes);
    let mut distinct = Vec::new();
    position.distinct_actions(&mut distinct);
    let shown_move = |action: Action| ShownMove { r#move: rules.action_name(action), index: action.index() };
    Shown {
        side: position.side_to_move().index(),
        result: result_mark(position.outcome()),
        shape: [shape.planes, shape.height, shape.width],
        planes,
        moves: distinct.into_iter().map(shown_move).collect(),
    }
}

/// Draws a position, or prints it as networks see it.
///
/// # Errors
/// If the game or a move is wrong, or the output cannot be written.
pub fn show(args: &PositionArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let (position, _) = position_after(game, &args.actions)?;
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&shown(&*position)).expect("plain data"))?;
        return Ok(());
    }
    write!(out, "{}", position.board())?;
    if let Some(outcome) = position.outcome() {
        writeln!(out, "game over: {}", outcome.in_words(game.side_names()))?;
        return Ok(());
    }
    let (mut legal, mut distinct) = (Vec::new(), Vec::new());
    position.legal_actions(&mut legal);
    position.distinct_actions(&mut distinct);
    let side = game.side_names()[position.side_to_move().index()];
    writeln!(out, "{side} to move, {} legal moves, {} distinct:", legal.len(), distinct.len())?;
    writeln!(out, "{}", game.format_line(&distinct))?;
    Ok(())
}

/// Prints `nodes N first A second B draw C`.
///
/// # Errors
/// If the game or a move is wrong, or the output cannot be written.
pub fn perft(args: &PerftArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let (position, _) = position_after(game, &args.actions)?;
    let found = position.perft(args.depth.into());
    writeln!(out, "nodes {} first {} second {} draw {}", found.nodes, found.first, found.second, found.draw)?;
    Ok(())
}

/// Prints `N agree, M disagree`, and the first wrong move of every game that disagrees.
///
/// # Errors
/// If the file cannot be read or any game disagrees.
pub fn replay(args: &ReplayArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let text = fs::read_to_string(&args.file).map_err(CliError::io(&args.file))?;
    let (mut games, mut disagreements) = (0, 0);
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        games += 1;
        if let Err(disagreement) = game.replay_line(line) {
            disagreements += 1;
            writeln!(out, "{}:{}: {disagreement}", args.file.display(), index + 1)?;
        }
    }
    if games == 0 {
        return Err(CliError::NoGames { path: args.file.clone() });
    }
    writeln!(out, "{} agree, {disagreements} disagree", games - disagreements)?;
    if disagreements > 0 {
        return Err(CliError::Disagreements { game: game.id(), disagreements, games });
    }
    Ok(())
}

/// Prints random games in the format that `replay` reads.
///
/// # Errors
/// If the game is unknown or the output cannot be written.
pub fn random_games(args: &RandomGamesArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    for number in 0..args.count {
        let mut position = game.initial();
        let mut rng = rng_for(&[args.seed, number]);
        let actions = position.play_random(MAX_PLIES, &mut rng);
        writeln!(out, "{}", game.format_game(&actions, position.outcome()))?;
    }
    Ok(())
}
