//! Training runs as a user meets them.

mod fixture;

mod reporting;
mod training;
