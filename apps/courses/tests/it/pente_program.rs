//! Programs that speak the file protocol of the Pente course: a good one, and every way to fail.

use selfplay_courses::program::pente_file_player;
use selfplay_env::{Game, rules};
use selfplay_pente::Pente;
use selfplay_players::program::ProgramConfig;
use selfplay_players::{ClockKind, Decision, EvalError, MoveRequest, Player, TimeControl, TimeSpan};
use selfplay_tictactoe::TicTacToe;

use crate::script::{Script, after, choose, failure, is_gone, patient, soon};

fn playing(script: &Script, limits: impl Fn(ProgramConfig) -> ProgramConfig) -> Box<dyn Player> {
    let config = limits(ProgramConfig::new(&script.command()));
    pente_file_player(rules::<Pente<9>>(), "program".into(), &config).unwrap()
}

fn impatient(config: ProgramConfig) -> ProgramConfig {
    ProgramConfig { time_ms: Some(100), grace_ms: 50, ..config }
}

/// Plays 1A, 2A, 3A and so on, counting in `playdata.txt`, and keeps every `input.txt`.
const COUNTING: &str = r#"
count=$(cat playdata.txt 2>/dev/null || echo 0)
count=$((count + 1))
echo $count > playdata.txt
cat input.txt >> "$1"
echo "${count}A" > output.txt
"#;

#[test]
fn a_file_program_plays_with_its_notes_kept_for_one_game() {
    let script = Script::new(COUNTING);
    let mut player = playing(&script, patient);
    let name = |choice: Result<Decision, EvalError>| Pente::<9>::action_name(choice.unwrap().action);
    player.new_game(3, 0);
    let (position, history) = after::<Pente<9>>("5E");
    let time_left = Some(TimeControl { ms: 2_500, span: TimeSpan::Game, clock: ClockKind::Cpu });
    assert_eq!(name(player.choose(&MoveRequest { table: 3, position: &position, history: &history, time_left })), "1A");
    let (position, history) = after::<Pente<9>>("5E 1A 1J");
    assert_eq!(name(choose(player.as_mut(), &position, &history)), "2A");
    // Another table has notes of its own.
    player.new_game(4, 0);
    let (position, history) = after::<Pente<9>>("5E");
    let seat: MoveRequest = MoveRequest { table: 4, position: &position, history: &history, time_left: None };
    assert_eq!(name(player.choose(&seat)), "1A");
    player.new_game(3, 1);
    assert_eq!(name(choose(player.as_mut(), &position, &history)), "1A");
    let log = script.lines("log");
    assert_eq!(log[..3], ["BLACK", "2.5", "0,0"]);
    assert_eq!(log[7], "....w....");
    assert_eq!(log[12..15], ["BLACK", "20.0", "0,0"]);
    assert_eq!(log[23], "b.......w");
}

#[test]
fn whatever_a_file_program_does_wrong_is_a_failure_with_its_reason() {
    let reason = |text: &str| failure::<Pente<9>>(playing(&Script::new(text), patient).as_mut());
    let no_file = reason("echo oh no >&2; exit 4");
    assert!(no_file.starts_with("exited with status 4 and left no output.txt to read: "), "{no_file}");
    assert!(no_file.ends_with("; its last words: oh no"), "{no_file}");
    assert!(reason("mkdir output.txt").contains("left no output.txt to read"));
    assert!(reason("mkfifo output.txt").contains("left no output.txt to read"));
    assert!(reason("echo hello > output.txt").starts_with("wrote `hello` into output.txt: `hello` is not"));
    assert!(reason("echo 1A > output.txt").ends_with("White's first stone must be on the centre, 5E"));
    assert!(reason(": > output.txt").starts_with("wrote `` into output.txt"));
    let slow = Script::new("sleep 1000 & echo $! > \"$1\"; wait");
    assert_eq!(failure::<Pente<9>>(playing(&slow, impatient).as_mut()), "was killed, it took more than 150 ms");
    assert!(soon(|| is_gone(&slow.path("log"))));
}

#[test]
fn an_answer_to_an_earlier_move_does_not_count() {
    let script = Script::new("test -e playdata.txt || echo 1A > output.txt; touch playdata.txt");
    let mut player = playing(&script, patient);
    let (position, history) = after::<Pente<9>>("5E");
    assert!(choose(player.as_mut(), &position, &history).is_ok());
    let (position, history) = after::<Pente<9>>("5E 9A 1J");
    let error = choose(player.as_mut(), &position, &history).unwrap_err().to_string();
    assert!(error.contains("exited with status 0 and left no output.txt to read"), "{error}");
}

#[test]
fn the_system_counts_the_cpu_time_of_a_file_program() {
    let burn = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
    let (position, history) = after::<Pente<9>>("5E");
    let run = |body: &str| {
        let script = Script::new(&format!("{body}; echo 1A > output.txt"));
        choose(playing(&script, patient).as_mut(), &position, &history).unwrap().cpu_time_ms().unwrap()
    };
    // A child's time counts, sleep does not.
    let (burned, slept) = (run(&format!("sh -c '{burn}'")), run("sleep 0.4"));
    assert!(burned >= 20, "{burned} ms");
    assert!(slept < 300, "{slept} ms");
}

#[test]
fn a_file_program_plays_pente_only() {
    let error = pente_file_player(rules::<TicTacToe>(), "p".into(), &ProgramConfig::new("sh x")).err().unwrap();
    assert!(error.to_string().starts_with("player `pente-file` does not play tictactoe"), "{error}");
}
