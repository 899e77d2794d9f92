//! Who meets whom, round by round. Players are indices into the list of entrants.

use std::collections::HashSet;

use selfplay_env::rng::{RngExt, rng_for};

/// The pairings of one round, each with the lower index first, and who has none.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct RoundPlan {
    pub(super) pairings: Vec<[usize; 2]>,
    pub(super) byes: Vec<usize>,
}

/// Everyone meets everyone once, at most one match a player and round: the circle method, in which the first player
/// stays and all others move on by one seat each round.
pub(super) fn round_robin(players: usize) -> Vec<RoundPlan> {
    let seats = players + players % 2;
    let player_at = |round: usize, seat: usize| if seat == 0 { 0 } else { (seat - 1 + round) % (seats - 1) + 1 };
    let plan = |round: usize| {
        let mut plan = RoundPlan::default();
        for seat in 0..seats / 2 {
            let [a, b] = [seat, seats - 1 - seat].map(|seat| player_at(round, seat));
            // With an odd number of players the last seat is empty, and whoever faces it is free.
            if a.max(b) == players {
                plan.byes.push(a.min(b));
            } else {
                plan.pairings.push([a.min(b), a.max(b)]);
            }
        }
        plan
    };
    (0..seats.saturating_sub(1)).map(plan).collect()
}

/// The first player meets each of the others, one a round.
pub(super) fn gauntlet(players: usize) -> Vec<RoundPlan> {
    (1..players).map(|other| RoundPlan { pairings: vec![[0, other]], byes: Vec::new() }).collect()
}

/// A bracket in which pairings may leave both players in.
pub(super) struct Bracket {
    /// Those who are still in, in the order of the bracket.
    alive: Vec<usize>,
    met: HashSet<[usize; 2]>,
    /// How many rounds each player was free.
    byes: Vec<usize>,
}

impl Bracket {
    /// All players, in an order drawn by `seed`.
    pub(super) fn new(players: usize, seed: u64) -> Self {
        let mut rng = rng_for(&[seed]);
        let mut alive: Vec<usize> = (0..players).collect();
        for last in (1..players).rev() {
            alive.swap(last, rng.random_range(0..=last));
        }
        Bracket { alive, met: HashSet::new(), byes: vec![0; players] }
    }

    /// The next round, or `None` if all who are still in have met each other.
    ///
    /// The player with the most byes chooses first, then the order of the bracket decides; each takes the next in
    /// that order whom they have not met.
    pub(super) fn next_round(&mut self) -> Option<RoundPlan> {
        let mut waiting = self.alive.clone();
        waiting.sort_by_key(|&player| std::cmp::Reverse(self.byes[player]));
        let mut plan = RoundPlan::default();
        while !waiting.is_empty() {
            let player = waiting.remove(0);
            let pair = |other: usize| [player.min(other), player.max(other)];
            match waiting.iter().position(|&other| !self.met.contains(&pair(other))) {
                Some(index) => plan.pairings.push(pair(waiting.remove(index))),
                None => plan.byes.push(player),
            }
        }
        if plan.pairings.is_empty() {
            return None;
        }
        self.met.extend(&plan.pairings);
        plan.byes.iter().for_each(|&player| self.byes[player] += 1);
        Some(plan)
    }

    /// Takes a player out.
    pub(super) fn eliminate(&mut self, player: usize) {
        self.alive.retain(|&other| other != player);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_round_robin_everyone_meets_everyone_once_and_never_twice_in_a_round() {
        for players in 2..9 {
            let rounds = round_robin(players);
            assert_eq!(rounds.len(), players - 1 + players % 2);
            let mut met = HashSet::new();
            for round in &rounds {
                let mut busy: Vec<usize> = round.pairings.iter().flatten().chain(&round.byes).copied().collect();
                busy.sort_unstable();
                assert_eq!(busy, (0..players).collect::<Vec<_>>());
                assert_eq!(round.byes.len(), players % 2);
                assert!(round.pairings.iter().all(|&[a, b]| a < b && met.insert([a, b])));
            }
            assert_eq!(met.len(), players * (players - 1) / 2);
        }
        let first: Vec<_> = round_robin(4).into_iter().map(|round| round.pairings).collect();
        assert_eq!(first, [[[0, 3], [1, 2]], [[0, 1], [2, 3]], [[0, 2], [1, 3]]]);
    }

    #[test]
    fn a_bracket_that_always_eliminates_is_a_knock_out() {
        for players in 2..20_usize {
            let mut bracket = Bracket::new(players, players as u64);
            let (mut rounds, mut matches) = (0, 0);
            while let Some(round) = bracket.next_round() {
                assert!(round.byes.len() <= 1);
                round.pairings.iter().for_each(|&[_, loser]| bracket.eliminate(loser));
                rounds += 1;
                matches += round.pairings.len();
            }
            assert_eq!((bracket.alive.len(), matches), (1, players - 1));
            assert_eq!(rounds, players.next_power_of_two().ilog2());
        }
    }

    #[test]
    fn a_bracket_that_eliminates_nobody_ends_when_all_have_met() {
        for players in 2..9 {
            let mut bracket = Bracket::new(players, 1);
            let mut met = HashSet::new();
            while let Some(round) = bracket.next_round() {
                assert!(!round.pairings.is_empty());
                assert!(round.pairings.iter().all(|&pair| met.insert(pair)));
            }
            assert_eq!(met.len(), players * (players - 1) / 2);
        }
    }

    #[test]
    fn the_seed_draws_the_bracket() {
        let order = |seed| Bracket::new(12, seed).alive;
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }
}
