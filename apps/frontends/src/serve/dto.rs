//! The JSON forms of games, positions and analyses. Sides are 0 for the first player and 1 for the second.

use selfplay_env::view::{Click, Layout, Piece, View};
use selfplay_env::{Action, Outcome, Position, Rules, Side, Wdl};
use selfplay_mcts::SearchReport;
use selfplay_players::{AlphaBetaReport, Decision, EvaluatedLine};
use serde::Serialize;

use super::catalogue::{AgentInfo, AgentRequest};

/// A game as people choose it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameDto {
    id: &'static str,
    title: &'static str,
    sides: [&'static str; 2],
    board: BoardDto,
    agents: Vec<AgentInfo>,
    analyst: Option<String>,
}

impl GameDto {
    /// The form of the game of `rules` with these agents, of which `analyst` analyses unless another is asked for.
    pub fn new(rules: &dyn Rules, agents: Vec<AgentInfo>, analyst: Option<String>) -> GameDto {
        let board = BoardDto::from(rules.layout());
        let (id, title, sides) = (rules.id(), rules.title(), rules.side_names());
        GameDto { id, title, sides, board, agents, analyst }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct BoardDto {
    kind: &'static str,
    rows: usize,
    columns: usize,
    row_labels: Vec<String>,
    column_labels: Vec<String>,
    places: Vec<PlaceDto>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct PlaceDto {
    name: String,
    row: usize,
    column: usize,
    level: usize,
}

impl From<Layout> for BoardDto {
    fn from(layout: Layout) -> BoardDto {
        let places = layout.places.into_iter().map(|place| PlaceDto {
            name: place.name,
            row: place.row,
            column: place.column,
            level: place.level,
        });
        BoardDto {
            kind: layout.kind.name(),
            rows: layout.rows,
            columns: layout.columns,
            row_labels: layout.row_labels,
            column_labels: layout.column_labels,
            places: places.collect(),
        }
    }
}

/// What is displayed on and next to the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ViewDto {
    pieces: Vec<Option<PieceDto>>,
    decisive: Vec<usize>,
    tallies: Vec<TallyDto>,
    hands: Option<[Vec<u8>; 2]>,
    sums: Vec<u32>,
    text: String,
    task: &'static str,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct TallyDto {
    label: &'static str,
    counts: [u32; 2],
}

/// A piece: its side, its number if it is a card, or that its place is dead.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(untagged)]
enum PieceDto {
    Stone { side: usize },
    Card { side: usize, value: u8 },
    Dead { dead: bool },
}

impl From<View> for ViewDto {
    fn from(view: View) -> ViewDto {
        let piece = |piece: Piece| match piece {
            Piece::Stone(side) => PieceDto::Stone { side: side.index() },
            Piece::Card { owner, value } => PieceDto::Card { side: owner.index(), value },
            Piece::Dead => PieceDto::Dead { dead: true },
        };
        let tallies = view.tallies.iter().map(|tally| TallyDto { label: tally.label, counts: tally.counts });
        ViewDto {
            pieces: view.pieces.iter().map(|content| content.map(piece)).collect(),
            decisive: view.decisive,
            tallies: tallies.collect(),
            hands: view.hands,
            sums: view.sums,
            text: view.text,
            task: view.task,
        }
    }
}

/// A move and the clicks that compose it: `p` and the index of a place, `q` and a quadrant, `c` and a card, `stop`, or
/// `l` and its own number in a list of moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MoveDto {
    r#move: String,
    clicks: Vec<String>,
}

impl MoveDto {
    /// The form of a move that is legal in `position`.
    pub fn new(position: &dyn Position, action: Action) -> MoveDto {
        let clicks = position.clicks(action).into_iter().map(click_name).collect();
        MoveDto { r#move: position.rules().action_name(action), clicks }
    }
}

fn click_name(click: Click) -> String {
    match click {
        Click::Place(place) => format!("p{place}"),
        Click::Quadrant(quadrant) => format!("q{quadrant}"),
        Click::Card(card) => format!("c{card}"),
        Click::Stop => "stop".into(),
        Click::Listed(action) => format!("l{action}"),
    }
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OutcomeDto {
    /// The side that won, or `None` for a draw.
    pub winner: Option<usize>,
    /// `rules`, `resignation` or `time`.
    pub by: &'static str,
}

impl OutcomeDto {
    /// An end by the rules.
    pub fn by_rules(outcome: Outcome) -> OutcomeDto {
        OutcomeDto { winner: winner(outcome), by: "rules" }
    }
}

fn winner(outcome: Outcome) -> Option<usize> {
    match outcome {
        Outcome::Win(side) => Some(side.index()),
        Outcome::Draw => None,
    }
}

/// Probabilities of the three results, independent of the side to move.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ValueDto {
    first: f32,
    draw: f32,
    second: f32,
}

impl ValueDto {
    /// What `wdl` says for `side`.
    pub fn new(wdl: Wdl, side: Side) -> ValueDto {
        let Wdl { win, draw, loss } = if side == Side::First { wdl } else { wdl.flipped() };
        ValueDto { first: win, draw, second: loss }
    }

