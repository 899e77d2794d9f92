//! The player that knows every position of tic-tac-toe, and the tablebase that looks into the middle of turns.

use std::path::{Path, PathBuf};
use std::time::Duration;

use selfplay_arena::exhaustive_verification::{VerificationConfig, VerificationReport};
use selfplay_arena::{AccuracyReport, SolvedPositions, SolvedPositionsConfig, Stage};
use selfplay_env::{Position, Side, Typed, rules};
use selfplay_players::{MoveRequest, NoCheckpoints, Player, PlayerKinds, TablebaseLookup, build_player};
use selfplay_tablebase::{TablebaseConfig, TurnValue, build_tablebase};
use selfplay_tictactoe::TicTacToe;

const GAME: Typed<TicTacToe> = Typed::IT;

fn table(folder: &Path, turns: bool) -> PathBuf {
    let path = folder.join(format!("tictactoe-{turns}.table"));
    let config = TablebaseConfig { memory_mib: 16, threads: 1, turns, save_every: Duration::from_secs(60) };
    let rules = rules::<TicTacToe>();
    build_tablebase(rules.id(), rules.position_index().unwrap(), &path, &config, &mut |_| ()).unwrap();
    path
}

fn player(path: &Path) -> Box<dyn Player> {
    let kinds = PlayerKinds::built_in();
    let spec = kinds.parse(&format!("table:{}", path.display())).unwrap();
    assert_eq!(kinds.parse(&spec.to_string()).unwrap(), spec);
    build_player(&GAME, &spec, &NoCheckpoints).unwrap()
}

#[test]
fn it_loses_no_game_that_it_can_be_led_into() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path(), true);
    for side in Side::BOTH {
        let config = VerificationConfig { side, after: Vec::new(), seed: 3, at_once: 16 };
        let report = VerificationReport::run(rules::<TicTacToe>(), || Ok(player(&path)), &config, |_| ()).unwrap();
        assert!(report.lost == 0 && report.won > 0 && report.drawn > 0, "{report:?}");
    }
}

#[test]
fn it_loses_no_value_by_the_solver_and_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path(), true);
    let config = SolvedPositionsConfig { stage: Stage::After(0..=6), seed: 1, nodes: 1_000_000, memory_mib: 1 };
    let tablebase = || TablebaseLookup::open(&path, rules::<TicTacToe>()).unwrap();
    let drawn =
        |mut source: SolvedPositions| (0..20).flat_map(|_| source.draw().unwrap().positions).collect::<Vec<_>>();
    let solved = drawn(SolvedPositions::new(&GAME, config.clone()).unwrap());
    let known = drawn(SolvedPositions::new(&GAME, config).unwrap().by_table(tablebase()));
    assert!(solved.len() > 100);
    assert_eq!(solved.len(), known.len());
    for (solved, known) in solved.iter().zip(&known) {
        assert_eq!((&solved.history, solved.value), (&known.history, known.value));
        assert_eq!((&solved.preserving, solved.is_critical), (&known.preserving, known.is_critical));
        assert!(solved.turns.is_none() && known.turns.is_some() == (known.value != 0));
    }
    let report = AccuracyReport::measure(rules::<TicTacToe>(), &mut *player(&path), &known, 8, 1, |_| ()).unwrap();
    assert_eq!(report.preserved.share(), 1.0);
    let sum = |trials: u32| assert_eq!(trials as usize, known.len());
    sum(report.by_pieces.values().map(|group| group.trials).sum());
    sum(report.by_task.values().map(|group| group.trials).sum());
    assert!(report.by_turns.keys().all(|&turns| (1..=9).contains(&turns)));
}

#[test]
fn it_wins_as_fast_and_resists_as_long_as_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path(), true);
    let choose = |line: &[&str]| {
        let (position, history) = rules::<TicTacToe>().play_line(line).unwrap();
        let choice = player(&path)
            .choose(&MoveRequest { table: 0, position: &*position, history: &history, time_left: None })
            .unwrap();
        let report = choice.report().unwrap();
        assert_eq!(report.moves[0].action, choice.action);
        (rules::<TicTacToe>().action_name(choice.action), report.moves[0].proven, report.moves[0].turns)
    };
    // X has a1 and b2: c3 wins at once, b1 only with the next move.
    assert_eq!(choose(&["a1", "a2", "b2", "c1"]), ("c3".into(), Some(1), Some(1)));
    // O has lost, and takes at least one of the two cells that X threatens.
    let (action, proven, turns) = choose(&["a1", "b1", "b2", "c3", "a3"]);
    assert!(["a2", "c1"].contains(&&*action) && (proven, turns) == (Some(-1), Some(2)), "{action}");
    // Every reply is a draw: in the corner most answers lose, since only the centre does not.
    let (action, proven, turns) = choose(&[]);
    assert!(["a1", "a3", "c1", "c3"].contains(&&*action) && (proven, turns) == (Some(0), None), "{action}");
}

#[test]
fn tables_that_nobody_can_play_by_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let outcomes = table(folder.path(), false);
    let reason = TablebaseLookup::open(&outcomes, rules::<TicTacToe>()).err().unwrap().to_string();
    assert!(reason.contains("outcomes only"), "{reason}");
    let kinds = PlayerKinds::built_in();
    let reason = kinds.parse("table:").unwrap_err().to_string();
    assert!(reason.contains("the file, as in `table:pylos.table`, is missing"), "{reason}");
    let spec = kinds.parse("table:nowhere.table").unwrap();
    let reason = build_player(&GAME, &spec, &NoCheckpoints).err().unwrap().to_string();
    assert!(reason.contains("nowhere.table"), "{reason}");
}

#[test]
fn a_table_agrees_with_the_rules_turn_by_turn_and_by_search() {
    let folder = tempfile::tempdir().unwrap();
    let tablebase = TablebaseLookup::open(&table(folder.path(), true), rules::<TicTacToe>()).unwrap();
    let turns = tablebase.compare_turns(rules::<TicTacToe>(), 1000, 1, &|_| ()).unwrap();
    assert_eq!((turns.positions, turns.disagreements.len()), (1000, 0));
    let searches = tablebase.compare_searches(rules::<TicTacToe>(), 300, 6, 1, &|_| ()).unwrap();
    assert_eq!((searches.positions, searches.disagreements.len()), (300, 0));
    let position = rules::<TicTacToe>().initial();
    assert_eq!(tablebase.value(&*position).unwrap(), TurnValue::Draw);
    assert_eq!(tablebase.action_values(&*position).unwrap().len(), 9);
    let over: Box<dyn Position> = rules::<TicTacToe>().play_line(&["a1", "b1", "a2", "b2", "a3"]).unwrap().0;
    assert_eq!(tablebase.value(&*over).unwrap(), TurnValue::Loss(0));
    assert!(tablebase.action_values(&*over).unwrap().is_empty());
}
