//! Speed of a training step on the CPU: positions per second, and the share of the multiply-adds that the cores could
//! do in the same time.
//!
//! `cargo run --release -p selfplay-train --example train_step -- [game] [channels] [blocks] [batch] [pooled]`

use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use selfplay_env::random_play::play_random;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{GameVisitor, PlayableGame, with_game};
use selfplay_kernels::peak::multiply_add_loop;
use selfplay_network::{DeviceKind, GameShape, NetworkConfig, PolicyValueNetwork};
use selfplay_train::{Learner, LearnerConfig, TrainingBatch};

/// Steps before the clock starts.
const WARMUP: usize = 3;
/// Steps on the clock.
const STEPS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: usize| arguments.get(index).map_or(Ok(default), |text| text.parse());
    let config = NetworkConfig {
        channels: number(1, 64)?,
        blocks: number(2, 6)?,
        global_pooling: arguments.get(4).is_some_and(|word| word == "pooled"),
        ..NetworkConfig::default()
    };
    let game = arguments.first().map_or("pentago-swap", String::as_str);
    with_game(game, Measurement { config, rows: number(3, 256)? })?
}

struct Measurement {
    config: NetworkConfig,
    rows: usize,
}

impl GameVisitor for Measurement {
    type Output = Result<(), Box<dyn Error>>;

    fn visit<G: PlayableGame>(self) -> Self::Output {
        let shape = GameShape::of::<G>();
        let device = DeviceKind::Flex.open()?;
        let network = PolicyValueNetwork::new(shape, self.config.clone(), 1, &device)?;
        let mut learner = Learner::new(&network, LearnerConfig::default(), &device)?;
        let batch = random_batch::<G>(self.rows);
        for _ in 0..WARMUP {
            learner.step(&batch)?;
        }
        let (mut times, mut cpu_times) = (Vec::new(), Vec::new());
        for _ in 0..STEPS {
            let (start, cpu_start) = (Instant::now(), ProcessTime::now());
            learner.step(&batch)?;
            times.push(start.elapsed());
            cpu_times.push(cpu_start.elapsed());
        }
        times.sort_unstable();
        cpu_times.sort_unstable();
        let flops = 3.0 * self.config.flops_per_position(&shape) as f64 * self.rows as f64;
        let (peak, peak_per_thread) = peak_flops();
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}: {:?}, batch {}", G::ID, self.config, self.rows)?;
        for (name, time) in [("best", times[0]), ("median", times[STEPS / 2])] {
            let seconds = time.as_secs_f64();
            let (positions, share) = (self.rows as f64 / seconds, flops / seconds / peak);
            writeln!(out, "{name:>6} {:8.2} ms  {positions:8.0} positions/s  {share:.3} of peak", seconds * 1e3)?;
        }
        // Idle threads do not count, nor what else runs on the machine.
        let share = flops / cpu_times[0].as_secs_f64() / peak_per_thread;
        writeln!(out, "   CPU {:8.2} ms at best, {share:.3} of peak", cpu_times[0].as_secs_f64() * 1e3)?;
        writeln!(out, "  peak {:.0} GFLOP/s on {} threads", peak / 1e9, rayon::current_num_threads())?;
        Ok(())
    }
}

/// Random positions; the target is one random action and a random result.
fn random_batch<G: PlayableGame>(rows: usize) -> TrainingBatch {
    let mut rng = rng_for(&[7]);
    let mut batch = TrainingBatch { rows, ..TrainingBatch::default() };
    let (mut actions, mut planes) = (Vec::new(), vec![0.0; G::ENCODED_LEN]);
    while batch.wdl.len() < 3 * rows {
        let mut position = G::initial();
        play_random(&mut position, rng.random_range(0..12), &mut rng);
        position.distinct_actions(&mut actions);
        if position.outcome().is_some() || actions.is_empty() {
            continue;
        }
        position.encode(&mut planes);
        batch.planes.extend(&planes);
        let row = batch.legal.len();
        batch.legal.resize(row + G::ACTION_COUNT, 0.0);
        batch.policy.resize(row + G::ACTION_COUNT, 0.0);
        for action in &actions {
            batch.legal[row + action.index()] = 1.0;
        }
        batch.policy[row + actions[rng.random_range(0..actions.len())].index()] = 1.0;
        let result = rng.random_range(0..3);
        batch.wdl.extend((0..3).map(|index| f32::from(index == result)));
    }
    batch
}

/// Floating-point operations per second of all threads together, and per second of CPU time; the best of several
/// tries.
fn peak_flops() -> (f64, f64) {
    const ROUNDS: u64 = 2_000_000;
    let mut best = (0.0f64, 0.0f64);
    for _ in 0..20 {
        let (start, cpu_start) = (Instant::now(), ProcessTime::now());
        let operations: u64 = rayon::broadcast(|_| multiply_add_loop(ROUNDS)).into_iter().sum();
        let per = |time: Duration| operations as f64 / time.as_secs_f64();
        best = (best.0.max(per(start.elapsed())), best.1.max(per(cpu_start.elapsed())));
    }
    best
}
