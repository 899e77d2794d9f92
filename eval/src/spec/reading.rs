//! From a text to a player specification.

use selfplay_mcts::Limits;

use super::pairs::Pairs;
use super::{PlayerSpec, SearchSpec, SpecSymmetry};
use crate::alphabeta::{AlphaBetaConfig, AlphaBetaLimits, MAX_DEPTH, Selectivity};
use crate::baselines::{PentagoReportConfig, PenteMinimaxConfig, ReportSearch, SpreadEvaluation, UctConfig};
use crate::error::EvalError;
use crate::program::{ProgramConfig, Protocol};
use crate::search_player::{DEFAULT_LEAVES, Proofs, Variety};

const KINDS: [&str; 10] = [
    "random",
    "greedy",
    "alphabeta",
    "uct",
    "pentago-report",
    "pente-random",
    "pente-minimax",
    "program",
    "search",
    "policy",
];
/// A tree takes some hundred bytes a simulation; this many still fit in an ordinary machine.
const MOST_SIMULATIONS: u32 = 10_000_000;
const DEPTH: &str = "a whole number of decisions from 1 to 200";
const SIMULATIONS: &str = "a whole number from 1 to 10,000,000";
const THREADS: &str = "a whole number from 1 to 256";
const EXPLORATION: &str = "a finite number of at least 0";

/// The player that `spec` describes.
///
/// # Errors
/// What is wrong with the text, and what would be right.
pub fn read(spec: &str) -> Result<PlayerSpec, EvalError> {
    let (kind, pairs) = spec.split_once(':').unwrap_or((spec, ""));
    let none = || Pairs::read(spec, pairs, &[]);
    match kind {
        "random" => none().map(|_| PlayerSpec::Random),
        "greedy" => none().map(|_| PlayerSpec::Greedy),
        "pente-random" => none().map(|_| PlayerSpec::PenteRandom),
        "alphabeta" => alpha_beta(spec, pairs),
        "uct" => uct(spec, pairs),
        "pentago-report" => pentago_report(spec, pairs),
        "pente-minimax" => {
            let pairs = Pairs::read(spec, pairs, &["depth"])?;
            let depth = pairs.number("depth", "a whole number from 1 to 4", |depth| (1..=4).contains(depth))?;
            Ok(PlayerSpec::PenteMinimax(PenteMinimaxConfig { depth }))
        }
        "program" => program(spec, pairs),
        "search" => search(spec, pairs),
        "policy" => {
            let pairs = Pairs::read(spec, pairs, &["checkpoint", "temperature", "precision"])?;
            Ok(PlayerSpec::Policy {
                checkpoint: pairs.checkpoint()?,
                precision: pairs.precision()?,
                temperature: pairs.temperature()?,
            })
        }
        _ => Err(EvalError::UnknownPlayerKind { spec: spec.into(), kind: kind.into(), known: KINDS.join(", ") }),
    }
}

fn alpha_beta(spec: &str, pairs: &str) -> Result<PlayerSpec, EvalError> {
    let keys = ["depth", "nodes", "time", "cpu", "memory", "threads", "search"];
    let pairs = Pairs::read(spec, pairs, &keys)?;
    let default = AlphaBetaConfig::default();
    let manners = [("full", Selectivity::Full), ("exact", Selectivity::Exact)];
    Ok(PlayerSpec::AlphaBeta(AlphaBetaConfig {
        limits: AlphaBetaLimits {
            depth: pairs.number("depth", DEPTH, |depth| (1..=MAX_DEPTH).contains(depth))?,
            nodes: pairs.count("nodes")?,
            time_ms: pairs.time_ms("time")?,
            cpu_time_ms: pairs.time_ms("cpu")?,
        },
        memory_mib: pairs.memory_mib()?.map_or(default.memory_mib, |mib| mib as usize),
        threads: pairs.number("threads", THREADS, |count| (1..=256).contains(count))?.unwrap_or(default.threads),
        selectivity: pairs.choice("search", "`full` or `exact`", &manners)?.unwrap_or(default.selectivity),
    }))
}

fn uct(spec: &str, pairs: &str) -> Result<PlayerSpec, EvalError> {
    let pairs = Pairs::read(spec, pairs, &["sims", "time", "c", "memory"])?;
    let default = UctConfig::default();
    let is_weight = |c: &f64| c.is_finite() && *c >= 0.0;
    let config = UctConfig {
        simulations: pairs.count("sims")?,
        time_ms: pairs.time_ms("time")?,
        exploration: pairs.number("c", EXPLORATION, is_weight)?.unwrap_or(default.exploration),
        memory_mib: pairs.memory_mib()?.unwrap_or(default.memory_mib),
    };
    config.validate()?;
    Ok(PlayerSpec::Uct(config))
}

