//! The gate phase: matches of a candidate against champion and ladder, the verdict, and the baselines themselves.

use std::io::Write;

use selfplay_env::PlayableGame;
use selfplay_env::rng::derive_seed;
use selfplay_eval::{
    LadderRecord, MatchConfig, MatchSummary, Player, PlayerSpec, SearchPlayer, Verdict, build_player, decide,
    play_match,
};
use selfplay_mcts::Limits;
use selfplay_network::BurnEvaluator;
use selfplay_network::checkpoint::load_network;
use serde::{Deserialize, Serialize};

use crate::agents::Agents;
use crate::error::CliError;
use crate::pipeline::{PhaseClock, PhaseTime, Training};
use crate::progress::PhaseBar;
use crate::run_folder::Phase;

/// Keep the openings of different kinds of match apart; those against the ladder are the same for every generation.
const BASELINE_STREAM: u64 = 0xBA5E;
const LADDER_STREAM: u64 = 0x1ADD;
const CHAMPION_STREAM: u64 = 0xC4A3;

/// What the gate phase of a generation leaves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GateReport {
    /// The candidate's matches: champion first (if there was one), then the ladder in its order.
    pub matches: Vec<MatchSummary>,
    /// The candidate's record against the ladder.
    pub ladder: LadderRecord,
    /// The champion before the verdict.
    pub champion: Option<u32>,
    /// The verdict with its reasons.
    pub verdict: Verdict,
    /// Time the phase took.
    pub time: PhaseTime,
}

/// What the baselines phase leaves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BaselinesReport {
    /// Every rung of the ladder against every other.
    pub matches: Vec<MatchSummary>,
    /// Time the phase took.
    pub time: PhaseTime,
}

/// Whether a gate was done now or had been done before.
pub enum Judged {
    /// In this call.
    Now,
    /// In an earlier one.
    Before,
}

impl Judged {
    /// Whether there is something new to show.
    pub fn is_new(&self) -> bool {
        matches!(self, Judged::Now)
    }
}

/// Name of a generation's agent in tables and plots.
pub fn agent_name(generation: u32) -> String {
    format!("gen-{generation:05}")
}
