//! What courses ask and offer, through the public interface.

#[path = "../../../frontends/tests/it/protocols/broken.rs"]
mod broken;
#[path = "../../../../eval/arena/tests/it/script.rs"]
mod script;
#[path = "../../../frontends/tests/it/protocols/support.rs"]
mod support;

mod book;
mod configs;
mod dialogue;
mod homework;
mod malformed;
mod pentago;
mod pente_program;
mod pente_referee;
mod players;
mod spec;

use selfplay_courses::players::{PentagoReportConfig, ReportSearch, pentago_report};
use selfplay_env::{CompleteGame, Rules, rules};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_players::{EvalError, MoveRequest, Player};

type Made = Result<Box<dyn Player>, EvalError>;

/// The player of the Pentago-Swap report, for the game of `rules`.
fn report_at(rules: &'static dyn Rules, config: &PentagoReportConfig) -> Made {
    pentago_report(rules, "pentago-report".into(), config)
}

fn report(config: PentagoReportConfig) -> Made {
    report_at(rules::<PentagoSwap>(), &config)
}

fn alpha_beta(depth: u32) -> PentagoReportConfig {
    PentagoReportConfig { depth, ..PentagoReportConfig::default() }
}

fn monte_carlo(memory_mib: u32) -> PentagoReportConfig {
    PentagoReportConfig { search: ReportSearch::MonteCarlo, memory_mib, ..PentagoReportConfig::default() }
}

/// A seat without history or clock.
fn seat<G: CompleteGame>(position: &G) -> MoveRequest<'_> {
    MoveRequest { table: 0, position, history: &[], time_left: None }
}
