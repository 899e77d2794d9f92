//! What goes wrong, as exceptions with the sentences of the command line.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, PyResult};

pyo3::create_exception!(
    selfplay_trainer,
    SelfplayError,
    PyValueError,
    "An error: what failed, where, why, and how to fix it."
);

/// A [`SelfplayError`] that says what `error` says.
pub fn failed(error: impl Error) -> PyErr {
    SelfplayError::new_err(error.to_string())
}

/// What `ask` finds out by the rules of a game. What the file of a game does wrong panics with a sentence, which is the exception's.
pub fn by_rules<T>(ask: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(ask)).map_err(|panic| match panic.downcast::<String>() {
        Ok(sentence) => SelfplayError::new_err(*sentence),
        Err(other) => resume_unwind(other),
    })
}
