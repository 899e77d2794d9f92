//! CPU time of a thread and of the process; the wall clock's where the system does not count it, as in a browser.

#[cfg(any(unix, windows))]
pub use ::cpu_time::{ProcessTime, ThreadTime};

#[cfg(not(any(unix, windows)))]
pub use wall::{WallTime as ProcessTime, WallTime as ThreadTime};

#[cfg(not(any(unix, windows)))]
mod wall {
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    static FIRST: OnceLock<Instant> = OnceLock::new();

    /// A moment, by what has passed since the first that was asked for.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct WallTime(Duration);

    impl WallTime {
        /// This moment.
        pub fn now() -> Self {
            WallTime(FIRST.get_or_init(Instant::now).elapsed())
        }

        /// What has passed since.
        pub fn elapsed(&self) -> Duration {
            WallTime::now().0.saturating_sub(self.0)
        }

        /// What had passed by then.
        pub fn as_duration(&self) -> Duration {
            self.0
        }
    }
}
