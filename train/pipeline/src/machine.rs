//! What a run computes with. Nothing but its speed, and rounding between devices, depends on it.

use selfplay_learner::DeviceKind;

/// What to compute with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Worker threads, at least 1.
    pub threads: usize,
    /// Where networks are computed.
    pub device: DeviceKind,
}

impl Default for Machine {
    /// All cores, and the CPU.
    fn default() -> Self {
        Machine { threads: all_cores(), device: DeviceKind::Flex }
    }
}

/// The cores that this program may use; 1 if the system does not tell.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
