//! What commands that compute are told about the machine, and how times are written.

use clap::Args;
use selfplay_eval::time_control::parse_time_ms;
use selfplay_network::DeviceKind;
use selfplay_run::Machine;

/// What to compute with.
#[derive(Args, Debug, Clone, Copy)]
pub struct MachineArgs {
    /// Worker threads [default: one a core]. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Where the network is computed: flex, ndarray, cuda or wgpu (the last two if built with that feature). Devices
    /// differ by rounding: a run stays the same bit for bit on one device only.
    #[arg(long, default_value_t = DeviceKind::Flex)]
    pub device: DeviceKind,
}

impl MachineArgs {
    /// The machine that they describe.
    pub fn machine(&self) -> Machine {
        let default = Machine::default();
        Machine { threads: self.threads.map_or(default.threads, usize::from), device: self.device }
    }

    /// Starts the threads of all parallel loops; to be called once, before anything is computed.
    pub fn start_threads(&self) {
        start_threads(self.machine().threads);
    }
}

/// Starts the threads that all parallel loops of the program share, those of the tensor library included. To be called once,
/// before anything is computed.
pub fn start_threads(threads: usize) {
    let started = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    if let Err(error) = started {
        tracing::warn!("cannot start {threads} threads, going on with the default: {error}");
    }
}

/// Milliseconds from a time as people write it.
///
/// # Errors
/// What would be right.
pub fn time_ms(text: &str) -> Result<u64, String> {
    parse_time_ms(text).ok_or_else(|| "expected a time such as 500ms or 2s, above 0 and at most an hour".into())
}
