//! Cancelling a search from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels searches from another thread. Clones share their state: cancelling one cancels all.
///
/// A search polls the token of its [`Limits`](crate::Limits) before each batch of leaves. Once the token is cancelled, the
/// search ends with what it has found.
///
/// ```
/// use selfplay_env::fixtures::TicTacToe;
/// use selfplay_mcts::{CancelToken, Limits, Search, SearchConfig, UniformEvaluator, run};
///
/// let token = CancelToken::new();
/// let limits = Limits { cancel: Some(token.clone()), ..Limits::simulations(1_000_000) };
/// token.cancel();
/// let mut search = Search::<TicTacToe>::new(SearchConfig::default());
/// assert_eq!(run(&mut search, &mut UniformEvaluator, &limits, 1).simulations, 0);
/// ```
#[derive(Clone, Default, Debug)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels all searches with this token, now and later. A token cannot be reset.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](Self::cancel) was called on this token or a clone of it.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Two tokens are equal if they share their state.
impl PartialEq for CancelToken {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for CancelToken {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_cancelled_together() {
        let (token, other) = (CancelToken::new(), CancelToken::new());
        let clone = token.clone();
        assert!(!clone.is_cancelled() && clone == token && other != token);
        std::thread::scope(|scope| scope.spawn(|| clone.cancel()).join().unwrap());
        assert!(token.is_cancelled() && !other.is_cancelled());
    }
}
