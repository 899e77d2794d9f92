//! What is kept of a self-play game: actions and search results, never planes. Encoding happens when sampling.

use selfplay_env::{Action, Outcome, Rules, Side, Wdl};
use selfplay_mcts::SearchReport;
use serde::{Deserialize, Serialize};

/// Changes when self-play writes something else into the same fields; stored in every shard.
pub const ENGINE_VERSION: u32 = 2;

/// A share of 1 in a policy target.
pub const SHARE_SCALE: f32 = 65_535.0;

/// What the games of a shard belong to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShardHeader {
    /// Id of the game.
    pub game: String,
    /// Encoding version of the game when they were played: action indices keep their meaning within one.
    pub encoding_version: u32,
    /// [`ENGINE_VERSION`] of the program that played them.
    pub engine_version: u32,
    /// Seed of the run.
    pub run_seed: u64,
    /// Generation the games belong to.
    pub generation: u32,
}

impl ShardHeader {
    /// Of games by `rules` that this program plays.
    pub fn new(rules: &dyn Rules, run_seed: u64, generation: u32) -> Self {
        let (game, encoding_version) = (rules.id().into(), rules.shape().encoding_version);
        ShardHeader { game, encoding_version, engine_version: ENGINE_VERSION, run_seed, generation }
    }
}

impl std::fmt::Display for ShardHeader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ShardHeader { game, encoding_version, engine_version, run_seed, generation } = self;
        write!(
            f,
            "{game} (encoding {encoding_version}, engine {engine_version}), generation {generation} of the run with \
             seed {run_seed}"
        )
    }
}

/// One self-play game.
///
/// ```
/// use selfplay_env::{Outcome, Side, rules};
/// use selfplay_env::fixtures::TicTacToe;
/// use selfplay_train::{PlyRecord, GameEnd, GameRecord};
///
/// let plies = [0, 3, 1, 4, 2].map(|action| PlyRecord { action, target: None }).to_vec();
/// let end = GameEnd::by_rules(Outcome::Win(Side::First));
/// let record = GameRecord { plies, end, ..GameRecord::new(0) };
/// assert!(record.agrees_with(rules::<TicTacToe>()));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Number of the game within its generation, from 0.
    pub game_number: u32,
    /// Every action from the initial position.
    pub plies: Vec<PlyRecord>,
    /// How it ended.
    pub end: GameEnd,
    /// The first time that a side found its position hopeless and resigned, or would have if the game had not been one
    /// that is played on to see whether it was.
    pub resignation: Option<Resignation>,
    /// Search simulations spent on the complete game.
    pub simulations: u64,
}

/// A side gives its game up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Resignation {
    /// Actions made before.
    pub after: u32,
    /// The result that it takes for certain: the other side's win.
    pub concedes: GameResult,
}

/// How a recorded game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameEnd {
    /// Who won.
    pub result: GameResult,
    /// Why it went no further.
    pub reason: EndReason,
}

/// The result of a recorded game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum GameResult {
    /// The first player won.
    FirstWon,
    /// The second player won.
    SecondWon,
    /// Neither did.
    Drawn,
}

/// Why a recorded game went no further.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum EndReason {
    /// It was over by the rules: the last position is final.
    Rules,
    /// The search proved its result.
    Proven,
    /// A side resigned.
    Resigned,
    /// It reached the maximum length; it counts as a draw for the value target and is reported apart.
    Cap,
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Win(Side::First) => GameResult::FirstWon,
            Outcome::Win(Side::Second) => GameResult::SecondWon,
            Outcome::Draw => GameResult::Drawn,
        }
    }
}

impl GameEnd {
    /// A game that was over by the rules with this outcome.
    pub fn by_rules(outcome: Outcome) -> Self {
        GameEnd::new(outcome, EndReason::Rules)
    }

    /// A game stopped at the maximum length.
    pub const CAPPED: GameEnd = GameEnd { result: GameResult::Drawn, reason: EndReason::Cap };

    /// A game with this outcome, which went no further because of `reason`.
    pub fn new(outcome: Outcome, reason: EndReason) -> Self {
        GameEnd { result: outcome.into(), reason }
    }

