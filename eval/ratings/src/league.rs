//! Who played whom, with what results, and whom these results connect.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::error::RatingError;
use crate::pair_counts::PairCounts;

/// The game pairs between two players, seen from `a`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Encounter {
    /// One player.
    pub a: String,
    /// The other.
    pub b: String,
    /// Results of `a`.
    pub pair_counts: PairCounts,
}

/// One player's sums.
pub(super) struct PlayerSums {
    pub name: String,
    pub pairs: u64,
    pub draws: u64,
    pub points: f64,
}

/// All pairs between two players, seen from the one with the lower index.
pub(super) struct Meeting {
    pub lower: usize,
    pub higher: usize,
    pub counts: PairCounts,
}

/// All that ratings are computed from.
pub(super) struct League {
    /// In the order in which they first played.
    pub players: Vec<PlayerSums>,
    /// Once for any two players that met, in the order of their indices.
    pub meetings: Vec<Meeting>,
}

impl League {
    pub(super) fn collect(encounters: &[Encounter]) -> Result<Self, RatingError> {
        let mut players: Vec<PlayerSums> = Vec::new();
        let mut indices: HashMap<&str, usize> = HashMap::new();
        let mut meetings: BTreeMap<(usize, usize), PairCounts> = BTreeMap::new();
        for Encounter { a, b, pair_counts } in encounters {
            if a == b {
                return Err(RatingError::Unrated(format!("`{a}` is listed as its own opponent")));
            }
            if pair_counts.pairs() == 0 {
                continue;
            }
            let mut count = |name, counts: &PairCounts| -> usize {
                let index = *indices.entry(name).or_insert_with(|| {
                    players.push(PlayerSums { name: name.into(), pairs: 0, draws: 0, points: 0.0 });
                    players.len() - 1
                });
                let player = &mut players[index];
                player.pairs += u64::from(counts.pairs());
                player.draws += u64::from(counts.draws());
                player.points += counts.score() * f64::from(counts.games());
                index
            };
            let reversed = pair_counts.reversed();
            let (a, b) = (count(a, pair_counts), count(b, &reversed));
            let (met, counts) = if a < b { ((a, b), *pair_counts) } else { ((b, a), reversed) };
            *meetings.entry(met).or_default() += counts;
        }
        let meeting = |((lower, higher), counts)| Meeting { lower, higher, counts };
        Ok(League { players, meetings: meetings.into_iter().map(meeting).collect() })
    }

    /// Names of the players, grouped by who is connected with whom by games.
    pub(super) fn groups(&self) -> Vec<Vec<String>> {
        let mut neighbours = vec![Vec::new(); self.players.len()];
        for meeting in &self.meetings {
            neighbours[meeting.lower].push(meeting.higher);
            neighbours[meeting.higher].push(meeting.lower);
        }
        let mut is_grouped = vec![false; self.players.len()];
        let mut groups = Vec::new();
        for start in 0..self.players.len() {
            if is_grouped[start] {
                continue;
            }
            let is_reached = reached_from(start, &neighbours);
            let members = (0..self.players.len()).filter(|&index| is_reached[index]);
            groups.push(members.map(|index| self.players[index].name.clone()).collect());
            is_grouped.iter_mut().zip(is_reached).for_each(|(grouped, reached)| *grouped |= reached);
        }
        groups
    }

    /// For each player whether results lead from it to `anchor` and back, each step a point or half a one taken from
    /// the next player. Exactly these differences have a finite estimate of greatest likelihood without a prior: Ford
    /// 1957, "Solution of a ranking problem from binary comparisons".
    pub(super) fn measured_against(&self, anchor: usize) -> Vec<bool> {
        let (mut beat, mut lost_to) = (vec![Vec::new(); self.players.len()], vec![Vec::new(); self.players.len()]);
        for &Meeting { lower, higher, ref counts } in &self.meetings {
            for (taker, giver, is_taken) in [
                (lower, higher, counts.wins() + counts.draws() > 0),
                (higher, lower, counts.losses() + counts.draws() > 0),
            ] {
                if is_taken {
                    beat[taker].push(giver);
                    lost_to[giver].push(taker);
                }
            }
        }
        let (below, above) = (reached_from(anchor, &beat), reached_from(anchor, &lost_to));
        below.into_iter().zip(above).map(|(below, above)| below && above).collect()
    }
}

/// For each node whether steps along `neighbours` lead to it.
fn reached_from(start: usize, neighbours: &[Vec<usize>]) -> Vec<bool> {
    let mut is_reached = vec![false; neighbours.len()];
    let mut open = vec![start];
    is_reached[start] = true;
    while let Some(node) = open.pop() {
        for &next in &neighbours[node] {
            if !is_reached[next] {
                is_reached[next] = true;
                open.push(next);
            }
        }
    }
    is_reached
}
