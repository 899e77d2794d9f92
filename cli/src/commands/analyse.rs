//! `analyse`: one player's opinion of a position.

use std::io::Write;

use selfplay_env::Position;
use selfplay_eval::{AlphaBetaReport, JudgedLine, PlayerSpec, Seat, build_player};
use selfplay_kit::Games;
use serde::Serialize;

use crate::args::AnalyseArgs;
use crate::commands::rules::position_after;
use crate::error::CliError;
use selfplay_run::Agents;

/// What `--json` prints.
#[derive(Serialize)]
struct Analysis {
    /// The decision the player would make.
    r#move: String,
    /// Expected result for the side to move; absent if the player has no such thing.
    wdl: Option<WdlJson>,
    /// Moves looked at, best first; empty if the player gives none.
    moves: Vec<MoveJson>,
    /// What alpha-beta found; absent for other players.
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha_beta: Option<AlphaBetaJson>,
}

#[derive(Serialize)]
struct AlphaBetaJson {
    /// The last depth that was finished, in decisions, and positions reached.
    depth: u32,
    nodes: u64,
    /// Best first, as many as the spec asks for with `lines=N`.
    lines: Vec<LineJson>,
}

#[derive(Serialize)]
struct LineJson {
    /// For the side to move; absent where the result is proven.
    score: Option<i32>,
    /// What is proven for the side to move: 1 won, 0 drawn, -1 lost.
    proven: Option<i8>,
    /// Decisions to the end, where a win or loss is proven.
    distance: Option<u32>,
    /// What is expected to be played.
    decisions: String,
}

#[derive(Serialize)]
struct WdlJson {
    win: f32,
    draw: f32,
    loss: f32,
}

#[derive(Serialize)]
struct MoveJson {
    r#move: String,
    visits: u32,
    /// Absent for a move that the search has neither visited nor proven.
    q: Option<f32>,
    prior: f32,
    /// What is proven of the move for the side that makes it: 1 won, 0 drawn, -1 lost.
    proven: Option<i8>,
    /// Turns of both sides to the end under perfect play, where a table tells.
    turns: Option<u32>,
}

/// Asks the player and prints its answer.
///
/// # Errors
/// If the game, the player or a decision is wrong, the game is over, or the output refuses.
pub fn analyse(args: &AnalyseArgs, games: &Games, out: &mut dyn Write) -> Result<(), CliError> {
    let game = games.find(&args.game)?;
    let spec: PlayerSpec = args.spec.parse()?;
    let (position, history) = position_after(game, &args.decisions)?;
    if position.outcome().is_some() {
        return Err(CliError::GameOver);
    }
    let mut player = build_player(game, &spec, &Agents::for_one_game(args.machine.machine()))?;
    player.new_game(0, args.seed);
    let choice = player.choose(&Seat { table: 0, position: &*position, history: &history, time_left: None })?;
    let mut moves = choice.report.as_ref().map_or(Vec::new(), |report| report.moves.clone());
    // What is proven need not have been visited most.
    moves.sort_by_key(|m| m.action != choice.action);
    let analysis = Analysis {
        r#move: game.action_name(choice.action),
        wdl: choice.report.as_ref().map(|r| WdlJson { win: r.wdl.win, draw: r.wdl.draw, loss: r.wdl.loss }),
        moves: moves
            .iter()
            .map(|m| MoveJson {
                r#move: game.action_name(m.action),
                visits: m.visits,
                // Adding zero turns −0 into 0.
                q: (m.visits > 0 || m.proven.is_some()).then_some(m.q + 0.0),
                prior: m.prior,
                proven: m.proven,
                turns: m.turns,
            })
            .collect(),
        alpha_beta: choice.alpha_beta.as_ref().map(|report| alpha_beta(&*position, report)),
    };
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&analysis).expect("plain data"))?;
    } else {
        print_analysis(&*position, &analysis, out)?;
    }
    Ok(())
}

fn alpha_beta(position: &dyn Position, report: &AlphaBetaReport) -> AlphaBetaJson {
    let side = position.side_to_move();
    let line = |JudgedLine { score, proof, decisions }: JudgedLine<'_>| LineJson {
        score: proof.is_none().then_some(score),
        proven: proof.map(|proof| proof.outcome.value_for(side)),
        distance: proof.and_then(|proof| proof.distance),
        decisions: position.rules().format_line(decisions),
    };
    AlphaBetaJson { depth: report.depth, nodes: report.nodes, lines: report.lines(side).map(line).collect() }
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
    if let Some(AlphaBetaJson { depth, nodes, lines }) = &analysis.alpha_beta {
        writeln!(out, "{depth} decisions deep, {nodes} positions")?;
        for line in lines {
            let worth = match (line.proven, line.distance) {
                (Some(1), Some(distance)) => format!("won in {distance}"),
                (Some(-1), Some(distance)) => format!("lost in {distance}"),
                (Some(1), None) => "won".into(),
                (Some(-1), None) => "lost".into(),
                (Some(_), _) => "drawn".into(),
                (None, _) => line.score.map_or(String::new(), |score| format!("{score:+}")),
            };
            writeln!(out, "{worth:<12}{}", line.decisions)?;
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
