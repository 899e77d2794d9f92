//! Scripted people against a player that always takes the first legal move.

use std::collections::VecDeque;

use selfplay_connect4::Connect4;
use selfplay_env::{Action, CompleteGame, Game, Outcome, Side, Wdl, rules};
use selfplay_frontends::{PlayError, Style, TerminalEnd, TerminalSetting, play_terminal};
use selfplay_mcts::{MoveReport, SearchReport};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_pente::Pente;
use selfplay_players::{Decision, DecisionAnalysis, EvalError, MoveRequest, Player};
use selfplay_pylos::Pylos;
use selfplay_sum15::Sum15;
use selfplay_tictactoe::TicTacToe;

/// Plays a list of cells, then the first legal ones, and notes the seeds of its games.
#[derive(Default)]
struct Scripted {
    cells: VecDeque<&'static str>,
    report: Option<SearchReport>,
    seeds: Vec<u64>,
}

impl Player for Scripted {
    fn name(&self) -> String {
        "scripted".into()
    }

    fn new_game(&mut self, table: usize, seed: u64) {
        assert_eq!(table, 0);
        self.seeds.push(seed);
    }

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        let mut replayed = rules::<TicTacToe>().initial();
        for &action in seat.history {
            replayed.try_play(action).expect("the history is a legal game");
        }
        assert!(replayed.is_same(seat.position));
        let mut legal = Vec::new();
        seat.position.legal_actions(&mut legal);
        let action = self.cells.pop_front().map_or(legal[0], |cell| TicTacToe::parse_action(cell).unwrap());
        let playouts = |report| DecisionAnalysis::Playouts { report, lines: Vec::new() };
        Ok(Decision { action, analysis: self.report.clone().map_or(DecisionAnalysis::None, playouts) })
    }
}

fn play(player: &mut Scripted, human: Side, lines: &[u8]) -> (Result<TerminalEnd, PlayError>, String) {
    let mut output = Vec::new();
    let setting = TerminalSetting { human, seed: 7, style: Style::Plain };
    let end = play_terminal(rules::<TicTacToe>(), player, setting, &mut &lines[..], &mut output);
    (end, String::from_utf8(output).unwrap())
}

#[test]
fn a_person_wins_as_the_first_side() {
    let (end, shown) = play(&mut Scripted::default(), Side::First, b"b2\nc1\n A3 \na3\n");
    assert_eq!(end.unwrap(), TerminalEnd::Finished(Outcome::Win(Side::First)));
    assert!(shown.contains("You are X, O is scripted."), "{shown}");
    assert!(shown.contains("  a b c\n1 . . .\n2 . . .\n3 . . .\n"), "{shown}");
    assert!(shown.contains("O plays a1."), "{shown}");
    assert!(shown.contains("`A3` is not an action of tictactoe: expected"), "{shown}");
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
    assert!(shown.contains("`nonsense` is not an action of tictactoe"), "{shown}");
    assert_eq!(shown.matches("X to move (you): ").count(), 6, "{shown}");
    assert!(shown.ends_with("Unfinished: b2 a1 = *\n"), "{shown}");
}

#[test]
fn commands_list_help_and_moves() {
    let (_, shown) = play(&mut Scripted::default(), Side::First, b"b2\nMOVES\nhelp\n");
    assert!(shown.contains("b1 c1 a2 c2 a3 b3 c3\n"), "{shown}");
    for command in ["moves", "hint", "undo", "save", "load", "help", "quit"] {
        assert!(shown.contains(&format!("\n  {command} ")), "{command}: {shown}");
    }
}

#[test]
fn the_end_of_the_input_ends_politely() {
    let (end, shown) = play(&mut Scripted::default(), Side::First, b"b2");
    assert_eq!(end.unwrap(), TerminalEnd::EndOfInput);
    assert!(shown.ends_with("End of input.\nUnfinished: b2 a1 = *\n"), "{shown}");
}

