//! The conformance checks of [`Tactics`] at one position: what a game claims about wins and results is tried out.

use crate::failed_check::failed;
use crate::random_play::play_random;
use crate::rng::GameRng;
use crate::tactics::{HEURISTIC_LIMIT, decided_by_next};
use crate::{Action, Ending, FailedCheck, ImmediateWin, Outcome, Side, Symmetric, Tactics};

/// A settled result is tried in every continuation where these are no more than so many plies.
const MAX_PLIES: usize = 2_000;
/// Elsewhere it is tried in so many random games to the end.
const RANDOM_ENDS: usize = 20;
/// A tactical outcome that does not follow from those of the successors is forced within so many plies.
pub const TACTICAL_PLIES: u32 = 3;
/// What follows from the successors, follows within so many plies.
const MAX_TACTICAL_PLIES: u32 = 100;
/// A game's own solver is asked where it needs about so many positions at most.
const MAX_SOLVED_POSITIONS: u64 = 2_000;

/// A method of [`Tactics`] that tells results.
type Tell<G> = fn(&G) -> Option<Outcome>;

/// Checks everything that `position` tells a classical player.
///
/// # Errors
/// The failed check, in words.
pub fn check_advice<G: Tactics + Symmetric>(position: &G, rng: &mut GameRng) -> Result<(), FailedCheck> {
    if let Some(outcome) = position.outcome() {
        let told = [position.settled_outcome(), position.tactical_outcome(), position.threat_outcome()];
        return match told == [Some(outcome); 3] {
            true => Ok(()),
            false => Err(failed!("{outcome:?} and yet {told:?} is settled, foreseen and forced")),
        };
    }
    let (foreseen, forced) = (position.tactical_outcome(), position.threat_outcome());
    check_told(position, foreseen, "foreseen", G::tactical_outcome)?;
    if foreseen.is_some() && forced != foreseen {
        return Err(failed!("{foreseen:?} is foreseen, and yet {forced:?} is forced"));
    }
    if forced != foreseen {
        check_told(position, forced, "forced", G::threat_outcome)?;
    }
    let value = position.heuristic();
    if value.unsigned_abs() >= HEURISTIC_LIMIT.unsigned_abs() {
        return Err(failed!("the heuristic {value} is beyond its limit"));
    }
    let mut distinct = Vec::new();
    position.distinct_actions(&mut distinct);
    check_immediate_win(position, &distinct)?;
    check_tenable(position, &distinct)?;
    // What the vector held before must not matter.
    let mut hints = vec![7; 3];
    position.hints(&distinct, &mut hints);
    if hints.len() != distinct.len() {
        return Err(failed!("{} hints for {} actions", hints.len(), distinct.len()));
    }
    check_settled(position, rng)?;
    check_solver(position, &distinct)?;
    for &symmetry in G::symmetries() {
        let image = position.transform(symmetry);
        if image.heuristic() != value {
            return Err(failed!("{symmetry}, the heuristic is another"));
        }
        if image.is_threatened() != position.is_threatened() {
            return Err(failed!("{symmetry}, whether the side to move is threatened is another"));
        }
        if image.settled_outcome() != position.settled_outcome() {
            return Err(failed!("{symmetry}, the settled outcome is another"));
        }
    }
    Ok(())
}

/// A win at once that is claimed is there, and one that is denied is not.
fn check_immediate_win<G: Tactics>(position: &G, distinct: &[Action]) -> Result<(), FailedCheck> {
    let side = position.side_to_move();
    let wins = |action: Action| {
        let mut after = position.clone();
        after.play(action);
        after.outcome() == Some(Outcome::Win(side))
    };
    match position.immediate_win() {
        ImmediateWin::By(action) if !distinct.contains(&action) => {
            Err(failed!("the immediate win {} is no distinct action", G::action_name(action)))
        }
        ImmediateWin::By(action) if !wins(action) => Err(failed!("{} does not win at once", G::action_name(action))),
        ImmediateWin::None => match distinct.iter().find(|&&action| wins(action)) {
            Some(&action) => Err(failed!("no immediate win is seen, but {} is one", G::action_name(action))),
            None => Ok(()),
        },
        ImmediateWin::By(_) | ImmediateWin::Unknown => Ok(()),
    }
}

/// The non-losing actions are distinct ones in their order, and the others let the opponent win at once.
fn check_tenable<G: Tactics>(position: &G, distinct: &[Action]) -> Result<(), FailedCheck> {
    let mut tenable = vec![Action(0)];
    position.non_losing_actions(&mut tenable);
    let is_subsequence = distinct.iter().copied().filter(|action| tenable.contains(action)).eq(tenable.iter().copied());
    if tenable.is_empty() || !is_subsequence {
        return Err(failed!("the tenable actions {tenable:?} are no part of the distinct ones {distinct:?}"));
    }
    let opponent_wins = Some(Outcome::Win(position.side_to_move().opponent()));
    for &action in distinct.iter().filter(|action| !tenable.contains(action)) {
        let mut after = position.clone();
        after.play(action);
        if forced_within(&after, 1) != opponent_wins {
            return Err(failed!("{} is left out of the tenable actions, but does not lose", G::action_name(action)));
        }
    }
    Ok(())
}

/// What `tell` says of the position, `told`, is so; `word` names it.
fn check_told<G: Tactics>(position: &G, told: Option<Outcome>, word: &str, tell: Tell<G>) -> Result<(), FailedCheck> {
    match told {
        Some(outcome)
            if !follows_from_told(position, outcome, tell, MAX_TACTICAL_PLIES)
                && forced_within(position, TACTICAL_PLIES) != Some(outcome) =>
        {
            Err(failed!(
                "{outcome:?} is {word}, but no {TACTICAL_PLIES} plies lead there, nor does it follow from what is \
                 {word} after the next one"
            ))
        }
        _ => Ok(()),
    }
}

