//! `judge`: the judges of courses, who referee programs of others.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};

use selfplay_play::pentago::{PentagoServerConfig, serve_pentago};
use selfplay_play::pente_judge::{PenteAgent, PenteJudgeConfig, judge_pente};

use crate::args::{JudgeArgs, JudgeCourse, JudgePentagoArgs, JudgePenteArgs};
use crate::error::CliError;

/// Referees the games and prints the score sheet.
///
/// # Errors
/// If an option or an agent is wrong, a folder, the address or the output refuses.
pub fn judge(args: &JudgeArgs, out: &mut dyn Write) -> Result<(), CliError> {
    match &args.course {
        JudgeCourse::Pente(args) => judge_pente_programs(args, out),
        JudgeCourse::PentagoSwap(args) => judge_pentago(args, out),
    }
}

fn judge_pente_programs(args: &JudgePenteArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let agent = |text: &str, calibrate: Option<&str>| match calibrate {
        None => PenteAgent::parse(text),
        Some(_) => PenteAgent::program(text, calibrate),
    };
    let mut agents = [agent(&args.a, args.calibrate_a.as_deref())?, agent(&args.b, args.calibrate_b.as_deref())?];
    let config = PenteJudgeConfig {
        games: args.games,
        budget_ms: milliseconds(args.budget)?,
        a_white_in_ten: args.a_white_in_ten,
        folder: args.folder.clone(),
        seed: args.seed,
        ..PenteJudgeConfig::default()
    };
    let names = [agents[0].name().to_owned(), agents[1].name().to_owned()];
    let mut written = Ok(());
    let sheet = judge_pente(&config, &mut agents, &mut |game| {
        if written.is_ok() {
            written = writeln!(out, "{}", game.summary(&names)).and_then(|()| out.flush());
        }
    })?;
    written?;
    write!(out, "\n{}", sheet.text())?;
    Ok(())
}

/// Whole milliseconds in so many seconds.
fn milliseconds(seconds: f64) -> Result<u64, CliError> {
    let ms = (seconds * 1000.0).round();
    if (1.0..=86_400_000.0).contains(&ms) {
        return Ok(ms as u64);
    }
    Err(CliError::Option {
        option: "--budget",
        value: seconds.to_string(),
        expected: "expected CPU seconds from 0.001 to 86400",
    })
}

fn judge_pentago(args: &JudgePentagoArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let config = PentagoServerConfig {
        first_move_ms: args.first_move_time,
        move_ms: args.move_time,
        seed: args.seed,
        ..PentagoServerConfig::default()
    };
    let address = SocketAddr::new(args.host, args.port);
    let refused = |source| CliError::Listen { address, source };
    let listener = TcpListener::bind(address).map_err(refused)?;
    writeln!(out, "listening at {}", listener.local_addr().map_err(refused)?)?;
    out.flush()?;
    let sheet = serve_pentago(&listener, &config, args.games, out)?;
    write!(out, "\n{}", sheet.text())?;
    Ok(())
}
