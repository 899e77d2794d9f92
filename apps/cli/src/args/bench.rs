//! Arguments of `bench`.

use clap::{Args, ValueEnum};

use super::invalid_value::InvalidValue;
use super::machine::MachineArgs;

/// What `bench` can measure.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BenchSection {
    /// Positions judged in a second, by every path.
    Network,
    /// Simulations in a second, with and without a network.
    Search,
    /// Decisions in a second, by the rules alone.
    Env,
    /// Games in a second, where the time goes, memory.
    Selfplay,
    /// Training steps in a second.
    Train,
    /// Convolutions by themselves, as a share of the peak. Only if asked for.
    Kernels,
    /// Where the CPU time of a run goes: three generations of pentago-swap, some minutes. Only if asked for.
    Run,
    /// Positions in a second, depth and branching factor of alpha-beta in every game; --seconds 2 says it with the
    /// targets' time. Only if asked for.
    Alphabeta,
}

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// What to measure [default: network, search, env, selfplay, train].
    #[arg(value_enum)]
    pub sections: Vec<BenchSection>,
    /// Rounds: in each, everything that is compared is measured once; medians are printed.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,
    /// Seconds that a measurement takes, about.
    #[arg(long, value_name = "S", default_value_t = 0.5, value_parser = seconds)]
    pub seconds: f64,
    /// Print one JSON object; its `ratios` are flat.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment here would replace the command's help")]
    pub machine: MachineArgs,
}

fn seconds(text: &str) -> Result<f64, InvalidValue> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=3600.0).contains(seconds));
    seconds.ok_or(InvalidValue { expected: "seconds from 0.001 to 3600" })
}
