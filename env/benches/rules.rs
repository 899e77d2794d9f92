//! How fast each game's rules are: decisions a second in perft, and time for what a search asks at each new node.
//!
//! `cargo bench -p selfplay-env -- connect4` measures one game.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use selfplay_env::perft::perft;
use selfplay_env::random_play::play_random;
use selfplay_env::registry::GAME_IDS;
use selfplay_env::rng::rng_for;
use selfplay_env::{GameVisitor, WholeGame, with_game};

/// Perft goes deep enough to make at least so many decisions, or as deep as the game.
const DECISIONS: u64 = 20_000;
/// Perft starts from the initial position and after so many random decisions.
const PLIES: [usize; 2] = [0, 12];
/// Random games whose positions are encoded and expanded.
const GAMES: u64 = 20;

struct Rules<'a>(&'a mut Criterion);

impl GameVisitor for Rules<'_> {
    type Output = ();

    fn visit<G: WholeGame>(self) {
        let Rules(criterion) = self;
        measure_perft::<G>(criterion);
        measure_nodes::<G>(criterion);
    }
}

fn measure_perft<G: WholeGame>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    for plies in PLIES {
        // The first seed whose game is still running.
        let start = (0..100).find_map(|seed| {
            let mut position = G::initial();
            play_random(&mut position, plies, &mut rng_for(&[seed]));
            position.outcome().is_none().then_some(position)
        });
        let Some(position) = start else { continue };
        let enough = |&depth: &usize| perft(&position, depth).decisions >= DECISIONS;
        let depth = (1..12).find(enough).unwrap_or(12);
        group.throughput(Throughput::Elements(perft(&position, depth).decisions));
        group.bench_function(BenchmarkId::new(G::ID, plies), |bencher| {
            bencher.iter(|| perft(black_box(&position), depth));
        });
    }
}

fn measure_nodes<G: WholeGame>(criterion: &mut Criterion) {
    let mut positions = Vec::new();
    for seed in 0..GAMES {
        let (mut position, mut rng) = (G::initial(), rng_for(&[seed]));
        while position.outcome().is_none() {
            positions.push(position.clone());
            play_random(&mut position, 1, &mut rng);
        }
    }
    let mut planes = vec![0.0; G::ENCODED_LEN];
    let mut actions = Vec::new();
    let mut measure = |name: &str, ask: &mut dyn FnMut(&G)| {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(positions.len() as u64));
        group.bench_function(G::ID, |bencher| bencher.iter(|| positions.iter().for_each(&mut *ask)));
    };
    measure("encode", &mut |position| position.encode(black_box(&mut planes)));
    measure("distinct_actions", &mut |position| {
        position.distinct_actions(&mut actions);
        black_box(&actions);
    });
}

fn all_games(criterion: &mut Criterion) {
    for id in GAME_IDS {
        with_game(id, Rules(criterion)).expect("the registry knows its own ids");
    }
}

criterion_group! {
    name = rules;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    targets = all_games
}
criterion_main!(rules);
