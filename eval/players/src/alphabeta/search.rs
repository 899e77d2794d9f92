//! The search of one thread below the root: principal variation search with a transposition table.
//!
//! Signs follow the side to move, which after some moves does not change. Whether a score rests on a guess is
//! counted alongside: a search that met no horizon is exact at any depth.
//!
//! Draws by repetition depend on the way to a position, which the table does not see. They count as guesses, so they are
//! proofs of nothing. A proven win contains no draw: it wins without repetitions, too, and then can be won on a way that
//! visits no position twice. Such a way can only meet a third occurrence in a position that stood twice before. So the
//! table's key contains the positions that stood twice on the way from the root, and with that its proofs stay right.

use selfplay_env::tactics::{HEURISTIC_LIMIT, wins_at_once};
use selfplay_env::{Action, ImmediateWin, Outcome, Tactics};

use super::budget::{Budget, Stopped};
use super::config::Selectivity;
use super::ordering::{Candidate, MoveList, MoveOrder, successor};
use super::repetition::repeated_at;
use super::table::{Bound, Entry, TranspositionTable};
use crate::score::{INFINITY, PROVEN_WIN, from_root, is_proven, outcome_score, settled_score, to_root};

/// Moves are looked at less deep from this depth on.
const REDUCTION_DEPTH: u32 = 3;
/// This many moves of each position are looked at in full.
const UNREDUCED_MOVES: usize = 3;
/// Reductions grow with the product of the logarithms of depth and number of the move, divided by this.
const REDUCTION_DIVISOR: f32 = 2.25;
/// Up to this depth, late moves that the game does not recommend are not tried at all.
const SKIP_DEPTH: u32 = 2;
/// So many moves are tried at depth 1 before, and twice, three times as many at greater depths.
const UNSKIPPED_MOVES: usize = 24;
/// Up to this depth, late moves that look bad to the game are not tried: beyond so many moves,
const SKIP_POOR_DEPTH: u32 = 5;
const UNSKIPPED_POOR_MOVES: usize = 6;
/// and so many more for each ply of depth.
const MORE_POOR_MOVES: usize = 3;
/// Without a move known from the table, a search this deep first looks one ply less deep.
const UNKNOWN_DEPTH: u32 = 4;

/// Where a search stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeContext {
    /// Plies from the root.
    pub ply: u32,
    /// Plies to look ahead.
    pub depth: u32,
    /// How many more threats on this way may be looked into beyond the depth.
    pub extensions: u32,
    /// Hash of the set of positions on the way that stood before; 0 if there are none.
    pub repeated: u64,
}

/// The state of one thread.
pub(super) struct Worker<'a> {
    pub table: &'a TranspositionTable,
    pub budget: Budget<'a>,
    pub selectivity: Selectivity,
    pub order: MoveOrder,
    /// The greatest distance from the root reached.
    pub seldepth: u32,
    /// Grows whenever a score rests on a guess.
    pub guesses: u64,
    lists: Vec<MoveList>,
}

impl<'a> Worker<'a> {
    /// Knows nothing of a game with this many actions.
    pub fn new(
        table: &'a TranspositionTable,
        budget: Budget<'a>,
        selectivity: Selectivity,
        action_count: usize,
    ) -> Self {
        let order = MoveOrder::new(action_count);
        Worker { table, budget, selectivity, order, seldepth: 0, guesses: 0, lists: Vec::new() }
    }

