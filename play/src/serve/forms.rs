//! The JSON forms of games, positions and analyses. Sides are 0 for the first player and 1 for the second.

use selfplay_env::view::{Click, Layout, Piece, View};
use selfplay_env::{Action, Outcome, Position, Rules, Side, Wdl};
use serde::Serialize;

use super::catalogue::{AgentInfo, AgentRequest};

/// A game as people choose it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameForm {
    id: &'static str,
    title: &'static str,
    sides: [&'static str; 2],
    board: BoardForm,
    agents: Vec<AgentInfo>,
    analyst: Option<String>,
}

impl GameForm {
    /// The form of the game of `rules` with these agents, of which `analyst` analyses unless another is asked for.
    pub fn of(rules: &dyn Rules, agents: Vec<AgentInfo>, analyst: Option<String>) -> GameForm {
        let board = BoardForm::from(rules.layout());
        let (id, title, sides) = (rules.id(), rules.title(), rules.side_names());
        GameForm { id, title, sides, board, agents, analyst }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct BoardForm {
    kind: &'static str,
    rows: usize,
    columns: usize,
    row_labels: Vec<String>,
    column_labels: Vec<String>,
    places: Vec<PlaceForm>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct PlaceForm {
    name: String,
    row: usize,
    column: usize,
    level: usize,
}

impl From<Layout> for BoardForm {
    fn from(layout: Layout) -> BoardForm {
        let places = layout.places.into_iter().map(|place| PlaceForm {
            name: place.name,
            row: place.row,
            column: place.column,
            level: place.level,
        });
        BoardForm {
            kind: layout.kind.name(),
            rows: layout.rows,
            columns: layout.columns,
            row_labels: layout.row_labels,
            column_labels: layout.column_labels,
            places: places.collect(),
        }
    }
}

/// What stands on and beside the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ViewForm {
    pieces: Vec<Option<PieceForm>>,
    decisive: Vec<usize>,
    tallies: Vec<TallyForm>,
    hands: Option<[Vec<u8>; 2]>,
    sums: Vec<u32>,
    text: String,
    task: &'static str,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct TallyForm {
    label: &'static str,
    counts: [u32; 2],
}

/// A piece: its side, its number if it is a card, or that its place is dead.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(untagged)]
enum PieceForm {
    Stone { side: usize },
    Card { side: usize, value: u8 },
    Dead { dead: bool },
}

impl From<View> for ViewForm {
    fn from(view: View) -> ViewForm {
        let piece = |piece: Piece| match piece {
            Piece::Stone(side) => PieceForm::Stone { side: side.index() },
            Piece::Card { owner, value } => PieceForm::Card { side: owner.index(), value },
            Piece::Dead => PieceForm::Dead { dead: true },
        };
        let tallies = view.tallies.iter().map(|tally| TallyForm { label: tally.label, counts: tally.counts });
        ViewForm {
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

/// A decision and the clicks that compose it: `p` and the index of a place, `q` and a quadrant, `c` and a card, `stop`, or
/// `l` and its own number in a list of decisions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DecisionForm {
    decision: String,
    clicks: Vec<String>,
}

impl DecisionForm {
    /// The form of a decision that is legal in `position`.
    pub fn of(position: &dyn Position, action: Action) -> DecisionForm {
        let clicks = position.clicks(action).into_iter().map(click_name).collect();
        DecisionForm { decision: position.rules().action_name(action), clicks }
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
pub struct OutcomeForm {
    /// The side that won, or `None` for a draw.
    pub winner: Option<usize>,
    /// `rules` or `resignation`.
    pub by: &'static str,
}

impl OutcomeForm {
    /// An end by the rules.
    pub fn by_rules(outcome: Outcome) -> OutcomeForm {
        OutcomeForm { winner: winner(outcome), by: "rules" }
    }
}

fn winner(outcome: Outcome) -> Option<usize> {
    match outcome {
        Outcome::Win(side) => Some(side.index()),
        Outcome::Draw => None,
    }
}

/// Probabilities of the three results, whoever is to move.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ValueForm {
    first: f32,
    draw: f32,
    second: f32,
}

impl ValueForm {
    /// What `wdl` says for `side`.
    pub fn of(wdl: Wdl, side: Side) -> ValueForm {
        let Wdl { win, draw, loss } = if side == Side::First { wdl } else { wdl.flipped() };
        ValueForm { first: win, draw, second: loss }
    }

    /// A certain result.
    pub fn certain(outcome: Outcome) -> ValueForm {
        ValueForm::of(Wdl::certain(outcome, Side::First), Side::First)
    }
}

/// What a search found about a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AnalysisForm {
    ply: usize,
    side_to_move: usize,
    by: String,
    simulations: u32,
    value: ValueForm,
    proven: Option<ProvenForm>,
    moves: Vec<MoveForm>,
    variation: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct ProvenForm {
    winner: Option<usize>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct MoveForm {
    #[serde(flatten)]
    decision: DecisionForm,
    visits: u32,
    share: f32,
    prior: f32,
    q: f32,
    proven: Option<i8>,
    turns: Option<u32>,
}

impl AnalysisForm {
    /// The report of the search that `by` made in `position` after `ply` decisions.
    pub fn of(position: &dyn Position, ply: usize, by: String, report: &selfplay_mcts::SearchReport) -> AnalysisForm {
        let target = report.policy_target();
        let share = |action| target.iter().find(|&&(other, _)| other == action).map_or(0.0, |&(_, share)| share);
        let moves = report.moves.iter().map(|found| MoveForm {
            decision: DecisionForm::of(position, found.action),
            visits: found.visits,
            share: share(found.action),
            prior: found.prior,
            q: found.q,
            proven: found.proven,
            turns: found.turns,
        });
        AnalysisForm {
            ply,
            side_to_move: position.side_to_move().index(),
            by,
            simulations: report.simulations,
            value: ValueForm::of(report.wdl, position.side_to_move()),
            proven: report.proven.map(|outcome| ProvenForm { winner: winner(outcome) }),
            moves: moves.collect(),
            variation: report.principal_variation.iter().map(|&action| position.rules().action_name(action)).collect(),
        }
    }

    /// What the search expects.
    pub fn value(&self) -> ValueForm {
        self.value
    }
}

/// A table, seen after some of its decisions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TableForm {
    /// What requests call the table; filled in by whoever knows it.
    pub id: String,
    /// Id of the game.
    pub game: &'static str,
    /// Who plays, first side first, as the table was asked for; `None` is a person.
    pub seats: [Option<AgentRequest>; 2],
    /// All decisions.
    pub decisions: Vec<String>,
    /// The side that made each.
    pub deciders: Vec<usize>,
    /// The decisions before what is shown.
    pub ply: usize,
    /// The side to move in what is shown.
    pub side_to_move: usize,
    /// Whether the next decision starts a turn.
    pub starts_turn: bool,
    /// How the game ended, if it has; for positions before its end, `None`.
    pub outcome: Option<OutcomeForm>,
    /// What is drawn.
    pub view: ViewForm,
    /// What may be decided in what is shown.
    pub legal: Vec<DecisionForm>,
    /// The decision before what is shown.
    pub last: Option<LastForm>,
    /// What is known of the value after each number of decisions.
    pub values: Vec<Option<ValueForm>>,
    /// Whether a player thinks at this table.
    pub thinking: bool,
    /// The game in one line: decisions and result.
    pub record: String,
}

/// The decision before what is shown.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LastForm {
    /// It and its clicks.
    #[serde(flatten)]
    pub decision: DecisionForm,
    /// The places that show it.
    pub places: Vec<usize>,
    /// Who made it.
    pub side: usize,
}
