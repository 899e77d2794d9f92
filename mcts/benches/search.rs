//! What the search itself costs: simulations of self-play with an evaluator that computes nothing.
//!
//! One thread, 800 simulations a move with root noise, each game on one tree. `cargo bench -p selfplay-mcts` reports
//! simulations a second as "elem/s".

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use selfplay_connect4::Connect4;
use selfplay_env::Game;
use selfplay_env::rng::{GameRng, rng_for};
use selfplay_mcts::{Batch, Evaluator, Exploration, Search, SearchConfig, UniformEvaluator};
use selfplay_pentago_swap::PentagoSwap;

const SIMULATIONS: u32 = 800;
const GAMES: u64 = 5;

/// Plays a game on `search` and returns its number of simulations.
fn play_game<G: Game>(search: &mut Search<G>, batch: &mut Batch<G>, rng: &mut GameRng) -> u64 {
    let mut simulations = 0;
    search.set_position(&G::initial());
    while search.position().outcome().is_none() {
        search.start_move(Exploration::On { simulations: SIMULATIONS, rng });
        while search.simulations() < SIMULATIONS && !search.is_decided() {
            batch.clear();
            search.gather(1, batch);
            UniformEvaluator.evaluate(batch.leaves_mut());
            search.apply(batch.leaves());
        }
        simulations += u64::from(search.simulations());
        search.advance(search.report().sample(1.0, rng));
    }
    simulations
}

fn bench_game<G: Game>(criterion: &mut Criterion) {
    let mut search = Search::<G>::new(SearchConfig::default());
    let mut batch = Batch::new();
    // The same games every time.
    let mut play_games = || (0..GAMES).map(|game| play_game(&mut search, &mut batch, &mut rng_for(&[game]))).sum();
    let mut group = criterion.benchmark_group("simulations");
    group.throughput(Throughput::Elements(play_games()));
    group.bench_function(G::ID, |bencher| bencher.iter(&mut play_games));
    group.finish();
}

criterion_group!(benches, bench_game::<Connect4>, bench_game::<PentagoSwap>);
criterion_main!(benches);
