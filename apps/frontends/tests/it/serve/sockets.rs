//! The server on a real local socket: it listens, answers, disconnects slow clients and stops on request.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use selfplay_frontends::serve::{ServeConfig, ServeError, serve_until};
use tokio::sync::oneshot;

use crate::serve::client::catalogue;

/// Runs `body` against a server with this configuration and any free port, then has it end.
fn with_server(config: ServeConfig, body: impl FnOnce(SocketAddr)) {
    let (ready, address) = mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = thread::spawn(move || {
        let config = ServeConfig { port: 0, ..config };
        serve_until(catalogue(), config, |address| ready.send(address).unwrap(), async {
            let _ = stopped.await;
        })
    });
    body(address.recv_timeout(Duration::from_secs(30)).unwrap());
    stop.send(()).unwrap();
    server.join().unwrap().unwrap();
}

/// Sends `text` and returns all that comes back before the connection closes.
fn exchange(address: SocketAddr, text: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn it_answers_until_it_is_stopped() {
    with_server(ServeConfig::default(), |address| {
        assert!(address.ip().is_loopback());
        let answer = exchange(address, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        assert!(answer.contains("<title>selfplay</title>"), "{answer}");
        let answer = exchange(address, "NONSENSE\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    });
}

#[test]
fn a_head_that_does_not_come_is_not_waited_for() {
    with_server(ServeConfig { request_ms: 50, ..ServeConfig::default() }, |address| {
        assert_eq!(exchange(address, "GET / HTTP/1.1\r\nHost: local"), "");
    });
}

#[test]
fn connections_beyond_the_bound_are_told_so() {
    with_server(ServeConfig { max_connections: 1, ..ServeConfig::default() }, |address| {
        let mut first = TcpStream::connect(address).unwrap();
        first.write_all(b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut begun = [0; 15];
        first.read_exact(&mut begun).unwrap();
        assert_eq!(&begun, b"HTTP/1.1 200 OK");
        let answer = exchange(address, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("\r\nRetry-After: 1\r\n"), "{answer}");
        assert!(answer.ends_with("try again in a moment\"}"), "{answer}");
    });
}

#[test]
fn a_body_has_its_own_time_and_who_reads_nothing_loses_the_place() {
    let config = ServeConfig { request_ms: 300, max_connections: 1, ..ServeConfig::default() };
    with_server(config, |address| {
        let head = "POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{";
        let answer = exchange(address, head);
        assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("the body took longer"), "{answer}");
        // More answers than all buffers on the way hold; the server gives the place away.
        let mut deaf = TcpStream::connect(address).unwrap();
        deaf.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
        let ask = "GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
        while deaf.write_all(ask.as_bytes()).is_ok() {}
        let answer = exchange(address, "GET /icon.svg HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    });
}

#[test]
fn a_body_in_many_pieces_is_read() {
    with_server(ServeConfig::default(), |address| {
        let body = r#"{"game":"tictactoe","seats":[null,null]}"#;
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        let head =
            "POST /api/tables HTTP/1.1\r\nHost: LOCALHOST\r\nContent-Type: application/json\r\nConnection: close\r\n";
        stream.write_all(format!("{head}Content-Length: {}\r\n\r\n", body.len()).as_bytes()).unwrap();
        for byte in body.bytes() {
            stream.write_all(&[byte]).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    });
}

#[test]
fn an_address_that_is_taken_is_named() {
    with_server(ServeConfig::default(), |address| {
        let config = ServeConfig { port: address.port(), ..ServeConfig::default() };
        let error = serve_until(catalogue(), config, |_| (), async {}).unwrap_err();
        assert!(matches!(error, ServeError::Listen { .. }), "{error}");
        assert!(error.to_string().contains(&address.to_string()), "{error}");
    });
}
