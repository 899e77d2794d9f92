//! Runs long work apart from what must not wait for it. Where nothing else waits, as in a single-file page, the work
//! runs at once.

use std::future::Future;
use std::time::Duration;

/// What `work` returns, done where nothing else has to wait for it; `None` if it panicked.
#[cfg(not(target_family = "wasm"))]
pub(super) async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    match tokio::runtime::Handle::try_current() {
        Ok(runtime) => runtime.spawn_blocking(work).await.ok(),
        Err(_) => Some(work()),
    }
}

/// What `future` gives, unless that takes longer than `limit`.
#[cfg(not(target_family = "wasm"))]
pub(super) async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    match tokio::runtime::Handle::try_current() {
        Ok(_) => tokio::time::timeout(limit, future).await.ok(),
        Err(_) => Some(future.await),
    }
}

/// What `work` returns.
#[cfg(target_family = "wasm")]
pub(super) async fn apart<T>(work: impl FnOnce() -> T) -> Option<T> {
    Some(work())
}

/// What `future` gives.
#[cfg(target_family = "wasm")]
pub(super) async fn within<F: Future>(_limit: Duration, future: F) -> Option<F::Output> {
    Some(future.await)
}
