//! Whether a player overlooks what one look at the board shows: a win with the next move of either side.

use crate::error::ArenaError;
use std::collections::{BTreeMap, HashSet};

use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Action, ImmediateWin, Outcome, Position};

use selfplay_players::alphabeta::{AlphaBetaConfig, AlphaBetaLimits};
use selfplay_players::playable::Playable;
use selfplay_players::player::{Decision, MoveRequest, Player, choose_afresh};

/// Games in a row without a new position after which the game is taken to have no more.
const MAX_FRUITLESS_GAMES: u64 = 500;
/// Plies after which a game that positions are taken from is left.
const MAX_PLIES: usize = 400;
/// Plies that the guide of every other game looks ahead, and its share of the moves; the others are random.
const GUIDE_DEPTH: u32 = 2;
const GUIDE_SHARE: f64 = 0.75;

/// What the position of a check asks of its player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TacticalTask {
    /// Some move wins at once: one of these is to be played.
    TakeWin,
    /// Some moves let the opponent win at once, others do not: one of the others is to be played.
    PreventWin,
}

/// A position in which one look shows what not to play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TacticalPosition {
    /// The actions that lead to it.
    pub history: Vec<Action>,
    /// What is to be done.
    pub task: TacticalTask,
    /// The distinct actions that do it.
    pub solutions: Vec<Action>,
}

/// What a player did wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Oversight {
    /// It did not take a win with the next move.
    MissedWin,
    /// It let the opponent win with the next move, without need.
    AllowedWin,
    /// It knew a shorter win than the one that it went for.
    SlowWin,
    /// It knew a longer resistance than the one that it chose.
    QuickLoss,
}

/// An oversight and where it happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayViolation {
    /// The position.
    pub position: TacticalPosition,
    /// The move that the player chose.
    pub action: Action,
    /// What is wrong with it.
    pub oversight: Oversight,
}

/// What a player made of tactical positions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PlayCheck {
    /// Positions by what was to be done.
    pub positions: BTreeMap<TacticalTask, u32>,
    /// The oversights, in the order of the positions.
    pub violations: Vec<PlayViolation>,
}

/// So many different tactical positions of `game`, or as many as there are: from random games, and from games in which a
/// shallow alpha-beta search makes most moves. A function of `seed`.
///
/// # Errors
/// If the memory does not suffice for the search.
pub fn tactical_positions(game: &dyn Playable, count: usize, seed: u64) -> Result<Vec<TacticalPosition>, ArenaError> {
    let config = AlphaBetaConfig::full(AlphaBetaLimits::depth(GUIDE_DEPTH));
    let mut guide = game.alpha_beta_player("guide".into(), config)?;
    let (mut found, mut seen, mut fruitless) = (Vec::new(), HashSet::new(), 0);
    for number in 0u64.. {
        if found.len() >= count || fruitless >= MAX_FRUITLESS_GAMES {
            break;
        }
        let before = found.len();
        let mut rng = rng_for(&[seed, number]);
        let is_guided = number % 2 == 1;
        guide.new_game(0, number);
        let (mut position, mut history) = (game.initial(), Vec::new());
        while position.outcome().is_none() && history.len() < MAX_PLIES {
            if let Some((task, solutions)) = tactical_task(&*position)
                && seen.insert(position.position_hash())
            {
                found.push(TacticalPosition { history: history.clone(), task, solutions });
            }
            let action = if is_guided && rng.random::<f64>() < GUIDE_SHARE {
                guide
                    .choose(&MoveRequest { table: 0, position: &*position, history: &history, time_left: None })?
                    .action
            } else {
                let mut actions = Vec::new();
                position.legal_actions(&mut actions);
                actions[rng.random_range(0..actions.len())]
            };
            position.play(action);
            history.push(action);
        }
        fruitless = if found.len() > before { 0 } else { fruitless + 1 };
    }
    found.truncate(count);
    Ok(found)
}

