//! Alpha-beta against plain minimax, written the other way round: all values are the first player's.

use std::collections::HashSet;

use selfplay_env::games::connect4::Connect4;
use selfplay_env::games::pylos::Pylos;
use selfplay_env::games::tictactoe::TicTacToe;
use selfplay_env::random_play::play_random;
use selfplay_env::registry::GAME_IDS;
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Action, Game, GameVisitor, Heuristic, PlayableGame, Side, with_game};
use selfplay_eval::alphabeta::PROVEN_WIN;
use selfplay_eval::{
    AlphaBetaConfig, AlphaBetaLimits, AlphaBetaPlayer, AlphaBetaReport, EvalError, Player, Seat, alpha_beta,
};

fn sign(side: Side) -> i32 {
    if side == Side::First { 1 } else { -1 }
}

fn child<G: Game>(position: &G, action: Action) -> G {
    let mut child = position.clone();
    child.play(action);
    child
}

fn distinct<G: Game>(position: &G) -> Vec<Action> {
    let mut actions = Vec::new();
    position.distinct_actions(&mut actions);
    actions
}

/// The first player's minimax value, `ply` decisions below the root; counts positions in `nodes`.
fn minimax<G: Heuristic>(position: &G, depth: u32, ply: u32, nodes: &mut u64) -> i32 {
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

fn exact<G: Heuristic>(position: &G, limits: AlphaBetaLimits) -> AlphaBetaReport {
    alpha_beta(position, &AlphaBetaConfig { memory_mib: 4, ..AlphaBetaConfig::exact(limits) }).unwrap()
}

/// Compares score and best actions with minimax.
fn check<G: Heuristic>(position: &G, depth: u32) {
    let side = sign(position.side_to_move());
    let values: Vec<(Action, i32)> = distinct(position)
        .into_iter()
        .map(|action| (action, side * minimax(&child(position, action), depth - 1, 1, &mut 0)))
        .collect();
    let score = values.iter().map(|&(_, value)| value).max().unwrap();
    let mut best: Vec<Action> = values.iter().filter(|&&(_, value)| value == score).map(|&(a, _)| a).collect();
    best.sort_unstable();
    let report = exact(position, AlphaBetaLimits::depth(depth));
    assert_eq!(report.score, score, "{} depth {depth}\n{}", G::ID, position.board());
    assert_eq!(report.best, best, "{} depth {depth}\n{}", G::ID, position.board());
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

struct CheckGame;

impl GameVisitor for CheckGame {
    type Output = ();

    /// Depth 3 wherever a position has few enough actions to enumerate that far, else depth 2; on Pente's big board,
    /// whose smaller ones are here as well, depth 1.
    fn visit<G: PlayableGame>(self) {
        for seed in 0..12 {
            let mut rng = rng_for(&[seed]);
            let game = play_random(&mut G::initial(), 60, &mut rng);
            let mut position = G::initial();
            game[..rng.random_range(0..game.len())].iter().for_each(|&action| position.play(action));
            let width = distinct(&position).len();
            let depth = (2..=3).rev().find(|&depth| width.pow(depth) <= 30_000).unwrap_or(1);
            check(&position, depth);
        }
    }
}

#[test]
fn equals_minimax_in_every_game() {
    for id in GAME_IDS {
        with_game(id, CheckGame).unwrap();
    }
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
    // Two open threats: the loss comes in two decisions whatever is played, and nothing deeper is searched.
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
    let mut player = AlphaBetaPlayer::new("ab".into(), AlphaBetaConfig::exact(AlphaBetaLimits::depth(9))).unwrap();
    let start = TicTacToe::initial();
    let seat = Seat { table: 3, position: &start, history: &[], time_left: None };
    let mut chosen = HashSet::new();
    for seed in 0..30 {
        Player::<TicTacToe>::new_game(&mut player, 3, seed);
        let action = player.choose(&seat).unwrap().action;
        assert_eq!(player.choose(&seat).unwrap().action, action, "the same seed, the same choice");
        chosen.insert(action);
    }
    assert!(chosen.len() >= 7, "all nine moves draw, {} were chosen", chosen.len());
    let over = tictactoe("a1 b1 a2 b2 a3");
    let error = player.choose(&Seat { table: 3, position: &over, history: &[], time_left: None }).unwrap_err();
    assert!(matches!(error, EvalError::GameOver { table: 3, .. }), "{error}");
}
