//! Training runs as a user meets them.

mod damage;
mod events;
mod fixture;
mod misplaced;
mod python_game;
mod reporting;
mod training;