/// What is to be done in the running game of `position`, and what does it; `None` if one look shows nothing.
fn tactical_task(position: &dyn Position) -> Option<(TacticalTask, Vec<Action>)> {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    let wins: Vec<Action> = actions.iter().copied().filter(|&action| wins_with(position, action)).collect();
    if !wins.is_empty() {
        return Some((TacticalTask::TakeWin, wins));
    }
    let safe: Vec<Action> = actions.iter().copied().filter(|&action| !lets_win(position, action)).collect();
    (!safe.is_empty() && safe.len() < actions.len()).then_some((TacticalTask::PreventWin, safe))
}

fn wins_with(position: &dyn Position, action: Action) -> bool {
    after(position, action).outcome() == Some(Outcome::Win(position.side_to_move()))
}

/// Whether the opponent has won after `action`, or wins with the next move.
fn lets_win(position: &dyn Position, action: Action) -> bool {
    let side = position.side_to_move();
    let next = after(position, action);
    match next.outcome() {
        Some(outcome) => outcome == Outcome::Win(side.opponent()),
        None if next.side_to_move() == side => false,
        None => match next.immediate_win() {
            ImmediateWin::By(_) => true,
            ImmediateWin::None => false,
            ImmediateWin::Unknown => {
                let mut replies = Vec::new();
                next.distinct_actions(&mut replies);
                replies.into_iter().any(|reply| wins_with(&*next, reply))
            }
        },
    }
}

fn after(position: &dyn Position, action: Action) -> Box<dyn Position> {
    let mut next = position.boxed();
    next.play(action);
    next
}

impl PlayCheck {
    /// Asks `player` of `game` for a move in every position, each at a table of its own, up to `at_once` positions together;
    /// `on_positions` hears how many were asked about.
    ///
    /// # Errors
    /// What the player fails with.
    ///
    /// # Panics
    /// If a history is not one of the game's.
    pub fn run(
        game: &dyn Playable,
        player: &mut dyn Player,
        positions: &[TacticalPosition],
        at_once: usize,
        seed: u64,
        mut on_positions: impl FnMut(usize),
    ) -> Result<Self, ArenaError> {
        let mut check = PlayCheck::default();
        for chunk in positions.chunks(at_once.max(1)) {
            let boards: Vec<Box<dyn Position>> = chunk.iter().map(|asked| game.after(&asked.history)).collect();
            let games = boards.iter().zip(chunk).map(|(board, asked)| (&**board, &*asked.history));
            for ((asked, board), choice) in chunk.iter().zip(&boards).zip(choose_afresh(player, games, seed)) {
                check.judge(asked, &**board, &choice?);
            }
            on_positions(chunk.len());
        }
        Ok(check)
    }

    fn judge(&mut self, asked: &TacticalPosition, board: &dyn Position, choice: &Decision) {
        *self.positions.entry(asked.task).or_default() += 1;
        let oversight = match asked.task {
            TacticalTask::TakeWin if !wins_with(board, choice.action) => Some(Oversight::MissedWin),
            TacticalTask::PreventWin if lets_win(board, choice.action) => Some(Oversight::AllowedWin),
            _ => against_own_knowledge(choice),
        };
        let violation = |oversight| PlayViolation { position: asked.clone(), action: choice.action, oversight };
        self.violations.extend(oversight.map(violation));
    }
}

/// Whether the player itself knew a shorter win, or a longer resistance where all moves lose.
fn against_own_knowledge(choice: &Decision) -> Option<Oversight> {
    let report = choice.report()?;
    let chosen = report.moves.iter().find(|m| m.action == choice.action)?;
    let alike = || report.moves.iter().filter(|m| m.proven == chosen.proven).filter_map(|m| m.plies);
    let all_lose = report.moves.iter().all(|m| m.proven == Some(-1));
    match (chosen.proven, chosen.plies) {
        (Some(1), Some(plies)) if alike().any(|other| other < plies) => Some(Oversight::SlowWin),
        (Some(-1), Some(plies)) if all_lose && alike().any(|other| other > plies) => Some(Oversight::QuickLoss),
        _ => None,
    }
}
