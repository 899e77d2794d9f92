//! A player's opinion of a position as plain data: what `analyse` prints and Python is given.

use selfplay_env::Position;
use serde::Serialize;

use crate::alphabeta_report::{AlphaBetaReport, EvaluatedLine};
use crate::player::Decision;

/// One player's analysis of a position, as programs read it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Analysis {
    /// The move the player would make.
    pub r#move: String,
    /// Expected result for the side to move; absent if the player has no such thing.
    pub wdl: Option<Expected>,
    /// Moves looked at, best first; empty if the player gives none.
    pub moves: Vec<MoveAnalysis>,
    /// What alpha-beta found; absent for other players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha_beta: Option<AlphaBetaSummary>,
}

/// What alpha-beta found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AlphaBetaSummary {
    /// The last depth that was finished, in plies.
    pub depth: u32,
    /// Positions reached.
    pub nodes: u64,
    /// Best first, as many as the spec asks for with `lines=N`.
    pub lines: Vec<LineAnalysis>,
}

/// A line that alpha-beta judged.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LineAnalysis {
    /// For the side to move; absent where the result is proven.
    pub score: Option<i32>,
    /// What is proven for the side to move: 1 won, 0 drawn, -1 lost.
    pub proven: Option<i8>,
    /// Plies to the end, where a win or loss is proven.
    pub distance: Option<u32>,
    /// What is expected to be played.
    pub moves: String,
}

/// An expected result; the three add up to 1.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Expected {
    /// Won, in 0..=1.
    pub win: f32,
    /// Drawn.
    pub draw: f32,
    /// Lost.
    pub loss: f32,
}

/// A move that was looked at.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveAnalysis {
    /// In the game's notation.
    pub r#move: String,
    /// Simulations that went through it.
    pub visits: u32,
    /// Absent for a move that the search has neither visited nor proven.
    pub q: Option<f32>,
    /// The network's share of it, in 0..=1.
    pub prior: f32,
    /// What is proven of the move for the side that makes it: 1 won, 0 drawn, -1 lost.
    pub proven: Option<i8>,
    /// Turns of both sides to the end under perfect play, where a table tells.
    pub turns: Option<u32>,
}

impl Analysis {
    /// What `move` says of `position`, which it was made in.
    pub fn new(position: &dyn Position, decision: &Decision) -> Self {
        let rules = position.rules();
        let mut moves = decision.report().map_or(Vec::new(), |report| report.moves.clone());
        // What is proven need not have been visited most.
        moves.sort_by_key(|m| m.action != decision.action);
        Analysis {
            r#move: rules.action_name(decision.action),
            wdl: decision.report().map(|r| Expected { win: r.wdl.win, draw: r.wdl.draw, loss: r.wdl.loss }),
            moves: moves
                .iter()
                .map(|m| MoveAnalysis {
                    r#move: rules.action_name(m.action),
                    visits: m.visits,
                    // Adding zero turns −0 into 0.
                    q: (m.visits > 0 || m.proven.is_some()).then_some(m.q + 0.0),
                    prior: m.prior,
                    proven: m.proven,
                    turns: m.turns,
                })
                .collect(),
            alpha_beta: decision.alpha_beta().map(|report| AlphaBetaSummary::new(position, report)),
        }
    }
}

impl AlphaBetaSummary {
    fn new(position: &dyn Position, report: &AlphaBetaReport) -> Self {
        let side = position.side_to_move();
        let line = |EvaluatedLine { score, proof, actions }: EvaluatedLine<'_>| LineAnalysis {
            score: proof.is_none().then_some(score),
            proven: proof.map(|proof| proof.outcome.value_for(side)),
            distance: proof.and_then(|proof| proof.distance),
            moves: position.rules().format_line(actions),
        };
        AlphaBetaSummary { depth: report.depth, nodes: report.nodes, lines: report.lines(side).map(line).collect() }
    }
}
