//! Hundreds of broken files and lines from a seed: always an answer or a clear error.

use std::fs;
use std::thread;
use std::time::Duration;

use selfplay_arena::{Clock, Measure};
use selfplay_courses::dialogue::{PylosConfig, play_pylos};
use selfplay_courses::pentago::{PentagoServerConfig, play_pentago, referee};
use selfplay_courses::program::{input_text, read_input, read_output};
use selfplay_courses::{HomeworkConfig, play_homework};
use selfplay_env::rng::{RngExt, rng_for};
use selfplay_env::{Game, random_play::play_random};
use selfplay_pente::Pente;
use selfplay_pylos::Pylos;

use crate::broken::broken;
use crate::pentago::{Script, against, client_config, listener};
use crate::support::FirstLegal;

/// No time passes.
struct Stopped;

impl Clock for Stopped {
    fn read(&self, _measure: Measure) -> Duration {
        Duration::ZERO
    }
}

#[test]
fn broken_input_files_get_a_legal_move_or_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let config = HomeworkConfig { folder: folder.path().into(), ..HomeworkConfig::default() };
    let output = folder.path().join("output.txt");
    let (mut moves, mut reasons) = (0, 0);
    for case in 0..400 {
        let mut rng = rng_for(&[case]);
        let mut position = Pente::<19>::initial();
        play_random(&mut position, rng.random_range(0..60), &mut rng);
        let text =
            broken(input_text(&position, Duration::from_millis(rng.random_range(1..100_000))).as_bytes(), &mut rng);
        fs::write(folder.path().join("input.txt"), &text).unwrap();
        fs::write(&output, "before").unwrap();
        match play_homework(&config, &Stopped, || Ok(Box::new(selfplay_players::RandomPlayer::new()))) {
            Ok(_) => {
                let read = read_input::<19>(&String::from_utf8_lossy(&text)).unwrap();
                read_output(&read.position, &fs::read_to_string(&output).unwrap()).unwrap();
                moves += 1;
            }
            Err(error) => {
                assert!(error.to_string().contains("input.txt, line"), "{error}");
                assert_eq!(fs::read_to_string(&output).unwrap(), "before");
                reasons += 1;
            }
        }
    }
    assert!(moves > 10 && reasons > 200, "{moves} {reasons}");
}

#[test]
fn a_broken_server_is_left_with_a_reason() {
    let script = "START Player-0 my name\nPLAY Player-0\n0 0 TL TR 0\n5 5 TL BR 1\nPLAY Player-0\n1 1 BL BR 0\n\
                  GAMEOVER TIMEOUT WINNER 0\n";
    let (mut ends, mut reasons) = (0, 0);
    for case in 0..220 {
        let mut rng = rng_for(&[case, 2]);
        match against(vec![broken(script.as_bytes(), &mut rng)]) {
            Ok(report) => {
                assert!(report.actions.len() <= 4);
                ends += 1;
            }
            Err(error) => {
                let text = error.to_string();
                assert!(
                    text.starts_with("unexpected line `") || text.starts_with("connection to the server lost"),
                    "{text}"
                );
                reasons += 1;
            }
        }
    }
    assert!(ends > 10 && reasons > 50, "{ends} {reasons}");
    // A line without end, and more of them than anybody needs.
    let error = against(vec![vec![b'x'; 1 << 18]]).unwrap_err().to_string();
    assert!(error.contains("lost"), "{error}");
}

#[test]
fn broken_clients_never_stop_the_server() {
    for case in 0..60 {
        let mut rng = rng_for(&[case, 3]);
        let (listener, port) = listener();
        let config =
            PentagoServerConfig { first_move_ms: 30, move_ms: 30, grace_ms: 10, ..PentagoServerConfig::default() };
        let server = thread::spawn(move || referee(&listener, &config, case).unwrap());
        let mut script = Script::connect(port);
        script.send("START broken\n");
        let lines = "0 0 TL TR 0\n1 1 TL BR 1\n2 2 BL BR 0\nSTART again\nPLAY Player-0\n4 4 TL TR 0\n";
        let _ = script.send_bytes(&broken(lines.as_bytes(), &mut rng));
        let healthy = thread::spawn(move || play_pentago(&mut FirstLegal, &client_config(port, "healthy")).unwrap());
        let game = server.join().unwrap();
        assert_eq!(healthy.join().unwrap().result, game.result);
    }
}

#[test]
fn broken_answers_of_a_person_are_asked_again() {
    let answers = "human\na1\nb2\nc3\n-a1\nd4\na1^e1\nc2-b1\nb1\nb3\n";
    for case in 0..200 {
        let mut rng = rng_for(&[case, 4]);
        let input = broken(answers.as_bytes(), &mut rng);
        let mut output = Vec::new();
        play_pylos(&mut FirstLegal, &PylosConfig::default(), &mut &input[..], &mut output).unwrap();
        assert!(!output.is_empty());
    }
    assert!(Pylos::initial().outcome().is_none());
}
