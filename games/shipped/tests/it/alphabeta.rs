//! Alpha-beta against plain minimax, written the other way round: all values are the first player's.

use std::collections::{HashMap, HashSet};

use selfplay_connect4::Connect4;
use selfplay_env::random_play::play_random;
use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{Action, CompleteGame, Game, Outcome, Side, Tactics};
use selfplay_pente::Pente;
use selfplay_players::alphabeta::{PROVEN_WIN, is_proven};
use selfplay_players::{
    AlphaBeta, AlphaBetaConfig, AlphaBetaLimits, AlphaBetaPlayer, AlphaBetaReport, ClockKind, EvalError, MoveRequest,
    Player, Proof, TimeControl, TimeSpan, alpha_beta, proof_of,
};
use selfplay_pylos::Pylos;
use selfplay_tictactoe::TicTacToe;

use crate::{child, distinct, in_every_game};

fn sign(side: Side) -> i32 {
    if side == Side::First { 1 } else { -1 }
}

/// The first player's minimax value, `ply` actions below the root; counts positions in `nodes`.
fn minimax<G: Tactics>(position: &G, depth: u32, ply: u32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    if let Some(outcome) = position.outcome() {
        return i32::from(outcome.value_for(Side::First)) * (PROVEN_WIN - ply as i32);
    }
    if depth == 0 {
        return sign(position.side_to_move()) * position.heuristic();
    }
    let values = distinct(position).into_iter().map(|a| minimax(&child(position, a), depth - 1, ply + 1, nodes));
    let values: Vec<i32> = values.collect();
    let best = if position.side_to_move() == Side::First { values.iter().max() } else { values.iter().min() };
    *best.unwrap()
}

fn exact<G: Tactics>(position: &G, limits: AlphaBetaLimits) -> AlphaBetaReport {
    alpha_beta(position, &AlphaBetaConfig { memory_mib: 1, ..AlphaBetaConfig::exact(limits) }).unwrap()
}

/// Compares score and best actions with minimax.
fn check<G: Tactics>(position: &G, depth: u32) {
    let side = sign(position.side_to_move());
    let values: Vec<(Action, i32)> = distinct(position)
        .into_iter()
        .map(|action| (action, side * minimax(&child(position, action), depth - 1, 1, &mut 0)))
        .collect();
    let score = values.iter().map(|&(_, value)| value).max().unwrap();
    let mut best: Vec<Action> = values.iter().filter(|&&(_, value)| value == score).map(|&(a, _)| a).collect();
    best.sort_unstable();
    let report = exact(position, AlphaBetaLimits::depth(depth));
    assert_eq!(report.score, score, "{} depth {depth}\n{}", G::spec().id, position.board());
    assert_eq!(report.best, best, "{} depth {depth}\n{}", G::spec().id, position.board());
}

#[test]
fn equals_minimax_on_every_tictactoe_position() {
    let mut seen = HashSet::new();
    let mut open = vec![TicTacToe::initial()];
    while let Some(position) = open.pop() {
        if position.outcome().is_some() || !seen.insert(position.position_hash()) {
            continue;
        }
        check(&position, 9);
        check(&position, 2);
        open.extend(distinct(&position).into_iter().map(|action| child(&position, action)));
    }
    assert_eq!(seen.len(), 4520, "the running positions of tic-tac-toe");
}

/// Depth 3 wherever a position has few enough actions to enumerate that far, else depth 2; on Pente's big board,
/// whose smaller ones are here as well, depth 1.
fn check_game<G: CompleteGame>() {
    for seed in 0..12 {
        let mut rng = rng_for(&[seed]);
        let game = play_random(&mut G::initial(), 60, &mut rng);
        let mut position = G::initial();
        game[..rng.random_range(0..game.len())].iter().for_each(|&action| position.play(action));
        let width = distinct(&position).len();
        let depth = (2..=4).rev().find(|&depth| width.pow(depth) <= 30_000).unwrap_or(1);
        check(&position, depth);
    }
}

#[test]
fn equals_minimax_in_every_game() {
    in_every_game!(check_game);
}

