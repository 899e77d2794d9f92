//! Training runs as a user meets them.

mod damage;
mod fixture;
mod misplaced;
mod python_game;
mod reporting;
mod training;
