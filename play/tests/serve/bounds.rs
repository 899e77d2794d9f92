//! Tables, thinking and bodies are bounded, and each refusal says so.

use std::time::Duration;

use selfplay_play::serve::{Catalogue, CatalogueAgent, ServeConfig, ServeError, router};
use serde_json::json;

use crate::client::{NoCheckpoints, assert_refused, catalogue, get, new_table, post, request, send, server};

#[tokio::test]
async fn the_table_unused_for_longest_gives_way() {
    let server = router(catalogue(), ServeConfig { max_tables: 2, ..ServeConfig::default() }).unwrap();
    let first = new_table(&server, json!({"game": "tictactoe"})).await;
    let second = new_table(&server, json!({"game": "tictactoe"})).await;
    assert!(get(&server, &first).await.0.is_success());
    let third = new_table(&server, json!({"game": "tictactoe"})).await;
    assert_refused(&get(&server, &second).await, 404, "no such table");
    assert!(get(&server, &first).await.0.is_success());
    assert!(get(&server, &third).await.0.is_success());
}

#[tokio::test]
async fn strengths_are_bounded() {
    let server = server();
    let ask = async |agent: &str, strength: serde_json::Value| {
        let seats = json!([{"agent": agent, "strength": strength}, null]);
        post(&server, "/api/tables", json!({"game": "tictactoe", "seats": seats})).await
    };
    assert_refused(&ask("uct", json!({"simulations": 20_001})).await, 400, "out of range");
    assert_refused(&ask("uct", json!({"simulations": 0})).await, 400, "out of range");
    assert_refused(&ask("uct", json!({"seconds": 30.1})).await, 400, "out of range");
    assert_refused(&ask("alphabeta", json!({"seconds": -1})).await, 400, "out of range");
    assert_refused(&ask("alphabeta", json!({"simulations": 5})).await, 400, "does not understand");
    assert_refused(&ask("random", json!({"seconds": 1})).await, 400, "does not understand");
    assert_refused(&ask("nobody", json!(null)).await, 404, "no agent `nobody`");
    assert!(ask("uct", json!({"seconds": 30})).await.0.is_success());
}

/// A server where one player thinks at a time and nobody waits for long.
fn narrow(max_waiting: usize) -> axum::Router {
    let config = ServeConfig { max_thinkers: 1, max_waiting, waiting_ms: 1, ..ServeConfig::default() };
    router(catalogue(), config).unwrap()
}

/// Starts a thought of a second at a table of `server` and returns once it has begun.
async fn start_thinking(server: &axum::Router) -> (String, tokio::task::JoinHandle<u16>) {
    let table = new_table(server, json!({"game": "pylos"})).await;
    let path = format!("{table}/analysis");
    let asked = server.clone();
    let thought = tokio::spawn(async move {
        post(&asked, &path, json!({"ply": 0, "agent": "uct", "strength": {"seconds": 1}})).await.0.as_u16()
    });
    while get(server, &table).await.1["thinking"] != true {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (table, thought)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_think_is_told_so() {
    for (max_waiting, status, reason) in [(0, 429, "wait for a player"), (1, 503, "other players have thought")] {
        let server = narrow(max_waiting);
        let (table, thought) = start_thinking(&server).await;
        let ask = json!({"ply": 0, "agent": "uct", "strength": {"simulations": 1}});
        assert_refused(&post(&server, &format!("{table}/analysis"), ask.clone()).await, 409, "thinks at this table");
        let other = new_table(&server, json!({"game": "tictactoe"})).await;
        assert_refused(&post(&server, &format!("{other}/analysis"), ask).await, status, reason);
        // The table itself answers meanwhile.
        let decided = post(&server, &format!("{table}/decisions"), json!({"decision": "a1", "ply": 0})).await;
        assert!(decided.0.is_success());
        assert_eq!(thought.await.unwrap(), 200);
        let (_, state) = get(&server, &table).await;
        assert_eq!(state["values"], json!([null, null]), "a value for a game that went on is not kept");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thought_ends_though_nobody_waits_for_it() {
    let server = narrow(1);
    let (table, thought) = start_thinking(&server).await;
    thought.abort();
    while get(&server, &table).await.1["thinking"] == true {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let ask = json!({"ply": 0, "agent": "uct", "strength": {"simulations": 1}});
    assert!(post(&server, &format!("{table}/analysis"), ask).await.0.is_success());
}

#[tokio::test]
async fn players_are_forgotten_and_made_anew() {
    let server = router(catalogue(), ServeConfig { max_players: 1, ..ServeConfig::default() }).unwrap();
    let ask = json!({"ply": 0, "agent": "search", "strength": {"simulations": 20}});
    let tables = [
        new_table(&server, json!({"game": "tictactoe"})).await,
        new_table(&server, json!({"game": "tictactoe"})).await,
    ];
    for table in [0, 1, 0, 1] {
        let (status, analysis) = post(&server, &format!("{}/analysis", tables[table]), ask.clone()).await;
        assert!(status.is_success(), "{analysis}");
        assert_eq!(analysis["simulations"], 20);
    }
}

#[tokio::test]
async fn bodies_and_their_types_are_bounded() {
    let server = server();
    let large = json!({"game": "tictactoe", "record": " ".repeat(70_000)});
    assert_refused(&post(&server, "/api/tables", large).await, 413, "length limit exceeded");
    let mut untyped = request("POST", "/api/tables", Some(&json!({"game": "tictactoe"})));
    untyped.headers_mut().remove("content-type");
    assert_refused(&send(&server, untyped).await, 415, "Content-Type");
}

#[test]
fn configurations_and_catalogues_are_checked() {
    let config = ServeConfig { max_thinkers: 0, ..ServeConfig::default() };
    assert!(matches!(router(catalogue(), config), Err(ServeError::OutOfRange { key: "max_thinkers", .. })));
    let refused = |game: &str, name: &str, spec: &str| {
        let (game, name) = (game.to_owned(), name.to_owned());
        let agent = CatalogueAgent { game, title: name.clone(), name, spec: spec.parse().unwrap() };
        Catalogue::new(NoCheckpoints, vec![agent]).unwrap_err().to_string()
    };
    assert!(refused("chess", "a", "random").contains("there is no such game; the games are pentago-swap"));
    assert!(refused("pylos", "uct", "random").contains("another agent"));
    assert!(refused("pylos", "a", "program:rm").contains("programs are not offered"));
}
