//! Tests of the search as a whole. The evaluators and the toy game come first, then one file for each kind of law.

mod evaluators;
mod stones;

mod minimax;

mod cache;
mod config;
mod games;
mod golden;
mod laws;
mod noise;
mod policy;
mod proofs;
mod reuse;
mod running;
mod split;