/// A running position with at most `width` distinct actions: both sides avoid ends and what the heuristic likes, so that
/// boards fill up.
fn narrow_position<G: Tactics>(width: usize, rng: &mut GameRng) -> G {
    loop {
        let mut position = G::initial();
        loop {
            let actions = distinct(&position);
            if actions.len() <= width && position.starts_turn() && position != G::initial() {
                return position;
            }
            let sample = (0..8).map(|_| child(&position, actions[rng.random_range(0..actions.len())]));
            let worth = |child: &G| sign(child.side_to_move()) * sign(position.side_to_move()) * child.heuristic();
            let worst = sample.filter(|child| child.outcome().is_none()).min_by_key(worth);
            match worst {
                Some(next) => position = next,
                None => break,
            }
        }
    }
}

/// Not on the larger boards of Pente, which hardly ever fill up; they are the same code as the smallest.
fn check_narrow<G: CompleteGame>() {
    if ["pente", "pente-13"].contains(&G::spec().id) {
        return;
    }
    for seed in 0..3 {
        check(&narrow_position::<G>(16, &mut rng_for(&[seed])), 4);
    }
}

#[test]
fn equals_minimax_at_depth_four_in_every_game() {
    in_every_game!(check_narrow);
}

#[test]
fn signs_follow_the_side_in_the_middle_of_a_pylos_turn() {
    let mut in_turn = 0;
    for seed in 0..40 {
        let mut rng = rng_for(&[seed]);
        let mut position = Pylos::initial();
        while position.outcome().is_none() && in_turn < 12 {
            if !position.starts_turn() {
                check(&position, 2);
                in_turn += 1;
            }
            play_random(&mut position, 1, &mut rng);
        }
    }
    assert_eq!(in_turn, 12);
}

#[test]
fn prunes_most_of_the_tree() {
    let mut minimax_nodes = 0;
    minimax(&Connect4::initial(), 6, 0, &mut minimax_nodes);
    let report = exact(&Connect4::initial(), AlphaBetaLimits::depth(6));
    assert!(report.nodes * 8 < minimax_nodes, "{} of {minimax_nodes}", report.nodes);
}

fn tictactoe(line: &str) -> TicTacToe {
    let mut position = TicTacToe::initial();
    for text in line.split_whitespace() {
        position.try_play(TicTacToe::parse_action(text).unwrap()).unwrap();
    }
    position
}

#[test]
fn near_wins_and_far_losses_are_preferred() {
    let win = exact(&tictactoe("a1 b1 a2 b2"), AlphaBetaLimits::depth(5));
    assert_eq!((win.score, win.best), (PROVEN_WIN - 1, vec![TicTacToe::parse_action("a3").unwrap()]));
    // Two open threats: the loss comes in two plies whatever is played, and nothing deeper is searched.
    let loss = exact(&tictactoe("a1 b1 b2 c3 a2"), AlphaBetaLimits::depth(9));
    assert_eq!((loss.score, loss.best.len(), loss.depth), (2 - PROVEN_WIN, 4, 2));
}

#[test]
fn limits_end_the_search_after_a_whole_depth() {
    let limits = AlphaBetaLimits { nodes: Some(1), ..AlphaBetaLimits::default() };
    let shallow = exact(&Connect4::initial(), limits);
    assert_eq!(shallow.depth, 1);
    let limits = AlphaBetaLimits { nodes: Some(3000), ..AlphaBetaLimits::default() };
    let by_nodes = exact(&Connect4::initial(), limits);
    assert!(by_nodes.depth > 1 && by_nodes.nodes <= 3001, "{by_nodes:?}");
    let by_depth = exact(&Connect4::initial(), AlphaBetaLimits::depth(by_nodes.depth));
    assert_eq!((by_nodes.score, by_nodes.best), (by_depth.score, by_depth.best));
    // A tree seen to its ends is not searched again at greater depths, whatever is allowed.
    let drawn = exact(&TicTacToe::initial(), AlphaBetaLimits::default());
    assert_eq!((drawn.score, drawn.depth), (0, 9));
    let over = exact(&tictactoe("a1 b1 a2 b2 a3"), AlphaBetaLimits::depth(3));
    assert_eq!((over.score, over.best), (-PROVEN_WIN, vec![]));
    assert!(AlphaBetaLimits::depth(0).validate().is_err());
}

