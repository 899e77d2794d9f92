//! The Pentago-Swap server and client, against each other and against scripts.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use selfplay_courses::pentago::{
    GameOver, PentagoClientConfig, PentagoClientError, PentagoReport, PentagoServerConfig, play_pentago, referee,
    serve_pentago,
};
use selfplay_env::game_text::replay_line;
use selfplay_pentago_swap::PentagoSwap;
use selfplay_players::{Decision, EvalError, MoveRequest, Player, RandomPlayer, TimeSpan};

use crate::support::FirstLegal;

pub fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

pub fn client_config(port: u16, name: &str) -> PentagoClientConfig {
    let name = name.into();
    PentagoClientConfig { host: "127.0.0.1".into(), port, name, silence_ms: 20_000, ..PentagoClientConfig::default() }
}

/// Limits that no healthy test meets.
fn patient() -> PentagoServerConfig {
    PentagoServerConfig { first_move_ms: 20_000, move_ms: 20_000, ..PentagoServerConfig::default() }
}

/// A client of which the test writes every line.
pub struct Script {
    stream: TcpStream,
    input: BufReader<TcpStream>,
}

impl Script {
    pub fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let input = BufReader::new(stream.try_clone().unwrap());
        Script { stream, input }
    }

    pub fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    /// Sends what the server may not want to read to its end.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// The next line with its end; empty at the end of the connection.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.input.read_line(&mut line).unwrap();
        line
    }
}

#[test]
fn server_and_clients_agree_about_every_game() {
    const GAMES: u64 = 6;
    let (listener, port) = listener();
    let clients: Vec<_> = ["one", "two words"]
        .into_iter()
        .enumerate()
        .map(|(index, name)| {
            thread::spawn(move || {
                let mut player = RandomPlayer::new();
                let play = |seed| {
                    let config = PentagoClientConfig { seed: seed + 100 * index as u64, ..client_config(port, name) };
                    play_pentago(&mut player, &config).unwrap()
                };
                (0..GAMES).map(play).collect::<Vec<PentagoReport>>()
            })
        })
        .collect();
    let mut log = Vec::new();
    let sheet = serve_pentago(&listener, &patient(), GAMES, &mut log).unwrap();
    let reports: Vec<Vec<PentagoReport>> = clients.into_iter().map(|client| client.join().unwrap()).collect();
    for (number, game) in sheet.games.iter().enumerate() {
        for report in reports.iter().map(|reports| &reports[number]) {
            assert_eq!((&report.actions, report.result), (&game.actions, game.result));
            assert_eq!(report.reason, "");
        }
        assert_ne!(reports[0][number].side, reports[1][number].side);
        replay_line::<PentagoSwap>(&game.text()).unwrap();
    }
    let log = String::from_utf8(log).unwrap();
    assert_eq!(log.lines().filter(|line| line.starts_with("# ")).count(), GAMES as usize);
    assert_eq!(sheet.text().lines().count(), GAMES as usize + 2, "{}", sheet.text());
}

#[test]
fn the_server_speaks_to_the_letter() {
    let (listener, port) = listener();
    let server = thread::spawn(move || referee(&listener, &patient(), 0).unwrap());
    let mut white = Script::connect(port);
    white.send("hello\nSTART  White Student \n");
    let mut black = Script::connect(port);
    black.send("START black\r\n");
    assert_eq!(white.line(), "START Player-0 White Student\n");
    assert_eq!(black.line(), "START Player-1 black\n");
    assert_eq!(white.line(), "PLAY Player-0\n");
    // Out of turn, and what is no move: passed over.
    black.send("0 0 TL TR 1\n");
    white.send("what?\n3 2 tl BR 0\n\n3 2 TL BR\n");
    white.send("3 2 BR TL 0\n");
    for player in [&mut white, &mut black] {
        assert_eq!(player.line(), "3 2 BR TL 0\n");
    }
    assert_eq!(black.line(), "PLAY Player-1\n");
    black.send("5 5 TL TR 1\n");
    for player in [&mut white, &mut black] {
        assert_eq!(player.line(), "5 5 TL TR 1\n");
    }
    assert_eq!(white.line(), "PLAY Player-0\n");
    // c4 is in the bottom left quadrant, which stayed.
    white.send("3 2 TL TR 0\n");
    for player in [&mut white, &mut black] {
        assert_eq!(player.line(), "GAMEOVER ILLEGAL MOVE: Player 0, Move: (3, 2), Swap: (TL, TR) WINNER 1\n");
        assert_eq!(player.line(), "");
    }
    let game = server.join().unwrap();
    assert_eq!(game.names, ["White Student", "black"]);
    assert_eq!(game.text(), "c4:AD f6:AB = *");
}

