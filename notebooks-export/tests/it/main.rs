//! The integration tests of this crate, in one program.

mod live;
mod report;
mod run_report;

#[path = "../sample/mod.rs"]
mod sample;
