//! How every kind of player chooses, asked through the built program.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

fn selfplay(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_selfplay")).args(args).output().expect("the program starts");
    let [text, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{args:?}: {error}{text}");
    text
}

/// Players that look ahead, with the options that change how they choose.
const PLAYERS: [&str; 9] = [
    "released:simulations=8",
    "released:simulations=40,verify=on",
    "released:simulations=40,tactics=off",
    "released:simulations=40,tactics=shallow,temperature=1",
    "released:simulations=40,leaves=8,symmetry=average,variety=on",
    "search:checkpoint=uniform,simulations=40,c_puct=0.5,policy_softmax_temperature=0.01",
    "uct:simulations=30",
    "alphabeta:depth=1",
    "alphabeta:nodes=100",
];

fn overlook_nothing(game: &str, positions: u32) {
    let (has_agent, positions) = (game != "tictactoe", positions.to_string());
    let players = PLAYERS.iter().filter(|player| has_agent || !player.starts_with("released"));
    let players = players.flat_map(|player| ["--player", player]);
    let call: Vec<&str> = ["check", game, "--positions", &positions].into_iter().chain(players).collect();
    let found = selfplay(&call);
    assert!(found.lines().filter(|line| line.contains(": 0 oversights in ")).count() >= 4, "{found}");
}

#[test]
fn players_overlook_no_win_on_small_boards() {
    for game in ["connect4", "tictactoe", "sum15-4", "sum15-6", "pylos"] {
        overlook_nothing(game, 150);
    }
}

#[test]
fn players_overlook_no_win_on_large_boards() {
    for game in ["pentago-swap", "pente-9", "pente-13", "pente"] {
        overlook_nothing(game, 40);
    }
}

/// What `program` answers to the GTP commands in `input`, without the equals signs.
fn gtp(program: &Path, args: &[&str], input: &str) -> Vec<String> {
    let mut command = Command::new(program);
    let mut child = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && !answers.contains('?'), "{args:?}: {answers}");
    let moves = answers.lines().filter_map(|line| line.strip_prefix("= ")).filter(|answer| !answer.is_empty());
    moves.map(str::to_owned).collect()
}

/// GTP commands that ask for a move after `moves`.
fn asking_after(moves: &[&str]) -> String {
    let play = |(ply, name): (usize, &&str)| format!("play {} {name}\n", ["b", "w"][ply % 2]);
    let played: String = moves.iter().enumerate().map(play).collect();
    format!("clear_board\n{played}genmove {}\n", ["b", "w"][moves.len() % 2])
}

#[test]
fn a_move_is_the_same_wherever_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let agent = path("agent");
    let released = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checkpoints/released/connect4");
    selfplay(&["export", "connect4", released.to_str().unwrap(), "--out", &agent, "--pure"]);
    let info = String::from_utf8(Command::new(&agent).arg("info").output().unwrap().stdout).unwrap();
    let precision = info.lines().find_map(|line| line.strip_prefix("computes in ")).unwrap();
    // Several leaves a batch, so that a match would differ if it gathered otherwise than an analysis.
    let spec = format!("released:simulations=200,leaves=4,precision={precision}");
    let games = path("games.jsonl");
    let mut call = vec!["match", "connect4", &spec, "alphabeta:depth=2", "--games", "4", "--opening-plies", "2"];
    call.extend(["--seed", "3", "--games-file", &games]);
    selfplay(&call);

    let mut compared = 0;
    for line in std::fs::read_to_string(&games).unwrap().lines().skip(1) {
        let game: serde_json::Value = serde_json::from_str(line).unwrap();
        let moves: Vec<&str> = game["moves"].as_str().unwrap().split(' ').collect();
        let (first, opening) = (usize::from(game["a_side"] == "second"), game["opening"].as_u64().unwrap() as usize);
        let plies: Vec<usize> = (opening..moves.len()).filter(|ply| ply % 2 == first).collect();
        let asked: String = plies.iter().map(|&ply| asking_after(&moves[..ply])).collect();
        let by_program = gtp(Path::new(env!("CARGO_BIN_EXE_selfplay")), &["gtp", "connect4", &spec], &asked);
        let exported_spec = format!("released:simulations=200,precision={precision}");
        let by_agent = gtp(Path::new(&agent), &["gtp", "--simulations", "200"], &asked);
        for (index, &ply) in plies.iter().enumerate() {
            let analysed = |spec: &str| {
                let call = ["analyse", "--json", "connect4", spec];
                let text = selfplay(&call.iter().chain(&moves[..ply]).copied().collect::<Vec<_>>());
                serde_json::from_str::<serde_json::Value>(&text).unwrap()["move"].as_str().unwrap().to_owned()
            };
            assert_eq!(analysed(&spec), moves[ply], "match and analyse after {:?}", &moves[..ply]);
            assert_eq!(by_program[index], moves[ply], "match and gtp after {:?}", &moves[..ply]);
            assert_eq!(by_agent[index], analysed(&exported_spec), "exported program after {:?}", &moves[..ply]);
            compared += 1;
        }
    }
    assert!(compared >= 30, "{compared}");
}

/// The JSON that the server at `address` answers to a request with this body.
fn post(address: &str, path: &str, body: &serde_json::Value) -> serde_json::Value {
    let body = body.to_string();
    let mut server = TcpStream::connect(address).unwrap();
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json");
    write!(server, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    server.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 2"), "{path}: {answer}");
    serde_json::from_str(body).unwrap()
}

/// A server that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("the server runs until it is ended");
    }
}

#[test]
fn the_page_plays_the_move_that_analyse_finds() {
    let folder = tempfile::tempdir().unwrap();
    let mut serve = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    let serve = serve.args(["serve", "--port", "0", "--threads", "1"]).current_dir(&folder).stdout(Stdio::piped());
    let mut server = Server(serve.spawn().unwrap());
    let mut told = BufReader::new(server.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let address = told.find_map(|line| Some(line.strip_prefix("http://")?.split_once(' ')?.0.to_owned())).unwrap();
    // The agents of the page verify their moves by alpha-beta.
    let spec = "released:simulations=100,verify=on";
    for (game, moves) in [
        ("connect4", "4 4 4 4 2 3"),
        ("connect4", "1 4 7 4 4 3 3 2 5"),
        ("pylos", "a1 b1 d4 c4 b2 c3"),
        ("sum15-4", ""),
    ] {
        let moves: Vec<&str> = moves.split_whitespace().collect();
        let seat = json!({"agent": format!("released-{game}"), "strength": {"simulations": 100}});
        let asked = json!({"game": game, "record": moves.join(" "), "seats": [seat, seat]});
        let table = post(&address, "/api/tables", &asked);
        let path = format!("/api/tables/{}/agent", table["id"].as_str().unwrap());
        let played = post(&address, &path, &json!({"ply": moves.len()}));
        let call = ["analyse", "--json", "--threads", "1", game, spec];
        let text = selfplay(&call.iter().chain(&moves).copied().collect::<Vec<_>>());
        let analysed: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(played["table"]["moves"][moves.len()], analysed["move"], "{game} after {moves:?}");
    }
}