/// What the server says at last if the first player answers `PLAY` with `answer`.
fn end_after(answer: &'static str) -> String {
    let (listener, port) = listener();
    let server = thread::spawn(move || referee(&listener, &patient(), 0).unwrap());
    let (mut white, mut black) = (Script::connect(port), Script::connect(port));
    white.send("START a\n");
    black.send("START b\n");
    assert_eq!((white.line().as_str(), white.line().as_str()), ("START Player-0 a\n", "PLAY Player-0\n"));
    white.send(answer);
    if answer.is_empty() {
        drop(white);
    }
    assert_eq!(black.line(), "START Player-1 b\n");
    let last = black.line();
    server.join().unwrap();
    last
}

#[test]
fn every_illegal_move_and_a_lost_connection_lose() {
    assert_eq!(end_after("0 0 TL TL 0\n"), "GAMEOVER ILLEGAL MOVE: Player 0, Move: (0, 0), Swap: (TL, TL) WINNER 1\n");
    assert_eq!(
        end_after("6 -1 TL BR 0\n"),
        "GAMEOVER ILLEGAL MOVE: Player 0, Move: (6, -1), Swap: (TL, BR) WINNER 1\n"
    );
    assert_eq!(end_after("0 0 TL BR 1\n"), "GAMEOVER ILLEGAL MOVE: Player 1, Move: (0, 0), Swap: (TL, BR) WINNER 1\n");
    assert_eq!(end_after(""), "GAMEOVER DISCONNECTION Player-0 WINNER 1\n");
}

#[test]
fn a_late_move_is_replaced_and_silence_loses() {
    let (listener, port) = listener();
    let config = PentagoServerConfig { first_move_ms: 20_000, move_ms: 20, grace_ms: 10_000, ..patient() };
    let server = thread::spawn(move || referee(&listener, &config, 0).unwrap());
    let (mut white, mut black) = (Script::connect(port), Script::connect(port));
    white.send("START a\n");
    black.send("START b\n");
    let mut skip = |lines: usize| (0..lines).map(|_| white.line()).last().unwrap();
    assert_eq!(skip(2), "PLAY Player-0\n");
    white.send("0 0 TL TR 0\n");
    black.send("");
    assert_eq!([black.line(), black.line(), black.line()].last().unwrap(), "PLAY Player-1\n");
    black.send("5 5 TL TR 1\n");
    let mut skip = |lines: usize| (0..lines).map(|_| white.line()).last().unwrap();
    assert_eq!(skip(3), "PLAY Player-0\n");
    // Later than 20 ms: whatever is said then, a random move is made, and the game goes on.
    thread::sleep(Duration::from_millis(30));
    white.send("this is too late\n");
    let made = white.line();
    assert!(made.ends_with(" 0\n") && made.split(' ').count() == 5, "{made}");
    assert_eq!([black.line(), black.line()].last(), Some(&made));
    drop(black);
    assert_eq!(white.line(), "GAMEOVER DISCONNECTION Player-1 WINNER 0\n");
    let game = server.join().unwrap();
    assert_eq!(game.actions.len(), 3);
    assert!(game.slowest_reply[0] >= Duration::from_millis(20));

    let (listener, port) = self::listener();
    let config = PentagoServerConfig { first_move_ms: 5, grace_ms: 5, ..patient() };
    let server = thread::spawn(move || referee(&listener, &config, 0).unwrap());
    let (mut white, mut black) = (Script::connect(port), Script::connect(port));
    white.send("START a\n");
    black.send("START b\n");
    assert_eq!([white.line(), white.line(), white.line()].last().unwrap(), "GAMEOVER TIMEOUT WINNER 1\n");
    assert_eq!(server.join().unwrap().result, GameOver::Winner(selfplay_env::Side::Second));
}

#[test]
fn many_silent_clients_keep_nobody_waiting() {
    let (listener, port) = listener();
    // One after the other they would take hours.
    let config = PentagoServerConfig { start_ms: 86_400_000, ..patient() };
    let silent: Vec<_> = (0..40).map(|_| Script::connect(port)).collect();
    let server = thread::spawn(move || referee(&listener, &config, 0).unwrap());
    let clients: Vec<_> = (0..2)
        .map(|_| thread::spawn(move || play_pentago(&mut FirstLegal, &client_config(port, "x")).unwrap()))
        .collect();
    assert_eq!(server.join().unwrap().names, ["x", "x"]);
    clients.into_iter().for_each(|client| drop(client.join().unwrap()));
    drop(silent);
}

#[test]
fn a_client_that_never_starts_keeps_nobody_waiting() {
    let (listener, port) = listener();
    let config = PentagoServerConfig { start_ms: 20, ..patient() };
    let server = thread::spawn(move || referee(&listener, &config, 0).unwrap());
    let silent = Script::connect(port);
    drop(Script::connect(port));
    let mut flooding = Script::connect(port);
    let _ = flooding.send_bytes(&b"x\n".repeat(100));
    let clients: Vec<_> = (0..2)
        .map(|_| thread::spawn(move || play_pentago(&mut FirstLegal, &client_config(port, "x")).unwrap()))
        .collect();
    let game = server.join().unwrap();
    assert_eq!(game.names, ["x", "x"]);
    clients.into_iter().for_each(|client| assert_eq!(client.join().unwrap().result, game.result));
    drop(silent);
}

