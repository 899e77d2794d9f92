//! The dashboard on screens of several sizes, held against pictures of letters, and the lines that stand for it.

#[path = "../../../../tests/it/live/sample.rs"]
mod sample;

mod lines;
mod screens;
