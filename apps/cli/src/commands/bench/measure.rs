//! Rates measured in turn, and the table they end up in.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Position, Rules};
use selfplay_kernels::peak::multiply_add_loop;
use selfplay_mcts::{Leaf, Network};
use selfplay_network::{NetworkConfig, NetworkError, NetworkWeights};
use selfplay_registry::{GameRef, Games};
use selfplay_train::single_threaded;
use serde::Serialize;

use crate::error::CliError;

/// How to measure.
pub struct Bench {
    /// Worker threads.
    pub threads: usize,
    /// Rounds, in each of which everything that is compared is measured once.
    pub rounds: usize,
    /// Length of one measurement.
    pub seconds: f64,
    /// The games of the program.
    pub games: Games,
}

/// A rate to measure: how often something is done in a second.
pub type Rate<'a> = Box<dyn FnMut() -> f64 + 'a>;

impl Bench {
    /// The game that a figure is about: the one called `id`, or the first one of a program that does not have it.
    pub fn game(&self, id: &str) -> GameRef {
        let first = || self.games.iter().next().expect("a program has a game");
        self.games.find(id).unwrap_or_else(|_| first())
    }

    /// The medians of `rates`, measured in turn.
    pub fn medians(&self, rates: &mut [Rate<'_>]) -> Vec<f64> {
        let mut measured = vec![Vec::new(); rates.len()];
        for _ in 0..self.rounds {
            for (rate, measured) in rates.iter_mut().zip(&mut measured) {
                measured.push(rate());
            }
        }
        measured.into_iter().map(median).collect()
    }

    /// Things done in a second by `threads` threads together, each with a worker of its own that does some and says
    /// how many. The tensor library finds one thread in each.
    pub fn rate_on<W: FnMut() -> u64>(&self, threads: usize, worker: impl Fn() -> W + Sync) -> f64 {
        let barrier = Barrier::new(threads);
        let work = || {
            let mut worker = worker();
            worker();
            barrier.wait();
            self.rate(worker)
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| single_threaded(work))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no worker panics")).sum()
        })
    }

    /// Things done in a second by `worker`, which does some and says how many.
    pub fn rate(&self, mut worker: impl FnMut() -> u64) -> f64 {
        let (start, limit) = (Instant::now(), Duration::from_secs_f64(self.seconds));
        let mut done = 0;
        while start.elapsed() < limit {
            done += worker();
        }
        done as f64 / start.elapsed().as_secs_f64()
    }

    /// Floating-point operations in a second that the cores do at most, in multiply-adds on the widest vectors.
    pub fn peak(&self) -> f64 {
        self.rate_on(self.threads, || || multiply_add_loop(100_000))
    }

    /// Positions of the game of `rules` that copies of `network` judge in a second, each on its own thread in batches of `batch_size`.
    pub fn positions_rate(&self, rules: &dyn Rules, network: &impl Network, batch_size: usize, threads: usize) -> f64 {
        self.rate_on(threads, || {
            let (mut network, mut batch) = (network.clone_box(), positions(rules, batch_size));
            move || {
                network.evaluate_batch(&mut batch);
                batch.len() as u64
            }
        })
    }
}

/// The network for the game of `rules` that all figures are about, with fresh weights: the default of the configs, 6 blocks of 64 channels.
pub fn network_of(rules: &dyn Rules) -> Result<NetworkWeights, NetworkError> {
    NetworkWeights::fresh(rules.shape(), NetworkConfig::default(), 1)
}

/// Positions from random games, none of them over.
pub fn positions(rules: &dyn Rules, count: usize) -> Vec<Leaf<Box<dyn Position>>> {
    let mut rng = rng_for(&[1]);
    let mut batch = Vec::with_capacity(count);
    while batch.len() < count {
        let mut position = rules.initial();
        let actions = rng.random_range(0..20);
        position.play_random(actions, &mut rng);
        if position.outcome().is_none() {
            batch.push(Leaf::new(position));
        }
    }
    batch
}

/// The middle one of `values`, or the mean of the two in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Everything measured.
#[derive(Default, Serialize)]
pub struct Report {
    rows: Vec<Row>,
    /// The figures that are compared with targets.
    ratios: BTreeMap<String, f64>,
}

#[derive(Serialize)]
struct Row {
    section: &'static str,
    what: String,
    value: f64,
    unit: &'static str,
}

impl Report {
    /// Adds a figure.
    pub fn row(&mut self, section: &'static str, what: impl Into<String>, value: f64, unit: &'static str) {
        self.rows.push(Row { section, what: what.into(), value, unit });
    }

    /// Adds a figure under the name that scripts look for.
    pub fn ratio(&mut self, name: impl Into<String>, value: f64) {
        self.ratios.insert(name.into(), value);
    }

    /// Prints the table.
    pub fn print(&self, out: &mut dyn Write) -> Result<(), CliError> {
        for Row { section, what, value, unit } in &self.rows {
            writeln!(out, "{section:<9} {what:<46} {:>12} {unit}", digits(*value))?;
        }
        writeln!(out)?;
        for (name, value) in &self.ratios {
            writeln!(out, "{name:<32} {:>14}", digits(*value))?;
        }
        Ok(())
    }
}

/// Three digits, or all before the point.
fn digits(value: f64) -> String {
    let decimals = if value.abs() < 10.0 { 2 } else { usize::from(value.abs() < 100.0) };
    let plain = format!("{value:.decimals$}");
    let (whole, rest) = plain.split_once('.').map_or((plain.as_str(), ""), |(whole, rest)| (whole, rest));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if rest.is_empty() { grouped } else { format!("{grouped}.{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_take_turns() {
        let bench = Bench { threads: 1, rounds: 3, seconds: 0.0, games: Games::new(&[]) };
        let order = std::cell::RefCell::new(Vec::new());
        let mut values = [5.0, 1.0, 3.0].into_iter();
        let rates: &mut [Rate<'_>] = &mut [
            Box::new(|| {
                order.borrow_mut().push('a');
                values.next().unwrap()
            }),
            Box::new(|| {
                order.borrow_mut().push('b');
                2.0
            }),
        ];
        assert_eq!(bench.medians(rates), [3.0, 2.0]);
        assert_eq!(order.borrow().iter().collect::<String>(), "ababab");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.756, 12.34, 999.6, 1_234_567.0].map(digits), ["0.76", "12.3", "1,000", "1,234,567"]);
    }
}
