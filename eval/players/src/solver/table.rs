//! What has been proven about positions, in a fixed memory that threads share without locks.

use selfplay_config::InvalidKey;
use selfplay_env::Action;

use super::bounds::Bounds;
use crate::hash_buckets::HashBuckets;

/// The greatest effort that a slot can tell.
const MAX_EFFORT: u32 = 63;

/// What is known about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Between what its value lies, for its side to move.
    pub bounds: Bounds,
    /// The action that decided it last, to be tried first.
    pub action: Option<Action>,
    /// Binary logarithm of the positions that the proof took: what is dear is kept.
    pub effort: u32,
}

/// A hash table of proofs. Two positions are taken for one with a probability of about 2⁻⁶² a comparison.
#[derive(Debug)]
pub struct ProofTable {
    buckets: HashBuckets,
}

impl ProofTable {
    /// An empty table of no more than `memory_mib` MiB.
    ///
    /// # Errors
    /// [`InvalidKey`] if the system does not give so much.
    pub fn new(memory_mib: u32) -> Result<Self, InvalidKey> {
        Ok(ProofTable { buckets: HashBuckets::new(memory_mib as usize)? })
    }

    /// What is known about the position with this key.
    pub fn get(&self, key: u64) -> Option<Proof> {
        let found = self.buckets.bucket(key).slots().find(|&(other, data)| other == key && data != 0);
        found.map(|(_, data)| unpack(data))
    }

    /// Keeps a proof, together with what was known before, in place of the cheapest proof of its bucket.
    pub fn insert(&self, key: u64, mut proof: Proof) {
        let bucket = self.buckets.bucket(key);
        let (mut index, mut least) = (0, None);
        for (slot, (other, data)) in bucket.slots().enumerate() {
            if other == key && data != 0 {
                proof = proof.joined(unpack(data));
                index = slot;
                break;
            }
            // An empty slot is cheaper than any proof.
            let effort = (data != 0).then(|| unpack(data).effort);
            if slot == 0 || effort < least {
                (index, least) = (slot, effort);
            }
        }
        bucket.write(index, key, pack(proof));
    }
}

impl Proof {
    /// Both proofs of the same position in one.
    fn joined(self, other: Proof) -> Proof {
        Proof {
            bounds: self.bounds.intersection(other.bounds),
            action: self.action.or(other.action),
            effort: self.effort.max(other.effort),
        }
    }
}

/// Bits 0–16: one more than the action; 17–18 and 19–20: one more than the bounds; 21–26: effort; 27: occupied.
fn pack(proof: Proof) -> u64 {
    let action = proof.action.map_or(0, |action| u64::from(action.0) + 1);
    let Bounds { lower, upper } = proof.bounds;
    let effort = u64::from(proof.effort.min(MAX_EFFORT));
    action | ((lower + 1) as u64) << 17 | ((upper + 1) as u64) << 19 | effort << 21 | 1 << 27
}

fn unpack(data: u64) -> Proof {
    let action = data & 0x1_FFFF;
    Proof {
        bounds: Bounds { lower: (data >> 17 & 3) as i8 - 1, upper: (data >> 19 & 3) as i8 - 1 },
        action: action.checked_sub(1).map(|action| Action(action as u16)),
        effort: (data >> 21) as u32 & MAX_EFFORT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_come_back_joined() {
        let table = ProofTable::new(1).unwrap();
        let all = [(-1, -1), (-1, 0), (-1, 1), (0, 0), (0, 1), (1, 1)];
        for (key, (lower, upper)) in all.into_iter().enumerate() {
            for action in [None, Some(Action(0)), Some(Action(u16::MAX))] {
                let key = (key as u64 + 1) << 40;
                let proof = Proof { bounds: Bounds { lower, upper }, action, effort: 63 };
                table.insert(key, proof);
                assert_eq!(table.get(key).unwrap().bounds, proof.bounds);
                assert_eq!(unpack(pack(proof)), proof);
            }
        }
        let key = 7 << 50;
        let at_least_even = Proof { bounds: Bounds { lower: 0, upper: 1 }, action: Some(Action(3)), effort: 2 };
        let at_most_even = Proof { bounds: Bounds { lower: -1, upper: 0 }, action: None, effort: 9 };
        table.insert(key, at_least_even);
        table.insert(key, at_most_even);
        let both = Proof { bounds: Bounds { lower: 0, upper: 0 }, action: Some(Action(3)), effort: 9 };
        assert_eq!(table.get(key), Some(both));
        assert_eq!(table.get(key + 1), None);
    }

    #[test]
    fn a_full_bucket_loses_its_cheapest_proof() {
        let table = ProofTable::new(1).unwrap();
        let proof = |effort| Proof { bounds: Bounds::UNKNOWN, action: None, effort };
        for (key, effort) in [(1, 5), (2, 1), (3, 7), (4, 3), (5, 4)] {
            table.insert(key, proof(effort));
        }
        assert_eq!([1, 2, 3, 4, 5].map(|key| table.get(key).is_some()), [true, false, true, true, true]);
    }
}
