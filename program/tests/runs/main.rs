//! Training runs as a user meets them.

mod damage;
mod fixture;
mod misplaced;
mod reporting;
mod training;
