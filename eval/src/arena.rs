//! Matches: game pairs between two players, from seeded openings, over all cores and with the same result on any.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use selfplay_env::rng::derive_seed;
use selfplay_env::{Action, Game, Outcome, Side};
use serde::{Deserialize, Serialize};

use crate::error::{EvalError, check};
use crate::opening::openings;
use crate::pair_counts::PairCounts;
use crate::player::{Choice, Player, Seat};

/// What the seeds of a match are for.
const OPENINGS: u64 = 0;
const GAMES: u64 = 1;

/// All openings of a match are drawn before it begins.
const MOST_PAIRS: usize = 1_000_000;

/// How a match is played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatchConfig {
    /// Game pairs, 1 to 1,000,000; the two games of a pair share their opening and swap colours. Default 50.
    pub pairs: usize,
    /// Random decisions before the players take over. Default 4.
    pub opening_decisions: usize,
    /// Decides openings and all random choices of the players. Default 0.
    pub seed: u64,
    /// Pairs played in lockstep by one pair of player objects, at least 1; the unit that threads share out. It decides
    /// the size of batches: a player has up to twice as many games to decide in at once. Default 8.
    pub pairs_per_chunk: usize,
    /// Decisions, opening included, after which a game is stopped and counts as a draw; above `opening_decisions`.
    /// Default 1000.
    pub max_decisions: usize,
}

impl Default for MatchConfig {
    fn default() -> Self {
        MatchConfig { pairs: 50, opening_decisions: 4, seed: 0, pairs_per_chunk: 8, max_decisions: 1000 }
    }
}

impl MatchConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`EvalError::OutOfRange`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), EvalError> {
        check((1..=MOST_PAIRS).contains(&self.pairs), "pairs", self.pairs as f64, "1 to 1,000,000")?;
        check(self.pairs_per_chunk >= 1, "pairs_per_chunk", self.pairs_per_chunk as f64, "at least 1")?;
        let is_longer = self.max_decisions > self.opening_decisions;
        check(is_longer, "max_decisions", self.max_decisions as f64, "more than `opening_decisions`")
    }
}

/// How far a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchProgress {
    /// Games finished.
    pub games_done: usize,
    /// Games of the match.
    pub games: usize,
}

/// One game of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameResult {
    /// Number of the pair, and of its opening.
    pub opening: usize,
    /// How many of `decisions` are the opening's.
    pub opening_len: usize,
    /// The side that player A had.
    pub a_side: Side,
    /// All decisions from the initial position, each as the canonical action of those with the same effect.
    pub decisions: Vec<Action>,
    /// The result; `None` if the game was stopped at `max_decisions`, which counts as a draw.
    pub outcome: Option<Outcome>,
}

impl GameResult {
    /// 1 if A won, 0 for a draw, −1 if A lost.
    pub fn a_value(&self) -> i8 {
        self.outcome.map_or(0, |outcome| outcome.value_for(self.a_side))
    }
}

/// All games of a match between the players A and B, pair by pair: in games `2i` and `2i + 1` pair `i` is played, first
/// with A as the first player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchReport {
    /// Name of player A.
    pub a: String,
    /// Name of player B.
    pub b: String,
    /// The games.
    pub games: Vec<GameResult>,
}

impl MatchReport {
    /// Games that A won.
    pub fn wins(&self) -> u32 {
        self.count(1)
    }

    /// Games drawn, those stopped included.
    pub fn draws(&self) -> u32 {
        self.count(0)
    }

    /// Games that A lost.
    pub fn losses(&self) -> u32 {
        self.count(-1)
    }

    fn count(&self, value: i8) -> u32 {
        self.games.iter().filter(|game| game.a_value() == value).count() as u32
    }

    /// Games stopped at `max_decisions`.
    pub fn capped(&self) -> u32 {
        self.games.iter().filter(|game| game.outcome.is_none()).count() as u32
    }

    /// The results pair by pair, from A's view.
    pub fn pair_counts(&self) -> PairCounts {
        let mut counts = PairCounts::default();
        for pair in self.games.chunks_exact(2) {
            counts.add_pair(pair[0].a_value(), pair[1].a_value());
        }
        counts
    }

    /// A's points per game in 0..=1.
    pub fn score(&self) -> f64 {
        self.pair_counts().score()
    }

    /// Share of games in 0..=1 whose decisions were all played in an earlier game of the match. Such games say nothing
    /// new, and every error bar is too small by them.
    pub fn duplicates(&self) -> f64 {
        let distinct: HashSet<&[Action]> = self.games.iter().map(|game| &game.decisions[..]).collect();
        self.share((self.games.len() - distinct.len()) as f64)
    }

    /// Points per game in 0..=1 of whoever had the first move.
    pub fn first_player_share(&self) -> f64 {
        let values = self.games.iter().map(|game| game.outcome.map_or(0, |outcome| outcome.value_for(Side::First)));
        self.share(values.map(|value| f64::from(value + 1) / 2.0).sum())
    }

    fn share(&self, part: f64) -> f64 {
        part / self.games.len().max(1) as f64
    }
}

