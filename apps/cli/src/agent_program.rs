//! A program that plays the agent behind it and does nothing else: what exported files are made of.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;

use selfplay_bundle::carried_agent;
use selfplay_python_game::set_failure;
use selfplay_registry::{GameRef, Games};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::course::Protocols;
use crate::error::CliError;
use crate::exported;
use crate::wrapped_stdout::{Messages, WrappedStdout, harmless};

/// A program of these games that can only play.
///
/// `selfplay export` embeds agents in this program if it lies in the main program's folder, under the main program's
/// name with the suffix `-agent`. It is much smaller than the main program.
pub struct AgentProgram {
    pub(crate) games: Games,
    pub(crate) protocols: Vec<&'static dyn Protocols>,
}

impl AgentProgram {
    /// A program with these games.
    ///
    /// # Panics
    /// If two of them have the same id.
    pub fn new(games: &[GameRef]) -> Self {
        AgentProgram { games: Games::new(games), protocols: Vec::new() }
    }

    /// The same with what a course knows of exported agents.
    #[must_use]
    pub fn with(mut self, protocols: &'static dyn Protocols) -> Self {
        self.protocols.push(protocols);
        AgentProgram { games: self.games.with_players(protocols.player_kinds()), ..self }
    }

    /// Plays the agent behind it, or tells which it could play, and fails.
    pub fn run(self) -> ExitCode {
        self.run_carried().unwrap_or_else(|| {
            // Whoever exports reads this, and nothing else.
            let told = stdout().write_all(self.kind().as_bytes());
            start_messages();
            failed(told.map_err(CliError::from).err().unwrap_or(CliError::NoAgent))
        })
    }

    /// Its version, and the games that agents can play with it: a line each.
    pub(crate) fn kind(&self) -> String {
        let mut kind = format!("selfplay {} contains no agent. Games:\n", env!("CARGO_PKG_VERSION"));
        for game in self.games.built_in() {
            kind += &format!("{} {}\n", game.id(), game.shape().encoding_version);
        }
        kind
    }

    /// Plays the agent behind it; `None` if there is none.
    pub(crate) fn run_carried(&self) -> Option<ExitCode> {
        let carried = match carried_agent() {
            Ok(None) => return None,
            Ok(Some(agent)) => Ok(agent),
            Err(error) => Err(CliError::from(error)),
        };
        let is_in_a_hurry = matches!(&carried, Ok(agent) if exported::is_in_a_hurry(&self.protocols, agent));
        if !is_in_a_hurry {
            start_messages();
        }
        set_failure(end_by_rules);
        let mut out = WrappedStdout::stdout();
        let done = carried.and_then(|agent| exported::run(&self.games, &self.protocols, agent, &mut out));
        Some(match done.and_then(|()| Ok(out.flush()?)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
            Err(error) => {
                if is_in_a_hurry {
                    start_messages();
                }
                failed(error)
            }
        })
    }
}

/// Says what the file of a game did wrong, and ends the program.
pub(crate) fn end_by_rules(sentence: &str) {
    // Kept for good: other threads have the same to say.
    let mut out = stderr().lock();
    let _ = writeln!(out, "  × {sentence}");
    std::process::exit(1);
}

/// Says what went wrong.
pub(crate) fn failed(error: CliError) -> ExitCode {
    let words = format!("{:?}", miette::Report::new(error));
    // Where nobody can be told, the status says it.
    let _ = writeln!(stderr(), "{}", if stderr().is_terminal() { harmless(&words) } else { words });
    ExitCode::FAILURE
}

/// Sets up how warnings and errors look; costs a part of a millisecond.
pub(crate) fn start_messages() {
    let shown = tracing_subscriber::fmt::layer().with_writer(stderr).event_format(Messages::stderr());
    // Its own complaint that nobody can be told would be a panic.
    let shown = shown.log_internal_errors(false);
    // What the NATS client says of each connection is said here in other words.
    let wanted = Targets::new().with_default(LevelFilter::INFO).with_target("async_nats", LevelFilter::ERROR);
    tracing_subscriber::registry().with(shown.with_filter(wanted)).init();
    // Programs and log files get each reason on one line.
    let wraps = stderr().is_terminal();
    miette::set_hook(Box::new(move |_| {
        Box::new(miette::MietteHandlerOpts::new().wrap_lines(wraps).without_cause_chain().build())
    }))
    .expect("no other hook is set");
}
