//! `show`, `perft`, `replay`, `random-games`: the rules by themselves.

use std::fs;
use std::io::Write;

use selfplay_env::encoding::encoding_of;
use selfplay_env::game_text::{format_game, format_line, play_line, replay_line, result_mark};
use selfplay_env::perft::perft as count;
use selfplay_env::random_play::play_random;
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, GameVisitor, PlayableGame, with_game};
use serde::Serialize;

use crate::args::{PerftArgs, PositionArgs, RandomGamesArgs, ReplayArgs};
use crate::error::CliError;

/// A random game that has not ended by then is printed as unfinished.
const MAX_RANDOM_DECISIONS: usize = 10_000;

/// The position after `decisions`, given in the game's notation.
///
/// # Errors
/// The first decision that cannot be read or is not legal.
pub fn position_after<G: PlayableGame>(decisions: &[String]) -> Result<(G, Vec<Action>), CliError> {
    let decisions: Vec<&str> = decisions.iter().map(String::as_str).collect();
    Ok(play_line::<G>(&decisions)?)
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
    /// The distinct decisions with their indices in the policy.
    decisions: Vec<ShownDecision>,
}

#[derive(Serialize)]
struct ShownDecision {
    r#move: String,
    index: usize,
}

fn shown<G: PlayableGame>(position: &G) -> Shown {
    let mut distinct = Vec::new();
    position.distinct_actions(&mut distinct);
    let decision = |action: Action| ShownDecision { r#move: G::action_name(action), index: action.index() };
    Shown {
        side: position.side_to_move().index(),
        result: result_mark(position.outcome()),
        shape: [G::PLANES, G::HEIGHT, G::WIDTH],
        planes: encoding_of(position),
        decisions: distinct.into_iter().map(decision).collect(),
    }
}

/// Draws a position, or prints it as networks see it.
///
/// # Errors
/// If the game or a decision is wrong, or the output refuses.
pub fn show(args: &PositionArgs, out: &mut dyn Write) -> Result<(), CliError> {
    struct Show<'a>(&'a PositionArgs, &'a mut dyn Write);
    impl GameVisitor for Show<'_> {
        type Output = Result<(), CliError>;

        fn visit<G: PlayableGame>(self) -> Self::Output {
            let Show(args, out) = self;
            let (position, _) = position_after::<G>(&args.decisions)?;
            if args.json {
                writeln!(out, "{}", serde_json::to_string(&shown(&position)).expect("plain data"))?;
                return Ok(());
            }
            write!(out, "{}", position.board())?;
            if let Some(outcome) = position.outcome() {
                writeln!(out, "game over: = {}", result_mark(Some(outcome)))?;
                return Ok(());
            }
            let (mut legal, mut distinct) = (Vec::new(), Vec::new());
            position.legal_actions(&mut legal);
            position.distinct_actions(&mut distinct);
            let side = G::SIDE_NAMES[position.side_to_move().index()];
            writeln!(out, "{side} to move, {} legal decisions, {} distinct:", legal.len(), distinct.len())?;
            writeln!(out, "{}", format_line::<G>(&distinct))?;
            Ok(())
        }
    }
    with_game(&args.game, Show(args, out))?
}

/// Prints `nodes N first A second B draw C`.
///
/// # Errors
/// If the game or a decision is wrong, or the output refuses.
pub fn perft(args: &PerftArgs, out: &mut dyn Write) -> Result<(), CliError> {
    struct Perft<'a>(&'a PerftArgs, &'a mut dyn Write);
    impl GameVisitor for Perft<'_> {
        type Output = Result<(), CliError>;

        fn visit<G: PlayableGame>(self) -> Self::Output {
            let Perft(args, out) = self;
            let (position, _) = position_after::<G>(&args.decisions)?;
            let found = count(&position, args.depth.into());
            writeln!(out, "nodes {} first {} second {} draw {}", found.nodes, found.first, found.second, found.draw)?;
            Ok(())
        }
    }
    with_game(&args.game, Perft(args, out))?
}

/// Prints `N agree, M disagree`, and the first wrong decision of every game that disagrees.
///
/// # Errors
/// If the file cannot be read or any game disagrees.
pub fn replay(args: &ReplayArgs, out: &mut dyn Write) -> Result<(), CliError> {
    struct Replay<'a>(&'a ReplayArgs, &'a mut dyn Write);
    impl GameVisitor for Replay<'_> {
        type Output = Result<(), CliError>;

        fn visit<G: PlayableGame>(self) -> Self::Output {
            let Replay(args, out) = self;
            let text = fs::read_to_string(&args.file).map_err(CliError::io(&args.file))?;
            let (mut games, mut disagreements) = (0, 0);
            for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                games += 1;
                if let Err(disagreement) = replay_line::<G>(line) {
                    disagreements += 1;
                    writeln!(out, "{}:{}: {disagreement}", args.file.display(), index + 1)?;
                }
            }
            if games == 0 {
                return Err(CliError::NoGames { path: args.file.clone() });
            }
            writeln!(out, "{} agree, {disagreements} disagree", games - disagreements)?;
            if disagreements > 0 {
                return Err(CliError::Disagreements { game: G::ID, disagreements, games });
            }
            Ok(())
        }
    }
    with_game(&args.game, Replay(args, out))?
}

/// Prints random games in the format that `replay` reads.
///
/// # Errors
/// If the game is unknown or the output refuses.
pub fn random_games(args: &RandomGamesArgs, out: &mut dyn Write) -> Result<(), CliError> {
    struct RandomGames<'a>(&'a RandomGamesArgs, &'a mut dyn Write);
    impl GameVisitor for RandomGames<'_> {
        type Output = Result<(), CliError>;

        fn visit<G: PlayableGame>(self) -> Self::Output {
            let RandomGames(args, out) = self;
            for number in 0..args.count {
                let mut position = G::initial();
                let mut rng = rng_for(&[args.seed, number]);
                let decisions = play_random(&mut position, MAX_RANDOM_DECISIONS, &mut rng);
                writeln!(out, "{}", format_game::<G>(&decisions, position.outcome()))?;
            }
            Ok(())
        }
    }
    with_game(&args.game, RandomGames(args, out))?
}
