//! What a course adds to a program: kinds of players, commands, and how an exported agent of its games plays by itself.

use std::io::Write;

use clap::ArgMatches;
use selfplay_bundle::head::AGENT;
use selfplay_bundle::{AgentKind, BundledNetwork, CarriedAgent, CarrierError};
use selfplay_network::Precision;
use selfplay_players::spec::SearchSpec;
use selfplay_players::{EvalError, NetworkSource, NoCheckpoints, Player, PlayerKind, PlayerSpec, build_named_player};
use selfplay_registry::{GameRef, Games};

use crate::carried_table::CARRIED_TABLE;
use crate::error::CliError;

/// What a course knows of exported agents.
pub trait Protocols: Sync {
    /// Kinds of players that specifications may name.
    fn player_kinds(&self) -> &'static [&'static dyn PlayerKind] {
        &[]
    }

    /// How an exported agent of the game with the id `game` plays when it is started without a command; `None` for the
    /// terminal.
    fn protocol(&self, game: &str) -> Option<&'static dyn Protocol>;
}

/// A course, or whatever else extends a program.
pub trait Course: Protocols {
    /// Commands of the program.
    fn commands(&self) -> Vec<clap::Command> {
        Vec::new()
    }

    /// Does the one of its commands that is called `command`.
    ///
    /// # Errors
    /// Whatever keeps it from being done.
    fn run(&self, command: &str, arguments: &ArgMatches, games: &Games, out: &mut dyn Write) -> Result<(), CliError>;
}

/// How an exported agent plays by itself.
pub trait Protocol: Sync {
    /// The exported program's command line with the options and commands that it adds.
    fn arguments(&self, program: clap::Command) -> clap::Command {
        program
    }

    /// Whether games may last milliseconds when the program is started without arguments: nothing is then set up before
    /// [`play`](Self::play).
    fn is_in_a_hurry(&self) -> bool {
        false
    }

    /// Plays, if the program was started without a command; `arguments` are there unless it is in a hurry.
    ///
    /// # Errors
    /// Whatever keeps it from playing.
    fn play(
        &self,
        agent: &ExportedAgent<'_>,
        arguments: Option<&ArgMatches>,
        out: &mut dyn Write,
    ) -> Result<(), CliError>;

    /// Does one of the commands that it added.
    ///
    /// # Errors
    /// Whatever keeps it from being done.
    fn run(&self, _command: &str, _agent: &ExportedAgent<'_>, _out: &mut dyn Write) -> Result<(), CliError> {
        Ok(())
    }
}

/// The agent that an exported program carries.
pub struct ExportedAgent<'a> {
    pub(crate) carried: &'a CarriedAgent,
    /// What it plays.
    pub game: GameRef,
    /// All games of the program.
    pub games: &'a Games,
}

impl ExportedAgent<'_> {
    /// What it calls itself.
    pub fn name(&self) -> &str {
        &self.carried.head.name
    }

    /// The agent as a player that thinks for at most `time_ms` milliseconds a turn, or as the match's clock has it.
    ///
    /// # Errors
    /// If the program is damaged.
    pub fn player(
        &self,
        time_ms: Option<u64>,
        precision: Precision,
        threads: usize,
    ) -> Result<Box<dyn Player>, EvalError> {
        let spec = self.spec()?;
        let spec = match time_ms {
            Some(ms) => spec.within(ms),
            None => spec,
        };
        self.build(&spec, precision, threads)
    }

    /// The agent as a player that searches with so many simulations a move, whatever time that takes: on any machine with
    /// the same vectors it then plays the same. `None` if it is no search.
    ///
    /// # Errors
    /// If the program is damaged.
    pub(crate) fn player_by_simulations(
        &self,
        simulations: u32,
        precision: Precision,
        threads: usize,
    ) -> Result<Option<Box<dyn Player>>, EvalError> {
        let spec = self.spec()?;
        let Some(search) = spec.settings::<SearchSpec>() else { return Ok(None) };
        let limited = SearchSpec { simulations: Some(simulations), time_ms: None, cpu_time_ms: None, ..search.clone() };
        self.build(&PlayerSpec::new(limited), precision, threads).map(Some)
    }

    fn build(&self, spec: &PlayerSpec, precision: Precision, threads: usize) -> Result<Box<dyn Player>, EvalError> {
        build_named_player(self.game, self.name().to_owned(), spec, &self.source(precision, threads)?)
    }

    /// The source that opens it.
    pub(crate) fn source(
        &self,
        precision: Precision,
        threads: usize,
    ) -> Result<Box<dyn NetworkSource + Send>, EvalError> {
        match self.carried.head.kind {
            AgentKind::Network { .. } => {
                let bundle = self.carried.network().map_err(named)?;
                Ok(Box::new(BundledNetwork::new(bundle, precision, threads)))
            }
            AgentKind::Table | AgentKind::Player { .. } => Ok(Box::new(NoCheckpoints)),
        }
    }

    /// What it is as a player.
    pub(crate) fn spec(&self) -> Result<PlayerSpec, EvalError> {
        if let AgentKind::Player { .. } = self.carried.head.kind {
            self.carried.check_head().map_err(named)?;
        }
        self.carried.head.kind.spec(CARRIED_TABLE, self.games.players())
    }
}

/// What is wrong with the carried agent.
fn named(error: CarrierError) -> EvalError {
    EvalError::Checkpoint { checkpoint: AGENT.into(), source: Box::new(error) }
}
