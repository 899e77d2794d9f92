//! A program: its games, what courses add to them, and what it does when it is started.

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use selfplay_python_game::{set_failure, with_loaded};
use selfplay_registry::{GameRef, Games};

use crate::agent_program::{AgentProgram, end_by_rules, failed, start_messages};
use crate::args::{Cli, Command, TablebaseCommand, grouped};
use crate::commands;
use crate::course::Course;
use crate::error::CliError;
use crate::wrapped_stdout::WrappedStdout;

/// A program.
pub struct Program {
    /// What it is with an agent behind it.
    agents: AgentProgram,
    pub(crate) games: Games,
    pub(crate) courses: Vec<&'static dyn Course>,
    pub(crate) commit: Option<&'static str>,
}

impl Program {
    /// A program with these games.
    ///
    /// # Panics
    /// If two of them have the same id.
    pub fn new(games: &[GameRef]) -> Self {
        Program { agents: AgentProgram::new(games), games: Games::new(games), courses: Vec::new(), commit: None }
    }

    /// The same with what a course adds.
    #[must_use]
    pub fn with(mut self, course: &'static dyn Course) -> Self {
        self.courses.push(course);
        let games = self.games.with_players(course.player_kinds());
        Program { agents: self.agents.with(course), games, ..self }
    }

    /// The same, built from a commit, which its checkpoints then tell.
    #[must_use]
    pub fn built_from(self, commit: Option<&'static str>) -> Self {
        Program { commit, ..self }
    }

    /// Does what the command line says.
    pub fn run(self) -> ExitCode {
        // An exported file is a program with an agent behind it, and then nothing but that agent.
        if let Some(status) = self.agents.run_carried() {
            return status;
        }
        start_messages();
        set_failure(end_by_rules);
        let mut out = WrappedStdout::stdout();
        let (done, is_training) = self.run_command(&mut out);
        match done.and_then(|()| Ok(out.flush()?)) {
            Ok(()) => ExitCode::SUCCESS,
            // A listing whose reader has seen enough is complete; a training run is not.
            Err(error) if error.is_broken_pipe() && !is_training => ExitCode::SUCCESS,
            Err(error) => failed(error),
        }
    }

    /// All commands, those that the courses add among them.
    fn command(&self) -> clap::Command {
        Cli::command().subcommands(self.courses.iter().flat_map(|course| course.commands()))
    }

    /// Does the command of the command line; whether that was training.
    fn run_command(&self, out: &mut (dyn Write + Send)) -> (Result<(), CliError>, bool) {
        let matches = grouped(self.command()).get_matches();
        // Arguments may have named a game in a file.
        let games = match with_loaded(&self.games) {
            Ok(games) => games,
            Err(error) => return (Err(error.into()), false),
        };
        if let Some((name, arguments)) = matches.subcommand() {
            let course = self.courses.iter().find(|course| course.commands().iter().any(|c| c.get_name() == name));
            if let Some(course) = course {
                return (course.run(name, arguments, &games, out), false);
            }
        }
        let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        (run(&cli.command, self, &games, out), matches!(cli.command, Command::Train(_)))
    }
}

fn run(command: &Command, program: &Program, games: &Games, out: &mut (dyn Write + Send)) -> Result<(), CliError> {
    if let Some(machine) = command.machine() {
        machine.start_threads();
    }
    match command {
        Command::Train(args) => commands::train::train(args, games, program.commit, out),
        #[cfg(feature = "cluster")]
        Command::Worker(args) => commands::worker::worker(args, games, out),
        #[cfg(not(feature = "cluster"))]
        Command::Worker(_) => Err(CliError::NotBuilt { what: "`worker`", feature: "cluster" }),
        Command::Ablate(args) => commands::ablate::ablate(args, games, program.commit, out),
        Command::Match(args) => commands::matches::play(args, games, out),
        Command::Tournament(args) => commands::tournament::play(args, games, out),
        Command::Elo(args) => commands::elo::rate(args, games, out),
        Command::Solve(args) => commands::solve::solve_position(args, games, out),
        Command::Tablebase(TablebaseCommand::Build(args)) => commands::tablebase_build::build(args, games, out),
        Command::Tablebase(TablebaseCommand::Inspect(args)) => commands::tablebase_inspect::inspect(args, games, out),
        Command::Accuracy(args) => commands::accuracy::accuracy(args, games, out),
        Command::Verify(args) => commands::verify::verify(args, games, out),
        Command::Openings(args) => commands::matches::openings(args, games, out),
        Command::Analyse(args) => commands::analyse::analyse(args, games, out),
        Command::Play(args) => commands::play::play(args, games, out),
        Command::Serve(args) => commands::serve::serve_browser(args, games, out),
        Command::Gtp(args) => commands::gtp::speak(args, games, out),
        Command::Export(args) => commands::export::export(args, games, &program.agents.kind(), out),
        Command::Bench(args) => commands::bench::bench(args, games, out),
        Command::Watch(args) => commands::watch::watch_run(args, games, out),
        Command::Report(args) => commands::report::report(args, games, out),
        Command::Doctor(args) => commands::doctor::doctor(args, games, out),
        Command::Clean(args) => commands::clean::clean(args, games, out),
        Command::Config(args) => commands::config::config(args, games, out),
        Command::Docs(args) => commands::docs::docs(args, out),
        Command::New(args) => commands::new::new(args, program.commit, out),
        Command::Check(args) => commands::check::check(args, games, out),
        Command::Games(args) => commands::games::games(args, games, out),
        Command::Show(args) => commands::rules::show(args, games, out),
        Command::Perft(args) => commands::rules::perft(args, games, out),
        Command::Replay(args) => commands::rules::replay(args, games, out),
        Command::RandomGames(args) => commands::rules::random_games(args, games, out),
        Command::Completions { shell } => commands::shell::completions(*shell, program.command(), out),
        Command::Man { out: folder } => commands::shell::man(folder.as_ref(), program.command(), out),
    }
}
