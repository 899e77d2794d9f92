//! Scripted people against a player that always takes the first legal decision.

use std::collections::VecDeque;

use selfplay_env::games::tictactoe::TicTacToe;
use selfplay_env::{Action, Game, Outcome, Side, Wdl};
use selfplay_eval::{Choice, EvalError, Player, Seat};
use selfplay_mcts::SearchReport;
use selfplay_play::{PlayError, TerminalEnd, play_terminal};

/// Plays a list of cells, then the first legal ones, and notes the seeds of its games.
#[derive(Default)]
struct Scripted {
    cells: VecDeque<&'static str>,
    report: Option<SearchReport>,
    seeds: Vec<u64>,
}

impl Player<TicTacToe> for Scripted {
    fn name(&self) -> String {
        "scripted".into()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        assert_eq!(table, 0);
        self.seeds.push(seed);
    }

    fn choose(&mut self, seat: &Seat<TicTacToe>) -> Result<Choice, EvalError> {
        let mut replayed = TicTacToe::initial();
        for &action in seat.history {
            replayed.try_play(action).expect("the history is a legal game");
        }
        assert_eq!(&replayed, seat.position);
        let mut legal = Vec::new();
        seat.position.legal_actions(&mut legal);
        let action = self.cells.pop_front().map_or(legal[0], |cell| TicTacToe::parse_action(cell).unwrap());
        Ok(Choice { report: self.report.clone(), ..Choice::of(action) })
    }
}

fn play(player: &mut Scripted, human: Side, lines: &[u8]) -> (Result<TerminalEnd, PlayError>, String) {
    let mut output = Vec::new();
    let end = play_terminal(player, human, 7, &mut &lines[..], &mut output);
    (end, String::from_utf8(output).unwrap())
}

#[test]
fn a_person_wins_as_the_first_side() {
    let (end, shown) = play(&mut Scripted::default(), Side::First, b"b2\nc1\n A3 \na3\n");
    assert_eq!(end.unwrap(), TerminalEnd::Finished(Outcome::Win(Side::First)));
    assert!(shown.contains("You are X, O is scripted."), "{shown}");
    assert!(shown.contains("  a b c\n1 . . .\n2 . . .\n3 . . .\n"), "{shown}");
    assert!(shown.contains("O plays a1."), "{shown}");
    assert!(shown.contains("`A3` is not a decision of tictactoe: expected"), "{shown}");
    assert!(shown.contains("X wins: you.\nb2 a1 c1 b1 a3 = 1\n"), "{shown}");
}

#[test]
fn the_player_opens_and_wins_as_the_first_side() {
    let (end, shown) = play(&mut Scripted::default(), Side::Second, b"a2\na3\n");
    assert_eq!(end.unwrap(), TerminalEnd::Finished(Outcome::Win(Side::First)));
    assert!(shown.contains("You are O, X is scripted."), "{shown}");
    assert!(shown.ends_with("X wins: scripted.\na1 a2 b1 a3 c1 = 1\n"), "{shown}");
}

#[test]
fn a_draw_is_called_a_draw() {
    let mut player = Scripted { cells: ["a1", "b1", "a3", "c2"].into(), ..Scripted::default() };
    let (end, shown) = play(&mut player, Side::First, b"b2\nc1\nb3\na2\nc3\n");
    assert_eq!(end.unwrap(), TerminalEnd::Finished(Outcome::Draw));
    assert!(shown.contains("The game is a draw."), "{shown}");
}

#[test]
fn slips_get_a_reason_and_another_try() {
    let (end, shown) = play(&mut Scripted::default(), Side::First, b"b2\nb2\nnonsense\n\n\xff\xfe\nquit\n");
    assert_eq!(end.unwrap(), TerminalEnd::Quit);
    assert!(shown.contains("b2 is not legal here: the cell is taken."), "{shown}");
    assert!(shown.contains("`nonsense` is not a decision of tictactoe"), "{shown}");
    assert_eq!(shown.matches("X to move (you): ").count(), 6, "{shown}");
    assert!(shown.ends_with("Unfinished: b2 a1 = *\n"), "{shown}");
}

#[test]
fn commands_list_help_and_moves() {
    let (_, shown) = play(&mut Scripted::default(), Side::First, b"b2\nMOVES\nhelp\n");
    assert!(shown.contains("b1 c1 a2 c2 a3 b3 c3\n"), "{shown}");
    for command in ["moves", "hint", "undo", "help", "quit"] {
        assert!(shown.contains(&format!("\n  {command} ")), "{command}: {shown}");
    }
}

#[test]
fn the_end_of_the_input_ends_politely() {
    let (end, shown) = play(&mut Scripted::default(), Side::First, b"b2");
    assert_eq!(end.unwrap(), TerminalEnd::EndOfInput);
    assert!(shown.ends_with("There is no more input.\nUnfinished: b2 a1 = *\n"), "{shown}");
}

#[test]
fn undo_goes_back_to_the_persons_previous_decision() {
    let mut player = Scripted::default();
    let (end, shown) = play(&mut player, Side::Second, b"undo\na3\nc1\nundo\nundo\nundo\nb2\n");
    assert_eq!(end.unwrap(), TerminalEnd::EndOfInput);
    assert_eq!(shown.matches("There is no decision of yours to take back.").count(), 2, "{shown}");
    assert!(shown.ends_with("Unfinished: a1 b2 b1 = *\n"), "{shown}");
    assert_eq!(player.seeds.len(), 3);
    assert!(player.seeds[0] != player.seeds[1] && player.seeds[1] != player.seeds[2]);
}

#[test]
fn expectations_are_those_of_the_side_that_decides() {
    let wdl = Wdl { win: 0.612, draw: 0.3, loss: 0.088 };
    let (moves, principal_variation) = (Vec::new(), Vec::new());
    let report = SearchReport { simulations: 8, wdl, proven: None, moves, choice: None, principal_variation };
    let mut player = Scripted { report: Some(report), ..Scripted::default() };
    let (_, shown) = play(&mut player, Side::First, b"hint\nb2\n");
    assert!(shown.contains("scripted would play a1 and expects for X: win 61 %, draw 30 %, loss 9 %.\n"), "{shown}");
    assert!(shown.contains("O plays a1 and expects for O: win 61 %, draw 30 %, loss 9 %.\n"), "{shown}");
    assert!(shown.ends_with("Unfinished: b2 a1 = *\n"), "a hint decides nothing: {shown}");
}

#[test]
fn an_illegal_decision_of_the_player_is_an_error() {
    let mut player = Scripted { cells: ["b2"].into(), ..Scripted::default() };
    let (end, _) = play(&mut player, Side::First, b"b2\n");
    let error = end.unwrap_err();
    assert!(matches!(error, PlayError::Player(EvalError::IllegalDecision { decision: 2, .. })), "{error}");
    assert!(error.to_string().contains("b2 is not legal here: the cell is taken"), "{error}");
}

#[test]
fn every_decision_listed_by_moves_can_be_typed() {
    let mut legal = Vec::new();
    TicTacToe::initial().legal_actions(&mut legal);
    for Action(cell) in legal {
        let line = format!("{}\n", TicTacToe::action_name(Action(cell)));
        let (end, shown) = play(&mut Scripted::default(), Side::First, line.as_bytes());
        assert_eq!(end.unwrap(), TerminalEnd::EndOfInput, "{shown}");
    }
}
