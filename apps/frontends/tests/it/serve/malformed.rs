//! Malformed requests: the server always rejects them with a reason and never fails.

use axum::body::Body;
use axum::http::Request;
use selfplay_env::rng::{GameRng, RngExt, rng_for};
use serde_json::json;

use crate::serve::client::{get, new_table, send, server};

const REQUESTS: usize = 1000;
const METHODS: [&str; 8] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "BREW"];
const PARTS: [&str; 23] = [
    "api",
    "games",
    "tables",
    "agent",
    "agents",
    "moves",
    "undo",
    "resign",
    "analysis",
    "..",
    ".",
    "%2e%2e",
    "%00",
    "%ff",
    "tictactoe",
    "etc",
    "passwd",
    "Cargo.toml",
    "",
    "style.css",
    "run",
    "plots",
    "elo.svg",
];
const BODIES: [&str; 24] = [
    "",
    "null",
    "[]",
    "{}",
    "{",
    "\"",
    "{\"game\":\"tictactoe\"",
    "{\"game\":3}",
    "{\"game\":\"chess\"}",
    "{\"game\":\"tictactoe\",\"seats\":[null]}",
    "{\"game\":\"tictactoe\",\"seats\":[null,null,null]}",
    "{\"game\":\"tictactoe\",\"seats\":[{\"agent\":\"uct\",\"strength\":{\"seconds\":1e308}},null]}",
    "{\"game\":\"tictactoe\",\"seats\":[{\"agent\":\"uct\",\"strength\":{\"simulations\":-1}},null]}",
    "{\"game\":\"tictactoe\",\"record\":\"b2 = = 1\"}",
    "{\"game\":\"pylos\",\"record\":\"\\u0000 \\ud83d\\ude00\"}",
    "{\"game\":\"tictactoe\",\"unknown\":1}",
    "{\"ply\":-1}",
    "{\"ply\":18446744073709551615}",
    "{\"ply\":0,\"agent\":\"../../etc/passwd\"}",
    "{\"move\":\"\",\"ply\":0}",
    "{\"move\":\"é\",\"ply\":0}",
    "{\"move\":\"b2\"}",
    "{\"side\":2}",
    "{\"side\":\"first\"}",
];

fn pick<'a>(rng: &mut GameRng, from: &[&'a str]) -> &'a str {
    from[rng.random_range(0..from.len())]
}

/// A path of odd parts, or of a real table with an odd end.
fn path(rng: &mut GameRng, table: &str) -> String {
    let mut path = if rng.random_range(0..2) == 0 { table.to_owned() } else { String::new() };
    for _ in 0..rng.random_range(0..4) {
        path.push('/');
        path.push_str(pick(rng, &PARTS));
    }
    if path.is_empty() {
        path.push('/');
    }
    path.push_str(pick(rng, &["", "", "?ply=x", "?ply=-1", "?ply=99999999999999999999", "?a=b&c", "?%"]));
    path
}

/// A body of the list, perhaps with a byte changed or cut off.
fn body(rng: &mut GameRng) -> Vec<u8> {
    let mut body = pick(rng, &BODIES).as_bytes().to_vec();
    match rng.random_range(0..4) {
        0 if !body.is_empty() => {
            let at = rng.random_range(0..body.len());
            body[at] = rng.random();
        }
        1 => body.truncate(body.len() / 2),
        _ => {}
    }
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_makes_the_server_fail() {
    let server = server();
    let table = new_table(&server, json!({"game": "tictactoe", "seats": [{"agent": "random"}, null]})).await;
    let mut rng = rng_for(&[6]);
    let mut refused = 0;
    for number in 0..REQUESTS {
        let (method, path, body) = (pick(&mut rng, &METHODS), path(&mut rng, &table), body(&mut rng));
        let kind = pick(&mut rng, &["application/json", "application/json", "text/plain", "", "a/b; c"]);
        let host = pick(&mut rng, &["localhost", "127.0.0.1:80", "localhost", "[::1]:1", "evil.example", ""]);
        let text = String::from_utf8_lossy(&body).into_owned();
        let request = Request::builder().method(method).uri(&path).header("host", host).header("content-type", kind);
        let Ok(request) = request.body(Body::from(body)) else { continue };
        let (status, answer) = send(&server, request).await;
        let told = format!("request {number}: {method} {path} {text}: {status} {answer}");
        assert!(status.is_success() || status.is_client_error(), "{told}");
        if status.is_client_error() && method != "HEAD" {
            refused += 1;
            assert!(answer["error"].is_string() && answer["expected"].is_string(), "{told}");
        }
    }
    assert!(refused >= 200, "only {refused} refusals");
    assert!(get(&server, "/api/games").await.0.is_success(), "and it still answers");
}
