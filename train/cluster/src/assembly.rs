//! Results out of their parts, which come in any order, twice, or never.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::error::InvalidResult;
use crate::packing::check_part;
use crate::wire::Part;

/// Bytes of unfinished results that are kept, at most; the oldest give way.
const MAX_BYTES: usize = 256 << 20;
/// Parts of unfinished results that are kept, at most: fewer than the server hands out without an acknowledgement
/// (`IN_HAND`), so that others still come. A result of the greatest length has fewer.
const MAX_PARTS: usize = 192;
/// An unfinished result is given up when no part of it came for so long. Its worker sends it again.
const MAX_SILENCE: Duration = Duration::from_secs(120);

/// A result whose parts are all there.
pub struct CompleteResult<A> {
    /// The first part, without its bytes.
    pub part: Part,
    /// The packed bytes.
    pub packed: Vec<u8>,
    /// What came with the parts.
    pub tickets: Vec<A>,
}

/// What a part leads to.
pub enum Assembled<A> {
    /// The result is whole.
    Complete(Box<CompleteResult<A>>),
    /// Other parts are missing. These tickets belong to nothing any more, because the same part came again.
    Incomplete(Vec<A>),
    /// The part is wrong, and here is its ticket.
    Invalid(InvalidResult, A),
}

struct Unfinished<A> {
    part: Part,
    bytes: Vec<Option<Vec<u8>>>,
    tickets: Vec<Option<A>>,
    began: u64,
    /// When the last part came.
    heard: Instant,
}

impl<A> Unfinished<A> {
    fn parts(&self) -> usize {
        self.bytes.iter().flatten().count()
    }
}

/// Collects parts; with each comes a ticket, such as a message to be acknowledged.
pub struct Assembler<A> {
    unfinished: HashMap<(String, String), Unfinished<A>>,
    bytes: usize,
    parts: usize,
    clock: u64,
}

impl<A> Assembler<A> {
    /// With nothing in it.
    pub fn new() -> Self {
        Assembler { unfinished: HashMap::new(), bytes: 0, parts: 0, clock: 0 }
    }

    /// Gives up the results of which no part came for [`MAX_SILENCE`] before `now`. Returns their tickets.
    pub fn give_up_silent(&mut self, now: Instant) -> Vec<A> {
        let is_silent = |held: &Unfinished<A>| now.saturating_duration_since(held.heard) > MAX_SILENCE;
        let silent = self.unfinished.iter().filter(|(_, held)| is_silent(held));
        let keys: Vec<(String, String)> = silent.map(|(key, _)| key.clone()).collect();
        keys.iter().flat_map(|key| self.give_up(key)).collect()
    }

    fn give_up(&mut self, key: &(String, String)) -> Vec<A> {
        let Some(given_up) = self.unfinished.remove(key) else { return Vec::new() };
        self.bytes -= given_up.bytes.iter().flatten().map(Vec::len).sum::<usize>();
        self.parts -= given_up.parts();
        given_up.tickets.into_iter().flatten().collect()
    }

