//! Tests of the search as a whole. The evaluators and the toy game come first, then one file for each kind of property.

mod arms;
mod evaluators;

mod minimax;

mod cache;
mod config;
mod consistency;
mod deadline;
mod forced;
mod games;
mod golden;
mod gumbel;
mod noise;
mod policy;
mod proofs;
mod reuse;
mod running;
mod split;
mod symmetry;
mod told;
