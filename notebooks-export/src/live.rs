//! A run as one sees it while it goes on: plain data for dashboards on the terminal and in the browser.

use serde::{Deserialize, Serialize};

use crate::events::{Opponent, RunRows};
use crate::{EloRow, Event, LossRow, MatchRow, PlayerRole, SelfPlayRow};

/// Everything a dashboard shows.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct RunView {
    /// Name of the run.
    pub run: String,
    /// Title of its game.
    pub game: String,
    /// Whether it goes on.
    pub state: RunState,
    /// The last generation it is to reach, if it is limited so.
    pub last_generation: Option<u32>,
    /// What it does now; `None` between phases and when it does not run.
    pub phase: Option<PhaseView>,
    /// What it has done.
    pub rows: RunRows,
    /// What the doctor says now, the most important first.
    pub remarks: Vec<String>,
    /// Share of the threads' time that was spent computing lately, in 0..=1; `None` where it is unknown.
    pub cpu_share: Option<f64>,
    /// Generations that the replay window reaches back.
    pub replay_generations: Option<f64>,
}

/// Whether a run goes on. Times are in seconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RunState {
    /// It goes on.
    #[default]
    Running,
    /// It ended before it was finished: it was interrupted, or failed.
    Stopped {
        /// The last sign of life.
        since_unix_seconds: u64,
    },
    /// It has done all it was to do.
    Finished {
        /// When it was done.
        since_unix_seconds: u64,
    },
}

/// How far a phase is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PhaseView {
    /// What is done, as people call it: `self-play`, `learning`, `gate`.
    pub name: String,
    /// The generation it is done for.
    pub generation: u32,
    /// Units that are done.
    pub done: u64,
    /// Units there are in all; 0 where that is unknown.
    pub total: u64,
    /// What is counted: `games`, `steps`.
    pub units: String,
    /// Units per second lately.
    pub per_second: Option<f64>,
    /// Expected seconds to the end of the phase.
    pub seconds_left: Option<f64>,
}

impl PhaseView {
    /// The share that is done, in 0..=1; `None` where the total is unknown.
    pub fn share(&self) -> Option<f64> {
        (self.total > 0).then(|| (self.done as f64 / self.total as f64).min(1.0))
    }
}

/// The newest numbers of a run: a [`RunView`] without its history.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct RunStatus {
    /// Name of the run.
    pub run: String,
    /// Title of its game.
    pub game: String,
    /// Whether it goes on.
    #[serde(flatten)]
    pub state: RunState,
    /// The newest generation that has played itself.
    pub generation: Option<u32>,
    /// The last generation it is to reach, if it is limited so.
    pub last_generation: Option<u32>,
    /// What it does now.
    pub phase: Option<PhaseView>,
    /// Self-play of all generations together.
    pub totals: SelfPlayTotals,
    /// The newest self-play.
    pub self_play: Option<SelfPlayNumbers>,
    /// The newest learning.
    pub learning: Option<LearningNumbers>,
    /// The newest generation with a rating.
    pub newest: Option<RatingNumbers>,
    /// The champion, if it has a rating.
    pub champion: Option<RatingNumbers>,
    /// The matches of the newest generation that was put to the gate.
    pub matches: Vec<MatchNumbers>,
    /// What the doctor says now.
    pub remarks: Vec<String>,
    /// Share of the threads' time that was spent computing lately, in 0..=1.
    pub cpu_share: Option<f64>,
    /// Generations that the replay window reaches back.
    pub replay_generations: Option<f64>,
}

/// Sums over the self-play of all generations.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct SelfPlayTotals {
    /// Games finished.
    pub games: u64,
    /// Positions that are learned from.
    pub positions: u64,
    /// Search simulations made.
    pub simulations: u64,
}

/// The self-play of one generation. Shares are of its games, in 0..=1.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SelfPlayNumbers {
    /// The generation that played.
    pub generation: u32,
    /// Positions made for each second of wall-clock time; `None` where no time was measured.
    pub positions_per_second: Option<f64>,
    /// Mean entropy of the policy targets, in nats.
    pub policy_entropy_nats: f64,
    /// Mean difference of the policy targets from the network's own policy, in nats.
    pub policy_surprise_nats: f64,
    /// Mean length of a game in decisions.
    pub mean_game_decisions: f64,
    /// Games that the side moving first won.
    pub first_share: f64,
    /// Games that the other side won.
    pub second_share: f64,
    /// Games drawn by the rules.
    pub draw_share: f64,
    /// Games stopped at the decision limit.
    pub truncated_share: f64,
}

