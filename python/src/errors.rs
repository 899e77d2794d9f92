//! What goes wrong, as exceptions with the sentences of the command line.

use std::error::Error;

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

pyo3::create_exception!(
    selfplay_trainer,
    SelfplayError,
    PyValueError,
    "What is wrong, where, and what would be right, in the sentences of the program."
);

/// A [`SelfplayError`] that says what `error` says.
pub fn failed(error: impl Error) -> PyErr {
    SelfplayError::new_err(error.to_string())
}
