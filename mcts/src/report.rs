//! What a search found, and how a move or a training target is made from it.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use selfplay_env::rng::{GameRng, RngExt};
use selfplay_env::{Action, Outcome, Wdl};

/// What a search knows about its root.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchReport {
    /// Simulations of this move, without those inherited from earlier moves.
    pub simulations: u32,
    /// Win, draw and loss of the root for its side to move: the mean over all visits, or the proven result.
    /// [`Wdl::UNIFORM`] before the first simulation.
    pub wdl: Wdl,
    /// The root's result under perfect play, where it is proven.
    pub proven: Option<Outcome>,
    /// Every distinct action of the root that the search looks at: most visits first, then the greater prior, then the
    /// lower action. Empty when the game is over.
    pub moves: Vec<MoveReport>,
    /// The move that a Gumbel search has settled on; `None` after PUCT, where visits decide.
    pub choice: Option<Action>,
    /// The preferred moves of both sides from the root, as far as they are visited.
    pub principal_variation: Vec<Action>,
}

/// What a search knows about one move of its root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MoveReport {
    /// The move.
    pub action: Action,
    /// Visits, those inherited from earlier moves included.
    pub visits: u32,
    /// Value in −1..=1 for the side that makes the move: the mean over its visits, or the proven result. An unvisited
    /// move has the root's value.
    pub q: f32,
    /// Prior as the search used it, root noise included.
    pub prior: f32,
    /// Prior before root noise: the evaluator's, tempered
    /// ([`SearchConfig::policy_softmax_temperature`](crate::SearchConfig::policy_softmax_temperature)).
    pub evaluator_prior: f32,
    /// Weight in the policy target before proofs are heeded, ≥ 0: the visits, without those that were merely forced; or
    /// after a Gumbel search the probability of the improved policy, relative to the greatest.
    pub target_weight: f32,
    /// The move's proven result for the side that makes it: 1 won, 0 drawn, −1 lost.
    pub proven: Option<i8>,
    /// Plies to the end of the game along what proves the result, the move itself included. `None` for draws, without a
    /// proof, and where tactics tell the result but not the way there.
    pub plies: Option<u32>,
    /// Turns of both sides to the end of the game if both play as well as they can, its own included: where a table tells.
    pub turns: Option<u32>,
}

impl SearchReport {
    /// The move to play: the [`choice`](Self::choice) of a Gumbel search; otherwise the most visited of those that
    /// [`policy_target`](Self::policy_target) allows, then the one with the greatest `q`. So the shortest proven win comes
    /// first, and a proven loss only if all moves lose: then the longest.
    ///
    /// # Panics
    /// If the game is over, that is if there are no moves.
    pub fn best(&self) -> Action {
        self.choice.unwrap_or_else(|| preferred(&self.moves).expect("a running game has a move").action)
    }

    /// The moves as a training target: pairs of action and probability > 0, summing to 1, in the order of `moves`.
    ///
    /// In proportion to their [`target_weight`](MoveReport::target_weight), among: the shortest proven wins if there are
    /// any; the draws, or else the longest losses, if all moves are proven; otherwise all but the proven losses. Where none
    /// of these has any weight, in proportion to priors. Empty when the game is over.
    pub fn policy_target(&self) -> Vec<(Action, f32)> {
        let is_sound = soundness(&self.moves);
        let sound: Vec<&MoveReport> = self.moves.iter().filter(|m| is_sound(m)).collect();
        let weightings: [fn(&MoveReport) -> f64; 3] = [|m| f64::from(m.target_weight), |m| f64::from(m.prior), |_| 1.0];
        for weight in weightings {
            let sum: f64 = sound.iter().map(|m| weight(m)).sum();
            if sum > 0.0 {
                let shares = sound.iter().map(|m| (m.action, (weight(m) / sum) as f32));
                return shares.filter(|&(_, share)| share > 0.0).collect();
            }
        }
        Vec::new()
    }

    /// How much the search changed the evaluator's mind: the Kullback-Leibler divergence of the policy target from the
    /// evaluator's priors, root noise left out, in nats, ≥ 0 but for rounding. 0 when the game is over.
    ///
    /// Positions that surprise more are worth more training (KataGo, "policy surprise weighting").
    pub fn policy_surprise(&self) -> f64 {
        let priors: HashMap<Action, f32> = self.moves.iter().map(|m| (m.action, m.evaluator_prior)).collect();
        let surprise = |(action, share): (Action, f32)| {
            // A prior may round to 0 without being impossible.
            let prior = f64::from(priors[&action].max(f32::MIN_POSITIVE));
            f64::from(share) * (f64::from(share) / prior).ln()
        };
        self.policy_target().into_iter().map(surprise).sum()
    }

    /// A move drawn in proportion to `p^(1 / temperature)`, where `p` is its share of
    /// [`policy_target`](Self::policy_target); temperature 0 takes [`best`](Self::best). A Gumbel search has drawn its
    /// [`choice`](Self::choice) already, which is taken at any temperature.
    ///
    /// # Panics
    /// If the game is over, that is if there are no moves.
    pub fn sample(&self, temperature: f32, rng: &mut GameRng) -> Action {
        if temperature <= 0.0 || self.choice.is_some() {
            return self.best();
        }
        let target = self.policy_target();
        let greatest = target.iter().map(|&(_, share)| share).fold(0.0, f32::max);
        // Relative to the greatest share, so that small temperatures underflow to 0 and never to 0 / 0.
        let weight = |share: f32| f64::from(share / greatest).powf(1.0 / f64::from(temperature));
        let total: f64 = target.iter().map(|&(_, share)| weight(share)).sum();
        let mut remaining = rng.random::<f64>() * total;
        for &(action, share) in &target {
            remaining -= weight(share);
            if remaining < 0.0 {
                return action;
            }
        }
        self.best()
    }
}

/// Puts `moves` into the order of [`SearchReport::moves`].
pub(crate) fn sort_moves(moves: &mut [MoveReport]) {
    moves.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.prior.total_cmp(&a.prior)).then(a.action.cmp(&b.action)));
}

/// The move that [`SearchReport::best`] takes after PUCT, or `None` without moves.
pub(crate) fn preferred(moves: &[MoveReport]) -> Option<&MoveReport> {
    let is_sound = soundness(moves);
    moves.iter().filter(|m| is_sound(m)).max_by(|a, b| preference(a, b))
}

fn preference(a: &MoveReport, b: &MoveReport) -> Ordering {
    a.visits
        .cmp(&b.visits)
        .then(a.q.total_cmp(&b.q))
        .then(a.prior.total_cmp(&b.prior))
        .then(Reverse(a.action).cmp(&Reverse(b.action)))
}

/// Whether what is proven of `moves` leaves one of them worth playing; holds for at least one unless there are none.
///
/// Of proven wins only the shortest are, of losses, where all moves lose, only the longest.
pub(crate) fn soundness(moves: &[MoveReport]) -> impl Fn(&MoveReport) -> bool + use<> {
    let best_proven = moves.iter().filter_map(|m| m.proven).max();
    let is_all_proven = moves.iter().all(|m| m.proven.is_some());
    let best = best_proven.filter(|&best| best == 1 || is_all_proven);
    // A distance that is not known counts as a long one.
    let distance = |m: &MoveReport| m.plies.unwrap_or(u32::MAX);
    let distances = moves.iter().filter(|m| m.proven == best).map(distance);
    let distance_sought = if best == Some(1) { distances.min() } else { distances.max() };
    move |m| match best {
        Some(_) => m.proven == best && Some(distance(m)) == distance_sought,
        None => m.proven != Some(-1),
    }
}
