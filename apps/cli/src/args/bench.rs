//! Arguments of `bench`.

use clap::{Args, ValueEnum};

use super::invalid_value::InvalidValue;
use super::machine::MachineArgs;

/// What `bench` can measure.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BenchSection {
    /// Positions evaluated per second, by every inference path.
    Network,
    /// Simulations per second, with and without a network.
    Search,
    /// Actions per second, by the rules alone.
    Env,
    /// Games per second, shares of the time, memory.
    Selfplay,
    /// Training steps per second.
    Train,
    /// Convolutions, as a share of the peak. Only on request.
    Kernels,
    /// CPU time of a run by phase: three generations of pentago-swap, some minutes. Only on request.
    Run,
    /// Positions per second, depth and branching factor of alpha-beta in every game; use --seconds 2. Only on request.
    Alphabeta,
}

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Sections to measure [default: network, search, env, selfplay, train].
    #[arg(value_enum)]
    pub sections: Vec<BenchSection>,
    /// Number of rounds; medians are printed.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,
    /// Approximate seconds per measurement.
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