    /// Takes a part; the tickets that are returned are no longer kept.
    pub fn take(&mut self, mut part: Part, ticket: A) -> Assembled<A> {
        if let Err(fault) = check_part(&part) {
            return Assembled::Invalid(fault, ticket);
        }
        let bytes = std::mem::take(&mut part.bytes);
        if part.count == 1 {
            return Assembled::Complete(Box::new(CompleteResult { part, packed: bytes, tickets: vec![ticket] }));
        }
        self.clock += 1;
        let key = (part.worker.clone(), part.digest.clone());
        let count = part.count as usize;
        let index = part.index as usize;
        let held = self.unfinished.entry(key.clone()).or_insert_with(|| Unfinished {
            part: part.clone(),
            bytes: (0..count).map(|_| None).collect(),
            tickets: (0..count).map(|_| None).collect(),
            began: self.clock,
            heard: Instant::now(),
        });
        let is_same = Part { index: 0, ..held.part.clone() } == Part { index: 0, ..part };
        if !is_same {
            return Assembled::Invalid(InvalidResult::Contradiction, ticket);
        }
        held.heard = Instant::now();
        self.bytes += bytes.len();
        match held.bytes[index].replace(bytes) {
            Some(before) => self.bytes -= before.len(),
            None => self.parts += 1,
        }
        let mut free: Vec<A> = held.tickets[index].replace(ticket).into_iter().collect();
        if held.bytes.iter().all(Option::is_some) {
            let done = self.unfinished.remove(&key).expect("it was there just now");
            let packed: Vec<u8> = done.bytes.into_iter().flatten().flatten().collect();
            self.bytes -= packed.len();
            self.parts -= count;
            free.extend(done.tickets.into_iter().flatten());
            return Assembled::Complete(Box::new(CompleteResult { part: done.part, packed, tickets: free }));
        }
        while self.bytes > MAX_BYTES || self.parts > MAX_PARTS {
            let oldest = self.unfinished.iter().min_by_key(|(_, held)| held.began).map(|(key, _)| key.clone());
            let Some(key) = oldest else { break };
            free.extend(self.give_up(&key));
        }
        Assembled::Incomplete(free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packing::{PART_BYTES, parts};
    use crate::wire::TaskKey;

    fn result(worker: &str, length: usize) -> (Vec<u8>, Vec<Part>) {
        let packed: Vec<u8> = (0..length).map(|i| ((i * i) >> 3) as u8).collect();
        let part = Part { worker: worker.into(), ..Part::example() };
        let cut = parts(&packed, &part);
        (packed, cut)
    }

    #[test]
    fn parts_come_in_any_order_and_twice() {
        let (packed, cut) = result("w", 2 * PART_BYTES + 5);
        for order in [vec![0, 1, 2], vec![2, 0, 1], vec![1, 1, 2, 2, 0]] {
            let mut assembler = Assembler::new();
            let mut whole = None;
            let mut free = 0;
            for (ticket, index) in order.iter().enumerate() {
                match assembler.take(cut[*index].clone(), ticket) {
                    Assembled::Complete(found) => whole = Some(found),
                    Assembled::Incomplete(tickets) => free += tickets.len(),
                    Assembled::Invalid(fault, _) => panic!("{fault}"),
                }
            }
            let whole = whole.expect("all parts came");
            assert_eq!((whole.packed, whole.tickets.len() + free), (packed.clone(), order.len()));
            assert!(assembler.unfinished.is_empty() && (assembler.bytes, assembler.parts) == (0, 0));
        }
    }

    #[test]
    fn memory_is_bounded_whatever_comes() {
        let mut assembler = Assembler::new();
        let mut free = 0;
        for sender in 0..2000 {
            let (_, cut) = result(&sender.to_string(), PART_BYTES + 1);
            if let Assembled::Incomplete(tickets) = assembler.take(cut[0].clone(), ()) {
                free += tickets.len();
            }
            assert!(assembler.bytes <= MAX_BYTES && assembler.parts <= MAX_PARTS);
        }
        assert_eq!(free + assembler.unfinished.len(), 2000);
        let (_, mut cut) = result("1999", PART_BYTES + 1);
        cut[1].key = TaskKey::GameRange { generation: 9, first: 9, count: 9 };
        assert!(matches!(assembler.take(cut[1].clone(), ()), Assembled::Invalid(..)));
    }

    #[test]
    fn many_small_unfinished_results_hold_few_messages() {
        let mut assembler = Assembler::new();
        let mut free = 0;
        // The last part of two, which is one byte long.
        let (_, cut) = result("mallory", PART_BYTES + 1);
        for number in 0..5000 {
            let part = Part { digest: number.to_string(), ..cut[1].clone() };
            if let Assembled::Incomplete(tickets) = assembler.take(part, ()) {
                free += tickets.len();
            }
        }
        assert_eq!(5000 - free, MAX_PARTS);
        // An honest result of the greatest length still comes through.
        let length = crate::packing::MAX_PACKED;
        assert!(length.div_ceil(PART_BYTES) <= MAX_PARTS);
        let (packed, cut) = result("honest", 20 * PART_BYTES);
        let whole = cut.into_iter().find_map(|part| match assembler.take(part, ()) {
            Assembled::Complete(whole) => Some(whole),
            _ => None,
        });
        assert_eq!(whole.expect("all parts came").packed, packed);
    }

    #[test]
    fn results_without_a_sign_are_given_up() {
        let mut assembler = Assembler::new();
        let (_, cut) = result("w", PART_BYTES + 1);
        assert!(matches!(assembler.take(cut[0].clone(), 7), Assembled::Incomplete(free) if free.is_empty()));
        let now = Instant::now();
        assert!(assembler.give_up_silent(now).is_empty());
        assert_eq!(assembler.give_up_silent(now + 2 * MAX_SILENCE), [7]);
        assert_eq!((assembler.bytes, assembler.parts), (0, 0));
    }
}
