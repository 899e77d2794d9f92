//! Training runs as a user meets them.

mod fixture;
mod misplaced;

mod reporting;
mod training;