#[test]
fn the_seed_chooses_among_equal_moves() {
    let mut player =
        AlphaBetaPlayer::<TicTacToe>::new("ab".into(), AlphaBetaConfig::exact(AlphaBetaLimits::depth(9))).unwrap();
    let start = TicTacToe::initial();
    let seat: MoveRequest = MoveRequest { table: 3, position: &start, history: &[], time_left: None };
    let mut chosen = HashSet::new();
    for seed in 0..30 {
        player.new_game(3, seed);
        let action = player.choose(&seat).unwrap().action;
        assert_eq!(player.choose(&seat).unwrap().action, action, "the same seed, the same choice");
        chosen.insert(action);
    }
    assert!(chosen.len() >= 7, "all nine moves draw, {} were chosen", chosen.len());
    let over = tictactoe("a1 b1 a2 b2 a3");
    let error = player.choose(&MoveRequest { table: 3, position: &over, history: &[], time_left: None }).unwrap_err();
    assert!(matches!(error, EvalError::GameOver { table: 3, .. }), "{error}");
}

fn value<G: Game>(position: &G, known: &mut HashMap<u64, i32>) -> i32 {
    if let Some(outcome) = position.outcome() {
        return i32::from(outcome.value_for(position.side_to_move()));
    }
    if let Some(&value) = known.get(&position.position_hash()) {
        return value;
    }
    let values = distinct(position).into_iter().map(|action| -value(&child(position, action), known));
    let best = values.max().unwrap();
    known.insert(position.position_hash(), best);
    best
}

/// A seat without history or clock.
fn seat<G: CompleteGame>(position: &G) -> MoveRequest<'_> {
    MoveRequest { table: 0, position, history: &[], time_left: None }
}

#[test]
fn the_full_search_proves_what_is_true() {
    let mut known = HashMap::new();
    value(&TicTacToe::initial(), &mut known);
    let mut engine = AlphaBeta::new(AlphaBetaConfig { memory_mib: 1, ..AlphaBetaConfig::default() }).unwrap();
    for seed in 0..400 {
        let mut position = TicTacToe::initial();
        play_random(&mut position, seed as usize % 9, &mut rng_for(&[seed]));
        if position.outcome().is_none() {
            let report = engine.search(&position, |_| ());
            let proven = if is_proven(report.score) { report.score.signum() } else { 0 };
            assert!(report.is_final, "{report:?}");
            assert_eq!(proven, known[&position.position_hash()], "{}", position.board());
            assert_eq!(-value(&child(&position, report.best[0]), &mut known), proven, "{}", position.board());
        }
    }
}

/// Plays on from positions that the full search calls won: it must win against every defence that is tried, without
/// ever giving the win away. Returns the number of such positions.
fn won_proofs<G: CompleteGame>() -> u32 {
    let limits = AlphaBetaLimits::nodes(1500);
    let mut engine = AlphaBeta::new(AlphaBetaConfig { memory_mib: 1, ..AlphaBetaConfig::full(limits) }).unwrap();
    let mut proofs = 0;
    for seed in 0..12 {
        let mut rng = rng_for(&[seed, 1]);
        let mut position = G::initial();
        let game = play_random(&mut position.clone(), 60, &mut rng);
        let back = rng.random_range(1..game.len().min(6) + 1);
        game[..game.len() - back].iter().for_each(|&action| position.play(action));
        let (score, winner) = (engine.search(&position, |_| ()).score, position.side_to_move());
        if score < PROVEN_WIN - 20 {
            continue;
        }
        proofs += 1;
        let mut left = PROVEN_WIN - score;
        while position.outcome().is_none() {
            let mut best = engine.search(&position, |_| ());
            if position.side_to_move() == winner {
                assert!(best.score >= PROVEN_WIN - left, "{}: {best:?}\n{}", G::spec().id, position.board());
                left = PROVEN_WIN - best.score;
            } else {
                best.best = distinct(&position);
            }
            position.play(best.best[rng.random_range(0..best.best.len())]);
            left -= 1;
        }
        assert_eq!(position.outcome().map(|outcome| outcome.value_for(winner)), Some(1), "{}", G::spec().id);
    }
    proofs
}

#[test]
fn proven_wins_are_won() {
    let proofs: u32 = in_every_game!(won_proofs).into_iter().sum();
    assert!(proofs >= 20, "only {proofs} wins were found");
}

fn check_determinism<G: CompleteGame>() {
    let config = AlphaBetaConfig { memory_mib: 1, ..AlphaBetaConfig::full(AlphaBetaLimits::nodes(1000)) };
    let mut used = AlphaBeta::new(config).unwrap();
    for seed in 0..3 {
        let mut position = G::initial();
        play_random(&mut position, 3 * seed as usize, &mut rng_for(&[seed]));
        let fresh = alpha_beta(&position, &config).unwrap();
        assert_eq!(used.search(&position, |_| ()), fresh, "{} after other searches", G::spec().id);
        assert_eq!(used.search(&position, |_| ()), fresh, "{} again", G::spec().id);
    }
}

