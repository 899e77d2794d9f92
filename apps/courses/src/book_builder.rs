//! Making a book: a player is asked for the best move of every position that the first moves of games lead to.

use selfplay_config::{InvalidKey, check};
use selfplay_env::rng::{RngExt, derive_seed, rng_for};
use selfplay_env::{Action, Position, Rules, Side};

use super::book::Book;
use selfplay_players::EvalError;
use selfplay_players::{MoveRequest, Player};

/// What the seeds are for.
const PLAYER: u64 = 0;
const OTHER: u64 = 1;

/// Who plays the games that lead to a book's positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BookPlay {
    /// All moves are random.
    Random,
    /// The player's own moves against random ones: the first player's in even games, the second player's in odd ones.
    Own,
}

/// Which positions a book holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookConfig {
    /// Moves of each game, at least 1: the positions before them are the book's.
    pub plies: usize,
    /// Games, at least 1. Most of them lead to positions that are in the book by then.
    pub games: usize,
    /// Who plays them.
    pub play: BookPlay,
    /// Decides the random moves and the player's choices.
    pub seed: u64,
}

impl BookConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        check(self.plies >= 1, "plies", self.plies as f64, "at least 1")?;
        check(self.games >= 1, "games", self.games as f64, "at least 1")
    }
}

/// A book of the game of `rules`, of the moves that `player` makes in the positions that `config` describes, each position asked for once.
/// `progress` is called after every game, with the number of games played and the book so far.
///
/// With [`BookPlay::Own`] the book holds only positions where the player is to decide.
///
/// # Errors
/// A wrong `config`; what the player's moves give; [`EvalError::IllegalMove`] if it makes an illegal one.
pub fn build_book(
    rules: &'static dyn Rules,
    player: &mut dyn Player,
    config: &BookConfig,
    mut progress: impl FnMut(usize, &Book),
) -> Result<Book, EvalError> {
    config.validate()?;
    let mut book = Book::new(rules);
    for game in 0..config.games {
        play_game(rules, player, config, game, &mut book)?;
        player.end_game(game);
        progress(game + 1, &book);
    }
    Ok(book)
}

/// Plays one game and adds its positions.
fn play_game(
    rules: &dyn Rules,
    player: &mut dyn Player,
    config: &BookConfig,
    game: usize,
    book: &mut Book,
) -> Result<(), EvalError> {
    let own_side = Side::BOTH[game % 2];
    let mut rng = rng_for(&[config.seed, OTHER, game as u64]);
    let mut position = rules.initial();
    let mut history: Vec<Action> = Vec::new();
    let mut distinct = Vec::new();
    player.new_game(game, derive_seed(&[config.seed, PLAYER, game as u64]));
    while history.len() < config.plies && position.outcome().is_none() {
        let is_own = position.side_to_move() == own_side;
        let best = match config.play {
            BookPlay::Own if !is_own => None,
            _ => Some(book_move(player, game, &*position, &history, book)?),
        };
        let action = match (config.play, best) {
            (BookPlay::Own, Some(best)) => best,
            _ => {
                position.distinct_actions(&mut distinct);
                distinct[rng.random_range(0..distinct.len())]
            }
        };
        position.play(action);
        history.push(action);
    }
    Ok(())
}

/// The best move of the position, from the book or else from the player, and then in the book.
fn book_move(
    player: &mut dyn Player,
    table: usize,
    position: &dyn Position,
    history: &[Action],
    book: &mut Book,
) -> Result<Action, EvalError> {
    if let Some(best) = book.best(position) {
        return Ok(best);
    }
    let best = player.choose(&MoveRequest { table, position, history, time_left: None })?.action;
    position.boxed().try_play(best).map_err(|source| EvalError::IllegalMove {
        player: player.name(),
        table,
        move_number: history.len() + 1,
        source,
    })?;
    let best = position.canonical_action(best);
    // Refused only where another position has the same hash; that one keeps its place.
    let _ = book.insert(history.to_vec(), best);
    Ok(best)
}
