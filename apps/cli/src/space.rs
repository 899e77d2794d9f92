//! Full disks: if requested, a command waits for free space and resumes from what is complete.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use selfplay_pipeline::{Observer, RunError, StopCondition};

/// How long until it is tried again.
const PAUSE: Duration = Duration::from_secs(10);

/// Runs the training `work`. If `waits` is set, it repeats `work` until there is space for everything that it writes.
/// Each attempt resumes from what the previous one completed, within the remaining time.
///
/// # Errors
/// Those of `work`; a full disk is an error only if `waits` is not set.
pub fn with_room<T>(
    waits: bool,
    until: StopCondition,
    observer: &dyn Observer,
    mut work: impl FnMut(StopCondition) -> Result<T, RunError>,
) -> Result<T, RunError> {
    let started = Instant::now();
    let mut is_told = false;
    loop {
        let left = match until {
            StopCondition::Elapsed(limit) => StopCondition::Elapsed(limit.saturating_sub(started.elapsed())),
            other => other,
        };
        match work(left) {
            Err(error) if waits && is_full(&error) => {
                if !is_told {
                    let seconds = PAUSE.as_secs();
                    observer.warn(format!("{error}; waiting for disk space, retrying every {seconds} s"));
                    is_told = true;
                }
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}

/// Whether it comes from a disk, or a share of it, that is full.
fn is_full(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    std::iter::from_fn(|| {
        let this = cause?;
        cause = this.source();
        Some(this)
    })
    .filter_map(|error| error.downcast_ref::<io::Error>())
    .any(|error| matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use selfplay_train::TrainError;

    use super::*;

    #[test]
    fn only_a_full_disk_is_waited_for() {
        let error = |kind: ErrorKind| RunError::Io { path: PathBuf::from("run/games"), source: kind.into() };
        assert!(is_full(&error(ErrorKind::StorageFull)) && is_full(&error(ErrorKind::QuotaExceeded)));
        assert!(!is_full(&error(ErrorKind::PermissionDenied)));
        // Also where the games come from other machines.
        let stored = TrainError::Io { path: PathBuf::from("run/games"), source: ErrorKind::StorageFull.into() };
        let source = Some(Arc::new(stored));
        assert!(is_full(&RunError::Executor { reason: "no room".into(), source }));
        assert!(!is_full(&RunError::Executor { reason: "no server".into(), source: None }));
        let mut attempts = 0;
        let failed = with_room(false, StopCondition::LastGeneration, &selfplay_pipeline::Unwatched, |_| {
            attempts += 1;
            Err::<(), _>(error(ErrorKind::StorageFull))
        });
        assert!(failed.is_err() && attempts == 1);
    }
}
