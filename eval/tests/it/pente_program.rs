//! Programs that speak the file protocol of the Pente course: a good one, and every way to fail.

use selfplay_env::Game;
use selfplay_eval::{Choice, ClockKind, EvalError, Seat, TimeControl, TimeSpan};
use selfplay_pente::Pente;

use crate::script::{Script, after, choose, failure, impatient, is_gone, patient, soon};

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
    let mut player = script.pente_player(patient);
    let name = |choice: Result<Choice, EvalError>| Pente::<9>::action_name(choice.unwrap().action);
    player.new_game(3, 0);
    let (position, history) = after("5E");
    let time_left = Some(TimeControl { ms: 2_500, span: TimeSpan::Game, clock: ClockKind::Cpu });
    assert_eq!(name(player.choose(&Seat { table: 3, position: &position, history: &history, time_left })), "1A");
    let (position, history) = after("5E 1A 1J");
    assert_eq!(name(choose(player.as_mut(), &position, &history)), "2A");
    // Another table has notes of its own.
    player.new_game(4, 0);
    let (position, history) = after("5E");
    let seat = Seat { table: 4, position: &position, history: &history, time_left: None };
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
    let reason = |text: &str| failure(Script::new(text).pente_player(patient).as_mut());
    let no_file = reason("echo oh no >&2; exit 4");
    assert!(no_file.starts_with("exited with status 4 and left no output.txt to read: "), "{no_file}");
    assert!(no_file.ends_with("; its last words: oh no"), "{no_file}");
    assert!(reason("mkdir output.txt").contains("left no output.txt to read"));
    assert!(reason("mkfifo output.txt").contains("left no output.txt to read"));
    assert!(reason("echo hello > output.txt").starts_with("wrote `hello` into output.txt: `hello` is not"));
    assert!(reason("echo 1A > output.txt").ends_with("White's first stone must be on the centre, 5E"));
    assert!(reason(": > output.txt").starts_with("wrote `` into output.txt"));
    let slow = Script::new("sleep 1000 & echo $! > \"$1\"; wait");
    assert_eq!(failure(slow.pente_player(impatient).as_mut()), "was killed, it took more than 150 ms");
    assert!(soon(|| is_gone(&slow.path("log"))));
}

#[test]
fn an_answer_to_an_earlier_move_does_not_count() {
    let script = Script::new("test -e playdata.txt || echo 1A > output.txt; touch playdata.txt");
    let mut player = script.pente_player(patient);
    let (position, history) = after("5E");
    assert!(choose(player.as_mut(), &position, &history).is_ok());
    let (position, history) = after("5E 9A 1J");
    let error = choose(player.as_mut(), &position, &history).unwrap_err().to_string();
    assert!(error.contains("exited with status 0 and left no output.txt to read"), "{error}");
}