    /// The result that the value target is made of.
    pub fn value_outcome(self) -> Outcome {
        match self.result {
            GameResult::FirstWon => Outcome::Win(Side::First),
            GameResult::SecondWon => Outcome::Win(Side::Second),
            GameResult::Drawn => Outcome::Draw,
        }
    }
}

/// One action of a recorded game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlyRecord {
    /// Policy index of the action that was played, one of the position's distinct actions.
    pub action: u16,
    /// What is to be learned from the position; `None` where the action was random or searched fast.
    pub target: Option<SearchTarget>,
}

/// What a full search says about a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchTarget {
    /// The policy target as pairs of policy index and share in parts of [`SHARE_SCALE`], at least one pair and each
    /// share at least 1.
    pub policy: Vec<(u16, u16)>,
    /// Probability at the root that the side to move wins, 0..=1.
    pub win: f32,
    /// Probability at the root that the side to move loses, 0..=1.
    pub loss: f32,
    /// The position's proven value for the side to move: 1 won, 0 drawn, −1 lost.
    pub proven: Option<i8>,
    /// How much the policy target differs from what the network expected: KL(target ‖ prior) in nats.
    pub surprise: f32,
}

impl SearchTarget {
    /// What `report` says about a position of `side`'s.
    pub fn new(report: &SearchReport, side: Side) -> Self {
        let target = report.policy_target();
        let greatest = target.iter().map(|&(_, share)| share).fold(0.0, f32::max);
        let in_parts = |share: f32| (share * SHARE_SCALE).round() as u16;
        let policy = target.iter().map(|&(action, share)| (action.0, in_parts(share), share));
        // What rounds to nothing teaches nothing; the greatest share never does, there are not so many actions.
        let policy = policy.filter(|&(_, parts, share)| parts > 0 || share == greatest);
        SearchTarget {
            policy: policy.map(|(action, parts, _)| (action, parts.max(1))).collect(),
            win: report.wdl.win,
            loss: report.wdl.loss,
            proven: report.proven.map(|outcome| outcome.value_for(side)),
            surprise: report.policy_surprise() as f32,
        }
    }

    /// Win, draw and loss at the root for the side to move.
    pub fn wdl(&self) -> Wdl {
        Wdl { win: self.win, draw: (1.0 - self.win - self.loss).max(0.0), loss: self.loss }
    }

    /// Whether its numbers can be what they are called.
    fn has_possible_numbers(&self) -> bool {
        let is_share = |share: f32| (0.0..=1.0).contains(&share);
        // Sums of floats may be a little more than one.
        let adds_up = self.win + self.loss <= 1.0 + 1e-4;
        let is_proven = self.proven.is_none_or(|value| (-1..=1).contains(&value));
        is_share(self.win) && is_share(self.loss) && adds_up && is_proven && self.surprise.is_finite()
    }

    /// The shares of the policy target as probabilities, summing to 1, with their policy indices.
    pub fn policy_shares(&self) -> impl Iterator<Item = (Action, f32)> + '_ {
        let total: f32 = self.policy.iter().map(|&(_, parts)| f32::from(parts)).sum();
        self.policy.iter().map(move |&(action, parts)| (Action(action), f32::from(parts) / total))
    }

    /// Entropy of the policy target, in nats.
    pub fn policy_entropy(&self) -> f64 {
        -self.policy_shares().map(|(_, share)| f64::from(share)).map(|p| p * p.ln()).sum::<f64>()
    }
}

impl GameRecord {
    /// A game that has not begun.
    pub fn new(game_number: u32) -> Self {
        GameRecord { game_number, plies: Vec::new(), end: GameEnd::CAPPED, resignation: None, simulations: 0 }
    }

    /// Positions of the game that are learned from.
    pub fn target_count(&self) -> usize {
        self.targets().count()
    }

    /// What is learned from the game, with the numbers of actions made before.
    pub fn targets(&self) -> impl Iterator<Item = (usize, &SearchTarget)> {
        let numbered = self.plies.iter().enumerate();
        numbered.filter_map(|(number, ply)| Some((number, ply.target.as_ref()?)))
    }

