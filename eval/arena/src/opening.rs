//! Random, balanced openings, so that deterministic players do not play the same game again and again.

use crate::error::ArenaError;
use std::collections::HashSet;
use std::fmt;

use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::tactics::{HEURISTIC_LIMIT, REMOTE_HINT};
use selfplay_env::{Action, Position};

use selfplay_players::alphabeta::{AlphaBetaConfig, AlphaBetaLimits};
use selfplay_players::playable::Playable;

/// Random candidates for each opening, of which the most even one is kept.
const CANDIDATES: usize = 4;

/// Candidates without a usable one after which the game is taken to have no more openings.
const FRUITLESS_CANDIDATES: usize = 500;

/// How deep and how far candidates are looked into; depth 1 is always finished. So many nodes finish depth 2 in all games
/// but Pente on the greater boards, where all candidates would cost seconds.
const BALANCE_DEPTH: u32 = 2;
const BALANCE_NODES: u64 = 6000;

/// One opening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The moves from the initial position.
    pub actions: Vec<Action>,
    /// What alpha-beta thinks of the position reached, for its side to move; 0 is even.
    pub score: i32,
}

/// A list of openings that is drawn as far as it is asked for; a function of its length in plies and its seed.
///
/// Each opening is the most even, by alpha-beta of depth 2 within a fixed number of nodes, of a few candidates of uniformly random distinct actions, those left
/// out that the game finds [pointless](REMOTE_HINT).
/// An opening never ends the game nor reaches a position whose result alpha-beta can tell, and it never ends in the
/// middle of a turn: it continues until [`Game::starts_turn`](selfplay_env::Game::starts_turn), so it can be a little
/// longer than asked for. No two of them reach the same position (by its hash) as long as the game has enough; where it
/// has not, the list begins again from its start. The first openings do not depend on how many are drawn.
///
/// Shown, it is a table: one opening a line, the score before its moves.
#[derive(Clone)]
pub struct OpeningSuite {
    game: &'static dyn Playable,
    plies: usize,
    seed: u64,
    openings: Vec<Opening>,
    reached: HashSet<u64>,
    /// How many different openings there are, once that is known.
    distinct: Option<usize>,
}

impl OpeningSuite {
    /// The suite of openings of `plies` plies of `game`; none is drawn yet.
    pub fn new(game: &'static dyn Playable, plies: usize, seed: u64) -> Self {
        let (openings, reached) = (Vec::new(), HashSet::new());
        OpeningSuite { game, plies, seed, openings, reached, distinct: None }
    }

    /// The first `count` openings.
    ///
    /// # Errors
    /// [`ArenaError::NoOpening`] if games end or are decided before so many plies.
    pub fn draw(&mut self, count: usize) -> Result<&[Opening], ArenaError> {
        while self.openings.len() < count {
            let next = match self.distinct {
                Some(distinct) => self.openings[self.openings.len() - distinct].clone(),
                None => match self.find_next() {
                    Some(opening) => opening,
                    None if self.openings.is_empty() => {
                        return Err(ArenaError::NoOpening { game: self.game.id(), plies: self.plies });
                    }
                    None => {
                        self.distinct = Some(self.openings.len());
                        continue;
                    }
                },
            };
            self.openings.push(next);
        }
        Ok(&self.openings[..count])
    }

    /// The opening after those there are; `None` if there is none that is new.
    fn find_next(&mut self) -> Option<Opening> {
        let mut best: Option<(Opening, u64)> = None;
        for candidate in 0..FRUITLESS_CANDIDATES {
            if candidate >= CANDIDATES && best.is_some() {
                break;
            }
            let seed_parts = [self.seed, self.openings.len() as u64, candidate as u64];
            let Some((actions, position)) = random_opening(self.game, self.plies, &seed_parts) else { continue };
            let hash = position.position_hash();
            if self.reached.contains(&hash) {
                continue;
            }
            let Some(score) = balance(self.game, &*position) else { continue };
            if best.as_ref().is_none_or(|(opening, _)| score.abs() < opening.score.abs()) {
                best = Some((Opening { actions, score }, hash));
            }
        }
        let (opening, hash) = best?;
        self.reached.insert(hash);
        Some(opening)
    }
}

/// Random moves, none of them one that the game finds pointless if it has others, and the running position after them, or `None` if the game ends on the way.
fn random_opening(game: &dyn Playable, plies: usize, seed_parts: &[u64]) -> Option<(Vec<Action>, Box<dyn Position>)> {
    let mut rng = rng_for(seed_parts);
    let mut position = game.initial();
    let mut opening = Vec::with_capacity(plies);
    let (mut actions, mut hints) = (Vec::new(), Vec::new());
    while opening.len() < plies || !position.starts_turn() {
        position.distinct_actions(&mut actions);
        if actions.is_empty() {
            return None;
        }
        position.hints(&actions, &mut hints);
        let sensible: Vec<Action> =
            actions.iter().zip(&hints).filter(|(_, hint)| **hint > REMOTE_HINT).map(|(&action, _)| action).collect();
        let choice = if sensible.is_empty() { &actions } else { &sensible };
        let action = choice[rng.random_range(0..choice.len())];
        position.play(action);
        opening.push(action);
    }
    position.outcome().is_none().then_some((opening, position))
}

/// The score of a running position for its side to move, or `None` if its result is certain.
fn balance(game: &dyn Playable, position: &dyn Position) -> Option<i32> {
    if position.settled_outcome().is_some() {
        return None;
    }
    let limits = AlphaBetaLimits { nodes: Some(BALANCE_NODES), ..AlphaBetaLimits::depth(BALANCE_DEPTH) };
    let config = AlphaBetaConfig { memory_mib: 1, ..AlphaBetaConfig::exact(limits) };
    let score =
        game.alpha_beta(position, &config, &mut |_| ()).expect("the limits are in range and 1 MiB is there").score;
    (score.abs() < HEURISTIC_LIMIT).then_some(score)
}

impl fmt::Display for OpeningSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Opening { actions, score } in &self.openings {
            writeln!(f, "{score:>+6}  {}", self.game.format_line(actions))?;
        }
        Ok(())
    }
}
