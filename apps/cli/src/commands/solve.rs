//! `solve`: proofs of who wins.

use std::io::Write;
use std::time::Instant;

use selfplay_env::{Position, Rules};
use selfplay_players::{Bounds, SolveConfig, SolveGoal, SolveProgress, SolveReport, TablebaseLookup};
use selfplay_registry::Games;
use selfplay_tablebase::TurnValue;
use serde::Serialize;

use selfplay_pipeline::all_cores;

use crate::args::SolveArgs;
use crate::commands::rules::position_after;
use crate::commands::tablebase_inspect;
use crate::error::CliError;
use crate::progress::PhaseBar;

/// What `--json` prints.
#[derive(Serialize)]
struct Solution {
    /// 1 if the side to move wins, 0 for a draw, −1 if it loses; null if that is not proven.
    value: Option<i8>,
    /// Whether the value is proven.
    exact: bool,
    /// The value lies between these.
    bounds: Bounds,
    /// Turns of both sides to the end, where a table tells or a solver of the game's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<u32>,
    /// Positions looked at.
    nodes: u64,
    /// What that took.
    seconds: f64,
    /// The distinct moves, with their values for the side that makes them; empty if not asked for.
    moves: Vec<SolvedMove>,
}

#[derive(Serialize)]
struct SolvedMove {
    r#move: String,
    /// Null if it is not proven.
    value: Option<i8>,
    bounds: Bounds,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<u8>,
}

/// Proves what it can and prints it.
///
/// # Errors
/// If the game or a move is wrong, the game is over, or the output cannot be written.
pub fn solve_position(args: &SolveArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let (position, history) = position_after(game, &args.actions)?;
    if position.outcome().is_some() {
        return Err(CliError::GameOver);
    }
    if let Some(table) = &args.table {
        return look_up(&TablebaseLookup::open(table, game)?, &*position, args.json, out);
    }
    let config = SolveConfig {
        nodes: args.nodes,
        time_ms: args.time,
        memory_mib: args.memory,
        threads: args.threads.map_or_else(all_cores, usize::from),
        goal: if args.value_only { SolveGoal::Position } else { SolveGoal::EveryAction },
    };
    let bar = PhaseBar::spinner("solving");
    let start = Instant::now();
    let report = game.solve(&*position, history.len(), &config, &mut |progress| bar.say(so_far(progress)))?;
    let seconds = start.elapsed().as_secs_f64();
    drop(bar);
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&solution(game, &report, seconds)).expect("plain data"))?,
        false => print(&*position, &report, out)?,
    }
    Ok(())
}

/// Prints what a table says.
fn look_up(
    tablebase: &TablebaseLookup,
    position: &dyn Position,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let game = position.rules();
    let start = Instant::now();
    let mut actions = tablebase.action_values(position)?;
    actions.sort_by_key(|(_, value)| -value.rank());
    let best = actions[0].1;
    let exactly = |value: TurnValue| Bounds::exactly(value.sign());
    if json {
        let told = |&(action, value): &(_, TurnValue)| SolvedMove {
            r#move: game.action_name(action),
            value: Some(value.sign()),
            bounds: exactly(value),
            turns: value.turns(),
        };
        let solution = Solution {
            value: Some(best.sign()),
            exact: true,
            bounds: exactly(best),
            turns: best.turns().map(u32::from),
            nodes: 0,
            seconds: start.elapsed().as_secs_f64(),
            moves: actions.iter().map(told).collect(),
        };
        writeln!(out, "{}", serde_json::to_string(&solution).expect("plain data"))?;
        return Ok(());
    }
    let side = game.side_names()[position.side_to_move().index()];
    writeln!(out, "{side} to move: {}", tablebase_inspect::in_words(best, side))?;
    for group in actions.chunk_by(|(_, one), (_, other)| one == other) {
        let names: Vec<String> = group.iter().map(|&(action, _)| game.action_name(action)).collect();
        writeln!(
            out,
            "{:>3} moves, {}: {}",
            names.len(),
            tablebase_inspect::in_words(group[0].1, side),
            names.join(" ")
        )?;
    }
    Ok(())
}

fn so_far(progress: &SolveProgress) -> String {
    let SolveProgress { nodes, depth, bounds, actions_proven, actions } = progress;
    let depth = depth.map_or(String::new(), |depth| format!("depth {depth}, "));
    let moves = if *actions > 0 { format!(", {actions_proven} of {actions} moves") } else { String::new() };
    format!("{depth}{}{moves}, {nodes} positions", in_words(*bounds))
}

fn solution(game: &dyn Rules, report: &SolveReport, seconds: f64) -> Solution {
    let solved = |&(action, bounds): &(_, Bounds)| SolvedMove {
        r#move: game.action_name(action),
        value: bounds.value(),
        bounds,
        turns: None,
    };
    Solution {
        value: report.bounds.value(),
        exact: report.bounds.value().is_some(),
        bounds: report.bounds,
        turns: report.turns,
        nodes: report.nodes,
        seconds,
        moves: report.actions.iter().map(solved).collect(),
    }
}

fn print(position: &dyn Position, report: &SolveReport, out: &mut dyn Write) -> Result<(), CliError> {
    let game = position.rules();
    let side = game.side_names()[position.side_to_move().index()];
    let turns = report.turns.map_or(String::new(), |turns| format!(", over in {turns} turns"));
    writeln!(out, "{side} to move: {}{turns}", in_words(report.bounds))?;
    let all = [(1, 1), (0, 1), (-1, 1), (0, 0), (-1, 0), (-1, -1)].map(|(lower, upper)| Bounds { lower, upper });
    for bounds in all {
        let names: Vec<String> = report
            .actions
            .iter()
            .filter(|(_, found)| *found == bounds)
            .map(|&(action, _)| game.action_name(action))
            .collect();
        if !names.is_empty() {
            writeln!(out, "{:>3} moves {}: {}", names.len(), in_words(bounds), names.join(" "))?;
        }
    }
    writeln!(out, "{} positions", report.nodes)?;
    Ok(())
}

fn in_words(bounds: Bounds) -> &'static str {
    match (bounds.lower, bounds.upper) {
        (1, _) => "won",
        (0, 0) => "drawn",
        (_, -1) => "lost",
        (0, _) => "at least a draw (proven)",
        (_, 0) => "at most a draw (proven)",
        _ => "unproven",
    }
}
