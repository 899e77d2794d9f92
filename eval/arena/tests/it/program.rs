//! Programs that speak GTP, played by shell scripts: good ones, and every way to fail.

use std::fs;
use std::time::{Duration, Instant};

use selfplay_arena::{MatchConfig, MatchSetting, play_match};
use selfplay_env::random_play::play_random;
use selfplay_env::rng::rng_for;
use selfplay_env::{Action, CompleteGame, Game, Outcome, Side, Typed, rules};
use selfplay_players::program::turns;
use selfplay_players::program::{GtpPlayer, ProgramConfig};
use selfplay_players::{ClockKind, EvalError, MoveRequest, Player, RandomPlayer, TimeControl, TimeSpan};
use selfplay_pylos::Pylos;
use selfplay_tictactoe::TicTacToe;

use crate::script::{Script, after, choose, failure, is_gone, patient, soon};

/// A loop around the GTP answers `answers`, patterns of a shell's `case` on `$command`; it records the commands.
fn gtp_script(answers: &str) -> String {
    format!(
        r#"
log="$1"
taken=" "
while read -r command color move; do
    echo "$command $color $move" >> "$log"
    case $command in
{answers}
        list_commands) printf '= boardsize\nclear_board\nplay\ngenmove\ntime_settings\ntime_left\n\n' ;;
        clear_board) taken=" "; printf '=\n\n' ;;
        play) taken="$taken$move "; printf '= \n\n' ;;
        quit) printf '=\n\n'; exit 0 ;;
        *) printf '=\r\n\r\n' ;;
    esac
done
"#
    )
}

/// Answers the first free cell of tic-tac-toe.
const FIRST_FREE: &str = r#"
        genmove)
            for cell in a1 b1 c1 a2 b2 c2 a3 b3 c3; do
                case "$taken" in *" $cell "*) ;; *) break ;; esac
            done
            taken="$taken$cell "
            printf '= %s\n\n' "$cell" ;;
"#;

fn gtp(answers: &str) -> Script {
    Script::new(&gtp_script(answers))
}

/// The player that `script` is at the game `G`.
fn playing<G: CompleteGame>(script: &Script, limits: impl Fn(ProgramConfig) -> ProgramConfig) -> Box<dyn Player> {
    let config = limits(ProgramConfig::new(&script.command()));
    Box::new(GtpPlayer::new(rules::<G>(), "program".into(), &config).unwrap())
}

#[test]
fn a_gtp_program_plays_a_match() {
    let script = gtp(FIRST_FREE);
    let program = || -> Result<Box<dyn Player>, EvalError> { Ok(playing::<TicTacToe>(&script, patient)) };
    let random = || -> Result<Box<dyn Player>, EvalError> { Ok(Box::new(RandomPlayer::new())) };
    let config = MatchConfig { pairs: 2, opening_plies: 2, ..MatchConfig::default() };
    let report =
        play_match(&Typed::<TicTacToe>::IT, program, random, &config, &MatchSetting::default(), |_| ()).unwrap();
    assert!(report.games.iter().all(|game| game.outcome.is_some()));
    assert!(script.lines("log").contains(&"quit".into()), "programs are told to quit");
}

#[test]
fn a_gtp_program_is_told_the_game_and_the_clock() {
    let script = gtp(FIRST_FREE);
    let mut player = playing::<TicTacToe>(&script, patient);
    player.new_game(3, 7);
    let (position, history) = after::<TicTacToe>("b2");
    let time_left = Some(TimeControl { ms: 100_900, span: TimeSpan::Game, clock: ClockKind::Wall });
    let choice = player.choose(&MoveRequest { table: 3, position: &position, history: &history, time_left }).unwrap();
    assert_eq!(TicTacToe::action_name(choice.action), "a1");
    assert_eq!((choice.cpu_time_ms(), choice.report()), (None, None), "a wall clock is the arena's");
    let (position, history) = after::<TicTacToe>("b2 a1 c3");
    let time_left = Some(TimeControl { ms: 7_250, span: TimeSpan::Game, clock: ClockKind::Wall });
    let choice = player.choose(&MoveRequest { table: 3, position: &position, history: &history, time_left }).unwrap();
    assert_eq!(TicTacToe::action_name(choice.action), "b1");
    let expected = "list_commands;boardsize 3;clear_board;play black b2;time_settings 100 0 0;time_left white 100 0;\
                    genmove white;play black c3;time_left white 7.250 0;genmove white";
    assert_eq!(script.lines("log").join(";"), expected);
    // The same question has the same answer, and another game is told from its beginning.
    assert_eq!(choose(player.as_mut(), &position, &history).unwrap().action, choice.action);
    let (position, history) = after::<TicTacToe>("a1 b2");
    assert_eq!(TicTacToe::action_name(choose(player.as_mut(), &position, &history).unwrap().action), "b1");
    let log = script.lines("log");
    assert_eq!(log[log.len() - 4..], ["clear_board", "play black a1", "play white b2", "genmove black"]);
    // A program whose game is over plays the next one.
    player.end_game(3);
    player.new_game(4, 0);
    assert_eq!(script.lines("log").iter().filter(|line| *line == "list_commands").count(), 1);
}

