//! An end to thinking that nobody waits for any more: whoever has a thread think may tell it from another one to stop.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// What this thread looks at while it thinks.
    static INTERRUPT: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Does `work` on this thread; once `interrupt` is true, searches on it end as soon as they look at their limits, with whatever
/// they have found by then.
pub fn interruptible<T>(interrupt: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    let before = INTERRUPT.replace(Some(Arc::clone(interrupt)));
    let restored = Restored(before);
    let result = work();
    drop(restored);
    result
}

/// Whether searches on this thread are to end.
pub fn is_interrupted() -> bool {
    INTERRUPT.with_borrow(|interrupt| interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)))
}

/// Whether that may come to be so.
pub fn is_interruptible() -> bool {
    INTERRUPT.with_borrow(Option::is_some)
}

/// Puts back what the thread looked at before, also when the work panics.
struct Restored(Option<Arc<AtomicBool>>);

impl Drop for Restored {
    fn drop(&mut self) {
        INTERRUPT.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_interrupted_while_it_may_be() {
        let interrupt = Arc::new(AtomicBool::new(true));
        assert!(!is_interrupted() && !is_interruptible());
        interruptible(&interrupt, || assert!(is_interrupted() && is_interruptible()));
        assert!(!is_interrupted() && !is_interruptible());
        let panicked = std::panic::catch_unwind(|| interruptible(&interrupt, || panic!("in the middle")));
        assert!(panicked.is_err() && !is_interruptible());
    }
}
