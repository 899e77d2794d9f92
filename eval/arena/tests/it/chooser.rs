//! The search player's time, proofs and variety: no budget is overrun, forced results are seen, signs follow the side.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use selfplay_arena::{MatchConfig, MatchSetting, Pacing, play_match};
use selfplay_connect4::Connect4;
use selfplay_env::random_play::play_random;
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, CompleteGame, Game, ImmediateWin, Outcome, Symmetric, Tactics, Typed};
use selfplay_mcts::{Evaluator, Leaf, Limits, ReadClock, TacticsDepth, UniformEvaluator};
use selfplay_players::{
    AlphaBeta, AlphaBetaConfig, AlphaBetaLimits, ClockKind, Decision, MoveRequest, Player, SearchPlayer,
    SearchPlayerConfig, SolveConfig, SolveGoal, TimeControl, TimeSpan, Variety, Verification, alpha_beta, solve,
};
use selfplay_pylos::Pylos;
use selfplay_sum15::Sum15;
use selfplay_tictactoe::TicTacToe;

use crate::player;

fn config(simulations: u32, verify: Verification) -> SearchPlayerConfig {
    SearchPlayerConfig {
        limits: Limits::simulations(simulations),
        leaves_per_gather: Some(1),
        verify,
        ..SearchPlayerConfig::default()
    }
}

fn searching<G: CompleteGame>(config: SearchPlayerConfig) -> SearchPlayer<G> {
    SearchPlayer::new("search".into(), config, Box::new(UniformEvaluator)).unwrap()
}

fn after<G: Game>(line: &[u16]) -> (G, Vec<Action>) {
    let mut position = G::initial();
    let history: Vec<Action> = line.iter().copied().map(Action).collect();
    history.iter().for_each(|&action| position.try_play(action).unwrap());
    (position, history)
}

fn choose<G: CompleteGame>(player: &mut SearchPlayer<G>, position: &G, history: &[Action]) -> Decision {
    player.choose(&MoveRequest { table: 0, position, history, time_left: None }).unwrap()
}

/// Two discs side by side with room on both sides: a third one beside them wins.
const OPEN_TWO: [u16; 4] = [3, 3, 2, 3];

#[test]
fn a_forced_win_is_found_that_few_simulations_miss() {
    let (position, history) = after::<Connect4>(&OPEN_TWO);
    let alone = choose(&mut searching(config(10, Verification::Off)), &position, &history);
    assert_eq!((alone.proof(), alone.report().unwrap().proven, alone.time_used()), (None, None, None));
    let choice = choose(&mut searching(config(10, Verification::On)), &position, &history);
    let proof = choice.proof().unwrap();
    assert_eq!((proof.outcome, proof.distance), (Outcome::Win(position.side_to_move()), Some(3)));
    let report = choice.report().unwrap();
    assert_eq!((report.proven, report.best(), report.wdl.win), (Some(proof.outcome), choice.action, 1.0));
    assert_eq!(report.principal_variation[0], choice.action);
}

/// Loves the columns at the edges and finds all positions equal.
struct LovesEdges;

impl Evaluator<Connect4> for LovesEdges {
    fn evaluate(&mut self, leaves: &mut [Leaf<Connect4>]) {
        UniformEvaluator.evaluate(leaves);
        for leaf in leaves {
            let others = 0.1 / leaf.actions.len() as f32;
            leaf.priors.clear();
            leaf.priors
                .extend(leaf.actions.iter().map(|action| if [0, 6].contains(&action.0) { 0.45 } else { others }));
        }
    }
}

#[test]
fn a_move_that_loses_by_force_is_vetoed() {
    // The second player must stop the open two on one of its sides.
    let (position, history) = after::<Connect4>(&[3, 3, 2]);
    let choose_with = |verify| {
        let mut player =
            SearchPlayer::<Connect4>::new("search".into(), config(60, verify), Box::new(LovesEdges)).unwrap();
        choose(&mut player, &position, &history)
    };
    let loved = choose_with(Verification::Off).action;
    assert!([0, 6].map(Action).contains(&loved), "{loved:?}");
    let choice = choose_with(Verification::On);
    assert!([1, 4].map(Action).contains(&choice.action), "{:?}", choice.action);
    let report = choice.report().unwrap();
    let vetoed = report.moves.iter().find(|m| m.action == loved).unwrap();
    assert_eq!((vetoed.proven, report.simulations), (Some(-1), 60));
}