/// Plays a match between the players that `make_a` and `make_b` make, one of each for every chunk of pairs.
///
/// The result is a function of `config` and the players: chunks are fixed by `config`, rayon's threads only share them
/// out. `progress` is called after every game, from any thread.
///
/// # Errors
/// A wrong `config`; whatever making a player or a player's decision gives; [`EvalError::IllegalDecision`], with the
/// number of the game in the match as its table.
///
/// # Panics
/// If a player answers another number of seats than it was asked.
pub fn play_match<G: Game>(
    make_a: impl Fn() -> Result<Box<dyn Player<G>>, EvalError> + Sync,
    make_b: impl Fn() -> Result<Box<dyn Player<G>>, EvalError> + Sync,
    config: &MatchConfig,
    progress: impl Fn(MatchProgress) + Sync,
) -> Result<MatchReport, EvalError> {
    config.validate()?;
    let openings = openings::<G>(config.pairs, config.opening_decisions, derive_seed(&[config.seed, OPENINGS]))?;
    let games_done = AtomicUsize::new(0);
    let on_game_end = || {
        let games_done = games_done.fetch_add(1, Ordering::Relaxed) + 1;
        progress(MatchProgress { games_done, games: 2 * config.pairs });
    };
    let chunks: Vec<Range<usize>> = (0..config.pairs)
        .step_by(config.pairs_per_chunk)
        .map(|start| start..config.pairs.min(start.saturating_add(config.pairs_per_chunk)))
        .collect();
    let play_chunk = |pairs: &Range<usize>| -> Result<MatchReport, EvalError> {
        let mut players = [make_a()?, make_b()?];
        let games = play_in_lockstep(&mut players, pairs.clone(), &openings, config, &on_game_end)?;
        Ok(MatchReport { a: players[0].name(), b: players[1].name(), games })
    };
    let reports: Vec<MatchReport> = chunks.par_iter().map(play_chunk).collect::<Result<_, _>>()?;
    let append = |mut all: MatchReport, more: MatchReport| {
        all.games.extend(more.games);
        all
    };
    Ok(reports.into_iter().reduce(append).expect("a match has at least one pair"))
}

/// A game in flight; its number in the match is its table.
struct InFlight<G> {
    number: usize,
    position: G,
    result: GameResult,
}

impl<G: Game> InFlight<G> {
    fn begin(number: usize, opening: &[Action]) -> Self {
        let mut position = G::initial();
        for &action in opening {
            position.play(action);
        }
        let result = GameResult {
            opening: number / 2,
            opening_len: opening.len(),
            a_side: Side::BOTH[number % 2],
            decisions: opening.to_vec(),
            outcome: None,
        };
        InFlight { number, position, result }
    }

    fn is_running(&self, max_decisions: usize) -> bool {
        self.result.outcome.is_none() && self.result.decisions.len() < max_decisions
    }

    /// 0 if player A is to decide, 1 if B is.
    fn player_to_move(&self) -> usize {
        usize::from(self.position.side_to_move() != self.result.a_side)
    }

    fn seat(&self) -> Seat<'_, G> {
        Seat { table: self.number, position: &self.position, history: &self.result.decisions, time_left: None }
    }

    fn play(&mut self, choice: Choice, player: &dyn Player<G>) -> Result<(), EvalError> {
        let before = self.position.clone();
        self.position.try_play(choice.action).map_err(|source| EvalError::IllegalDecision {
            player: player.name(),
            table: self.number,
            decision: self.result.decisions.len() + 1,
            source,
        })?;
        self.result.decisions.push(before.canonical_action(choice.action));
        self.result.outcome = self.position.outcome();
        Ok(())
    }
}

/// Plays `pairs` to their ends: player A decides in all games where it is to move, then player B, and so on.
fn play_in_lockstep<G: Game>(
    players: &mut [Box<dyn Player<G>>; 2],
    pairs: Range<usize>,
    openings: &[Vec<Action>],
    config: &MatchConfig,
    on_game_end: &impl Fn(),
) -> Result<Vec<GameResult>, EvalError> {
    let mut games: Vec<InFlight<G>> =
        (2 * pairs.start..2 * pairs.end).map(|number| InFlight::begin(number, &openings[number / 2])).collect();
    for game in &games {
        for (index, player) in players.iter_mut().enumerate() {
            player.new_game(game.number, derive_seed(&[config.seed, GAMES, game.number as u64, index as u64]));
        }
        // An opening longer than asked for can reach the cap by itself.
        if !game.is_running(config.max_decisions) {
            on_game_end();
        }
    }
    while games.iter().any(|game| game.is_running(config.max_decisions)) {
        for (index, player) in players.iter_mut().enumerate() {
            let mut to_decide: Vec<&mut InFlight<G>> = games
                .iter_mut()
                .filter(|game| game.is_running(config.max_decisions) && game.player_to_move() == index)
                .collect();
            if to_decide.is_empty() {
                continue;
            }
            let choices = {
                let seats: Vec<Seat<G>> = to_decide.iter().map(|game| game.seat()).collect();
                player.choose_all(&seats)
            };
            assert_eq!(choices.len(), to_decide.len(), "{} answers every seat once", player.name());
            for (game, choice) in to_decide.iter_mut().zip(choices) {
                game.play(choice?, player.as_ref())?;
                if !game.is_running(config.max_decisions) {
                    on_game_end();
                }
            }
        }
    }
    Ok(games.into_iter().map(|game| game.result).collect())
}
