//! From a player specification to its text: the kind, and the keys that differ from their defaults.

use selfplay_mcts::{Foresight, SearchConfig};

use super::PlayerSpec;
use super::pairs::Written;
use crate::alphabeta::{AlphaBetaConfig, Selectivity};
use crate::baselines::UctConfig;
use crate::program::ProgramConfig;
use crate::search_player::{Proofs, SpecSymmetry, Variety};

/// The text of `spec`, which is of a kind of this crate.
pub fn written(spec: &PlayerSpec) -> Written {
    match spec {
        PlayerSpec::Added(_) => unreachable!("added kinds write themselves"),
        PlayerSpec::Random => Written::new("random"),
        PlayerSpec::Greedy => Written::new("greedy"),
        PlayerSpec::AlphaBeta(config) => alpha_beta(config),
        PlayerSpec::Uct(config) => uct(config),
        PlayerSpec::Table(file) => Written::new("table").part(file),
        PlayerSpec::Program(config) => program(config),
        PlayerSpec::Search(search) => Written::new("search")
            .text_pair("checkpoint", &search.checkpoint)
            .pair("simulations", search.limits.simulations)
            .time("time", search.limits.time_ms)
            .time("cpu", search.limits.cpu_time_ms)
            .pair("leaves", search.leaves)
            .unless_default("temperature", search.temperature, 0.0)
            .unless_default("policy_temperature", search.policy_temperature, 1.0)
            .unless_default("c_puct", search.c_puct, SearchConfig::default().c_puct)
            .pair("precision", search.precision.as_ref())
            .pair("symmetry", (search.symmetry == SpecSymmetry::Average).then_some("average"))
            .pair("solver", (!search.solver).then_some("off"))
            .pair("foresight", foresight(search.foresight))
            .pair("proofs", (search.proofs == Proofs::On).then_some("on"))
            .pair("variety", (search.variety == Variety::On).then_some("on")),
        PlayerSpec::Policy { checkpoint, precision, temperature } => Written::new("policy")
            .text_pair("checkpoint", checkpoint)
            .unless_default("temperature", *temperature, 0.0)
            .pair("precision", precision.as_ref()),
    }
}

fn foresight(foresight: Foresight) -> Option<&'static str> {
    match foresight {
        Foresight::Off => Some("off"),
        Foresight::Near => Some("near"),
        Foresight::Deep => None,
    }
}

fn alpha_beta(config: &AlphaBetaConfig) -> Written {
    let default = AlphaBetaConfig::default();
    Written::new("alphabeta")
        .pair("depth", config.limits.depth)
        .pair("nodes", config.limits.nodes)
        .time("time", config.limits.time_ms)
        .time("cpu", config.limits.cpu_time_ms)
        .unless_default("memory", config.memory_mib, default.memory_mib)
        .unless_default("threads", config.threads, default.threads)
        .pair("search", (config.selectivity == Selectivity::Exact).then_some("exact"))
        .unless_default("lines", config.lines, default.lines)
}

fn uct(config: &UctConfig) -> Written {
    let default = UctConfig::default();
    Written::new("uct")
        .pair("simulations", config.simulations)
        .time("time", config.time_ms)
        .unless_default("c", config.exploration, default.exploration)
        .unless_default("memory", config.memory_mib, default.memory_mib)
}

fn program(config: &ProgramConfig) -> Written {
    Written::new("program").time("time", config.time_ms).part(&config.command)
}
