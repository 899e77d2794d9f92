//! The phases of a generation and what each leaves when it is complete.

use std::ops::Add;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use selfplay_arena::{GateDecision, LadderRecord, MatchSummary, Verdict};
use selfplay_mcts::StageShares;
use selfplay_network::training::StepReport;
use selfplay_train::{SelfPlaySummary, ValueFit};
use serde::{Deserialize, Serialize};

/// The steps of a generation, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The baselines of the ladder against each other; generation 0 only.
    Baselines,
    /// Games of the generation's network against itself.
    SelfPlay,
    /// Training steps.
    Learn,
    /// Matches of the candidate against champion and ladder, and the verdict.
    Gate,
}

impl Phase {
    /// The name in file names.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Baselines => "baselines",
            Phase::SelfPlay => "selfplay",
            Phase::Learn => "learn",
            Phase::Gate => "gate",
        }
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        match self {
            Phase::Baselines => "baselines",
            Phase::SelfPlay => "self-play",
            Phase::Learn => "learning",
            Phase::Gate => "gate",
        }
    }

    /// The unit in which its progress is counted.
    pub fn units(self) -> &'static str {
        match self {
            Phase::Baselines | Phase::SelfPlay | Phase::Gate => "games",
            Phase::Learn => "steps",
        }
    }
}

/// Time a phase took.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct PhaseTime {
    /// Elapsed seconds.
    pub wall_seconds: f64,
    /// CPU seconds of all threads, and of the processes that know the rules of a game in a file.
    pub cpu_seconds: f64,
}

impl Add for PhaseTime {
    type Output = PhaseTime;

    fn add(self, other: PhaseTime) -> PhaseTime {
        PhaseTime {
            wall_seconds: self.wall_seconds + other.wall_seconds,
            cpu_seconds: self.cpu_seconds + other.cpu_seconds,
        }
    }
}

/// Measures a phase.
#[derive(Debug)]
pub struct PhaseClock {
    begun: Instant,
    own: ProcessTime,
    /// Tells the CPU time of other processes, and what it was at the start.
    cpu_time_elsewhere: fn() -> Duration,
    elsewhere: Duration,
}

impl PhaseClock {
    /// Starts now, with the [CPU time of other processes](selfplay_registry::Games::cpu_time_elsewhere).
    pub fn start(cpu_time_elsewhere: fn() -> Duration) -> Self {
        let elsewhere = cpu_time_elsewhere();
        PhaseClock { begun: Instant::now(), own: ProcessTime::now(), cpu_time_elsewhere, elsewhere }
    }

    /// The time since the start.
    pub fn stop(&self) -> PhaseTime {
        let elsewhere = (self.cpu_time_elsewhere)().saturating_sub(self.elsewhere);
        let cpu_seconds = (self.own.elapsed() + elsewhere).as_secs_f64();
        PhaseTime { wall_seconds: self.begun.elapsed().as_secs_f64(), cpu_seconds }
    }
}

/// What the self-play phase leaves beside its shard.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SelfPlayReport {
    /// What the games look like.
    pub summary: SelfPlaySummary,
    /// How well the searches' values agree with the results.
    #[serde(default)]
    pub value_fit: ValueFit,
    /// What the cores did.
    #[serde(default)]
    pub cores: Option<CoreUse>,
    /// Simulations a second, of the games played in the call that completed the phase.
    #[serde(default)]
    pub simulations_per_second: Option<f64>,
    /// Share of the leaves that caches knew, 0..=1; `None` without caches.
    #[serde(default)]
    pub cache_hit_share: Option<f64>,
    /// Time the phase took, that of calls which were ended in it included.
    pub time: PhaseTime,
}

/// What the cores did in self-play, in core-seconds.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct CoreUse {
    /// The network, its input included.
    pub network_seconds: f64,
    /// The search tree and all that is none of the others.
    pub tree_seconds: f64,
    /// The rules.
    pub rules_seconds: f64,
    /// Nothing.
    pub idle_seconds: f64,
}

impl CoreUse {
    /// Deals out the time of `threads` threads: what the CPU did by the shares of `stages`, which are those of
    /// [`Stage::ALL`](selfplay_mcts::Stage::ALL), what it did not as idle.
    pub fn new(threads: usize, time: PhaseTime, stages: StageShares) -> Self {
        let [tree, rules, encoding, network, _idle] = stages;
        let busy = tree + rules + encoding + network;
        let seconds = |share: f64| if busy > 0.0 { time.cpu_seconds * share / busy } else { 0.0 };
        CoreUse {
            network_seconds: seconds(network + encoding),
            tree_seconds: seconds(tree),
            rules_seconds: seconds(rules),
            idle_seconds: (time.wall_seconds * threads as f64 - time.cpu_seconds).max(0.0),
        }
    }
}

/// What the learning phase leaves beside its checkpoint.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct LearnReport {
    /// Steps made.
    #[serde(default)]
    pub steps: u64,
    /// Means over consecutive steps.
    pub losses: Vec<StepReport>,
    /// Losses on games that are held out, if there are any.
    pub validation: Option<GamesLosses>,
    /// Losses on the games beside them, which are learned from.
    #[serde(default)]
    pub neighbours: Option<GamesLosses>,
    /// Positions in the replay window.
    pub replay_positions: u64,
    /// Time the phase took.
    pub time: PhaseTime,
}

/// Losses of the generation's network on some games.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GamesLosses {
    /// Games judged.
    #[serde(default)]
    pub games: u64,
    /// Positions judged.
    pub positions: u64,
    /// Cross-entropy of the policy, nats.
    pub policy_loss: f64,
    /// Cross-entropy of win, draw and loss, nats.
    pub value_loss: f64,
}

/// What the gate phase of a generation leaves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GateReport {
    /// The candidate's matches: the ladder in its order, then the champion, if there was one.
    pub matches: Vec<MatchSummary>,
    /// The candidate's record against the ladder.
    pub ladder: LadderRecord,
    /// Generation of the champion before the verdict.
    pub champion: Option<u32>,
    /// The verdict with its reasons.
    pub verdict: Verdict,
    /// Time the phase took.
    pub time: PhaseTime,
}

impl GateReport {
    /// Whether the candidate became the champion.
    pub fn is_promoted(&self) -> bool {
        self.verdict.decision == GateDecision::Promote
    }

    /// Whether each pair of the match against the champion came out even, so that it tells nothing of either.
    pub fn is_even(&self) -> bool {
        let [worst, worse, even, better, best] = self.matches.last().map_or([0; 5], |last| last.pentanomial);
        self.champion.is_some() && even > 0 && worst + worse + better + best == 0
    }
}

/// What the baselines phase leaves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BaselinesReport {
    /// Every baseline of the ladder against every other.
    pub matches: Vec<MatchSummary>,
    /// Time the phase took.
    pub time: PhaseTime,
}

/// Name of a generation's agent in tables and plots.
pub fn agent_name(generation: u32) -> String {
    format!("gen-{generation:05}")
}
