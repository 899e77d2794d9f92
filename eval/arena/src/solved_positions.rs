//! Random positions whose value under perfect play is proven, with the actions that preserve it.

use crate::error::ArenaError;
use std::collections::HashSet;
use std::fmt;
use std::ops::RangeInclusive;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use selfplay_config::{InvalidKey, check};
use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{Action, Position};
use selfplay_tablebase::TurnValue;
use serde::{Deserialize, Serialize};

use selfplay_players::playable::Playable;
use selfplay_players::solver::{SolveConfig, SolveGoal};
use selfplay_players::tablebase_lookup::TablebaseLookup;

/// Candidates that are solved at the same time, before the next are drawn; fixed, so that the positions do not depend on
/// the number of threads.
const CANDIDATES_AT_ONCE: usize = 16;

/// Batches in a row without a new position, after which the game is taken to have no more.
pub(crate) const FRUITLESS_BATCHES: usize = 200;

/// The stage of the game that random positions are drawn from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// After this many random legal actions, at least and at most.
    After(RangeInclusive<usize>),
    /// Where a random game first has so many pieces on the board.
    Pieces(usize),
}

/// As in `after 8` or `12 pieces`.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stage::After(plies) if plies.start() == plies.end() => write!(f, "after {}", plies.start()),
            Stage::After(plies) => write!(f, "after {} to {}", plies.start(), plies.end()),
            Stage::Pieces(pieces) => write!(f, "{pieces} pieces"),
        }
    }
}

/// Which random positions are drawn and how they are solved. The positions are a function of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolvedPositionsConfig {
    /// The stage of the game.
    pub stage: Stage,
    /// Seed of the random actions.
    pub seed: u64,
    /// Positions that the solver looks at before it gives a candidate up; those given up are not drawn.
    pub nodes: u64,
    /// Memory of each of the solver's tables in MiB.
    pub memory_mib: u32,
}

impl SolvedPositionsConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`InvalidKey`] with the first number that is wrong.
    pub fn validate(&self) -> Result<(), InvalidKey> {
        if let Stage::After(plies) = &self.stage {
            let (min, max) = (*plies.start(), *plies.end());
            check(min <= max, "stage.after", min as f64, "a first number that is not above the second")?;
        }
        check(self.nodes >= 1, "nodes", 0.0, "at least 1")?;
        check(self.memory_mib >= 1, "memory_mib", 0.0, "at least 1")
    }
}

/// A position with its value, in which there is more than one distinct action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedPosition {
    /// The actions that lead to it.
    pub history: Vec<Action>,
    /// Its value for the side to move: 1 won, 0 drawn, −1 lost.
    pub value: i8,
    /// The distinct actions that preserve the value; at least one.
    pub preserving: Vec<Action>,
    /// Whether some action loses the value: only then can a player go wrong.
    pub is_critical: bool,
    /// Turns of both sides to the end, where a table tells or a solver of the game's own.
    pub turns: Option<u32>,
}

/// How many positions to take from a sequence of random ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PositionQuota {
    /// Positions of any kind.
    pub any: usize,
    /// Critical positions.
    pub critical: usize,
}

/// What a [`PositionQuota`] took from a sequence of random positions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PositionSample {
    /// The first positions, critical or not.
    pub any: Vec<SolvedPosition>,
    /// The critical positions after them, as far as those among them are too few.
    pub more_critical: Vec<SolvedPosition>,
}

impl PositionQuota {
    /// So many positions of any kind.
    pub fn any(positions: usize) -> Self {
        PositionQuota { any: positions, critical: 0 }
    }

    /// Whether `positions` hold what is asked for.
    pub(crate) fn is_met<'a>(self, positions: impl Iterator<Item = &'a SolvedPosition>) -> bool {
        let (mut any, mut critical) = (0, 0);
        positions.for_each(|position| {
            any += 1;
            critical += usize::from(position.is_critical);
        });
        any >= self.any && critical >= self.critical
    }

    /// Takes what is asked for, or as much as there is.
    pub fn take(self, positions: impl IntoIterator<Item = SolvedPosition>) -> PositionSample {
        let mut sample = PositionSample::default();
        let mut critical = 0;
        for position in positions {
            if sample.any.len() < self.any {
                critical += usize::from(position.is_critical);
                sample.any.push(position);
            } else if position.is_critical && critical < self.critical {
                critical += 1;
                sample.more_critical.push(position);
            }
        }
        sample
    }
}

/// Some positions drawn together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedBatch {
    /// Candidates looked at up to the end of this batch, those of earlier batches included.
    pub candidates: u64,
    /// Candidates of this batch that the solver gave up.
    pub unsolved: usize,
    /// The others that are new; may be none.
    pub positions: Vec<SolvedPosition>,
}

/// Draws solved positions batch by batch, no two with the same hash.
pub struct SolvedPositions {
    game: &'static dyn Playable,
    config: SolvedPositionsConfig,
    /// What tells the values; without a table the solver does.
    table: Option<TablebaseLookup>,
    next_candidate: u64,
    seen: HashSet<u64>,
}