#[test]
fn without_clocks_and_threads_a_search_depends_on_its_position_alone() {
    in_every_game!(check_determinism);
}

#[test]
fn every_depth_is_reported_with_a_line_that_can_be_played() {
    let config = AlphaBetaConfig::full(AlphaBetaLimits::depth(8));
    let mut depths = Vec::new();
    let report = AlphaBeta::new(config).unwrap().search(&Connect4::initial(), |report| {
        depths.push(report.depth);
        let mut position = Connect4::initial();
        report.principal_variation.iter().for_each(|&action| position.try_play(action).unwrap());
        assert_eq!(report.principal_variation[0], report.best[0]);
    });
    assert_eq!(depths, (1..=8).collect::<Vec<u32>>());
    assert!(report.principal_variation.len() >= 4 && report.seldepth >= 8, "{report:?}");
}

#[test]
fn several_lines_begin_differently_and_the_first_is_the_best() {
    let config = AlphaBetaConfig { lines: 4, ..AlphaBetaConfig::full(AlphaBetaLimits::depth(6)) };
    let position = Connect4::initial();
    let report = alpha_beta(&position, &config).unwrap();
    let lines = [&report.principal_variation].into_iter().chain(report.others.iter().map(|line| &line.actions));
    let mut begins = Vec::new();
    for line in lines {
        let mut played = position;
        line.iter().for_each(|&action| played.try_play(action).unwrap());
        begins.push(line[0]);
    }
    begins.sort_unstable();
    begins.dedup();
    assert_eq!(begins.len(), 4, "{report:?}");
    assert!(report.others.iter().all(|line| line.score <= report.score), "{report:?}");

    // One action parries the threat; after each other the game is lost, and that is proven.
    let report = alpha_beta(&tictactoe("a1 b2 a2"), &config).unwrap();
    assert_eq!(report.best, [TicTacToe::parse_action("a3").unwrap()]);
    let lost = Proof { outcome: Outcome::Win(Side::First), distance: Some(2) };
    let proofs: Vec<Option<Proof>> = report.others.iter().map(|line| proof_of(line.score, Side::Second)).collect();
    assert_eq!(proofs, [Some(lost); 3], "{report:?}");
}

#[test]
fn threads_find_what_one_finds() {
    let config = AlphaBetaConfig { threads: 3, ..AlphaBetaConfig::full(AlphaBetaLimits::nodes(20_000)) };
    let report = alpha_beta(&tictactoe("a1 b1 a2"), &config).unwrap();
    assert_eq!(report.best, [TicTacToe::parse_action("a3").unwrap()]);
    let config = AlphaBetaConfig { threads: 2, ..AlphaBetaConfig::exact(AlphaBetaLimits::depth(5)) };
    let together = alpha_beta(&Connect4::initial(), &config).unwrap();
    let alone = exact(&Connect4::initial(), AlphaBetaLimits::depth(5));
    assert_eq!((together.best, together.score), (alone.best, alone.score));
}

#[test]
fn a_clock_ends_the_search_and_there_is_always_a_move() {
    for clock in [ClockKind::Wall, ClockKind::Cpu] {
        for ms in [0, 1, 20] {
            let mut player = AlphaBetaPlayer::<Pente<19>>::new("ab".into(), AlphaBetaConfig::default()).unwrap();
            let position = Pente::<19>::initial();
            let centre = distinct(&position)[0];
            let position = child(&position, centre);
            let time_left = Some(TimeControl { ms, span: TimeSpan::Turn, clock });
            let choice = player.choose(&MoveRequest { time_left, history: &[centre], ..seat(&position) }).unwrap();
            assert!(position.is_legal(choice.action));
        }
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let message = |config: AlphaBetaConfig| config.validate().unwrap_err().to_string();
    let default = AlphaBetaConfig::default();
    assert_eq!(message(AlphaBetaConfig { memory_mib: 0, ..default }), "`memory_mib` is 0: expected 1 to 1,048,576");
    assert_eq!(message(AlphaBetaConfig { threads: 0, ..default }), "`threads` is 0: expected 1 to 256");
    let limits = AlphaBetaLimits { cpu_time_ms: Some(0), ..AlphaBetaLimits::default() };
    assert!(message(AlphaBetaConfig::full(limits)).starts_with("`cpu_time_ms` is 0ms: expected a time such as"));
}