    /// A certain result.
    pub fn certain(outcome: Outcome) -> ValueDto {
        ValueDto::new(Wdl::certain(outcome, Side::First), Side::First)
    }
}

/// What a search found about a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AnalysisDto {
    ply: usize,
    side_to_move: usize,
    by: String,
    /// Simulations of a tree search; 0 for others.
    simulations: u32,
    /// Positions that alpha-beta reached, and how deep it looked, in plies; `None` for others.
    nodes: Option<u64>,
    depth: Option<u32>,
    /// What is expected; `None` where alpha-beta has a score and no proof.
    value: Option<ValueDto>,
    /// Alpha-beta's score for the side to move, unless it is a proof.
    score: Option<i32>,
    proven: Option<ProvenDto>,
    moves: Vec<AnalysedMoveDto>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct ProvenDto {
    winner: Option<usize>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct AnalysedMoveDto {
    #[serde(flatten)]
    legal: MoveDto,
    visits: u32,
    share: f32,
    prior: f32,
    /// From −1 to 1 for the side to move; `None` where alpha-beta has a score instead.
    q: Option<f32>,
    score: Option<i32>,
    proven: Option<i8>,
    /// Turns of both sides to the end by perfect play, where a table tells.
    turns: Option<u32>,
    /// Moves to a proven end, where alpha-beta tells.
    distance: Option<u32>,
    /// The principal variation, beginning with this move; empty if the player reports none.
    line: Vec<String>,
}

impl AnalysisDto {
    /// What `by` found in `position` after `ply` moves, where it made `choice`; `None` if it does not tell.
    pub fn from_choice(position: &dyn Position, ply: usize, by: &str, choice: &Decision) -> Option<AnalysisDto> {
        let by = by.to_owned();
        match (choice.report(), choice.alpha_beta()) {
            (Some(report), _) => Some(AnalysisDto::from_tree(position, ply, by, report, choice.lines())),
            (None, Some(report)) => Some(AnalysisDto::from_alpha_beta(position, ply, by, report)),
            (None, None) => None,
        }
    }

    fn from_tree(
        position: &dyn Position,
        ply: usize,
        by: String,
        report: &SearchReport,
        lines: &[Vec<Action>],
    ) -> AnalysisDto {
        let line_of = |action: Action| lines.iter().find(|line| line.first() == Some(&action));
        let target = report.policy_target();
        let share = |action| target.iter().find(|&&(other, _)| other == action).map_or(0.0, |&(_, share)| share);
        let moves = report.moves.iter().map(|found| AnalysedMoveDto {
            legal: MoveDto::new(position, found.action),
            visits: found.visits,
            share: share(found.action),
            prior: found.prior,
            q: Some(found.q),
            score: None,
            proven: found.proven,
            turns: found.turns,
            distance: None,
            line: line_of(found.action).map_or(Vec::new(), |line| names(position, line)),
        });
        AnalysisDto {
            ply,
            side_to_move: position.side_to_move().index(),
            by,
            simulations: report.simulations,
            nodes: None,
            depth: None,
            value: Some(ValueDto::new(report.wdl, position.side_to_move())),
            score: None,
            proven: report.proven.map(|outcome| ProvenDto { winner: winner(outcome) }),
            moves: moves.collect(),
        }
    }

    fn from_alpha_beta(position: &dyn Position, ply: usize, by: String, report: &AlphaBetaReport) -> AnalysisDto {
        let side = position.side_to_move();
        let found = |EvaluatedLine { score, proof, actions }: EvaluatedLine<'_>| AnalysedMoveDto {
            legal: MoveDto::new(position, actions[0]),
            visits: 0,
            share: 0.0,
            prior: 0.0,
            q: proof.map(|proof| f32::from(proof.outcome.value_for(side))),
            score: proof.is_none().then_some(score),
            proven: proof.map(|proof| proof.outcome.value_for(side)),
            turns: None,
            distance: proof.and_then(|proof| proof.distance),
            line: names(position, actions),
        };
        let proof = report.proof(side);
        AnalysisDto {
            ply,
            side_to_move: side.index(),
            by,
            simulations: 0,
            nodes: Some(report.nodes),
            depth: Some(report.depth),
            value: proof.map(|proof| ValueDto::certain(proof.outcome)),
            score: proof.is_none().then_some(report.score),
            proven: proof.map(|proof| ProvenDto { winner: winner(proof.outcome) }),
            moves: report.lines(side).map(found).collect(),
        }
    }

    /// What the search expects, if it says so in probabilities.
    pub fn value(&self) -> Option<ValueDto> {
        self.value
    }
}

fn names(position: &dyn Position, actions: &[Action]) -> Vec<String> {
    actions.iter().map(|&action| position.rules().action_name(action)).collect()
}

/// A session, seen after some of its moves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SessionDto {
    /// The session's id in requests; the session store fills it in.
    pub id: String,
    /// Id of the game.
    pub game: &'static str,
    /// Who plays, first side first, as the session was asked for; `None` is a person.
    pub seats: [Option<AgentRequest>; 2],
    /// All moves of the game, in its notation.
    pub moves: Vec<String>,
    /// The side that made each.
    pub movers: Vec<usize>,
    /// Number of the game's moves before what is shown, without those of `variation`.
    pub ply: usize,
    /// The moves of the variation that leads from there to what is shown.
    pub variation: Vec<String>,
    /// The side that makes each of `variation`.
    pub variation_movers: Vec<usize>,
    /// The side to move in what is shown.
    pub side_to_move: usize,
    /// Whether the next move starts a turn.
    pub starts_turn: bool,
    /// How the game ended, if it has; for positions before its end, `None`.
    pub outcome: Option<OutcomeDto>,
    /// What is drawn.
    pub view: ViewDto,
    /// The legal moves in what is shown.
    pub legal: Vec<MoveDto>,
    /// The move before what is shown.
    pub last: Option<LastDto>,
    /// What is known of the value after each number of moves of the game.
    pub values: Vec<Option<ValueDto>>,
    /// What is left of the sides' times; `None` for a game without a clock.
    pub clock: Option<ClockDto>,
    /// Whether a player thinks at this session.
    pub thinking: bool,
    /// The game in one line: moves and result.
    pub record: String,
}

/// The times of a game that can be lost by them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ClockDto {
    /// Seconds that each side has left now.
    pub left: [f64; 2],
    /// Seconds that a side gains with each turn.
    pub increment: f64,
    /// The side whose time runs; `None` before the first move and after the end.
    pub running: Option<usize>,
}

/// The move before what is shown.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LastDto {
    /// It and its clicks.
    #[serde(flatten)]
    pub played: MoveDto,
    /// The places that show it.
    pub places: Vec<usize>,
    /// Who made it.
    pub side: usize,
}
