//! The search player: stronger than chance, the same at one table or at many, with a tree that follows its game.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use selfplay_arena::{MatchConfig, MatchSetting, OpeningSuite, play_match};
use selfplay_connect4::Connect4;
use selfplay_env::{Action, CompleteGame, Game, Typed, Wdl};
use selfplay_mcts::{Evaluator, Leaf, Limits, SearchConfig, SearchReport, UniformEvaluator};
use selfplay_players::{MoveRequest, Player, SearchPlayer, SearchPlayerConfig};
use selfplay_tictactoe::TicTacToe;

use crate::player;

fn search_player<G: CompleteGame>(simulations: u32) -> SearchPlayer<G> {
    let config = SearchPlayerConfig {
        search: SearchConfig::default(),
        limits: Limits::simulations(simulations),
        leaves_per_gather: Some(1),
        ..SearchPlayerConfig::default()
    };
    SearchPlayer::new("search".into(), config, Box::new(UniformEvaluator)).unwrap()
}

fn visits(report: &SearchReport) -> u32 {
    report.moves.iter().map(|m| m.visits).sum()
}

fn beats_random<G: CompleteGame>(simulations: u32, least: f64) {
    let config = MatchConfig { pairs: 12, opening_plies: 1, ..MatchConfig::default() };
    let spec = format!("search:checkpoint=uniform,simulations={simulations}");
    let report = play_match(
        &Typed::<G>::IT,
        || player::<G>(&spec),
        || player::<G>("random"),
        &config,
        &MatchSetting::default(),
        |_| (),
    )
    .unwrap();
    assert!(report.score() >= least, "{}: {}", G::spec().id, report.score());
}

#[test]
fn search_without_knowledge_beats_random() {
    beats_random::<TicTacToe>(100, 0.85);
    beats_random::<Connect4>(100, 0.85);
}

#[test]
fn many_tables_are_searched_like_one() {
    let mut suite = OpeningSuite::new(&Typed::<Connect4>::IT, 4, 1);
    let lines: Vec<Vec<Action>> = suite.draw(5).unwrap().iter().map(|o| o.actions.clone()).collect();
    let positions: Vec<Connect4> = lines.iter().map(|line| after(line)).collect();
    let seats: Vec<MoveRequest> = lines
        .iter()
        .zip(&positions)
        .enumerate()
        .map(|(table, (history, position))| -> MoveRequest {
            MoveRequest { table, position, history, time_left: None }
        })
        .collect();
    let with_leaves = |leaves_per_gather| {
        let limits = Limits::simulations(60);
        let config = SearchPlayerConfig { limits, leaves_per_gather, ..SearchPlayerConfig::default() };
        SearchPlayer::<Connect4>::new("search".into(), config, Box::new(Counting::default())).unwrap()
    };
    let mut reports = Vec::new();
    for leaves in [None, Some(1), Some(7)] {
        let (mut together, mut alone) = (with_leaves(leaves), with_leaves(leaves));
        for (seat, choice) in seats.iter().zip(together.choose_all(&seats)) {
            let choice = choice.unwrap();
            assert_eq!(choice.report().unwrap().simulations, 60);
            let other = alone.choose(seat).unwrap();
            let begins: HashSet<Action> = other.lines().iter().map(|line| line[0]).collect();
            assert!(other.lines()[0][0] == other.action && begins.len() == 5, "{:?}", other.lines());
            assert_eq!((choice.action, choice.report()), (other.action, other.report()));
            assert!(choice.lines().is_empty(), "lines are told of moves that are asked for alone");
            reports.push((leaves, choice.report().cloned()));
        }
    }
    let of = |leaves| reports.iter().filter(move |(other, _)| *other == leaves).map(|(_, report)| report);
    assert!(of(None).eq(of(Some(1))), "60 simulations are too few for several leaves");
    assert!(!of(Some(7)).eq(of(Some(1))), "leaves are heeded in many games as in one");
    let mut together = with_leaves(None);
    let over = after::<Connect4>(&[0, 1, 0, 1, 0, 1, 0].map(Action));
    let mut mixed = seats.clone();
    mixed[2] = MoveRequest { table: 2, position: &over, history: &[], time_left: None };
    let answers: Vec<bool> = together.choose_all(&mixed).iter().map(|answer| answer.is_ok()).collect();
    assert_eq!(answers, [true, true, false, true, true]);
}

/// Judges each position by its hash, and counts.
#[derive(Default)]
struct Counting(Arc<AtomicUsize>);

impl Evaluator<Connect4> for Counting {
    fn evaluate(&mut self, leaves: &mut [Leaf<Connect4>]) {
        self.0.fetch_add(leaves.len(), Ordering::Relaxed);
        UniformEvaluator.evaluate(leaves);
        for leaf in leaves {
            let win = (leaf.position.position_hash() % 256) as f32 / 256.0;
            leaf.wdl = Wdl { win, draw: 0.0, loss: 1.0 - win };
        }
    }
}

