//! GTP transcripts, and every game played to its end by what the commands alone say.

use selfplay_connect4::Connect4;
use selfplay_env::{CompleteGame, Rules, rules};
use selfplay_frontends::{GtpEnd, serve_gtp};
use selfplay_pentago_swap::PentagoSwap;
use selfplay_pente::Pente;
use selfplay_players::program::{parse_turn, turn_word};
use selfplay_players::{Decision, EvalError, MoveRequest, Player, RandomPlayer, TimeControl, TimeSpan};
use selfplay_pylos::Pylos;
use selfplay_shipped::shipped_games;
use selfplay_tictactoe::TicTacToe;

use crate::protocols::support::{Failing, FirstLegal};

/// What `player` answers to `input`.
fn answers(rules: &'static dyn Rules, player: &mut dyn Player, input: &str) -> (GtpEnd, String) {
    let mut output = Vec::new();
    let end = serve_gtp(rules, player, 7, &mut input.as_bytes(), &mut output).unwrap();
    (end, String::from_utf8(output).unwrap())
}

fn transcript<G: CompleteGame>(input: &str) -> String {
    answers(rules::<G>(), &mut FirstLegal, input).1
}

/// One answer of a random player at a time, without its mark; `Err` for what is rejected.
fn each(rules: &'static dyn Rules, commands: &[String]) -> Vec<Result<String, String>> {
    let (_, output) = answers(rules, &mut RandomPlayer::new(), &commands.join("\n"));
    let read = |answer: &str| {
        let text = answer[1..].trim().to_owned();
        if answer.starts_with('=') { Ok(text) } else { Err(text) }
    };
    output.split_terminator("\n\n").map(read).collect()
}

#[test]
fn the_bare_protocol_is_answered_to_the_letter() {
    let input = "1 protocol_version\n\n# a comment\n  2\tname # more\nversion\r\n3 known_command genmove\nknown_command\n\
                 4 known_command loadsgf\n5 nonsense 1 2\n6\n0007 quit\nname\n";
    let (end, output) = answers(rules::<TicTacToe>(), &mut FirstLegal, input);
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "=1 2\n\n=2 first legal\n\n= {version}\n\n=3 true\n\n= false\n\n=4 false\n\n?5 unknown command `nonsense`\n\n\
         ?6 unknown command ``\n\n=0007 \n\n"
    );
    assert_eq!((end, output), (GtpEnd::Quit, expected));
    assert_eq!(answers(rules::<TicTacToe>(), &mut FirstLegal, "name").0, GtpEnd::EndOfInput);
    let commands = transcript::<Pylos>("list_commands\n");
    for command in commands[2..].split_whitespace() {
        assert_eq!(transcript::<Pylos>(&format!("known_command {command}\n")), "= true\n\n");
    }
    assert_eq!(commands.lines().count(), 22);
}

#[test]
fn tic_tac_toe_to_the_letter() {
    let input = "boardsize 3\nboardsize 19\nboardsize x\nclear_board\nplay black a1\nplay b b2\nplay white a1\nPLAY w b2\n\
                 play o b2\ngenmove w\ngenmove x\nshowboard\ngogui-rules_board\ngogui-rules_side_to_move\n\
                 gogui-rules_legal_moves\nfinal_score\nundo\nplay w a3\nplay b c1\nfinal_score\ngogui-rules_final_result\n\
                 gogui-rules_legal_moves\ngenmove w\nplay w c3\nundo\nundo\nundo\nundo\nundo\nundo\n";
    let expected = [
        "= ",
        "? unacceptable size: the board of tictactoe has size 3",
        "? syntax error: expected `boardsize 3`",
        "= ",
        "= ",
        "? illegal move: it is white's turn",
        "? illegal move: the cell is taken",
        "? unknown command `PLAY`",
        "= ",
        "? it is black's turn",
        "= b1",
        "=   a b c\n1 X X .\n2 . O .\n3 . . .",
        "= X X .\n. O .\n. . .",
        "= white",
        "= c1 a2 c2 a3 b3 c3",
        "? cannot score: the game is not over",
        "= ",
        "? illegal move: it is black's turn",
        "= ",
        "? cannot score: the game is not over",
        "= unknown",
        "= b1 a2 c2 a3 b3 c3",
        "= b1",
        "? illegal move: it is black's turn",
        "= ",
        "= ",
        "= ",
        "= ",
        "? cannot undo",
        "? cannot undo",
    ];
    let output = transcript::<TicTacToe>(input);
    let output: Vec<&str> = output.split_terminator("\n\n").collect();
    for (index, (answer, expected)) in output.iter().zip(expected).enumerate() {
        let answer = answer.replace("= \n ", "=  ").replace("= \n", "= ");
        assert_eq!(answer, expected, "command {}: {}", index + 1, input.lines().nth(index).unwrap());
    }
    assert_eq!(output.len(), expected.len());
}

#[test]
fn a_pylos_turn_is_one_word_and_undone_as_one() {
    let input = "play w a1\nplay b d4\nplay w a2\nplay b d3\nplay w b1\nplay b c4\nplay w b2\nplay w b2-b2-a1\nundo\n\
                 gogui-rules_side_to_move\nplay w b2-a1\ngogui-rules_side_to_move\nshowboard\nundo\ngenmove w\n";
    let output = transcript::<Pylos>(input);
    let answers: Vec<&str> = output.split_terminator("\n\n").collect();
    assert_eq!(answers[6], "? illegal move: `b2` is not a complete turn here");
    assert_eq!(answers[7..11], ["= ", "= ", "= white", "= "]);
    assert_eq!(answers[11], "= black");
    assert!(answers[12].contains("reserve: White 12, Black 12"), "{}", answers[12]);
    assert_eq!(answers[14], "= c1");
}