#[test]
fn a_lost_position_is_defended_as_long_as_possible() {
    // Three in a row with both ends free: one end can be stopped, and only that lasts three plies.
    let (position, history) = after::<Connect4>(&[3, 3, 2, 3, 4]);
    let choice = choose(&mut searching(config(10, Verification::On)), &position, &history);
    let proof = choice.proof().unwrap();
    assert_eq!((proof.outcome, proof.distance), (Outcome::Win(position.side_to_move().opponent()), Some(2)));
    let report = choice.report().unwrap();
    assert!(report.moves.iter().all(|m| m.proven == Some(-1)) && report.proven == Some(proof.outcome));
}

#[test]
fn a_solver_of_the_game_s_own_decides_what_it_can() {
    let (mut player, mut seen) = (searching::<Connect4>(config(20, Verification::On)), [0; 3]);
    let everything = SolveConfig { goal: SolveGoal::EveryAction, memory_mib: 4, ..SolveConfig::default() };
    for seed in 0..300 {
        let mut position = Connect4::initial();
        let history = play_random(&mut position, 20 + seed as usize % 10, &mut rng_for(&[8, seed]));
        if position.outcome().is_some() {
            continue;
        }
        let truth = solve(&position, history.len(), &everything, |_| ()).unwrap();
        let value = truth.bounds.value().unwrap();
        let choice = choose(&mut player, &position, &history);
        let kept = truth.actions.iter().find(|(action, _)| *action == choice.action).unwrap().1.value();
        assert_eq!(kept, Some(value), "{}", position.board());
        let (proof, side) = (choice.proof().unwrap(), position.side_to_move());
        assert_eq!((proof.outcome.value_for(side), choice.report().unwrap().proven), (value, Some(proof.outcome)));
        assert!(value == 0 || proof.distance == truth.turns, "{proof:?}, {truth:?}");
        seen[(value + 1) as usize] += 1;
    }
    assert!(seen[0] >= 10 && seen[1] >= 2 && seen[2] >= 10, "{seen:?}");
}

#[test]
fn where_little_of_a_game_is_left_every_choice_keeps_its_value() {
    let everything = SolveConfig { goal: SolveGoal::EveryAction, memory_mib: 16, ..SolveConfig::default() };
    let [mut alone, mut proving] =
        [Verification::Off, Verification::On].map(|verify| searching::<Sum15<4>>(config(40, verify)));
    let (mut seen, mut lost_alone) = ([0; 3], 0);
    for seed in 0..150 {
        let mut position = Sum15::<4>::initial();
        let history = play_random(&mut position, 4 + seed as usize % 4, &mut rng_for(&[15, seed]));
        if position.outcome().is_some() {
            continue;
        }
        let truth = solve(&position, history.len(), &everything, |_| ()).unwrap();
        let value = truth.bounds.value();
        let kept =
            |choice: &Decision| truth.actions.iter().find(|(action, _)| *action == choice.action).unwrap().1.value();
        lost_alone += u32::from(kept(&choose(&mut alone, &position, &history)) != value);
        let choice = choose(&mut proving, &position, &history);
        assert_eq!(kept(&choice), value, "{}", position.board());
        let report = choice.report().unwrap();
        if let Some(proof) = choice.proof() {
            assert_eq!(Some(proof.outcome.value_for(position.side_to_move())), value);
            assert_eq!(report.proven, Some(proof.outcome));
        }
        seen[(value.unwrap() + 1) as usize] += 1;
    }
    assert!(seen.iter().all(|&count| count >= 5) && lost_alone >= 3, "{seen:?}, {lost_alone}");
}

#[test]
fn a_choice_with_proofs_is_a_function_of_the_position() {
    let mut used = searching::<Connect4>(config(40, Verification::On));
    for seed in 0..6 {
        let mut position = Connect4::initial();
        let history = play_random(&mut position, 6 + 2 * seed as usize, &mut rng_for(&[seed]));
        if position.outcome().is_some() {
            continue;
        }
        used.new_game(0, 1);
        let mut fresh = searching(config(40, Verification::On));
        fresh.new_game(0, 1);
        assert_eq!(choose(&mut used, &position, &history), choose(&mut fresh, &position, &history));
    }
}

#[test]
fn signs_follow_the_side_where_one_side_decides_twice() {
    let mut player = searching::<Pylos>(config(30, Verification::On));
    let (mut proven, mut in_turn) = (0, 0);
    for seed in 0..60 {
        let mut position = Pylos::initial();
        let history = play_random(&mut position, 34 + seed as usize % 12, &mut rng_for(&[seed]));
        if position.outcome().is_some() {
            continue;
        }
        player.new_game(0, seed);
        let choice = choose(&mut player, &position, &history);
        let Some(proof) = choice.proof() else { continue };
        let mut next = position.clone();
        next.play(choice.action);
        let winner = next.outcome().unwrap_or_else(|| {
            let config = AlphaBetaConfig::full(AlphaBetaLimits::nodes(300_000));
            let report = alpha_beta(&next, &config).unwrap();
            assert!(report.is_final, "proven once, proven again");
            match (report.score.signum(), next.side_to_move()) {
                (0, _) => Outcome::Draw,
                (1, side) => Outcome::Win(side),
                (_, side) => Outcome::Win(side.opponent()),
            }
        });
        assert_eq!(proof.outcome, winner, "{}", position.board());
        proven += 1;
        in_turn += usize::from(next.side_to_move() == position.side_to_move());
    }
    assert!(proven >= 10 && in_turn >= 1, "{proven} verify, {in_turn} within a turn");
}