/// Runs the client against a server that says `script`, one part for each answer.
pub fn against(script: Vec<Vec<u8>>) -> Result<PentagoReport, PentagoClientError> {
    let (listener, port) = listener();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut input = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        input.read_line(&mut line).unwrap();
        assert_eq!(line, "START my name\n");
        for part in script {
            // The client may have left.
            let _ = stream.write_all(&part);
        }
        let _ = stream.shutdown(std::net::Shutdown::Write);
        // What it answers is read until it leaves.
        let mut rest = Vec::new();
        let _ = std::io::Read::read_to_end(&mut input, &mut rest);
    });
    let result = play_pentago(&mut FirstLegal, &client_config(port, "my name"));
    server.join().unwrap();
    result
}

fn said(text: &str) -> Result<PentagoReport, PentagoClientError> {
    against(vec![text.as_bytes().to_vec()])
}

#[test]
fn the_client_says_what_went_wrong() {
    let error = |text: &str| said(text).unwrap_err().to_string();
    let start = "START Player-0 my name\n";
    assert_eq!(error(""), "connection to the server lost after 0 moves: the server closed it");
    assert_eq!(
        error(&format!("{start}PLAY Player-0\n0 0 TL TR 0\n")),
        "connection to the server lost after 1 moves: the server closed it"
    );
    assert_eq!(
        error("GAMEOVER DRAW\n"),
        "unexpected line `GAMEOVER DRAW` from the server after 0 moves: no game has started"
    );
    assert_eq!(
        error(&format!("{start}PLAY Player-1\n")),
        "unexpected line `PLAY Player-1` from the server after 0 moves: we are Player-0"
    );
    let moves = format!("{start}0 0 TL TR 0\n0 3 TL TR 1\n");
    assert_eq!(
        error(&moves),
        "unexpected line `0 3 TL TR 1` from the server after 1 moves: a1:AB is not legal here: the cell is taken"
            .replace("a1", "d1")
    );
    assert!(error(&format!("{start}0 0 TL TL 0\n")).ends_with("there is no such move"));
    assert!(error(&format!("{start}0 0 TL TR 1\n")).ends_with("it is the other player's turn"));
    assert!(error(&format!("{start}0 0 TL TR 0\nPLAY Player-0\n")).ends_with("it is the other player's turn"));
    assert!(error(&"hello\n".repeat(200)).ends_with("more than 100 unknown lines"));
    let (_, port) = listener();
    let refused = play_pentago(&mut FirstLegal, &client_config(port, "x")).unwrap_err();
    assert!(refused.to_string().starts_with(&format!("cannot connect to 127.0.0.1:{port}: ")), "{refused}");
}

#[test]
fn the_client_hears_every_end() {
    let start = "welcome\nSTART Player-1 my name\n";
    for (line, reason, result) in [
        ("GAMEOVER WINNER 0", "", GameOver::Winner(selfplay_env::Side::First)),
        ("GAMEOVER TIMEOUT WINNER 1", "TIMEOUT", GameOver::Winner(selfplay_env::Side::Second)),
        ("GAMEOVER DRAW", "", GameOver::Draw),
        ("GAMEOVER USER CANCEL UNDECIDED", "USER CANCEL", GameOver::Undecided),
    ] {
        let report = said(&format!("{start}0 0 TL TR 0\r\n{line}\n")).unwrap();
        assert_eq!((report.reason.as_str(), report.result, report.actions.len()), (reason, result, 1));
    }
}

/// Notes the times it is given.
#[derive(Default)]
struct Timed(Vec<(u64, TimeSpan)>);

impl Player for Timed {
    fn name(&self) -> String {
        "timed".into()
    }

    fn new_game(&mut self, _table: usize, _seed: u64) {}

    fn choose(&mut self, seat: &MoveRequest) -> Result<Decision, EvalError> {
        let time = seat.time_left.unwrap();
        self.0.push((time.ms, time.span));
        FirstLegal.choose(seat)
    }
}

#[test]
fn the_first_move_has_more_time_and_a_margin_is_kept() {
    let (listener, port) = listener();
    let server = thread::spawn(move || referee(&listener, &patient(), 0).unwrap());
    let opponent = thread::spawn(move || play_pentago(&mut FirstLegal, &client_config(port, "x")).unwrap());
    let mut player = Timed::default();
    play_pentago(&mut player, &client_config(port, "y")).unwrap();
    opponent.join().unwrap();
    server.join().unwrap();
    assert_eq!(player.0[..2], [(29_550, TimeSpan::Turn), (1_550, TimeSpan::Turn)]);
}