#[test]
fn pente_takes_both_orders_of_row_and_column() {
    let input = "play white K10\nplay black N9\nplay white 10L\nplay white q4\nplay black 4q\nplay black I9\nshowboard\n\
                 gogui-rules_board_size\ngogui-rules_game_id\n";
    let output = transcript::<Pente<19>>(input);
    let answers: Vec<&str> = output.split_terminator("\n\n").collect();
    assert_eq!(answers[..2], ["= ", "= "]);
    assert!(answers[2].starts_with("? illegal move: White's second stone must be 3 or more"), "{}", answers[2]);
    assert_eq!(answers[3], "= ");
    assert_eq!(answers[4], "? illegal move: the intersection is taken");
    assert!(answers[5].starts_with("? illegal move: `I9` is not an action of pente"), "{}", answers[5]);
    assert!(answers[6].contains("\n 9 . . . . . . . . . . . . b ."), "{}", answers[6]);
    assert_eq!(answers[7..], ["= 19", "= Pente"]);
}

#[test]
fn small_and_capital_letters_are_the_same_where_a_notation_has_both() {
    let output = transcript::<PentagoSwap>("play white c4:AD\nplay black c3:ab\nplay white D3:Ab\nplay black c9:ab\n");
    let answers: Vec<&str> = output.split_terminator("\n\n").collect();
    assert_eq!(answers[..3], ["= ", "= ", "= "]);
    assert!(answers[3].starts_with("? illegal move: `c9:ab` is not an action"), "{}", answers[3]);
}

/// Plays one game by GTP alone, then replays it by the rules.
fn play_one(rules: &'static dyn Rules) {
    let mut commands: Vec<String> = vec![format!("boardsize {}", rules.shape().width), "clear_board".into()];
    let mut position = rules.initial();
    let mut turns = 0;
    let result = loop {
        commands.extend(
            ["gogui-rules_side_to_move", "gogui-rules_legal_moves", "gogui-rules_final_result"].map(String::from),
        );
        let state = each(rules, &commands);
        let [color, legal, result] = &state[state.len() - 3..] else { panic!("three answers") };
        let (color, legal, result) = (color.clone().unwrap(), legal.clone().unwrap(), result.clone().unwrap());
        commands.truncate(commands.len() - 3);
        if result != "unknown" {
            assert_eq!(legal, "");
            break result;
        }
        // Every other turn by `genmove`, which must name one of the legal moves; else the last of them.
        let word = if turns % 2 == 0 {
            commands.push(format!("genmove {color}"));
            each(rules, &commands).pop().unwrap().unwrap()
        } else {
            let word = legal.split(' ').next_back().unwrap().to_owned();
            commands.push(format!("play {color} {word}"));
            word
        };
        let turn = parse_turn(&*position, &word).unwrap();
        assert!(legal.split(' ').any(|legal| parse_turn(&*position, legal).as_ref() == Ok(&turn)), "{word}");
        turn.iter().for_each(|&action| position.play(action));
        turns += 1;
        // Long games need not be played out: repeating them from the start costs time.
        if turns > 60 {
            return;
        }
    };
    assert!(position.outcome().is_some(), "{result}");
    commands.extend(["final_score", "genmove b", "undo", "gogui-rules_final_result"].map(String::from));
    let mut last = each(rules, &commands).split_off(commands.len() - 4);
    let undone = last.pop().unwrap();
    assert_eq!(undone.as_deref(), Ok("unknown"));
    assert!(["0", "B+1", "W+1"].contains(&last[0].as_deref().unwrap()), "{last:?}");
    assert_eq!(last[1], Err("the game is over".to_owned()));
}

#[test]
fn every_game_is_played_by_the_commands_alone() {
    shipped_games().into_iter().for_each(|game| play_one(game));
}

#[test]
fn what_a_player_cannot_do_is_an_error_and_the_game_stands() {
    let output = answers(rules::<Connect4>(), &mut Failing, "genmove b\nplay b d1\nundo\n").1;
    assert!(output.starts_with("? failing, table 0: out of order\n\n"), "{output}");
    let word = turn_word(rules::<Connect4>(), &[selfplay_env::Action(3)]);
    let output = answers(rules::<Connect4>(), &mut Failing, &format!("genmove b\nplay b {word}\nundo\nundo\n")).1;
    assert!(output.ends_with("\n\n= \n\n= \n\n? cannot undo\n\n"), "{output}");
}

/// Notes the times it is given.
#[derive(Default)]
struct Timed(Vec<Option<TimeControl>>);

impl Player for Timed {
    fn name(&self) -> String {
        "timed".into()
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        self.0.push(seat.time_left);
        FirstLegal.choose(seat)
    }
}

#[test]
fn the_player_is_told_what_the_clock_says() {
    let mut player = Timed::default();
    let input = "genmove b\ntime_settings 60 0 0\ntime_left w 5.5 0\ngenmove w\ntime_left b 3 2\ngenmove b\n\
                 time_settings 0 10 0\ngenmove w\ntime_settings 1\ntime_left b x 1\ntime_settings 1 1 -1\ntime_left q 1 1\n";
    let output = answers(rules::<TicTacToe>(), &mut player, input).1;
    assert_eq!(output.matches("? syntax error: ").count(), 4, "{output}");
    let times: Vec<_> = player.0.iter().map(|time| time.map(|time| (time.ms, time.span))).collect();
    assert_eq!(times, [None, Some((5500, TimeSpan::Game)), Some((1500, TimeSpan::Turn)), None]);
}
