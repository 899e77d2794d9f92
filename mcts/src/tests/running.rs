//! `run`: limits, decided positions and determinism.

use selfplay_env::fixtures::{ConnectFour, Stones, TicTacToe};
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, Game};

use super::evaluators::{HashEvaluator, NeverAsked, NotANumber};
use crate::{
    BelowRoot, CancelToken, Evaluator, Exploration, GumbelConfig, Leaf, Limits, RootSearch, Search, SearchConfig, run,
};

#[test]
fn the_simulation_limit_is_exact() {
    for leaves in [0, 1, 7, 1000] {
        for limit in [1, 2, 13, 100] {
            let mut search = Search::<TicTacToe>::new(SearchConfig::default());
            let report = run(&mut search, &mut HashEvaluator, &Limits::simulations(limit), leaves);
            assert_eq!(report.simulations, limit);
            let again = run(&mut search, &mut NeverAsked, &Limits::simulations(limit), leaves);
            assert_eq!(again, report, "the limit counts the simulations of the move");
        }
    }
}

#[test]
fn the_same_search_gives_the_same_report() {
    let searched = || {
        let mut search = Search::<TicTacToe>::new(SearchConfig::default());
        run(&mut search, &mut HashEvaluator, &Limits::simulations(500), 5)
    };
    assert_eq!(searched(), searched());
}

#[test]
fn a_time_limit_ends_the_search_after_at_least_one_evaluation() {
    let both = [Limits { time_ms: Some(1), ..Limits::default() }, Limits { cpu_time_ms: Some(1), ..Limits::default() }];
    for limits in both {
        let mut search = Search::<Stones>::new(SearchConfig { mcts_solver: false, ..SearchConfig::default() });
        search.set_position(&Stones::pile(1_000_000));
        let report = run(&mut search, &mut HashEvaluator, &limits, 4);
        assert!(report.simulations >= 1);
    }
}

/// Cancels the search with the batch of this number.
struct Cancelling(CancelToken, u32);

impl<G: Game> Evaluator<G> for Cancelling {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        HashEvaluator.evaluate(leaves);
        self.1 -= 1;
        if self.1 == 0 {
            self.0.cancel();
        }
    }
}

#[test]
fn a_cancelled_search_ends_before_the_next_batch() {
    let token = CancelToken::new();
    let limits = Limits { cancel: Some(token.clone()), ..Limits::simulations(100) };
    let mut search = Search::<ConnectFour>::new(SearchConfig::default());
    let cancelled = run(&mut search, &mut Cancelling(token, 7), &limits, 1);
    let mut search = Search::<ConnectFour>::new(SearchConfig::default());
    assert_eq!(cancelled, run(&mut search, &mut HashEvaluator, &Limits::simulations(7), 1));
}

#[test]
fn a_decided_position_costs_nothing() {
    let mut search = Search::<TicTacToe>::new(SearchConfig::default());
    let mut over = TicTacToe::initial();
    [0, 3, 1, 4, 2].into_iter().for_each(|action| over.play(Action(action)));
    search.set_position(&over);
    assert!(search.is_decided());
    assert_eq!(run(&mut search, &mut NeverAsked, &Limits::simulations(9), 1).simulations, 0);

    // One move left: a single evaluation gives the value, the move needs no search.
    let mut forced = Search::<Stones>::new(SearchConfig::default());
    forced.set_position(&Stones::pile(1));
    assert!(!forced.is_decided());
    let report = run(&mut forced, &mut HashEvaluator, &Limits::simulations(100), 1);
    assert_eq!((report.simulations, report.best()), (1, Action(0)));
    assert_eq!(report.policy_target(), [(Action(0), 1.0)]);
}

#[test]
fn a_report_before_the_first_simulation_lists_the_moves() {
    let report = Search::<TicTacToe>::new(SearchConfig::default()).report();
    assert_eq!(report.moves.len(), 9);
    assert!(report.moves.iter().all(|m| m.visits == 0 && m.proven.is_none()));
    assert!(report.principal_variation.is_empty());
    assert_eq!(report.policy_target().len(), 9);
}

#[test]
fn answers_that_are_not_numbers_never_panic() {
    let improved = GumbelConfig { below_root: BelowRoot::ImprovedPolicy, ..GumbelConfig::default() };
    let configs = [
        SearchConfig { forced_playouts_k: 2.0, ..SearchConfig::default() },
        SearchConfig { root: RootSearch::Gumbel(improved), ..SearchConfig::default() },
    ];
    let mut rng = rng_for(&[1]);
    for (config, simulations) in configs.iter().flat_map(|config| [1, 50].map(|simulations| (config, simulations))) {
        let mut search = Search::<TicTacToe>::new(config.clone());
        search.start_move(Exploration::On { simulations, rng: &mut rng });
        let report = run(&mut search, &mut NotANumber, &Limits::simulations(simulations), 4);
        assert!(
            TicTacToe::initial().is_legal(report.best()) && TicTacToe::initial().is_legal(report.sample(1.0, &mut rng))
        );
    }
}