/// Moves a clock by so many microseconds for each leaf.
struct Costly(Arc<AtomicU64>, u64);

impl<G: Game> Evaluator<G> for Costly {
    fn evaluate(&mut self, leaves: &mut [Leaf<G>]) {
        self.0.fetch_add(self.1 * leaves.len() as u64, Relaxed);
        UniformEvaluator.evaluate(leaves);
    }
}

/// Plays one side of a game within `budget_us` against random moves, each evaluation taking `leaf_us`; the most time
/// used for a move, and the time left.
fn play_within<G: CompleteGame>(budget_us: u64, leaf_us: u64, clock: ClockKind) -> (u64, u64) {
    let now_us = Arc::new(AtomicU64::new(0));
    let hand = now_us.clone();
    let read: ReadClock = Arc::new(move || Duration::from_micros(hand.load(Relaxed)));
    let timed = SearchPlayerConfig { limits: Limits::default(), ..config(1, Verification::Off) };
    let evaluator = Box::new(Costly(now_us.clone(), leaf_us));
    let mut player = SearchPlayer::<G>::new("search".into(), timed, evaluator).unwrap().on_clock(read);
    let (mut position, mut history, mut left, mut most) = (G::initial(), Vec::new(), budget_us, 0);
    let mut rng = rng_for(&[budget_us, leaf_us]);
    while position.outcome().is_none() && history.len() < 200 {
        let time_left = Some(TimeControl { ms: left / 1000, span: TimeSpan::Game, clock });
        let before = now_us.load(Relaxed);
        let choice =
            player.choose(&MoveRequest { table: 0, position: &position, history: &history, time_left }).unwrap();
        assert!(choice.time_used().is_some());
        let used = now_us.load(Relaxed) - before;
        assert!(used < left, "{} after {} moves: {used} of {left} \u{b5}s", G::spec().id, history.len());
        (left, most) = (left - used, most.max(used));
        position.try_play(choice.action).unwrap();
        history.push(choice.action);
        history.extend(play_random(&mut position, 1, &mut rng));
    }
    (most, left)
}

#[test]
fn a_budget_for_a_game_is_never_overrun() {
    for clock in [ClockKind::Wall, ClockKind::Cpu] {
        for budget_us in [1_000, 10_000, 50_000, 300_000, 2_000_000] {
            for leaf_us in [100, 3_000, 11_000] {
                play_within::<Connect4>(budget_us, leaf_us, clock);
                let (most, _) = play_within::<Pylos>(budget_us, leaf_us, clock);
                assert!(most <= budget_us / 5 + leaf_us, "{most} of {budget_us} \u{b5}s for one move");
            }
        }
    }
    assert_eq!(play_within::<Connect4>(10_000, 3_000, ClockKind::Cpu).0, 0, "no time for an evaluation");
    let (most, left) = play_within::<Pylos>(2_000_000, 100, ClockKind::Wall);
    assert!(most > 20_000 && left < 1_500_000, "the time is there to be used: {most} and {left}");
}

#[test]
fn a_hurried_move_wins_at_once_and_stops_a_win() {
    let time_left = Some(TimeControl { ms: 2, span: TimeSpan::Game, clock: ClockKind::Cpu });
    for (line, expected) in [([3, 0, 3, 0, 3, 0], 3), ([3, 0, 3, 0, 6, 0], 0)] {
        let (position, history) = after::<Connect4>(&line);
        for verify in [Verification::Off, Verification::On] {
            let mut player = searching::<Connect4>(config(1000, verify));
            let seat: MoveRequest = MoveRequest { table: 0, position: &position, history: &history, time_left };
            let choice = player.choose(&seat).unwrap();
            assert_eq!((choice.action, choice.report().unwrap().simulations), (Action(expected), 0));
        }
    }
}

#[test]
fn lost_positions_are_not_given_away() {
    // Red has lost after each of them; 4 lasts longest by far, 1 lets Yellow win at once.
    let (position, history) = after::<Connect4>(&[6, 5, 1, 2, 6, 5, 0, 4]);
    for verify in [Verification::Off, Verification::On] {
        for simulations in [1, 10, 400] {
            let mut player = searching::<Connect4>(config(simulations, verify));
            let choice = choose(&mut player, &position, &history);
            let mut next = position;
            next.play(choice.action);
            assert_eq!(next.immediate_win(), ImmediateWin::None, "{verify:?} {simulations}: {:?}", choice.action);
            let is_longest = choice.action == Action(3);
            assert!(is_longest || simulations < 400, "{verify:?} {simulations}: {:?}", choice.action);
        }
    }
}