/// The newest point of learning. Losses are in nats.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct LearningNumbers {
    /// Training steps since the start of the run.
    pub step: u64,
    /// Loss of the policy head.
    pub policy_loss: f64,
    /// Loss of the value head.
    pub value_loss: f64,
    /// The weighted sum that is minimised.
    pub total_loss: f64,
    /// Learning rate.
    pub learning_rate: f64,
    /// Positions in the replay buffer.
    pub replay_positions: u64,
}

/// A generation's rating.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct RatingNumbers {
    /// The generation.
    pub generation: u32,
    /// Its rating in Elo.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub elo_low: f64,
    /// Upper end of the 95 % interval.
    pub elo_high: f64,
}

/// A match of a candidate.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatchNumbers {
    /// The candidate's generation.
    pub generation: u32,
    /// Name of the opponent.
    pub b: String,
    /// What the opponent is.
    pub opponent: Opponent,
    /// Games played.
    pub games: u64,
    /// Points of the candidate per game, in 0..=1.
    pub score: f64,
    /// What the gate decided after all its matches.
    pub verdict: Option<String>,
}

impl SelfPlayNumbers {
    /// The numbers of a row.
    pub fn of(row: &SelfPlayRow) -> Self {
        let share = |count: u64| count as f64 / row.games.max(1) as f64;
        SelfPlayNumbers {
            generation: row.generation,
            positions_per_second: (row.wall_seconds > 0.0).then(|| row.positions as f64 / row.wall_seconds),
            policy_entropy_nats: row.policy_entropy_nats,
            policy_surprise_nats: row.policy_surprise_nats,
            mean_game_decisions: row.mean_game_decisions,
            first_share: share(row.first_wins),
            second_share: share(row.second_wins),
            draw_share: share(row.draws),
            truncated_share: share(row.truncated),
        }
    }
}

impl LearningNumbers {
    fn of(row: &LossRow) -> Self {
        LearningNumbers {
            step: row.step,
            policy_loss: row.policy_loss,
            value_loss: row.value_loss,
            total_loss: row.total_loss,
            learning_rate: row.learning_rate,
            replay_positions: row.replay_positions,
        }
    }
}

impl RatingNumbers {
    /// The numbers of a row; `None` for baselines.
    pub fn of(row: &EloRow) -> Option<Self> {
        let EloRow { elo, elo_low, elo_high, .. } = *row;
        row.generation.map(|generation| RatingNumbers { generation, elo, elo_low, elo_high })
    }
}

impl MatchNumbers {
    fn of(row: &MatchRow, opponent: Opponent) -> Self {
        MatchNumbers {
            generation: row.generation,
            b: row.b.clone(),
            opponent,
            games: row.games,
            score: row.score,
            verdict: row.verdict.clone(),
        }
    }
}

impl RunView {
    /// The newest numbers.
    pub fn status(&self) -> RunStatus {
        let RunRows { selfplay, losses, elo, .. } = &self.rows;
        let rated = || elo.iter().filter(|row| row.generation.is_some());
        let champions = rated().filter(|row| row.role == PlayerRole::Champion);
        let sum = |count: fn(&SelfPlayRow) -> u64| selfplay.iter().map(count).sum();
        RunStatus {
            run: self.run.clone(),
            game: self.game.clone(),
            state: self.state,
            generation: selfplay.last().map(|row| row.generation),
            last_generation: self.last_generation,
            phase: self.phase.clone(),
            totals: SelfPlayTotals {
                games: sum(|row| row.games),
                positions: sum(|row| row.positions),
                simulations: sum(|row| row.simulations),
            },
            self_play: selfplay.last().map(SelfPlayNumbers::of),
            learning: losses.last().map(LearningNumbers::of),
            newest: rated().max_by_key(|row| row.generation).and_then(RatingNumbers::of),
            champion: champions.max_by_key(|row| row.generation).and_then(RatingNumbers::of),
            matches: self.newest_matches(),
            remarks: self.remarks.clone(),
            cpu_share: self.cpu_share,
            replay_generations: self.replay_generations,
        }
    }

    /// The matches of the newest generation that was put to the gate.
    pub fn newest_matches(&self) -> Vec<MatchNumbers> {
        let events = self.rows.events();
        let matches = events.iter().filter_map(|event| match event {
            Event::Match { row, opponent } if row.verdict.is_some() => Some(MatchNumbers::of(row, *opponent)),
            _ => None,
        });
        let matches: Vec<MatchNumbers> = matches.collect();
        let newest = matches.iter().map(|row| row.generation).max();
        matches.into_iter().filter(|row| Some(row.generation) == newest).collect()
    }
}