fn pentago_report(spec: &str, pairs: &str) -> Result<PlayerSpec, EvalError> {
    let pairs = Pairs::read(spec, pairs, &["depth", "evaluation", "search", "memory", "book"])?;
    let evaluations = [("board", SpreadEvaluation::Board), ("average", SpreadEvaluation::Average)];
    let depth = pairs.number("depth", "a whole number of moves from 1 to 36", |depth| (1..=36).contains(depth))?;
    let evaluation = pairs.choice("evaluation", "`board` or `average`", &evaluations)?;
    let is_tree = pairs.choice("search", "`alphabeta` or `mcts`", &[("alphabeta", false), ("mcts", true)])?;
    let memory = pairs.memory_mib()?;
    let search = match is_tree {
        Some(true) if depth.is_some() || evaluation.is_some() => {
            return Err(pairs.unfit("depth and evaluation", "`search=alphabeta`"));
        }
        Some(true) => ReportSearch::MonteCarlo { memory_mib: memory.unwrap_or(UctConfig::default().memory_mib) },
        _ if memory.is_some() => return Err(pairs.unfit("memory", "`search=mcts`")),
        _ => match ReportSearch::default() {
            ReportSearch::AlphaBeta { depth: usual_depth, evaluation: usual } => {
                ReportSearch::AlphaBeta { depth: depth.unwrap_or(usual_depth), evaluation: evaluation.unwrap_or(usual) }
            }
            tree @ ReportSearch::MonteCarlo { .. } => tree,
        },
    };
    let book = pairs.text("book", "the path of a book file")?.map(Into::into);
    let config = PentagoReportConfig { search, book };
    config.validate()?;
    Ok(PlayerSpec::PentagoReport(config))
}

/// Pairs with keys of ours stand first; the command is all that follows, commas included.
fn program(spec: &str, text: &str) -> Result<PlayerSpec, EvalError> {
    let keys = ["protocol", "time"];
    let is_ours = |part: &str| part.split_once('=').is_some_and(|(key, _)| keys.contains(&key));
    let mut command = text;
    while let Some((part, rest)) = command.split_once(',').filter(|(part, _)| is_ours(part)) {
        debug_assert!(!part.is_empty());
        command = rest;
    }
    let ours = text[..text.len() - command.len()].trim_end_matches(',');
    let pairs = Pairs::read(spec, ours, &keys)?;
    if command.trim().is_empty() || is_ours(command) {
        return Err(pairs.missing("the program's command, after all options,"));
    }
    let protocols = [("gtp", Protocol::Gtp), ("pente-file", Protocol::PenteFile)];
    let protocol = pairs.choice("protocol", "`gtp` or `pente-file`", &protocols)?.unwrap_or_default();
    let time_ms = pairs.time_ms("time")?;
    Ok(PlayerSpec::Program(ProgramConfig { protocol, time_ms, ..ProgramConfig::gtp(command) }))
}

fn search(spec: &str, pairs: &str) -> Result<PlayerSpec, EvalError> {
    let keys = [
        "checkpoint",
        "simulations",
        "time",
        "cpu",
        "leaves",
        "temperature",
        "policy_temperature",
        "precision",
        "symmetry",
        "proofs",
        "variety",
    ];
    let proofs = [("off", Proofs::Off), ("on", Proofs::On)];
    let varieties = [("off", Variety::Off), ("on", Variety::On)];
    let symmetries = [("identity", SpecSymmetry::Identity), ("average", SpecSymmetry::Average)];
    let pairs = Pairs::read(spec, pairs, &keys)?;
    Ok(PlayerSpec::Search(SearchSpec {
        checkpoint: pairs.checkpoint()?,
        precision: pairs.precision()?,
        symmetry: pairs.choice("symmetry", "`identity` or `average`", &symmetries)?.unwrap_or_default(),
        limits: Limits {
            simulations: pairs.number("simulations", SIMULATIONS, |n| (1..=MOST_SIMULATIONS).contains(n))?,
            time_ms: pairs.time_ms("time")?,
            cpu_time_ms: pairs.time_ms("cpu")?,
        },
        leaves: pairs.count::<u32>("leaves")?.map_or(DEFAULT_LEAVES, |leaves| leaves as usize),
        temperature: pairs.temperature()?,
        policy_temperature: pairs.policy_temperature()?,
        proofs: pairs.choice("proofs", "`on` or `off`", &proofs)?.unwrap_or_default(),
        variety: pairs.choice("variety", "`on` or `off`", &varieties)?.unwrap_or_default(),
    }))
}
