//! What commands that compute receive about the machine, and how times are written.

use clap::Args;
use rayon::ThreadPoolBuilder;
use selfplay_network::{Backend, DeviceKind};
use selfplay_pipeline::Machine;
use selfplay_players::time_control::parse_time_ms;

use super::invalid_value::InvalidValue;

/// What computes networks in this build.
#[cfg(feature = "burn")]
pub const BACKEND: &dyn Backend = &selfplay_burn::BurnBackend;
/// What computes networks in this build.
#[cfg(not(feature = "burn"))]
pub const BACKEND: &dyn Backend = &selfplay_learner::TrainingBackend;

/// Worker threads, at most: more than any machine has cores, and few enough for their memory.
const MAX_THREADS: i64 = 1024;

/// What to compute with.
#[derive(Args, Debug, Clone, Copy)]
pub struct MachineArgs {
    /// Worker threads [default: one per core]. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS))]
    pub threads: Option<u16>,
    /// Device that computes the network: cpu, or flex, cuda or wgpu in a build with that feature. Runs repeat bit for bit
    /// only on one device.
    #[arg(long, default_value_t = DeviceKind::Cpu)]
    pub device: DeviceKind,
}

impl MachineArgs {
    /// The machine that they describe.
    pub fn machine(&self) -> Machine {
        let default = Machine::default();
        Machine { threads: self.threads.map_or(default.threads, usize::from), device: self.device, backend: BACKEND }
    }

    /// Starts the threads of all parallel loops; to be called once, before anything is computed.
    pub fn start_threads(&self) {
        start_threads(self.machine().threads);
    }
}

/// Starts the threads that all parallel loops of the program share, those of the tensor library included; fewer where the
/// system gives no more. To be called once, before anything is computed.
pub fn start_threads(threads: usize) {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads);
    // The shared pool can be asked for once only, so a pool that is thrown away tells what can be had.
    let halves = std::iter::successors(Some(threads), |threads| Some(threads / 2)).take_while(|&threads| threads > 0);
    let mut tried = halves.map(|threads| (threads, pool(threads).build().map(drop)));
    let found = tried.find_map(|(threads, built)| built.is_ok().then_some(threads));
    let started = match found {
        Some(threads) => pool(threads).build_global(),
        None => pool(1).use_current_thread().build_global(),
    };
    match (started, found.unwrap_or(1)) {
        (Err(error), _) => tracing::warn!("cannot start worker threads: {error}"),
        (Ok(()), fewer) if fewer < threads => {
            tracing::warn!("cannot start {threads} threads; continuing with {fewer}");
        }
        (Ok(()), _) => {}
    }
}

/// Milliseconds from a time as people write it.
///
/// # Errors
/// [`InvalidValue`].
pub fn time_ms(text: &str) -> Result<u64, InvalidValue> {
    parse_time_ms(text).ok_or(InvalidValue { expected: "a time such as 500ms or 2s, above 0 and at most an hour" })
}

/// Upper limit of hours: more than a century.
const MAX_HOURS: f64 = 1e6;

/// Reads hours, as in `0.5`.
///
/// # Errors
/// [`InvalidValue`].
pub fn hours(text: &str) -> Result<f64, InvalidValue> {
    let hours = text.parse::<f64>().ok().filter(|hours| *hours > 0.0 && *hours <= MAX_HOURS);
    hours.ok_or(InvalidValue { expected: "a number of hours above 0, as in 0.5 for half an hour" })
}
