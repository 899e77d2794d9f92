//! The `selfplay` program: arguments in, one command done, a short reason when it cannot be.

#![allow(clippy::print_stdout, reason = "the outermost crate is the one that prints")]

mod args;
mod config;
mod error;
mod phase;
mod run_folder;
mod training;

mod calls;
mod live;

mod agents;
mod carrier;
mod progress;

mod contest;

mod gate;
mod learning;
mod self_play;

mod doctor;
mod rows;
mod telemetry;

mod results;

mod budget;
mod opening_policy;
mod run_view;
mod variants;

mod pipeline;

mod commands;

mod exported;

use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;
use selfplay_env::games::connect4::Connect4;
use selfplay_env::games::pentago_swap::PentagoSwap;
use selfplay_env::games::pente::Pente;
use selfplay_env::games::pylos::Pylos;
use selfplay_env::games::sum15::Sum15;
use selfplay_env::games::tictactoe::TicTacToe;
use selfplay_kit::{Games, game};

use args::{Cli, Command};
use error::CliError;

fn main() -> ExitCode {
    // An exported file is this program with an agent behind it, and then nothing but that agent.
    let carried = carrier::carried_agent();
    let is_in_a_hurry = matches!(&carried, Ok(Some(agent)) if exported::is_in_a_hurry(agent));
    if !is_in_a_hurry {
        start_messages();
    }
    let games = games();
    let mut out = stdout();
    let (done, is_training) = match carried {
        Ok(Some(agent)) => (exported::run(agent, &games, &mut out), false),
        Ok(None) => {
            let cli = Cli::parse();
            (run(&cli.command, &games, &mut out), matches!(cli.command, Command::Train(_)))
        }
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

fn games() -> Games {
    Games::new(&[
        game::<PentagoSwap>(),
        game::<Pylos>(),
        game::<Pente<19>>(),
        game::<Pente<13>>(),
        game::<Pente<9>>(),
        game::<Sum15<4>>(),
        game::<Sum15<6>>(),
        game::<TicTacToe>(),
        game::<Connect4>(),
    ])
}

/// Sets up how warnings and errors look; costs a part of a millisecond.
fn start_messages() {
    tracing_subscriber::fmt().with_writer(stderr).with_ansi(stderr().is_terminal()).with_target(false).init();
    // Programs and log files get each reason on one line.
    let wraps = stderr().is_terminal();
    miette::set_hook(Box::new(move |_| {
        Box::new(miette::MietteHandlerOpts::new().wrap_lines(wraps).without_cause_chain().build())
    }))
    .expect("no other hook is set");
}

fn run(command: &Command, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    if let Some(machine) = command.machine() {
        machine.start_threads();
    }
    match command {
        Command::Train(args) => pipeline::train(args, games, out),
        Command::Ablate(args) => commands::ablate::ablate(args, games, out),
        Command::Match(args) => commands::matches::play(args, games, out),
        Command::Tournament(args) => commands::tournament::play(args, games, out),
        Command::Elo(args) => commands::elo::rate(args, out),
        Command::Solve(args) => commands::solve::solve_position(args, games, out),
        Command::Mistakes(args) => commands::mistakes::mistakes(args, games, out),
        Command::Refute(args) => commands::refute::refute(args, games, out),
        Command::Openings(args) => commands::matches::openings(args, games, out),
        Command::Book(args) => commands::book::write(args, games, out),
        Command::Analyse(args) => commands::analyse::analyse(args, games, out),
        Command::Play(args) => commands::play::play(args, games, out),
        Command::Serve(args) => commands::serve::serve_browser(args, games, out),
        Command::Gtp(args) => commands::gtp::speak(args, games, out),
        Command::Judge(args) => commands::judge::judge(args, out),
        Command::Export(args) => commands::export::export(args, games, out),
        Command::Bench(args) => commands::bench::bench(args, games, out),
        Command::Watch(args) => commands::watch::watch_run(args, games, out),
        Command::Report(args) => commands::report::report(args, games, out),
        Command::Doctor(args) => commands::doctor::doctor(args, games, out),
        Command::Games(args) => commands::games::games(args, games, out),
        Command::Show(args) => commands::rules::show(args, games, out),
        Command::Perft(args) => commands::rules::perft(args, games, out),
        Command::Replay(args) => commands::rules::replay(args, games, out),
        Command::RandomGames(args) => commands::rules::random_games(args, games, out),
    }
}
