//! Accuracy: how often a player's moves preserve the value that a position has under perfect play.

use crate::error::ArenaError;
use selfplay_players::EvalError;
use std::collections::BTreeMap;

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;
use selfplay_env::{Action, Position, Rules};
use selfplay_players::player::{Player, choose_afresh};
use selfplay_ratings::Proportion;

use crate::solved_positions::{SolvedPosition, pieces_on};

/// A move that loses value: it turns a win into a draw or a loss, or a draw into a loss.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueLoss {
    /// The actions that lead to the position.
    pub history: Vec<Action>,
    /// The player's action there.
    pub action: Action,
    /// The position's value for the side to move: 1 won, 0 drawn.
    pub value: i8,
    /// The distinct actions that preserve it.
    pub preserving: Vec<Action>,
}

/// The accuracy of a player on solved positions.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct AccuracyReport {
    /// Among all positions, those whose value the player's action preserved.
    pub preserved: Proportion,
    /// The same among critical positions, where some action loses the value.
    pub preserved_critical: Proportion,
    /// The same among positions that the side to move can win with its next action.
    pub preserved_immediate: Proportion,
    /// The same as `preserved` for each value of the position, from the worst on.
    pub by_value: BTreeMap<i8, Proportion>,
    /// The same as `preserved` by the number of pieces on the board.
    pub by_pieces: BTreeMap<usize, Proportion>,
    /// The same as `preserved` by the task of the side to move, such as `places or raises`.
    pub by_task: BTreeMap<&'static str, Proportion>,
    /// The same as `preserved` by the turns to the end, where they are known.
    pub by_turns: BTreeMap<u32, Proportion>,
    /// The actions that lost value, in the order of the positions.
    pub losses: Vec<ValueLoss>,
}

impl AccuracyReport {
    /// Asks `player` of the game of `rules` for an action in every position, each at a table of its own with a seed
    /// derived from `seed` by the player's own rule, up to `at_once` positions together.
    ///
    /// # Errors
    /// The player's own errors.
    ///
    /// # Panics
    /// If a history is not one of the game's.
    pub fn measure(
        rules: &dyn Rules,
        player: &mut dyn Player,
        positions: &[SolvedPosition],
        at_once: usize,
        seed: u64,
        mut progress: impl FnMut(usize),
    ) -> Result<Self, ArenaError> {
        let mut report = AccuracyReport::default();
        for chunk in positions.chunks(at_once.max(1)) {
            let reached: Vec<Box<dyn Position>> = chunk.iter().map(|solved| rules.after(&solved.history)).collect();
            let games = reached.iter().zip(chunk).map(|(position, solved)| (&**position, &solved.history[..]));
            let choices = choose_afresh(player, games, seed);
            for ((solved, position), choice) in chunk.iter().zip(&reached).zip(choices) {
                report.count(solved, &**position, position.canonical_action(choice?.action));
            }
            progress(chunk.len());
        }
        Ok(report)
    }

