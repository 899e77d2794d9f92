//! How many positions of a game are worth what.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::value::{MAX_TURNS, TurnValue, ValueByte};

/// How many turn starts are worth what to the side to move, positions that are alike by symmetry counted once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// What the game is worth to the first player.
    pub initial: TurnValue,
    /// Wins in so many turns, by their number.
    pub wins: Vec<u64>,
    /// Losses in so many turns, by their number.
    pub losses: Vec<u64>,
    /// Draws.
    pub draws: u64,
}

impl Summary {
    /// No position yet, of a game with this value.
    pub(crate) fn new(initial: TurnValue) -> Self {
        let none = vec![0; usize::from(MAX_TURNS) + 1];
        Summary { initial, wins: none.clone(), losses: none, draws: 0 }
    }

    /// Of the bytes of all numbers, in a game that begins at the number `initial`.
    pub(crate) fn from_bytes(bytes: &[AtomicU8], initial: u64) -> Self {
        let mut counts = [0; 256];
        bytes.iter().for_each(|byte| counts[usize::from(byte.load(Relaxed))] += 1);
        let value = |byte: u8| ValueByte(byte).value();
        let first = value(bytes[initial as usize].load(Relaxed)).expect("a game begins with a position");
        let mut summary = Summary::new(first);
        for (byte, count) in (0..=u8::MAX).zip(counts) {
            if let Some(value) = value(byte) {
                summary.add(value, count);
            }
        }
        summary
    }

    /// So many more positions have this value.
    pub(crate) fn add(&mut self, value: TurnValue, count: u64) {
        match value {
            TurnValue::Win(turns) => self.wins[usize::from(turns)] += count,
            TurnValue::Loss(turns) => self.losses[usize::from(turns)] += count,
            TurnValue::Draw => self.draws += count,
        }
    }

    /// Adds what another summary of the same game counts.
    pub(crate) fn join(&mut self, other: &Summary) {
        let sum = |own: &mut [u64], other: &[u64]| own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        sum(&mut self.wins, &other.wins);
        sum(&mut self.losses, &other.losses);
        self.draws += other.draws;
    }

    /// All positions.
    pub fn positions(&self) -> u64 {
        self.wins.iter().chain(&self.losses).sum::<u64>() + self.draws
    }

    /// The value with the most turns to the end, if any game is decided.
    pub fn longest(&self) -> Option<TurnValue> {
        let longest = |counts: &[u64]| counts.iter().rposition(|&count| count > 0);
        let win = longest(&self.wins).map(|turns| TurnValue::Win(turns as u8));
        let loss = longest(&self.losses).map(|turns| TurnValue::Loss(turns as u8));
        win.into_iter().chain(loss).max_by_key(|value| value.turns())
    }
}
