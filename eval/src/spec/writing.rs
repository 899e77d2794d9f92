//! From a player specification to its text: the kind, and the keys that differ from their defaults.

use super::pairs::Written;
use super::{PlayerSpec, SpecSymmetry};
use crate::alphabeta::{AlphaBetaConfig, Selectivity};
use crate::baselines::{PentagoReportConfig, ReportSearch, SpreadEvaluation, UctConfig};
use crate::program::{ProgramConfig, Protocol};
use crate::search_player::{DEFAULT_LEAVES, Proofs, Variety};

/// The text of `spec`.
pub fn written(spec: &PlayerSpec) -> Written {
    match spec {
        PlayerSpec::Random => Written::new("random"),
        PlayerSpec::Greedy => Written::new("greedy"),
        PlayerSpec::PenteRandom => Written::new("pente-random"),
        PlayerSpec::AlphaBeta(config) => alpha_beta(config),
        PlayerSpec::Uct(config) => uct(config),
        PlayerSpec::PentagoReport(config) => pentago_report(config),
        PlayerSpec::PenteMinimax(config) => Written::new("pente-minimax").pair("depth", config.depth),
        PlayerSpec::Program(config) => program(config),
        PlayerSpec::Search(search) => Written::new("search")
            .pair("checkpoint", Some(&search.checkpoint))
            .pair("simulations", search.limits.simulations)
            .time("time", search.limits.time_ms)
            .time("cpu", search.limits.cpu_time_ms)
            .unless_default("leaves", search.leaves, DEFAULT_LEAVES)
            .unless_default("temperature", search.temperature, 0.0)
            .unless_default("policy_temperature", search.policy_temperature, 1.0)
            .pair("precision", search.precision.as_ref())
            .pair("symmetry", (search.symmetry == SpecSymmetry::Average).then_some("average"))
            .pair("proofs", (search.proofs == Proofs::On).then_some("on"))
            .pair("variety", (search.variety == Variety::On).then_some("on")),
        PlayerSpec::Policy { checkpoint, precision, temperature } => Written::new("policy")
            .pair("checkpoint", Some(checkpoint))
            .unless_default("temperature", *temperature, 0.0)
            .pair("precision", precision.as_ref()),
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
}

fn uct(config: &UctConfig) -> Written {
    let default = UctConfig::default();
    Written::new("uct")
        .pair("sims", config.simulations)
        .time("time", config.time_ms)
        .unless_default("c", config.exploration, default.exploration)
        .unless_default("memory", config.memory_mib, default.memory_mib)
}

fn pentago_report(config: &PentagoReportConfig) -> Written {
    let written = Written::new("pentago-report");
    let written = match (config.search, ReportSearch::default()) {
        (search, default) if search == default => written,
        (ReportSearch::AlphaBeta { depth, evaluation }, _) => written
            .pair("depth", Some(depth))
            .pair("evaluation", (evaluation == SpreadEvaluation::Average).then_some("average")),
        (ReportSearch::MonteCarlo { memory_mib }, _) => {
            written.pair("search", Some("mcts")).pair("memory", Some(memory_mib))
        }
    };
    written.pair("book", config.book.as_ref().map(|path| path.display()))
}

fn program(config: &ProgramConfig) -> Written {
    Written::new("program")
        .pair("protocol", (config.protocol == Protocol::PenteFile).then_some("pente-file"))
        .time("time", config.time_ms)
        .part(&config.command)
}
