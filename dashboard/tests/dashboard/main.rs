//! The dashboard on screens of several sizes, held against pictures of letters, and the lines that stand for it.

#[path = "../../../notebooks-export/tests/live/sample.rs"]
mod sample;

mod lines;
mod screens;
