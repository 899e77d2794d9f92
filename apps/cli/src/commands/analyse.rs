//! `analyse`: one player's opinion of a position.

use std::io::Write;

use selfplay_env::Position;
use selfplay_players::analysis::AlphaBetaSummary;
use selfplay_players::{Analysis, MoveRequest, build_player};
use selfplay_registry::Games;

use crate::args::AnalyseArgs;
use crate::commands::rules::position_after;
use crate::error::CliError;
use selfplay_pipeline::Agents;

/// Asks the player and prints its answer.
///
/// # Errors
/// If the game, the player or a move is wrong, the game is over, or the output cannot be written.
pub fn analyse(args: &AnalyseArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let spec = games.players().parse(&args.spec)?;
    let (position, history) = position_after(game, &args.actions)?;
    if position.outcome().is_some() {
        return Err(CliError::GameOver);
    }
    let mut player = build_player(game, &spec, &Agents::for_one_game(args.machine.machine()))?;
    player.new_game(0, args.seed);
    let choice = player.choose(&MoveRequest { table: 0, position: &*position, history: &history, time_left: None })?;
    let analysis = Analysis::new(&*position, &choice);
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&analysis).expect("plain data"))?;
    } else {
        print_analysis(&*position, &analysis, out)?;
    }
    Ok(())
}

/// Rows of the table for people; the rest is in the JSON.
const SHOWN_MOVES: usize = 12;

fn print_analysis(position: &dyn Position, analysis: &Analysis, out: &mut dyn Write) -> Result<(), CliError> {
    write!(out, "{}", position.board())?;
    writeln!(out, "{} to move: {}", position.rules().side_names()[position.side_to_move().index()], analysis.r#move)?;
    if let Some(wdl) = &analysis.wdl {
        let percent = |p: f32| format!("{:.1} %", 100.0 * p);
        writeln!(out, "win {}  draw {}  loss {}", percent(wdl.win), percent(wdl.draw), percent(wdl.loss))?;
    }
    if let Some(AlphaBetaSummary { depth, nodes, lines }) = &analysis.alpha_beta {
        writeln!(out, "{depth} plies deep, {nodes} positions")?;
        for line in lines {
            let worth = match (line.proven, line.distance) {
                (Some(1), Some(distance)) => format!("won in {distance}"),
                (Some(-1), Some(distance)) => format!("lost in {distance}"),
                (Some(1), None) => "won".into(),
                (Some(-1), None) => "lost".into(),
                (Some(_), _) => "drawn".into(),
                (None, _) => line.score.map_or(String::new(), |score| format!("{score:+}")),
            };
            writeln!(out, "{worth:<12}{}", line.moves)?;
        }
    }
    if !analysis.moves.is_empty() {
        writeln!(out, "{:<12}{:>8}{:>9}{:>9}", "move", "visits", "q", "prior")?;
    }
    for row in analysis.moves.iter().take(SHOWN_MOVES) {
        let q = row.q.map_or("–".into(), |q| format!("{q:.3}"));
        let proof = match row.proven {
            Some(1) => "  won",
            Some(0) => "  drawn",
            Some(_) => "  lost",
            None => "",
        };
        let turns = row.turns.map_or(String::new(), |turns| format!(" in {turns} turns"));
        writeln!(out, "{:<12}{:>8}{q:>9}{:>9.3}{proof}{turns}", row.r#move, row.visits, row.prior)?;
    }
    Ok(())
}