    /// The score of `position` for its side to move: exact strictly between `alpha` and `beta`, otherwise a bound
    /// (fail-soft).
    pub fn search<G: Tactics>(
        &mut self,
        position: &G,
        mut place: NodeContext,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<i32, Stopped> {
        let is_full = self.selectivity == Selectivity::Full;
        let can_repeat = G::spec().max_plies.is_none();
        let side = position.side_to_move();
        let ply = place.ply;

        // Step 1. Count the position; stop when told to.
        self.budget.count_node()?;
        self.seldepth = self.seldepth.max(ply);

        // Step 2. Results that are certain.
        if let Some(outcome) = position.outcome() {
            self.guesses += u64::from(can_repeat && outcome == Outcome::Draw);
            return Ok(outcome_score(outcome, side, ply));
        }
        if is_full && let Some(outcome) = position.settled_outcome() {
            return Ok(settled_score(outcome, side, ply));
        }

        // Step 3. Nothing here can be better than a win now, or worse than a loss with the next move.
        alpha = alpha.max(ply as i32 - PROVEN_WIN);
        beta = beta.min(PROVEN_WIN - ply as i32 - 1);
        if alpha >= beta {
            return Ok(alpha);
        }

        // Step 4. A win with the next move. Near the root it is tried out where the game cannot tell, so that even
        // the shallowest search overlooks none.
        let wins = match position.immediate_win() {
            ImmediateWin::By(_) => is_full || place.depth > 0,
            ImmediateWin::Unknown => is_full && ply <= 1 && wins_at_once(position),
            ImmediateWin::None => false,
        };
        if wins {
            return Ok(PROVEN_WIN - ply as i32 - 1);
        }

        // Step 5. A threat must be answered: look one move further. At the horizon, answers alone are looked at.
        let is_threatened = is_full && place.extensions > 0 && position.is_threatened();
        let is_beyond_horizon = is_threatened && place.depth == 0;
        if is_threatened {
            place.depth += 1;
            place.extensions -= 1;
        }

        // Step 6. The horizon.
        if place.depth == 0 {
            self.guesses += 1;
            return Ok(position.heuristic());
        }

        // Step 7. What the table knows.
        let key = position.evaluation_key() ^ place.repeated;
        let known = self.table.probe(key);
        if let Some(entry) = known
            && self.may_use::<G>(&entry, place.depth, beta - alpha > 1)
        {
            let score = to_root(entry.score, ply);
            let is_enough = match entry.bound {
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
                Bound::Exact => true,
            };
            if is_enough {
                self.guesses += u64::from(!entry.is_settled);
                return Ok(score);
            }
        }
        let known_action = known.and_then(|entry| entry.action);
        if is_full && known_action.is_none() && place.depth >= UNKNOWN_DEPTH {
            place.depth -= 1;
        }

        // Step 8. The moves, the most promising first.
        if self.lists.len() <= ply as usize {
            self.lists.resize_with(ply as usize + 1, MoveList::default);
        }
        let mut list = std::mem::take(&mut self.lists[ply as usize]);
        let work = self.order.list(position, &mut list, known_action, ply, place.depth);
        let work = self.budget.count_work(work);

        // Step 9. Try them.
        let guesses_before = self.guesses;
        let found = match work {
            Ok(()) => self.try_all(position, &mut list, place, alpha, beta, is_beyond_horizon, is_threatened),
            Err(stopped) => Err(stopped),
        };
        let found = match found {
            Ok(found) => found,
            Err(stopped) => {
                self.lists[ply as usize] = list;
                return Err(stopped);
            }
        };

        // Step 10. Learn from a refutation. It needs no more than itself to be exact.
        let is_refuted = found.score >= beta;
        if is_refuted && let Some(candidate) = found.best.filter(|candidate| candidate.is_quiet) {
            self.order.reward(side, candidate.action, &list, found.tried - 1, ply, place.depth);
        }
        self.lists[ply as usize] = list;
        let is_proven_win = found.score > alpha && found.score >= HEURISTIC_LIMIT;
        if is_proven_win || is_refuted && found.is_best_settled {
            self.guesses = guesses_before;
        }

        // Step 11. Remember.
        let bound = match found.score {
            score if score >= beta => Bound::Lower,
            score if score > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = Entry {
            score: from_root(found.score, ply),
            depth: place.depth,
            bound,
            is_settled: self.guesses == guesses_before,
            action: found.best.filter(|_| bound != Bound::Upper).map(|candidate| candidate.action),
        };
        self.table.store(key, entry);
        Ok(found.score)
    }

    /// Whether a table entry may end a search to `depth`. Where the score itself is wanted, not only on which side of a
    /// bound it lies, entries that rest on guesses are not used, so that the principal variation stays whole. For plain
    /// minimax they must be as deep; and where games repeat, its scores depend on the way.
    fn may_use<G: Tactics>(&self, entry: &Entry, depth: u32, has_open_window: bool) -> bool {
        match self.selectivity {
            Selectivity::Full => entry.is_settled || entry.depth >= depth && !has_open_window,
            Selectivity::Exact => {
                let is_same = entry.depth == depth || entry.is_settled && entry.depth < depth;
                is_same && G::spec().max_plies.is_some()
            }
        }
    }

    /// The best of the moves in `list`, or the first that refutes.
    #[expect(clippy::too_many_arguments, reason = "the second half of `search`, with its state")]
    fn try_all<G: Tactics>(
        &mut self,
        position: &G,
        list: &mut MoveList,
        place: NodeContext,
        mut alpha: i32,
        beta: i32,
        is_beyond_horizon: bool,
        is_threatened: bool,
    ) -> Result<MovesSearched, Stopped> {
        let is_full = self.selectivity == Selectivity::Full;
        let mut found = MovesSearched { score: -INFINITY, best: None, is_best_settled: false, tried: 0 };
        for index in 0..list.len() {
            let candidate = list.pick(index);
            // Moves are left out only where one is known that does not lose: no proof of a loss leaves one out.
            if is_full && candidate.is_quiet && found.score > -HEURISTIC_LIMIT {
                let is_late = is_late(candidate, index, place.depth);
                if is_beyond_horizon || candidate.is_remote || is_late && !is_threatened {
                    self.guesses += 1;
                    break;
                }
            }
            let guesses_before = self.guesses;
            let score = self.try_move(position, candidate, index, place, alpha, beta)?;
            found.tried += 1;
            if score > found.score {
                found.score = score;
                found.best = Some(candidate);
                found.is_best_settled = self.guesses == guesses_before;
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// The score of the move tried as number `index`, for the side to move before it: with an open window for the first,
    /// and for others only if they turn out better than `alpha`; late ones less deep at first.
    pub fn try_move<G: Tactics>(
        &mut self,
        position: &G,
        candidate: Candidate,
        index: usize,
        place: NodeContext,
        alpha: i32,
        beta: i32,
    ) -> Result<i32, Stopped> {
        let child = successor(position, candidate.action);
        let is_same_side = child.side_to_move() == position.side_to_move();
        let mut below = NodeContext { ply: place.ply + 1, depth: place.depth - 1, ..place };
        below.repeated = repeated_at(&child, below.repeated);
        let reduction = self.reduction(candidate, index, place.depth);
        let mut ask = |depth: u32, alpha: i32, beta: i32| {
            let below = NodeContext { depth, ..below };
            if is_same_side {
                self.search(&child, below, alpha, beta)
            } else {
                self.search(&child, below, -beta, -alpha).map(|score| -score)
            }
        };
        if index == 0 {
            return ask(below.depth, alpha, beta);
        }
        let mut score = ask(below.depth - reduction, alpha, alpha + 1)?;
        if score > alpha && reduction > 0 {
            score = ask(below.depth, alpha, alpha + 1)?;
        }
        if score > alpha && score < beta {
            score = ask(below.depth, alpha, beta)?;
        }
        Ok(score)
    }

    /// By how much less deep a move is looked at first; less than its depth.
    fn reduction(&self, candidate: Candidate, index: usize, depth: u32) -> u32 {
        let is_reduced = self.selectivity == Selectivity::Full && candidate.is_quiet;
        if !is_reduced || depth < REDUCTION_DEPTH || index < UNREDUCED_MOVES {
            return 0;
        }
        let reduction = (depth as f32).ln() * (index as f32).ln() / REDUCTION_DIVISOR;
        (reduction as u32).min(depth - 2)
    }

    /// The best known line from `position`, at most `length` moves: `first`, then what the table recommends.
    pub fn principal_variation<G: Tactics>(
        &self,
        position: &G,
        first: Action,
        repeated: u64,
        length: usize,
    ) -> Vec<Action> {
        let (mut position, mut repeated) = (position.clone(), repeated);
        let (mut line, mut legal) = (Vec::new(), Vec::new());
        let mut next = Some(first);
        while let Some(action) = next.filter(|_| line.len() < length) {
            position.distinct_actions(&mut legal);
            if !legal.contains(&action) {
                break;
            }
            position.play(action);
            line.push(action);
            if position.outcome().is_some() {
                break;
            }
            repeated = repeated_at(&position, repeated);
            next = match position.immediate_win() {
                ImmediateWin::By(winning) => Some(winning),
                _ => self.table.probe(position.evaluation_key() ^ repeated).and_then(|entry| entry.action),
            };
        }
        line
    }
}

/// Whether a quiet move is too late in the order to be tried at all.
fn is_late(candidate: Candidate, index: usize, depth: u32) -> bool {
    let tried = |at_depth_0: usize, for_each: usize| at_depth_0 + for_each * depth as usize;
    depth <= SKIP_DEPTH && index >= tried(0, UNSKIPPED_MOVES)
        || candidate.is_poor && depth <= SKIP_POOR_DEPTH && index >= tried(UNSKIPPED_POOR_MOVES, MORE_POOR_MOVES)
}

/// What trying the moves of a position has come to.
struct MovesSearched {
    score: i32,
    best: Option<Candidate>,
    /// Whether the best move's score rests on no guess.
    is_best_settled: bool,
    /// Moves tried.
    tried: usize,
}

/// Whether a deeper search can change nothing about `score`: it is proven, or rests on no guess.
pub(super) fn is_final(score: i32, has_guessed: bool) -> bool {
    is_proven(score) || !has_guessed
}
