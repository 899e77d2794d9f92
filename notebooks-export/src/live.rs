//! The live state of a run: plain data for dashboards on the terminal and in the browser.

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
    /// Whether it is running.
    pub state: RunState,
    /// The last generation it is to reach, if it is limited so.
    pub last_generation: Option<u32>,
    /// What it does now; `None` between phases and when it does not run.
    pub phase: Option<PhaseView>,
    /// What it has done.
    pub rows: RunRows,
    /// What the doctor says now, the most important first.
    pub diagnostics: Vec<String>,
    /// Share of the threads' time that was spent computing lately, in 0..=1; `None` where it is unknown.
    pub cpu_share: Option<f64>,
    /// Generations that the replay window reaches back.
    pub replay_generations: Option<f64>,
    /// The machines that play for it, if it is shared with others.
    #[serde(default)]
    pub workers: Vec<WorkerView>,
}

/// Whether a run is running. Times are in seconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RunState {
    /// It is running.
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

/// A machine that plays for a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WorkerView {
    /// Its name.
    pub name: String,
    /// Its kind of CPU.
    pub cpu: String,
    /// Tasks that it can do at once.
    pub threads: u64,
    /// Tasks that it is at.
    pub playing: u64,
    /// Games of self-play that it has played for this call of the run.
    pub games: u64,
    /// Game pairs of the gate that it has played.
    pub pairs: u64,
    /// Games of self-play an hour since it joined.
    pub games_per_hour: f64,
    /// When it was heard of last, in seconds since 1970.
    pub heard_unix_seconds: u64,
    /// Why it does not play, if so.
    pub refusal: Option<String>,
}

impl WorkerView {
    /// What it does, in some words: `2 threads, 360 games/h`, or why it does not play.
    pub fn summary(&self) -> String {
        match &self.refusal {
            Some(reason) => format!("refused: {reason}"),
            None => {
                let threads = if self.threads == 1 { "thread" } else { "threads" };
                format!("{} {threads}, {:.0} games/h", self.threads, self.games_per_hour)
            }
        }
    }
}

/// The newest numbers of a run: a [`RunView`] without its history.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct RunStatus {
    /// Name of the run.
    pub run: String,
    /// Title of its game.
    pub game: String,
    /// Whether it is running.
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
    pub learning: Option<LossRow>,
    /// The newest generation with a rating.
    pub newest: Option<EloRow>,
    /// The champion, if it has a rating.
    pub champion: Option<EloRow>,
    /// The matches of the newest generation that was put to the gate.
    pub matches: Vec<GateMatch>,
    /// What the doctor says now.
    pub diagnostics: Vec<String>,
    /// Share of the threads' time that was spent computing lately, in 0..=1.
    pub cpu_share: Option<f64>,
    /// Generations that the replay window reaches back.
    pub replay_generations: Option<f64>,
    /// The machines that play for it, if it is shared with others.
    pub workers: Vec<WorkerView>,
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

/// The self-play of one generation: its row, and what follows from it. Shares are of its games, in 0..=1.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SelfPlayNumbers {
    /// The row.
    #[serde(flatten)]
    pub row: SelfPlayRow,
    /// Positions made for each second of wall-clock time; `None` where no time was measured.
    pub positions_per_second: Option<f64>,
    /// Simulations likewise.
    pub simulations_per_second: Option<f64>,
    /// Games that the side moving first won.
    pub first_share: f64,
    /// Games that the other side won.
    pub second_share: f64,
    /// Games drawn by the rules.
    pub draw_share: f64,
    /// Games stopped at the maximum length.
    pub truncated_share: f64,
}

/// A match of a candidate.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GateMatch {
    /// The match, the candidate being its player `a`.
    #[serde(flatten)]
    pub row: MatchRow,
    /// What the opponent is.
    pub opponent: Opponent,
}

impl SelfPlayNumbers {
    /// The numbers of a row.
    pub fn from_row(row: &SelfPlayRow) -> Self {
        let share = |count: u64| count as f64 / row.games.max(1) as f64;
        let rate = |count: u64| (row.wall_seconds > 0.0).then(|| count as f64 / row.wall_seconds);
        SelfPlayNumbers {
            positions_per_second: rate(row.positions),
            simulations_per_second: rate(row.simulations),
            first_share: share(row.first_wins),
            second_share: share(row.second_wins),
            draw_share: share(row.draws),
            truncated_share: share(row.truncated),
            row: row.clone(),
        }
    }
}

impl RunView {
    /// The newest numbers.
    pub fn status(&self) -> RunStatus {
        let RunRows { selfplay, losses, .. } = &self.rows;
        let champions = self.ratings().filter(|row| row.role == PlayerRole::Champion);
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
            self_play: selfplay.last().map(SelfPlayNumbers::from_row),
            learning: losses.last().cloned(),
            newest: self.ratings().max_by_key(|row| row.generation).cloned(),
            champion: champions.max_by_key(|row| row.generation).cloned(),
            matches: self.newest_matches(),
            diagnostics: self.diagnostics.clone(),
            cpu_share: self.cpu_share,
            replay_generations: self.replay_generations,
            workers: self.workers.clone(),
        }
    }

    /// The ratings of the generations; those of the baselines are left out.
    pub fn ratings(&self) -> impl Iterator<Item = &EloRow> {
        self.rows.elo.iter().filter(|row| row.generation.is_some())
    }

    /// The matches of the newest generation that was put to the gate.
    pub fn newest_matches(&self) -> Vec<GateMatch> {
        let gated = || self.rows.matches.iter().filter(|row| row.verdict.is_some());
        let newest = gated().map(|row| row.generation).max();
        let events = self.rows.events();
        let matches = events.iter().filter_map(|event| match *event {
            Event::Match { row, opponent } if row.verdict.is_some() && Some(row.generation) == newest => {
                Some(GateMatch { row: row.clone(), opponent })
            }
            _ => None,
        });
        matches.collect()
    }
}
