//! From a text to a player specification.

use std::path::Path;

use selfplay_config::suggestion::did_you_mean;
use selfplay_mcts::{Foresight, Limits};

use super::kinds::{added_kind, added_names};
use super::pairs::{NOT_NEGATIVE, Pairs, command_of};
use super::{AddedSpec, PlayerSpec, RELEASED_CHECKPOINT, SearchSpec, UNIFORM_CHECKPOINT};
use crate::alphabeta::{AlphaBetaConfig, AlphaBetaLimits, MAX_DEPTH, MAX_LINES, Selectivity};
use crate::baselines::UctConfig;
use crate::error::EvalError;
use crate::program::ProgramConfig;
use crate::search_player::{Proofs, SpecSymmetry, Variety};

pub(super) const KINDS: [&str; 9] =
    ["random", "greedy", "alphabeta", "uct", "table", "program", "search", "policy", RELEASED_CHECKPOINT];
/// A tree takes some hundred bytes a simulation; this many still fit in an ordinary machine.
const MOST_SIMULATIONS: u32 = 10_000_000;
const DEPTH: &str = "a whole number of decisions from 1 to 200";
const SIMULATIONS: &str = "a whole number from 1 to 10,000,000";
const LINES: &str = "a whole number from 1 to 16";
const THREADS: &str = "a whole number from 1 to 256";

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
        "alphabeta" => alpha_beta(spec, pairs),
        "uct" => uct(spec, pairs),
        "table" if pairs.is_empty() => Err(EvalError::of_spec(spec, "the file is missing, as in `table:pylos.table`")),
        "table" => Ok(PlayerSpec::Table(pairs.to_owned())),
        "program" => program(spec, pairs),
        "search" => search(spec, pairs),
        RELEASED_CHECKPOINT => {
            let checkpoint = format!("checkpoint={RELEASED_CHECKPOINT}");
            search(spec, &if pairs.is_empty() { checkpoint } else { format!("{checkpoint},{pairs}") })
        }
        "policy" => {
            let pairs = Pairs::read(spec, pairs, &["checkpoint", "temperature", "precision"])?;
            let (checkpoint, precision) = evaluator(&pairs)?;
            Ok(PlayerSpec::Policy { checkpoint, precision, temperature: pairs.temperature()? })
        }
        _ => match added_kind(kind) {
            Some(kind) => Ok(PlayerSpec::Added(AddedSpec(kind.read(spec, pairs)?))),
            None => {
                if Path::new(spec).exists() {
                    let agent = PlayerSpec::of_agent(Path::new(spec));
                    let reason = format!("this is a file or folder; the agent in it is `{agent}`");
                    return Err(EvalError::of_spec(spec, reason));
                }
                let (meant, known) = (kind_meant(kind), kinds().join(", "));
                Err(EvalError::of_spec(spec, format!("there is no kind `{kind}`{meant}; the kinds are {known}")))
            }
        },
    }
}

fn kinds() -> Vec<&'static str> {
    [&KINDS[..], &added_names()].concat()
}

/// The kind that was probably meant by one that does not exist, as a question, or nothing.
pub fn kind_meant(kind: &str) -> String {
    did_you_mean(kind, kinds())
}

fn alpha_beta(spec: &str, pairs: &str) -> Result<PlayerSpec, EvalError> {
    let keys = ["depth", "nodes", "time", "cpu", "memory", "threads", "search", "lines"];
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
        lines: pairs.number("lines", LINES, |lines| (1..=MAX_LINES).contains(lines))?.unwrap_or(default.lines),
    }))
}

fn uct(spec: &str, pairs: &str) -> Result<PlayerSpec, EvalError> {
    // As the key is called in games files of before.
    let pairs = Pairs::read_renamed(spec, pairs, &["simulations", "time", "c", "memory"], &[("sims", "simulations")])?;
    let default = UctConfig::default();
    let is_weight = |c: &f64| c.is_finite() && *c >= 0.0;
    let config = UctConfig {
        simulations: pairs.count("simulations")?,
        time_ms: pairs.time_ms("time")?,
        exploration: pairs.number("c", NOT_NEGATIVE, is_weight)?.unwrap_or(default.exploration),
        memory_mib: pairs.memory_mib()?.unwrap_or(default.memory_mib),
    };
    config.validate()?;
    Ok(PlayerSpec::Uct(config))
}

fn program(spec: &str, text: &str) -> Result<PlayerSpec, EvalError> {
    let (time_ms, command) = command_of(spec, text)?;
    Ok(PlayerSpec::Program(ProgramConfig { time_ms, ..ProgramConfig::new(command) }))
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
        "c_puct",
        "precision",
        "symmetry",
        "solver",
        "foresight",
        "proofs",
        "variety",
    ];
    let switch = [("off", false), ("on", true)];
    let foresights = [("off", Foresight::Off), ("near", Foresight::Near), ("on", Foresight::Deep)];
    let proofs = [("off", Proofs::Off), ("on", Proofs::On)];
    let varieties = [("off", Variety::Off), ("on", Variety::On)];
    let symmetries = [("identity", SpecSymmetry::Identity), ("average", SpecSymmetry::Average)];
    let pairs = Pairs::read(spec, pairs, &keys)?;
    let (checkpoint, precision) = evaluator(&pairs)?;
    Ok(PlayerSpec::Search(SearchSpec {
        checkpoint,
        precision,
        symmetry: pairs.choice("symmetry", "`identity` or `average`", &symmetries)?.unwrap_or_default(),
        limits: Limits {
            simulations: pairs.number("simulations", SIMULATIONS, |n| (1..=MOST_SIMULATIONS).contains(n))?,
            time_ms: pairs.time_ms("time")?,
            cpu_time_ms: pairs.time_ms("cpu")?,
            ..Limits::default()
        },
        leaves: pairs.count::<u32>("leaves")?.map(|leaves| leaves as usize),
        temperature: pairs.temperature()?,
        policy_temperature: pairs.policy_temperature()?,
        c_puct: pairs.c_puct()?,
        solver: pairs.choice("solver", "`on` or `off`", &switch)?.unwrap_or(true),
        foresight: pairs.choice("foresight", "`on`, `near` or `off`", &foresights)?.unwrap_or(Foresight::Deep),
        proofs: pairs.choice("proofs", "`on` or `off`", &proofs)?.unwrap_or_default(),
        variety: pairs.choice("variety", "`on` or `off`", &varieties)?.unwrap_or_default(),
    }))
}

/// Where the evaluator comes from and what it computes in.
fn evaluator(pairs: &Pairs) -> Result<(String, Option<String>), EvalError> {
    match (pairs.checkpoint()?, pairs.precision()?) {
        (checkpoint, Some(_)) if checkpoint == UNIFORM_CHECKPOINT => {
            Err(pairs.unfit("`precision`", "a network: `uniform` computes nothing"))
        }
        (checkpoint, precision) => Ok((checkpoint, precision)),
    }
}