impl SolvedPositions {
    /// Positions of `game`; none is drawn yet.
    ///
    /// # Errors
    /// What [`SolvedPositionsConfig::validate`] finds.
    pub fn new(game: &'static dyn Playable, config: SolvedPositionsConfig) -> Result<Self, ArenaError> {
        config.validate()?;
        Ok(SolvedPositions { game, config, table: None, next_candidate: 0, seen: HashSet::new() })
    }

    /// The same positions, none of which is given up, with the values of a table of the game.
    #[must_use]
    pub fn by_table(self, table: TablebaseLookup) -> Self {
        SolvedPositions { table: Some(table), ..self }
    }

    /// Resumes after `candidates` candidates without solving them again.
    pub fn pass_over(&mut self, candidates: u64) {
        while self.next_candidate < candidates {
            self.candidate();
        }
    }

    /// The next positions that `quota` asks for, or as many as there are.
    ///
    /// # Errors
    /// Those of [`draw`](Self::draw).
    pub fn first(&mut self, quota: PositionQuota) -> Result<PositionSample, ArenaError> {
        let mut positions = Vec::new();
        let mut fruitless = 0;
        while !quota.is_met(positions.iter()) && fruitless < FRUITLESS_BATCHES {
            let batch = self.draw()?.positions;
            fruitless = if batch.is_empty() { fruitless + 1 } else { 0 };
            positions.extend(batch);
        }
        Ok(quota.take(positions))
    }

    /// The next batch, solved by the threads of the current rayon pool.
    ///
    /// # Errors
    /// Less memory than the solver needs; a damaged table.
    pub fn draw(&mut self) -> Result<SolvedBatch, ArenaError> {
        let candidates: Vec<_> = (0..CANDIDATES_AT_ONCE).filter_map(|_| self.candidate()).collect();
        let judged = candidates.into_par_iter().map(|(position, history)| self.judge(&*position, history));
        let judged: Vec<Option<SolvedPosition>> = judged.collect::<Result<_, ArenaError>>()?;
        Ok(SolvedBatch {
            candidates: self.next_candidate,
            unsolved: judged.iter().filter(|position| position.is_none()).count(),
            positions: judged.into_iter().flatten().collect(),
        })
    }

    /// The position at the end of a random line, if it is new and leaves a choice.
    fn candidate(&mut self) -> Option<(Box<dyn Position>, Vec<Action>)> {
        let mut rng = rng_for(&[self.config.seed, self.next_candidate]);
        self.next_candidate += 1;
        let mut position = self.game.initial();
        let history = match &self.config.stage {
            Stage::After(plies) => {
                let plies = rng.random_range(plies.clone());
                let history = position.play_random(plies, &mut rng);
                (history.len() == plies).then_some(history)?
            }
            Stage::Pieces(pieces) => play_until_pieces(&mut *position, *pieces, &mut rng)?,
        };
        let mut choices = Vec::new();
        position.distinct_actions(&mut choices);
        let is_new = choices.len() > 1 && self.seen.insert(position.position_hash());
        is_new.then_some((position, history))
    }

    /// What the solver makes of a position; `None` if it gives up.
    fn judge(&self, position: &dyn Position, history: Vec<Action>) -> Result<Option<SolvedPosition>, ArenaError> {
        if let Some(table) = &self.table {
            return judge_by_table(table, position, history).map(Some);
        }
        let config = SolveConfig {
            nodes: Some(self.config.nodes),
            memory_mib: self.config.memory_mib,
            goal: SolveGoal::EveryAction,
            ..SolveConfig::default()
        };
        let report = self.game.solve(position, history.len(), &config, &mut |_| ())?;
        let values: Option<Vec<(Action, i8)>> =
            report.actions.iter().map(|&(action, bounds)| Some((action, bounds.value()?))).collect();
        let (Some(values), Some(value)) = (values, report.bounds.value()) else { return Ok(None) };
        let preserving: Vec<Action> =
            values.iter().filter(|(_, after)| *after == value).map(|&(action, _)| action).collect();
        let is_critical = preserving.len() < values.len();
        Ok(Some(SolvedPosition { history, value, preserving, is_critical, turns: report.turns }))
    }
}

fn judge_by_table(
    table: &TablebaseLookup,
    position: &dyn Position,
    history: Vec<Action>,
) -> Result<SolvedPosition, ArenaError> {
    let values = table.action_values(position)?;
    let best = values.iter().map(|&(_, value)| value).max_by_key(|value| value.rank()).expect("there is a choice");
    let preserves = |&&(_, value): &&(Action, TurnValue)| value.sign() == best.sign();
    let preserving: Vec<Action> = values.iter().filter(preserves).map(|&(action, _)| action).collect();
    let is_critical = preserving.len() < values.len();
    let turns = best.turns().map(u32::from);
    Ok(SolvedPosition { history, value: best.sign(), preserving, is_critical, turns })
}