#[test]
fn a_pylos_turn_is_one_word_for_several_actions() {
    // A game whose second player removes spheres, and the script that plays that side's turns.
    let game = (0..).map(|seed| play_random(&mut Pylos::initial(), 1000, &mut rng_for(&[seed])));
    let words = |game: &[Action], side| -> Vec<String> {
        let (turns, _) = turns(&Pylos::initial(), game).unwrap();
        turns.into_iter().filter(|&(mover, _)| mover == side).map(|(_, word)| word).collect()
    };
    let is_telling = |game: &Vec<Action>| {
        let words = words(game, Side::Second);
        words.iter().any(|word| word.matches('-').count() == 2)
            && words.iter().any(|word| word.matches('-').count() == 1)
    };
    let game = game.into_iter().find(is_telling).unwrap();
    let script = gtp(r#"
        genmove)
            read -r word rest < "$log.turns"
            sed -i 1d "$log.turns"
            printf '= %s\n\n' "$word" ;;
"#);
    fs::write(script.path("log.turns"), words(&game, Side::Second).join("\n") + "\n").unwrap();
    let mut player = playing::<Pylos>(&script, patient);
    player.new_game(3, 0);
    let mut position = Pylos::initial();
    for (index, &action) in game.iter().enumerate() {
        if position.side_to_move() == Side::Second {
            let choice = choose(player.as_mut(), &position, &game[..index]).unwrap();
            assert_eq!(Pylos::action_name(choice.action), Pylos::action_name(action), "move {index}");
        }
        position.play(action);
    }
    let log = script.lines("log");
    let told: Vec<&str> = log.iter().filter_map(|line| line.strip_prefix("play white ")).collect();
    let first_words = words(&game, Side::First);
    assert_eq!(told, first_words[..told.len()], "the first player is White here");
    assert_eq!(log.iter().filter(|line| *line == "genmove black").count(), words(&game, Side::Second).len());
    // Only whole turns can be told.
    let middle = (0..game.len()).find(|&index| {
        let mut position = Pylos::initial();
        game[..index].iter().for_each(|&action| position.play(action));
        !position.starts_turn()
    });
    let mut position = Pylos::initial();
    let history = &game[..middle.unwrap()];
    history.iter().for_each(|&action| position.play(action));
    let mut stranger = playing::<Pylos>(&script, patient);
    let error = choose(stranger.as_mut(), &position, history).unwrap_err().to_string();
    assert!(error.contains("in the middle of a turn"), "{error}");
}

#[test]
fn whatever_a_gtp_program_does_wrong_is_a_failure_with_its_reason() {
    let reason = |answers: &str| {
        let script = gtp(answers);
        let mut player = playing::<TicTacToe>(&script, patient);
        player.new_game(3, 0);
        let reason = failure::<TicTacToe>(player.as_mut());
        assert_eq!(failure::<TicTacToe>(player.as_mut()), reason, "it stays failed");
        reason
    };
    assert_eq!(
        reason("genmove) echo 'out of cheese' >&2; exit 3 ;;"),
        "exited with status 3 instead of answering `genmove black`; its last words: out of cheese"
    );
    assert_eq!(reason("genmove) kill -9 $$ ;;"), "was ended by signal 9 instead of answering `genmove black`");
    assert_eq!(reason("genmove) echo hello; echo ;;"), "answered `hello` to `genmove black`, which is not GTP");
    assert_eq!(reason(r"genmove) printf '? no idea\n\n' ;;"), "rejected `genmove black`: no idea");
    assert_eq!(reason(r"genmove) printf '= resign\n\n' ;;"), "resigned");
    assert!(reason(r"genmove) printf '= d9\n\n' ;;").starts_with("answered `d9` to `genmove black`: `d9` is not"));
    assert!(reason(r"genmove) while :; do echo '= x'; done ;;").ends_with("answered `genmove black` without end"));
    assert_eq!(reason(r"boardsize) printf '? unacceptable size\n\n' ;;"), "rejected `boardsize 3`: unacceptable size");
    assert_eq!(reason("list_commands) exit 0 ;;"), "exited with status 0 instead of answering `list_commands`");
    let script = gtp(r"genmove) printf '= b2\n\n' ;;");
    let (position, history) = after::<TicTacToe>("b2");
    let error = choose(playing::<TicTacToe>(&script, patient).as_mut(), &position, &history).unwrap_err().to_string();
    assert_eq!(error, "program, table 3: answered `b2` to `genmove white`: the cell is taken");
}

