//! How often a player's decisions keep the value that a position has under perfect play.

use std::collections::BTreeMap;

use selfplay_env::{Action, Position, Rules};

use crate::error::EvalError;
use crate::player::{Player, choose_afresh};
use crate::solved_positions::SolvedPosition;
use crate::statistics::Proportion;

/// A decision that gives value away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The decisions that lead to the position.
    pub history: Vec<Action>,
    /// The player's decision there.
    pub decision: Action,
    /// The position's value for the side to move: 1 won, 0 drawn.
    pub value: i8,
    /// The distinct decisions that keep it.
    pub keeping: Vec<Action>,
}

/// What a player made of solved positions.
#[derive(Clone, PartialEq, Debug)]
pub struct MistakesReport {
    /// Among all positions, those whose value the player's decision kept.
    pub kept: Proportion,
    /// The same among those where some decision does not keep it.
    pub kept_critical: Proportion,
    /// The same among those that the side to move can win with its next decision.
    pub kept_immediate: Proportion,
    /// The same as `kept` for each value of the position, from the worst on.
    pub kept_by_value: BTreeMap<i8, Proportion>,
    /// The same as `kept` by the number of pieces on the board.
    pub kept_by_pieces: BTreeMap<usize, Proportion>,
    /// The same as `kept` by what was to be done, such as `places or raises`.
    pub kept_by_task: BTreeMap<&'static str, Proportion>,
    /// The same as `kept` by the turns to the end, where they are known.
    pub kept_by_turns: BTreeMap<u32, Proportion>,
    /// The decisions that gave value away, in the order of the positions.
    pub mistakes: Vec<Mistake>,
}

impl MistakesReport {
    /// Asks `player` of the game of `rules` for a decision in every position, each at a table of its own with a seed derived from `seed` by the
    /// player's own rule, up to `at_once` positions together.
    ///
    /// # Errors
    /// What the player fails with.
    ///
    /// # Panics
    /// If a history is not one of the game's.
    pub fn of(
        rules: &dyn Rules,
        player: &mut dyn Player,
        positions: &[SolvedPosition],
        at_once: usize,
        seed: u64,
        mut progress: impl FnMut(usize),
    ) -> Result<Self, EvalError> {
        let mut report = MistakesReport {
            kept: Proportion::default(),
            kept_critical: Proportion::default(),
            kept_immediate: Proportion::default(),
            kept_by_value: BTreeMap::new(),
            kept_by_pieces: BTreeMap::new(),
            kept_by_task: BTreeMap::new(),
            kept_by_turns: BTreeMap::new(),
            mistakes: Vec::new(),
        };
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

    fn count(&mut self, solved: &SolvedPosition, position: &dyn Position, decision: Action) {
        let is_kept = solved.keeping.contains(&decision);
        let view = position.view();
        self.kept_by_pieces.entry(view.pieces.iter().flatten().count()).or_default().count(is_kept);
        self.kept_by_task.entry(view.task).or_default().count(is_kept);
        if let Some(turns) = solved.turns {
            self.kept_by_turns.entry(turns).or_default().count(is_kept);
        }
        self.kept.count(is_kept);
        self.kept_by_value.entry(solved.value).or_default().count(is_kept);
        if solved.is_critical {
            self.kept_critical.count(is_kept);
        }
        if solved.value == 1 && wins_at_once(position) {
            self.kept_immediate.count(is_kept);
        }
        if !is_kept {
            let SolvedPosition { history, value, keeping, .. } = solved.clone();
            self.mistakes.push(Mistake { history, decision, value, keeping });
        }
    }
}

/// Whether the side to move can win with its next decision.
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
    use selfplay_env::{Typed, rules};
    use selfplay_tictactoe::TicTacToe;

    use super::*;
    use crate::alphabeta::{AlphaBetaConfig, AlphaBetaLimits, AlphaBetaPlayer};
    use crate::random_player::RandomPlayer;
    use crate::solved_positions::{SolvedPositions, SolvedPositionsConfig};

    #[test]
    fn a_perfect_player_makes_no_mistake_and_a_random_one_many() {
        let config = SolvedPositionsConfig { decisions: 1..=5, seed: 1, nodes: 1_000_000, memory_mib: 1 };
        let mut drawn = SolvedPositions::new(&Typed::<TicTacToe>::IT, config).unwrap();
        let mut positions = Vec::new();
        while positions.len() < 100 {
            positions.extend(drawn.draw().unwrap().positions);
        }
        let perfect = AlphaBetaConfig { memory_mib: 1, ..AlphaBetaConfig::exact(AlphaBetaLimits::depth(9)) };
        let mut perfect = AlphaBetaPlayer::<TicTacToe>::new("perfect".into(), perfect).unwrap();
        let report = MistakesReport::of(rules::<TicTacToe>(), &mut perfect, &positions, 7, 1, |_| ()).unwrap();
        assert_eq!((report.kept.share(), report.mistakes.len()), (1.0, 0));
        assert_eq!(report.kept.trials as usize, positions.len());

        let mut judged = 0;
        let mut random = RandomPlayer::new();
        let report =
            MistakesReport::of(rules::<TicTacToe>(), &mut random, &positions, 64, 1, |some| judged += some).unwrap();
        assert_eq!(judged, positions.len());
        assert_eq!(report.mistakes.len() as u32, report.kept.trials - report.kept.successes);
        assert!(report.kept_critical.trials < report.kept.trials && report.kept_critical.share() < 0.7);
        assert_eq!(report.kept_by_value.values().map(|kept| kept.trials).sum::<u32>(), report.kept.trials);
        assert_eq!(report.kept_by_value[&-1].share(), 1.0, "a lost position cannot get worse");
        let (immediate, won) = (report.kept_immediate, report.kept_by_value[&1]);
        assert!(immediate.trials > 0 && immediate.trials < won.trials && immediate.share() < 1.0);
        assert!(report.mistakes.iter().all(|mistake| !mistake.keeping.contains(&mistake.decision)));
    }
}
