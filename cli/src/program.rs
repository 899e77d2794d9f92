//! A program: its games, what courses add to them, and what it does when it is started.

use std::io::{IsTerminal, Write, stderr};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use selfplay_eval::add_player_kinds;
use selfplay_kit::{GameRef, Games};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::args::{Cli, Command};
use crate::carrier::carried_agent;
use crate::course::Course;
use crate::error::CliError;
use crate::paper::{Messages, Paper};
use crate::{commands, exported};

/// A program.
pub struct Program {
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
        Program { games: Games::new(games), courses: Vec::new(), commit: None }
    }

    /// The same with what a course adds.
    #[must_use]
    pub fn with(mut self, course: &'static dyn Course) -> Self {
        add_player_kinds(course.player_kinds());
        self.courses.push(course);
        self
    }

    /// The same, built from a commit, which its checkpoints then tell.
    #[must_use]
    pub fn built_from(self, commit: Option<&'static str>) -> Self {
        Program { commit, ..self }
    }

    /// Does what the command line says.
    pub fn run(self) -> ExitCode {
        // An exported file is this program with an agent behind it, and then nothing but that agent.
        let carried = carried_agent();
        let is_in_a_hurry = matches!(&carried, Ok(Some(agent)) if exported::is_in_a_hurry(&self, agent));
        if !is_in_a_hurry {
            start_messages();
        }
        let mut out = Paper::stdout();
        let (done, is_training) = match carried {
            Ok(Some(agent)) => (exported::run(&self, agent, &mut out), false),
            Ok(None) => self.run_command(&mut out),
            Err(error) => (Err(error), false),
        };
        match done.and_then(|()| Ok(out.flush()?)) {
            Ok(()) => ExitCode::SUCCESS,
            // A listing whose reader has seen enough is complete; a training run is not.
            Err(error) if error.is_broken_pipe() && !is_training => ExitCode::SUCCESS,
            Err(error) => {
                if is_in_a_hurry {
                    start_messages();
                }
                eprintln!("{:?}", miette::Report::new(error));
                ExitCode::FAILURE
            }
        }
    }

    /// All commands, those that the courses add among them.
    fn command(&self) -> clap::Command {
        Cli::command().subcommands(self.courses.iter().flat_map(|course| course.commands()))
    }

    /// Does the command of the command line; whether that was training.
    fn run_command(&self, out: &mut (dyn Write + Send)) -> (Result<(), CliError>, bool) {
        let matches = self.command().get_matches();
        if let Some((name, arguments)) = matches.subcommand() {
            let course = self.courses.iter().find(|course| course.commands().iter().any(|c| c.get_name() == name));
            if let Some(course) = course {
                return (course.run(name, arguments, &self.games, out), false);
            }
        }
        let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        (run(&cli.command, self, out), matches!(cli.command, Command::Train(_)))
    }
}

/// Sets up how warnings and errors look; costs a part of a millisecond.
fn start_messages() {
    let shown = tracing_subscriber::fmt::layer().with_writer(stderr).event_format(Messages::stderr());
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

fn run(command: &Command, program: &Program, out: &mut (dyn Write + Send)) -> Result<(), CliError> {
    let games = &program.games;
    if let Some(machine) = command.machine() {
        machine.start_threads();
    }
    match command {
        Command::Train(args) => commands::train::train(args, games, program.commit, out),
        Command::Worker(args) => commands::worker::worker(args, games, out),
        Command::Ablate(args) => commands::ablate::ablate(args, games, program.commit, out),
        Command::Match(args) => commands::matches::play(args, games, out),
        Command::Tournament(args) => commands::tournament::play(args, games, out),
        Command::Elo(args) => commands::elo::rate(args, out),
        Command::Solve(args) => commands::solve::solve_position(args, games, out),
        Command::Table(args) => commands::table::look_up(args, games, out),
        Command::Tabulate(args) => commands::tabulate::tabulate_game(args, games, out),
        Command::Mistakes(args) => commands::mistakes::mistakes(args, games, out),
        Command::Refute(args) => commands::refute::refute(args, games, out),
        Command::Openings(args) => commands::matches::openings(args, games, out),
        Command::Analyse(args) => commands::analyse::analyse(args, games, out),
        Command::Play(args) => commands::play::play(args, games, out),
        Command::Serve(args) => commands::serve::serve_browser(args, games, out),
        Command::Gtp(args) => commands::gtp::speak(args, games, out),
        Command::Export(args) => commands::export::export(args, games, out),
        Command::Bench(args) => commands::bench::bench(args, games, out),
        Command::Watch(args) => commands::watch::watch_run(args, games, out),
        Command::Report(args) => commands::report::report(args, games, out),
        Command::Doctor(args) => commands::doctor::doctor(args, games, out),
        Command::Config(args) => commands::config::config(args, games, out),
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