/// Whether `outcome` is decided by the next action, or follows from the results that `tell` knows after it, each of which
/// does so again, and the game ends within so many `plies`.
fn follows_from_told<G: Tactics>(position: &G, outcome: Outcome, tell: Tell<G>, plies: u32) -> bool {
    if plies == 0 {
        return false;
    }
    if let Some(known) = decided_by_next(position) {
        return known == outcome;
    }
    let mut distinct = Vec::new();
    position.distinct_actions(&mut distinct);
    let [won, lost] = [position.side_to_move(), position.side_to_move().opponent()].map(Outcome::Win);
    let mut successors = distinct.into_iter().map(|action| {
        let mut after = position.clone();
        after.play(action);
        after
    });
    let follows =
        |after: &G, outcome| tell(after) == Some(outcome) && follows_from_told(after, outcome, tell, plies - 1);
    match outcome {
        Outcome::Draw => {
            let draws = successors.filter(|after| !follows(after, lost)).collect::<Vec<_>>();
            !draws.is_empty() && draws.iter().all(|after| follows(after, Outcome::Draw))
        }
        _ if outcome == won => successors.any(|after| follows(&after, won)),
        _ => successors.all(|after| follows(&after, lost)),
    }
}

/// The result of `position` under perfect play, as far as trying everything for so many `plies` (at least 1) tells.
pub fn forced_within<G: Tactics>(position: &G, plies: u32) -> Option<Outcome> {
    // What wins at once is the last of the plies.
    let known = decided_by_next(position);
    if known.is_some() || plies == 1 {
        return known;
    }
    let side = position.side_to_move();
    let mut distinct = Vec::new();
    position.distinct_actions(&mut distinct);
    let mut forced = Some(Outcome::Win(side.opponent()));
    for action in distinct {
        let mut after = position.clone();
        after.play(action);
        match forced_within(&after, plies - 1) {
            Some(outcome) if outcome == Outcome::Win(side) => return Some(outcome),
            Some(Outcome::Draw) => forced = forced.and(Some(Outcome::Draw)),
            Some(_) => {}
            None => forced = None,
        }
    }
    forced
}

/// What the game's own solver says of the position follows from what it says of its successors.
fn check_solver<G: Tactics>(position: &G, distinct: &[Action]) -> Result<(), FailedCheck> {
    let Some(mut solver) = G::solver(1) else { return Ok(()) };
    let mut left = MAX_SOLVED_POSITIONS;
    let mut may_go_on = |positions| {
        left = left.saturating_sub(positions);
        left > 0
    };
    let side = position.side_to_move();
    let mut best: Option<Ending> = None;
    for &action in distinct {
        let mut after = position.clone();
        after.play(action);
        let ending = match after.outcome() {
            Some(outcome) => Ending { outcome, turns: 1 },
            None => match solver.ending(&after, &mut may_go_on) {
                Some(Ending { .. }) if after.side_to_move() == side => {
                    return Err("a turn of several actions, and a solver for turns of one".into());
                }
                Some(Ending { outcome, turns }) => Ending { outcome, turns: turns + 1 },
                None => return Ok(()),
            },
        };
        if best.is_none_or(|best| rank(ending, side) > rank(best, side)) {
            best = Some(ending);
        }
    }
    let (Some(ending), Some(outcome)) =
        (solver.ending(position, &mut may_go_on), solver.outcome(position, &mut may_go_on))
    else {
        return Ok(());
    };
    match best {
        Some(best) if rank(best, side) != rank(ending, side) || outcome != ending.outcome => Err(failed!(
            "the game's solver says {outcome:?} and {ending:?}, but {best:?} follows from what it says of the successors"
        )),
        _ => Ok(()),
    }
}

/// The greater, the better for `side`.
fn rank(ending: Ending, side: Side) -> i64 {
    i64::from(ending.outcome.value_for(side)) * (i64::from(u32::MAX) - i64::from(ending.turns))
}

/// A settled outcome comes about whatever is played.
fn check_settled<G: Tactics>(position: &G, rng: &mut GameRng) -> Result<(), FailedCheck> {
    let Some(settled) = position.settled_outcome() else { return Ok(()) };
    let contradicts = |end: &G| end.outcome().is_some_and(|outcome| outcome != settled);
    let mut budget = MAX_PLIES;
    let mut counterexample = find_end(position, &mut budget, &contradicts);
    if counterexample.is_none() && budget == 0 {
        counterexample = (0..RANDOM_ENDS).find_map(|_| {
            let mut end = position.clone();
            play_random(&mut end, MAX_PLIES, rng);
            contradicts(&end).then_some(end)
        });
    }
    match counterexample {
        Some(end) => Err(failed!("{settled:?} is settled, but the game can end so:\n{}", end.board())),
        None => Ok(()),
    }
}

/// A position reached from `position` within `budget` plies, all continuations together, for which `is_sought`
/// holds. What it took is subtracted from `budget`; 0 is left if that was not enough to try all.
fn find_end<G: Tactics>(position: &G, budget: &mut usize, is_sought: &impl Fn(&G) -> bool) -> Option<G> {
    if is_sought(position) {
        return Some(position.clone());
    }
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    for action in actions {
        *budget = budget.checked_sub(1)?;
        let mut after = position.clone();
        after.play(action);
        let found = find_end(&after, budget, is_sought);
        if found.is_some() || *budget == 0 {
            return found;
        }
    }
    None
}
