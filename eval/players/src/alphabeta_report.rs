//! What an alpha-beta search tells: scores, lines, and what they prove.

use selfplay_env::{Action, Outcome, Side};

use crate::score::{PROVEN_WIN, SETTLED_DISTANCE, is_proven};

/// A result that is certain under perfect play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The result.
    pub outcome: Outcome,
    /// In how many plies, the next one included, a win can be forced at the latest; `None` for
    /// draws, and where the result is settled whatever is played.
    pub distance: Option<u32>,
}

/// What an alpha-beta search has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlphaBetaReport {
    /// The best actions: with [`Selectivity::Exact`](crate::Selectivity::Exact) all distinct actions with the best score, ascending, otherwise one.
    /// Empty if the game is over.
    pub best: Vec<Action>,
    /// The position's score for the side to move. Proven results count from [`PROVEN_WIN`]; with
    /// [`Selectivity::Exact`](crate::Selectivity::Exact) the minimax score at `depth`.
    pub score: i32,
    /// The last depth that was finished, in plies; less than the limit where more could change nothing. The best
    /// action may come from the one after it.
    pub depth: u32,
    /// The greatest distance from the root that was reached, in plies.
    pub seldepth: u32,
    /// Positions reached, over all depths and threads.
    pub nodes: u64,
    /// Whether a deeper search could not change the result: it is proven, or the tree was seen to its ends.
    pub is_final: bool,
    /// The line that both sides are expected to play, the first of `best` first; as far as it is known.
    pub principal_variation: Vec<Action>,
    /// The next best moves, best first, as many as [`AlphaBetaConfig::lines`](crate::AlphaBetaConfig::lines) asks for
    /// besides the best; fewer where a win was found or the time was over before.
    pub others: Vec<ScoredLine>,
}

/// A move with what is expected after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoredLine {
    /// The score for the side that makes the move, as [`AlphaBetaReport::score`].
    pub score: i32,
    /// The move and what both sides are expected to play after it.
    pub actions: Vec<Action>,
}

impl AlphaBetaReport {
    /// The report of a position before any search: worth `score`, with `line` expected from it.
    pub(crate) fn unsearched(score: i32, line: Vec<Action>) -> Self {
        AlphaBetaReport {
            best: line.first().copied().into_iter().collect(),
            score,
            depth: 0,
            seldepth: 0,
            nodes: 0,
            is_final: false,
            principal_variation: line,
            others: Vec::new(),
        }
    }

    /// What is proven of the position, in which `side` is to move. A win may come from a depth that was not finished; a loss
    /// says that all moves were tried.
    pub fn proof(&self, side: Side) -> Option<Proof> {
        match self.score {
            score if is_proven(score) && score > 0 => proof_of(score, side),
            score if self.is_final && is_proven(score) => proof_of(score, side),
            _ => self.is_final.then_some(Proof { outcome: Outcome::Draw, distance: None }),
        }
    }
}

/// A line of a report, and what is known of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvaluatedLine<'a> {
    /// The score for the side that makes the first move; says nothing more than the proof where there is one.
    pub score: i32,
    /// What is proven.
    pub proof: Option<Proof>,
    /// The move and what is expected after it.
    pub actions: &'a [Action],
}

impl AlphaBetaReport {
    /// The best line and the others, best first, in a position in which `side` is to move.
    pub fn lines(&self, side: Side) -> impl Iterator<Item = EvaluatedLine<'_>> {
        let best = EvaluatedLine { score: self.score, proof: self.proof(side), actions: &self.principal_variation };
        let others = self.others.iter().map(move |line| EvaluatedLine {
            score: line.score,
            proof: proof_of(line.score, side),
            actions: &line.actions,
        });
        [best].into_iter().chain(others)
    }
}

/// What a proven `score` for `side` proves; `None` for a guess.
pub fn proof_of(score: i32, side: Side) -> Option<Proof> {
    if !is_proven(score) {
        return None;
    }
    let far = PROVEN_WIN - score.abs();
    let winner = if score > 0 { side } else { side.opponent() };
    Some(Proof { outcome: Outcome::Win(winner), distance: (far < SETTLED_DISTANCE).then_some(far as u32) })
}