#[test]
fn a_new_game_gives_a_failed_program_another_chance() {
    let script = gtp(&format!(
        r#"boardsize) test -e "$log.tried" || {{ touch "$log.tried"; exit 1; }}; printf '=\n\n' ;; {FIRST_FREE}"#
    ));
    let mut player = playing::<TicTacToe>(&script, patient);
    player.new_game(3, 0);
    assert!(
        failure::<TicTacToe>(player.as_mut()).starts_with("exited with status 1 instead of answering `boardsize 3`")
    );
    player.new_game(3, 0);
    assert!(choose(player.as_mut(), &TicTacToe::initial(), &[]).is_ok());
}

#[test]
fn a_silent_gtp_program_is_killed_with_all_that_it_started() {
    let script = gtp(r#"genmove) sleep 1000 & echo $! > "$log.child"; wait ;;"#);
    let mut player = playing::<TicTacToe>(&script, |config| ProgramConfig { grace_ms: 100, ..config });
    player.new_game(3, 0);
    let start = Instant::now();
    let position = TicTacToe::initial();
    let time_left = Some(TimeControl { ms: 400, span: TimeSpan::Turn, clock: ClockKind::Wall });
    let error = player.choose(&MoveRequest { table: 3, position: &position, history: &[], time_left }).unwrap_err();
    assert!(start.elapsed() >= Duration::from_millis(500));
    assert!(error.to_string().contains("gave no complete answer to `genmove black` within "), "{error}");
    assert!(soon(|| is_gone(&script.path("log.child"))));
    // So is one that never gets ready, whatever time its moves have.
    let script = gtp("list_commands) sleep 1000 ;;");
    let mut player = playing::<TicTacToe>(&script, |config| ProgramConfig { start_ms: 100, ..config });
    player.new_game(3, 0);
    assert!(failure::<TicTacToe>(player.as_mut()).starts_with("gave no complete answer to `list_commands` within "));
}

#[test]
fn the_system_counts_a_programs_cpu_time() {
    let burn = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
    let script = gtp(&format!("genmove) {burn}; printf '= b2\\n\\n' ;;"));
    let mut player = playing::<TicTacToe>(&script, patient);
    let spent = choose(player.as_mut(), &TicTacToe::initial(), &[]).unwrap().cpu_time_ms().unwrap();
    assert!(spent >= 20, "{spent} ms");
}

#[test]
fn commands_and_games_are_checked_before_any_game() {
    let error =
        |config: &ProgramConfig| GtpPlayer::new(rules::<TicTacToe>(), "p".into(), config).err().unwrap().to_string();
    let missing = error(&ProgramConfig::new("./no-such-program --fast"));
    assert_eq!(
        missing,
        "program `./no-such-program --fast`: expected a program that exists, by its path or in a folder of PATH"
    );
    assert!(error(&ProgramConfig { time_ms: Some(0), ..ProgramConfig::new("sh") }).starts_with("`time_ms` is 0"));
    assert!(error(&ProgramConfig { start_ms: 0, ..ProgramConfig::new("sh") }).starts_with("`start_ms` is 0"));
    let mut over = TicTacToe::initial();
    play_random(&mut over, 9, &mut rng_for(&[0]));
    assert!(matches!(over.outcome(), Some(Outcome::Win(_) | Outcome::Draw)));
    let script = gtp(FIRST_FREE);
    let error = choose(playing::<TicTacToe>(&script, patient).as_mut(), &over, &[]).unwrap_err();
    assert!(matches!(error, EvalError::GameOver { table: 3, .. }));
}
