//! Hundreds of broken files and lines from a seed: always an answer or a clear error.

use std::fs;
use std::thread;
use std::time::Duration;

use selfplay_env::rng::{GameRng, RngExt, rng_for};
use selfplay_env::{AuxiliaryTargets, Game, random_play::play_random};
use selfplay_eval::program::{input_text, read_input, read_output};
use selfplay_eval::{Clock, Measure};
use selfplay_pente::Pente;
use selfplay_play::dialogue::{PylosConfig, play_pylos};
use selfplay_play::pentago::{PentagoServerConfig, play_pentago, referee};
use selfplay_play::{HomeworkConfig, play_homework, serve_gtp};
use selfplay_pylos::Pylos;

use crate::pentago::{Script, against, client_config, listener};
use crate::support::FirstLegal;

/// `text` with one to four of its bytes, words or lines changed, doubled, dropped or cut off, or what does not matter.
fn broken(text: &[u8], rng: &mut GameRng) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..rng.random_range(1..5) {
        let at = |rng: &mut GameRng, length: usize| rng.random_range(0..length.max(1)).min(length);
        let start = at(rng, bytes.len());
        let end = (start + rng.random_range(0..20usize)).min(bytes.len());
        match rng.random_range(0..12) {
            0 => bytes.truncate(start),
            1 => drop(bytes.drain(start..end)),
            2 => bytes.insert(start, rng.random()),
            3 if start < bytes.len() => bytes[start] = rng.random(),
            4 => bytes.splice(start..start, b"99999999999999999999".iter().copied()).for_each(drop),
            5 => bytes.splice(start..start, "−é\u{0}\u{feff}".bytes()).for_each(drop),
            6 => {
                let part = bytes[start..end].to_vec();
                bytes.splice(start..start, part).for_each(drop);
            }
            7 => bytes.splice(start..end, b"\n".iter().copied()).for_each(drop),
            8 => bytes.make_ascii_lowercase(),
            9 => bytes.extend(b"\nand more"),
            10 => {
                let end = bytes[start..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| start + end);
                bytes.splice(end..end, b" \r".iter().copied()).for_each(drop);
            }
            _ => bytes.splice(start..end, b" -1 NaN ".iter().copied()).for_each(drop),
        }
    }
    bytes
}

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
        match play_homework(&config, &Stopped, || Ok(Box::new(selfplay_eval::RandomPlayer::new()))) {
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

fn gtp_survives<G: AuxiliaryTargets>(cases: u64) {
    let commands = "protocol_version\n7 name\nknown_command play\nlist_commands\nboardsize 19\nclear_board\nplay b a1\n\
                    play white 10K\ngenmove b\ngenmove w\nundo\nshowboard\ntime_settings 10 5 2\ntime_left b 3 1\n\
                    final_score\ngogui-rules_legal_moves\ngogui-rules_board\nplay w c2-b1-e3\n";
    for case in 0..cases {
        let mut rng = rng_for(&[case, 1]);
        let mut input = broken(commands.as_bytes(), &mut rng);
        // Whatever came before, the session still answers; `quit` may have been written by chance.
        input.extend(b"\n777 protocol_version\n");
        let mut output = Vec::new();
        serve_gtp::<G>(&mut FirstLegal, 0, &mut &input[..], &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        assert!(output.ends_with("=777 2\n\n"), "{output}");
        for answer in output.split_terminator("\n\n") {
            assert!(answer.starts_with(['=', '?']), "{answer:?} in {output}");
        }
    }
}

#[test]
fn broken_gtp_is_answered() {
    gtp_survives::<Pente<19>>(250);
    gtp_survives::<Pylos>(250);
    // A line without end is skipped, and held nowhere.
    let mut input = vec![b'x'; 1 << 20];
    input.extend(b"\nname\n");
    let mut output = Vec::new();
    serve_gtp::<Pylos>(&mut FirstLegal, 0, &mut &input[..], &mut output).unwrap();
    assert_eq!(String::from_utf8(output).unwrap(), "? a line has at most 4096 bytes\n\n= first legal\n\n");
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
                assert!(report.decisions.len() <= 4);
                ends += 1;
            }
            Err(error) => {
                let text = error.to_string();
                assert!(
                    text.starts_with("the server said `") || text.starts_with("the connection to the server is lost"),
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
