//! What a run computes with. Nothing but its speed, and rounding between devices, depends on it.

use std::fmt;

use selfplay_network::{Backend, CpuBackend, DeviceKind};

/// What to compute with.
#[derive(Clone, Copy)]
pub struct Machine {
    /// Worker threads, at least 1.
    pub threads: usize,
    /// Where networks are computed.
    pub device: DeviceKind,
    /// What computes networks there. Only a backend that trains can run a training.
    pub backend: &'static dyn Backend,
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { threads, device, .. } = self;
        f.debug_struct("Machine").field("threads", threads).field("device", device).finish_non_exhaustive()
    }
}

impl Default for Machine {
    /// All cores and the CPU, to play only.
    fn default() -> Self {
        Machine { threads: all_cores(), device: DeviceKind::Cpu, backend: &CpuBackend }
    }
}

/// The cores that this program may use; 1 if the system does not tell.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
