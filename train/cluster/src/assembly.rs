//! Results out of their parts, which come in any order, twice, or never.

use std::collections::HashMap;

use crate::error::InvalidResult;
use crate::packing::check_part;
use crate::wire::Part;

/// Bytes of unfinished results that are kept, at most; the oldest give way.
const MAX_BYTES: usize = 256 << 20;

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
}

/// Collects parts; with each comes a ticket, such as a message to be acknowledged.
pub struct Assembler<A> {
    unfinished: HashMap<(String, String), Unfinished<A>>,
    bytes: usize,
    clock: u64,
}

impl<A> Assembler<A> {
    /// With nothing in it.
    pub fn new() -> Self {
        Assembler { unfinished: HashMap::new(), bytes: 0, clock: 0 }
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
        });
        let is_same = Part { index: 0, ..held.part.clone() } == Part { index: 0, ..part };
        if !is_same {
            return Assembled::Invalid(InvalidResult::Contradiction, ticket);
        }
        self.bytes += bytes.len();
        if let Some(before) = held.bytes[index].replace(bytes) {
            self.bytes -= before.len();
        }
        let mut free: Vec<A> = held.tickets[index].replace(ticket).into_iter().collect();
        if held.bytes.iter().all(Option::is_some) {
            let done = self.unfinished.remove(&key).expect("it was there just now");
            let packed: Vec<u8> = done.bytes.into_iter().flatten().flatten().collect();
            self.bytes -= packed.len();
            free.extend(done.tickets.into_iter().flatten());
            return Assembled::Complete(Box::new(CompleteResult { part: done.part, packed, tickets: free }));
        }
        while self.bytes > MAX_BYTES {
            let oldest = self.unfinished.iter().min_by_key(|(_, held)| held.began).map(|(key, _)| key.clone());
            let Some(given_up) = oldest.and_then(|key| self.unfinished.remove(&key)) else { break };
            self.bytes -= given_up.bytes.iter().flatten().map(Vec::len).sum::<usize>();
            free.extend(given_up.tickets.into_iter().flatten());
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
            assert!(assembler.unfinished.is_empty() && assembler.bytes == 0);
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
            assert!(assembler.bytes <= MAX_BYTES);
        }
        assert_eq!(free + assembler.unfinished.len(), 2000);
        let (_, mut cut) = result("1999", PART_BYTES + 1);
        cut[1].key = TaskKey::GameRange { generation: 9, first: 9, count: 9 };
        assert!(matches!(assembler.take(cut[1].clone(), ()), Assembled::Invalid(..)));
    }
}