    /// Replays the record and says whether its actions and targets are possible in the game of `rules`.
    ///
    /// A checksum guards against torn bytes; this guards against records of other rules.
    pub fn agrees_with(&self, rules: &dyn Rules) -> bool {
        let (mut position, action_count) = (rules.initial(), rules.shape().action_count);
        for ply in &self.plies {
            let within = |index: u16| usize::from(index) < action_count && position.is_legal(Action(index));
            let is_possible = |target: &SearchTarget| {
                !target.policy.is_empty()
                    && target.policy.iter().all(|&(index, parts)| parts > 0 && within(index))
                    && target.has_possible_numbers()
            };
            if !within(ply.action) || !ply.target.as_ref().is_none_or(is_possible) {
                return false;
            }
            position.play(Action(ply.action));
        }
        match self.end.reason {
            EndReason::Rules => position.outcome() == Some(self.end.value_outcome()),
            EndReason::Cap => position.outcome().is_none() && self.end == GameEnd::CAPPED,
            EndReason::Proven | EndReason::Resigned => position.outcome().is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selfplay_mcts::MoveReport;

    fn target(moves: &[(u16, u32, Option<i8>)]) -> SearchTarget {
        let to_report = |&(action, visits, proven)| MoveReport {
            action: Action(action),
            visits,
            q: 0.0,
            prior: 0.25,
            evaluator_prior: 0.25,
            target_weight: visits as f32,
            proven,
            plies: None,
            turns: None,
        };
        let report = SearchReport {
            simulations: 9,
            wdl: Wdl { win: 0.5, draw: 0.25, loss: 0.25 },
            proven: Some(Outcome::Win(Side::Second)),
            moves: moves.iter().map(to_report).collect(),
            choice: None,
            principal_variation: Vec::new(),
        };
        SearchTarget::new(&report, Side::First)
    }

    #[test]
    fn shares_are_kept_and_proven_losses_dropped() {
        let found = target(&[(7, 5, Some(-1)), (3, 3, None), (1, 1, None), (0, 0, None)]);
        assert_eq!(found.policy, [(3, 49_151), (1, 16_384)]);
        assert_eq!((found.wdl().value(), found.wdl().draw, found.proven), (0.25, 0.25, Some(-1)));
        let entropy = -(0.75_f64 * 0.75_f64.ln() + 0.25 * 0.25_f64.ln());
        assert!((found.policy_entropy() - entropy).abs() < 1e-4);
        let shares: f32 = found.policy_shares().map(|(_, share)| share).sum();
        assert!((shares - 1.0).abs() < 1e-6);
    }

    #[test]
    fn shares_that_round_to_nothing_are_left_out() {
        let found = target(&[(3, 4_000_000, None), (2, 100, None), (1, 1, None)]);
        assert_eq!(found.policy, [(3, 65_533), (2, 2)]);
    }

    #[test]
    fn records_of_other_rules_are_told() {
        use selfplay_env::fixtures::TicTacToe;
        use selfplay_env::rules;
        let mut game = GameRecord::new(0);
        game.plies = [0, 4, 1, 5, 2].map(|action| PlyRecord { action, target: None }).to_vec();
        game.end = GameEnd::by_rules(Outcome::Win(Side::First));
        assert!(game.agrees_with(rules::<TicTacToe>()));
        let resigned = GameEnd::new(Outcome::Win(Side::First), EndReason::Resigned);
        for (end, kept, is_right) in [
            (GameEnd::by_rules(Outcome::Draw), 5, false),
            (GameEnd::CAPPED, 5, false),
            (resigned, 5, false),
            (GameEnd::CAPPED, 4, true),
            (resigned, 4, true),
            (game.end, 4, false),
        ] {
            let record = GameRecord { end, plies: game.plies[..kept].to_vec(), ..game.clone() };
            assert_eq!(record.agrees_with(rules::<TicTacToe>()), is_right, "{end:?} after {kept}");
        }
        let twice = [0, 0].map(|action| PlyRecord { action, target: None }).to_vec();
        assert!(!GameRecord { end: GameEnd::CAPPED, plies: twice, ..game }.agrees_with(rules::<TicTacToe>()));
    }
}