/// Plays random actions until so many pieces stand on the board; `None` if the game ends before.
fn play_until_pieces(position: &mut dyn Position, pieces: usize, rng: &mut GameRng) -> Option<Vec<Action>> {
    let mut history = Vec::new();
    while pieces_on(position) != pieces {
        // At the end of a game no action is left.
        history.push(position.play_random(1, rng).pop()?);
    }
    Some(history)
}

/// Pieces on the board.
pub fn pieces_on(position: &dyn Position) -> usize {
    position.view().pieces.iter().flatten().count()
}

#[cfg(test)]
mod tests {
    use selfplay_connect4::Connect4;
    use selfplay_pylos::Pylos;
    use selfplay_tictactoe::TicTacToe;

    use std::collections::HashSet;
    use std::ops::RangeInclusive;

    use selfplay_env::{Action, Game, Typed};

    use super::{PositionQuota, SolvedBatch, SolvedPositions, SolvedPositionsConfig, Stage, pieces_on};
    use selfplay_players::playable::Playable;
    use selfplay_players::solver::{SolveConfig, solve};

    fn at(game: &'static dyn Playable, stage: Stage, nodes: u64) -> SolvedPositions {
        SolvedPositions::new(game, SolvedPositionsConfig { stage, seed: 3, nodes, memory_mib: 1 }).unwrap()
    }

    fn positions(game: &'static dyn Playable, plies: RangeInclusive<usize>, nodes: u64) -> SolvedPositions {
        at(game, Stage::After(plies), nodes)
    }

    #[test]
    fn a_quota_takes_the_first_positions_and_further_critical_ones() {
        let game = &Typed::<TicTacToe>::IT;
        let quota = PositionQuota { any: 20, critical: 30 };
        let sample = positions(game, 3..=3, 1_000_000).first(quota).unwrap();
        let all = positions(game, 3..=3, 1_000_000).first(PositionQuota::any(1000)).unwrap().any;
        assert_eq!(sample.any, all[..20]);
        let critical = all.iter().filter(|position| position.is_critical).take(30);
        let first = sample.any.iter().filter(|position| position.is_critical);
        assert!(critical.eq(first.chain(&sample.more_critical)));
        let too_many = PositionQuota { any: 0, critical: 1000 };
        let found = positions(game, 3..=3, 1_000_000).first(too_many).unwrap().more_critical.len();
        assert_eq!(found, all.iter().filter(|position| position.is_critical).count());
    }

    #[test]
    fn positions_are_drawn_by_the_pieces_on_the_board() {
        let game = &Typed::<Pylos>::IT;
        let mut source = at(game, Stage::Pieces(7), 1_000_000);
        let drawn: Vec<_> = (0..50).filter_map(|_| source.candidate()).collect();
        assert!(drawn.len() > 40 && drawn.iter().all(|(position, _)| pieces_on(&**position) == 7));
        assert!(at(game, Stage::Pieces(31), 1_000_000).candidate().is_none(), "there are 30 spheres");
    }

    #[test]
    fn values_and_actions_that_preserve_them_are_those_of_the_game() {
        let mut source = positions(&Typed::<TicTacToe>::IT, 1..=4, 1_000_000);
        let batch = source.draw().unwrap();
        assert_eq!((batch.candidates, batch.unsolved), (16, 0));
        assert!(batch.positions.iter().any(|position| position.is_critical));
        for solved in &batch.positions {
            let mut position = TicTacToe::initial();
            solved.history.iter().for_each(|&action| position.try_play(action).unwrap());
            let side = position.side_to_move();
            let mut distinct = Vec::new();
            position.distinct_actions(&mut distinct);
            for action in distinct {
                let mut child = position;
                child.play(action);
                let value = solve(&child, solved.history.len() + 1, &SolveConfig::default(), |_| ()).unwrap();
                let value = value.bounds.value().unwrap();
                let value = if child.side_to_move() == side { value } else { -value };
                assert_eq!(value == solved.value, solved.preserving.contains(&action), "{}", position.board());
                assert!(value <= solved.value);
            }
        }
    }

    #[test]
    fn positions_are_new_and_those_given_up_are_counted() {
        let mut source = positions(&Typed::<TicTacToe>::IT, 0..=1, 1_000_000);
        let batches: Vec<SolvedBatch> = (0..20).map(|_| source.draw().unwrap()).collect();
        let histories: HashSet<&[Action]> =
            batches.iter().flat_map(|batch| &batch.positions).map(|solved| &solved.history[..]).collect();
        assert_eq!(histories.len(), 10, "the empty board and one mark on each square");
        assert_eq!(batches.iter().map(|batch| batch.positions.len()).sum::<usize>(), 10);

        let mut resumed = positions(&Typed::<TicTacToe>::IT, 0..=1, 1_000_000);
        resumed.pass_over(batches[1].candidates);
        assert_eq!(resumed.draw().unwrap(), batches[2]);

        let batch = positions(&Typed::<Connect4>::IT, 0..=0, 1000).draw().unwrap();
        assert_eq!((batch.unsolved, batch.positions.len()), (1, 0));
    }
}