    /// Like [`of`](Self::measure) on the threads of the current rayon pool, with a player for each part of `at_once`
    /// positions.
    ///
    /// # Errors
    /// Those of `make` and of the players.
    ///
    /// # Panics
    /// If a history is not one of the game's.
    pub fn in_parallel(
        rules: &dyn Rules,
        make: &(dyn Fn() -> Result<Box<dyn Player>, EvalError> + Sync),
        positions: &[SolvedPosition],
        at_once: usize,
        seed: u64,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Self, ArenaError> {
        let parts = positions
            .par_chunks(at_once.max(1))
            .map(|part| AccuracyReport::measure(rules, make()?.as_mut(), part, at_once, seed, progress));
        let parts: Vec<AccuracyReport> = parts.collect::<Result<_, ArenaError>>()?;
        Ok(parts.into_iter().fold(AccuracyReport::default(), AccuracyReport::merged))
    }

    /// The report on the positions of both.
    #[must_use]
    pub fn merged(mut self, other: AccuracyReport) -> AccuracyReport {
        let plus = |one: Proportion, other: Proportion| [one, other].into_iter().sum();
        self.preserved = plus(self.preserved, other.preserved);
        self.preserved_critical = plus(self.preserved_critical, other.preserved_critical);
        self.preserved_immediate = plus(self.preserved_immediate, other.preserved_immediate);
        add_groups(&mut self.by_value, other.by_value);
        add_groups(&mut self.by_pieces, other.by_pieces);
        add_groups(&mut self.by_task, other.by_task);
        add_groups(&mut self.by_turns, other.by_turns);
        self.losses.extend(other.losses);
        self
    }

    fn count(&mut self, solved: &SolvedPosition, position: &dyn Position, action: Action) {
        let is_preserved = solved.preserving.contains(&action);
        self.by_pieces.entry(pieces_on(position)).or_default().count(is_preserved);
        self.by_task.entry(position.view().task).or_default().count(is_preserved);
        if let Some(turns) = solved.turns {
            self.by_turns.entry(turns).or_default().count(is_preserved);
        }
        self.preserved.count(is_preserved);
        self.by_value.entry(solved.value).or_default().count(is_preserved);
        if solved.is_critical {
            self.preserved_critical.count(is_preserved);
        }
        if solved.value == 1 && wins_at_once(position) {
            self.preserved_immediate.count(is_preserved);
        }
        if !is_preserved {
            let SolvedPosition { history, value, preserving, .. } = solved.clone();
            self.losses.push(ValueLoss { history, action, value, preserving });
        }
    }
}

/// Adds the counts of each group.
fn add_groups<K: Ord>(groups: &mut BTreeMap<K, Proportion>, more: BTreeMap<K, Proportion>) {
    for (key, counted) in more {
        let group = groups.entry(key).or_default();
        *group = [*group, counted].into_iter().sum();
    }
}

/// Whether the side to move can win with its next action.
fn wins_at_once(position: &dyn Position) -> bool {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    actions.into_iter().any(|action| {
        let mut next = position.boxed();
        next.play(action);
        next.outcome().is_some_and(|outcome| outcome.value_for(position.side_to_move()) == 1)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use selfplay_env::{Typed, rules};
    use selfplay_tictactoe::TicTacToe;

    use super::*;
    use crate::solved_positions::{SolvedPositions, SolvedPositionsConfig, Stage};
    use selfplay_players::alphabeta::{AlphaBetaConfig, AlphaBetaLimits, AlphaBetaPlayer};
    use selfplay_players::random_player::RandomPlayer;

    fn positions() -> Vec<SolvedPosition> {
        let config = SolvedPositionsConfig { stage: Stage::After(1..=5), seed: 1, nodes: 1_000_000, memory_mib: 1 };
        let mut drawn = SolvedPositions::new(&Typed::<TicTacToe>::IT, config).unwrap();
        let mut positions = Vec::new();
        while positions.len() < 100 {
            positions.extend(drawn.draw().unwrap().positions);
        }
        positions
    }

    #[test]
    fn a_perfect_player_preserves_every_value_and_a_random_one_loses_many() {
        let positions = positions();
        let perfect = AlphaBetaConfig { memory_mib: 1, ..AlphaBetaConfig::exact(AlphaBetaLimits::depth(9)) };
        let mut perfect = AlphaBetaPlayer::<TicTacToe>::new("perfect".into(), perfect).unwrap();
        let report = AccuracyReport::measure(rules::<TicTacToe>(), &mut perfect, &positions, 7, 1, |_| ()).unwrap();
        assert_eq!((report.preserved.share(), report.losses.len()), (1.0, 0));
        assert_eq!(report.preserved.trials as usize, positions.len());

        let mut evaluated = 0;
        let mut random = RandomPlayer::new();
        let report =
            AccuracyReport::measure(rules::<TicTacToe>(), &mut random, &positions, 64, 1, |some| evaluated += some)
                .unwrap();
        assert_eq!(evaluated, positions.len());
        assert_eq!(report.losses.len() as u32, report.preserved.trials - report.preserved.successes);
        assert!(report.preserved_critical.trials < report.preserved.trials && report.preserved_critical.share() < 0.7);
        assert_eq!(report.by_value.values().map(|group| group.trials).sum::<u32>(), report.preserved.trials);
        assert_eq!(report.by_value[&-1].share(), 1.0, "a lost position cannot get worse");
        let (immediate, won) = (report.preserved_immediate, report.by_value[&1]);
        assert!(immediate.trials > 0 && immediate.trials < won.trials && immediate.share() < 1.0);
        assert!(report.losses.iter().all(|loss| !loss.preserving.contains(&loss.action)));
    }

    #[test]
    fn parts_in_parallel_make_the_report_of_the_whole() {
        let positions = positions();
        let rules = rules::<TicTacToe>();
        let whole = AccuracyReport::measure(rules, &mut RandomPlayer::new(), &positions, 9, 1, |_| ()).unwrap();
        let evaluated = AtomicUsize::new(0);
        let count = |some| {
            evaluated.fetch_add(some, Ordering::Relaxed);
        };
        let make = || Ok(Box::new(RandomPlayer::new()) as Box<dyn Player>);
        let parts = AccuracyReport::in_parallel(rules, &make, &positions, 9, 1, &count).unwrap();
        assert_eq!((parts, evaluated.into_inner()), (whole, positions.len()));
    }
}
