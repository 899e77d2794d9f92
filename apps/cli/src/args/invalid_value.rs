//! Why the value of an option is rejected.

/// The value is not of the form that the option expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {expected}")]
pub struct InvalidValue {
    /// The expected form, for people.
    pub expected: &'static str,
}