#[test]
fn undo_takes_back_the_persons_last_move() {
    let mut player = Scripted::default();
    let (end, shown) = play(&mut player, Side::Second, b"undo\na3\nc1\nundo\nundo\nundo\nb2\n");
    assert_eq!(end.unwrap(), TerminalEnd::EndOfInput);
    assert_eq!(shown.matches("You have no move to take back.").count(), 2, "{shown}");
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
fn an_illegal_move_of_the_player_is_an_error() {
    let mut player = Scripted { cells: ["b2"].into(), ..Scripted::default() };
    let (end, _) = play(&mut player, Side::First, b"b2\n");
    let error = end.unwrap_err();
    assert!(matches!(error, PlayError::Player(EvalError::IllegalMove { move_number: 2, .. })), "{error}");
    assert!(error.to_string().contains("b2 is not legal here: the cell is taken"), "{error}");
}

#[test]
fn every_listed_move_can_be_typed() {
    let mut legal = Vec::new();
    TicTacToe::initial().legal_actions(&mut legal);
    for Action(cell) in legal {
        let line = format!("{}\n", TicTacToe::action_name(Action(cell)));
        let (end, shown) = play(&mut Scripted::default(), Side::First, line.as_bytes());
        assert_eq!(end.unwrap(), TerminalEnd::EndOfInput, "{shown}");
    }
}

/// A game between a person with `lines` and the player that takes the first legal move, as it is shown.
fn shown<G: CompleteGame>(lines: &str, style: Style) -> String {
    struct First;
    impl Player for First {
        fn name(&self) -> String {
            "first".into()
        }
        fn new_game(&mut self, _table: usize, _seed: u64) {}
        fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
            let mut legal = Vec::new();
            seat.position.legal_actions(&mut legal);
            Ok(Decision::new(legal[0]))
        }
    }
    let mut output = Vec::new();
    let setting = TerminalSetting { human: Side::First, seed: 1, style };
    play_terminal(rules::<G>(), &mut First, setting, &mut lines.as_bytes(), &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn pylos_is_a_pyramid_by_levels() {
    let shown = shown::<Pylos>("b2\nc2\nb3\nd4\nc3\n", Style::Plain);
    let pyramid = "      j
    1 _
     h i
   1 _ _
   2 _ _
    e f g
  1 _ _ _
  2 _ _ _
  3 _ _ _
   a b c d
 1 . . B B
 2 . W W .
 3 . W . .
 4 . . . W
reserve: White 11, Black 13
";
    assert!(shown.contains(pyramid), "{shown}");
    assert!(shown.contains("  1 _ _ _\n  2 _ . _\n"), "a cell whose four supports are there can be filled: {shown}");
}

#[test]
fn a_swap_of_quadrants_is_shown_before_and_after() {
    let shown = shown::<PentagoSwap>("b2:AD\n", Style::Plain);
    let before = "
  a b c   d e f
1 . . . | . . .
2 . W . | . . .   quadrants A B
3 . . . | . . .
  ------+------
4 . . . | . . .
5 . . . | . . .   quadrants C D
6 . . . | . . .
then A and D change places:
";
    assert!(shown.contains(before), "{shown}");
    assert!(shown.contains("4 . . . | . . .\n5 . . . | . W .   quadrants C D\n"), "{shown}");
}

#[test]
fn captures_cards_and_discs_are_shown() {
    let pente = shown::<Pente<9>>("5E\n", Style::Plain);
    assert!(pente.contains("captured pairs: White 0, Black 0\n"), "{pente}");
    let cards = shown::<Sum15<4>>("1,2,13\n", Style::Plain);
    assert!(cards.contains("1   .   . F13   .\n"), "{cards}");
    assert!(cards.contains("First's hand: 2 3 5 8\n"), "{cards}");
    let discs = shown::<Connect4>("4\n", Style::Plain);
    assert!(discs.contains(" 1 2 3 4 5 6 7\n"), "{discs}");
    assert!(discs.contains(" Y . . R . . .\n"), "{discs}");
}

#[test]
fn colours_are_shown_only_if_asked_for() {
    fn of<G: CompleteGame>() {
        assert!(!shown::<G>("", Style::Plain).contains('\x1b'), "{}", G::spec().id);
        assert!(shown::<G>("", Style::Coloured).contains("\x1b["), "{}", G::spec().id);
    }
    of::<PentagoSwap>();
    of::<Pylos>();
    of::<Pente<19>>();
    of::<Sum15<6>>();
    of::<Connect4>();
    of::<TicTacToe>();
    let last = shown::<Connect4>("4\n", Style::Coloured);
    assert!(last.contains("[●]"), "the last move is marked: {last}");
    assert_eq!(Style::for_output(&std::fs::File::open("Cargo.toml").unwrap()), Style::Plain, "a file is no terminal");
}

#[test]
fn hints_show_the_best_moves_and_a_bar() {
    let found = |action, visits, q, proven| MoveReport {
        action: Action(action),
        visits,
        q,
        prior: 0.5,
        evaluator_prior: 0.5,
        target_weight: visits as f32,
        proven,
        plies: None,
        turns: None,
    };
    let moves = vec![found(0, 30, 0.25, None), found(2, 10, -1.0, Some(-1))];
    let wdl = Wdl { win: 0.5, draw: 0.3, loss: 0.2 };
    let report =
        SearchReport { simulations: 40, wdl, proven: None, moves, choice: None, principal_variation: Vec::new() };
    let mut player = Scripted { report: Some(report), ..Scripted::default() };
    let (_, shown) = play(&mut player, Side::First, b"hint\nb2\n");
    assert!(shown.contains("  a1       30 visits,  75 %, Q +0.25\n"), "{shown}");
    assert!(shown.contains("  c1       10 visits,  25 %, Q -1.00, proven lost\n"), "{shown}");
    assert!(shown.contains("X [###############=========......] O\n"), "{shown}");
    // The same expectation of the other side is the bar the other way round.
    assert!(shown.contains("X [######=========...............] O\n"), "{shown}");
}

#[test]
fn games_are_saved_and_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    let file = file.to_str().unwrap();
    let lines = format!("b2\nsave {file}\nsave {file}\nsave\nload\nload {file}.none\n");
    let (_, shown) = play(&mut Scripted::default(), Side::First, lines.as_bytes());
    assert!(shown.contains(&format!("Saved to `{file}`.")), "{shown}");
    assert!(shown.contains("Cannot write the game to"), "nothing is overwritten: {shown}");
    assert!(shown.contains("`save` needs the name of a file."), "{shown}");
    assert!(shown.contains("`load` needs the name of a file."), "{shown}");
    assert!(shown.contains(&format!("cannot read `{file}.none`")), "{shown}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "b2 a1 = *\n");
    let mut player = Scripted::default();
    let (end, shown) = play(&mut player, Side::First, format!("load {file}\nundo\nload {file}\n").as_bytes());
    assert_eq!(end.unwrap(), TerminalEnd::EndOfInput);
    assert!(shown.ends_with("Unfinished: b2 a1 = *\n"), "{shown}");
    assert_eq!(player.seeds.len(), 4, "the player starts anew after each load and undo");
    std::fs::write(file, "b2 b2 = *\n").unwrap();
    let (_, shown) = play(&mut Scripted::default(), Side::First, format!("load {file}\n").as_bytes());
    assert!(shown.contains("holds no game: action 2: b2 is not legal here"), "{shown}");
}