#[test]
fn what_many_tables_have_evaluated_is_remembered() {
    let evaluations = Arc::new(AtomicUsize::new(0));
    let config = SearchPlayerConfig {
        search: SearchConfig::default(),
        limits: Limits::simulations(60),
        leaves_per_gather: Some(1),
        ..SearchPlayerConfig::default()
    };
    let mut player =
        SearchPlayer::<Connect4>::new("search".into(), config, Box::new(Counting(evaluations.clone()))).unwrap();
    let position = Connect4::initial();
    let mut choose_at = |tables: [usize; 2]| {
        let seats = tables
            .map(|table| -> MoveRequest { MoveRequest { table, position: &position, history: &[], time_left: None } });
        player.choose_all(&seats).into_iter().map(|choice| choice.unwrap()).collect::<Vec<_>>()
    };
    let first = choose_at([0, 1]);
    let evaluated = evaluations.load(Ordering::Relaxed);
    assert!(evaluated > 0);
    assert_eq!(choose_at([2, 3]), first);
    assert_eq!(evaluations.load(Ordering::Relaxed), evaluated, "the same positions once more");
}

fn after<G: Game>(line: &[Action]) -> G {
    let mut position = G::initial();
    line.iter().for_each(|&action| position.try_play(action).unwrap());
    position
}

#[test]
fn under_a_limit_of_simulations_a_move_depends_on_its_position_alone() {
    let mut player = search_player::<Connect4>(200);
    let mut ask = |history: &[Action]| {
        let position = after::<Connect4>(history);
        player
            .choose(&MoveRequest { table: 0, position: &position, history, time_left: None })
            .unwrap()
            .report()
            .unwrap()
            .clone()
    };
    let first = ask(&[]);
    // The first simulation evaluates the root itself.
    assert_eq!((first.simulations, visits(&first)), (200, 199));
    let line = &first.principal_variation[..2];
    let second = ask(line);
    assert_eq!((second.simulations, visits(&second)), (200, 199), "nothing of the first search is left");
    ask(&[6, 5, 6].map(Action));
    assert_eq!(ask(line), second);
}

#[test]
fn under_a_limit_of_time_the_tree_follows_the_game_and_nothing_else() {
    let config = SearchPlayerConfig {
        limits: Limits { time_ms: Some(3_600_000), ..Limits::simulations(200) },
        leaves_per_gather: Some(1),
        // A search that draws its move does not end early.
        temperature: 1.0,
        ..SearchPlayerConfig::default()
    };
    let mut player = SearchPlayer::<Connect4>::new("search".into(), config, Box::new(UniformEvaluator)).unwrap();
    let mut ask = |history: &[Action], is_new: bool| {
        if is_new {
            player.new_game(0, 1);
        }
        let position = after::<Connect4>(history);
        player
            .choose(&MoveRequest { table: 0, position: &position, history, time_left: None })
            .unwrap()
            .report()
            .unwrap()
            .clone()
    };
    let first = ask(&[], true);
    let line = &first.principal_variation[..2];
    assert!(visits(&ask(line, false)) > 200, "the tree was kept");
    assert_eq!(visits(&ask(line, true)), 199, "a new game forgets the tree");
    assert_eq!(visits(&ask(&[6, 5, 6].map(Action), false)), 199, "another line is not a continuation");
    assert_eq!(visits(&ask(&[], false)), 199, "nor is a move taken back");
    let set_up = after::<Connect4>(&[6, 5, 6].map(Action));
    let seat: MoveRequest = MoveRequest { table: 0, position: &set_up, history: &[Action(0)], time_left: None };
    let report = player.choose(&seat).unwrap().report().unwrap().clone();
    assert_eq!(visits(&report), 199, "nor is a position that the history does not lead to");
}

#[test]
fn temperature_varies_the_choice_with_the_seed() {
    let mut player = player::<TicTacToe>("policy:checkpoint=uniform,temperature=1").unwrap();
    let start = TicTacToe::initial();
    let mut choose = |seed| {
        player.new_game(0, seed);
        player.choose(&MoveRequest { table: 0, position: &start, history: &[], time_left: None }).unwrap().action
    };
    assert_eq!(choose(4), choose(4));
    assert!((0..20).map(choose).collect::<HashSet<_>>().len() > 4);
}

#[test]
fn wrong_numbers_are_refused() {
    let config = |leaves_per_gather, temperature, limits| SearchPlayerConfig {
        search: SearchConfig::default(),
        limits,
        leaves_per_gather,
        temperature,
        ..SearchPlayerConfig::default()
    };
    let message = |config: SearchPlayerConfig| config.validate().unwrap_err().to_string();
    assert_eq!(message(config(Some(0), 0.0, Limits::simulations(1))), "`leaves` is 0: expected at least 1");
    assert!(message(config(Some(1), -1.0, Limits::simulations(1))).starts_with("`temperature` is -1"));
    assert!(message(config(Some(1), 0.0, Limits::simulations(0))).starts_with("`simulations` is 0"));
    config(Some(1), 0.0, Limits::default()).validate().unwrap();
}