#[test]
fn a_proven_win_is_as_short_as_it_gets() {
    // Red completes four in column 3; other moves win later.
    let (position, history) = after::<Connect4>(&[2, 6, 2, 5, 2, 6]);
    for verify in [Verification::Off, Verification::On] {
        for tactics in [TacticsDepth::Deep, TacticsDepth::Off] {
            let mut config = config(50, verify);
            config.search.tactics = tactics;
            let choice = choose(&mut searching::<Connect4>(config), &position, &history);
            assert_eq!(choice.action, Action(2), "{verify:?} {tactics:?}");
        }
    }
}

#[test]
fn variety_draws_among_equal_moves_alone() {
    let varied = SearchPlayerConfig { variety: Variety::On, ..config(30, Verification::Off) };
    let mut player = searching::<TicTacToe>(varied);
    // The centre is alone; a corner is as good as the others as long as the board is empty.
    for (line, expected) in [(vec![4_u16], 4), (vec![0], 1), (vec![1], 1)] {
        let (position, history) = after::<TicTacToe>(&line);
        let mut chosen = HashSet::new();
        let mut plain = None;
        for seed in 0..40 {
            player.new_game(0, seed);
            let choice = choose(&mut player, &position, &history);
            assert!(position.is_legal(choice.action));
            let best = choice.report().unwrap().best();
            assert_eq!(*plain.get_or_insert(best), best, "the search does not vary");
            let is_equal = TicTacToe::symmetries().iter().any(|&symmetry| {
                position.transform(symmetry) == position && TicTacToe::transform_action(best, symmetry) == choice.action
            });
            assert!(is_equal);
            chosen.insert(choice.action);
        }
        assert!(chosen.len() >= expected, "{line:?}: {chosen:?}");
    }
}

#[test]
fn a_time_limit_is_told_and_kept_with_proofs() {
    let (position, history) = after::<Connect4>(&[3]);
    let limits = Limits { time_ms: Some(40), ..Limits::default() };
    let mut player = searching(SearchPlayerConfig { limits, ..config(1, Verification::On) });
    let choice = choose(&mut player, &position, &history);
    assert!(position.is_legal(choice.action) && choice.time_used().is_some());
    assert!(choice.report().unwrap().simulations > 0);
}

#[test]
fn verification_needs_the_solver() {
    let mut wrong = config(1, Verification::On);
    wrong.search.mcts_solver = false;
    assert!(wrong.validate().unwrap_err().to_string().starts_with("`mcts_solver` is 0"));
    wrong.verify = Verification::Off;
    wrong.validate().unwrap();
}

#[test]
fn an_engine_takes_limits_for_each_search_and_forgets_when_told() {
    let limits = AlphaBetaLimits::depth(6);
    let mut engine = AlphaBeta::new(AlphaBetaConfig { memory_mib: 1, ..AlphaBetaConfig::default() }).unwrap();
    let (position, _) = after::<Connect4>(&[3, 2]);
    let first = engine.search_within(&position, &limits, |_| ());
    let known = engine.search_within(&position, &limits, |_| ());
    assert!(known.nodes < first.nodes, "what was searched is remembered");
    engine.forget();
    assert_eq!(engine.search_within(&position, &limits, |_| ()), first);
}

#[test]
fn players_are_kept_from_pair_to_pair_where_time_counts_and_change_nothing() {
    let match_config = MatchConfig { pairs: 4, opening_plies: 2, ..MatchConfig::default() };
    let spec = "search:checkpoint=uniform,simulations=30,verify=on";
    let play = |pacing| {
        let made = AtomicUsize::new(0);
        let make = || {
            made.fetch_add(1, Relaxed);
            player::<TicTacToe>(spec)
        };
        let setting = MatchSetting { cores: 1, pacing, ..MatchSetting::default() };
        let report = play_match(
            &Typed::<TicTacToe>::IT,
            make,
            || player::<TicTacToe>("greedy"),
            &match_config,
            &setting,
            |_| (),
        )
        .unwrap();
        let actions: Vec<Vec<Action>> = report.games.iter().map(|game| game.actions.clone()).collect();
        (actions, made.load(Relaxed))
    };
    let (one_by_one, made) = play(Pacing::OneByOne);
    assert_eq!(made, 2, "one to ask for its name and one to play");
    assert_eq!(one_by_one, play(Pacing::Lockstep).0);
}
