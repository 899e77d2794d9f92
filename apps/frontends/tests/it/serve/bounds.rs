//! Tables, thinking and bodies are bounded, and each refusal says so.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use selfplay_frontends::serve::{Catalogue, CatalogueAgent, ServeConfig, ServeError, router};
use selfplay_players::PlayerKinds;
use selfplay_shipped::shipped_games;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::serve::client::{
    Checkpoints, assert_refused, catalogue, catalogue_of, get, new_table, post, request, send, server,
};

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
    let ask = async |agent: &str, strength: Value| {
        let seats = json!([{"agent": agent, "strength": strength}, null]);
        post(&server, "/api/tables", json!({"game": "tictactoe", "seats": seats})).await
    };
    assert_refused(&ask("uct", json!({"simulations": 20_001})).await, 400, "out of range");
    assert_refused(&ask("uct", json!({"simulations": 0})).await, 400, "out of range");
    assert_refused(&ask("uct", json!({"seconds": 30.1})).await, 400, "out of range");
    assert_refused(&ask("alphabeta", json!({"seconds": -1})).await, 400, "out of range");
    assert_refused(&ask("alphabeta", json!({"simulations": 5})).await, 400, "has no strength");
    assert_refused(&ask("random", json!({"seconds": 1})).await, 400, "has no strength");
    assert_refused(&ask("nobody", json!(null)).await, 404, "no agent `nobody`");
    assert!(ask("uct", json!({"seconds": 30})).await.0.is_success());
}

/// A server with one search at a time and a short waiting time.
fn narrow(checkpoints: Checkpoints, max_waiting: usize) -> Router {
    let config = ServeConfig { max_thinkers: 1, max_waiting, waiting_ms: 1, ..ServeConfig::default() };
    router(catalogue_of(checkpoints), config).unwrap()
}

/// Asks for one simulation of the position before the first move.
async fn ask(server: &Router, table: &str, agent: &str) -> (StatusCode, Value) {
    let ask = json!({"ply": 0, "agent": agent, "strength": {"simulations": 1}});
    post(server, &format!("{table}/analysis"), ask).await
}

async fn wait_for_thought(checkpoints: &Checkpoints) {
    while !checkpoints.is_waited_for() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Starts a thought at a table of `server` that lasts until the gate is opened, and returns once it has begun.
async fn start_thinking(server: &Router, checkpoints: &Checkpoints) -> (String, JoinHandle<StatusCode>) {
    let table = new_table(server, json!({"game": "pylos"})).await;
    let (asked, at) = (server.clone(), table.clone());
    let thought = tokio::spawn(async move { ask(&asked, &at, "gated").await.0 });
    wait_for_thought(checkpoints).await;
    assert_eq!(get(server, &table).await.1["thinking"], true);
    (table, thought)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_think_is_told_so() {
    for (max_waiting, status, reason) in [(0, 429, "waiting for a player"), (1, 503, "for other players")] {
        let checkpoints = Checkpoints::default();
        let server = narrow(checkpoints.clone(), max_waiting);
        let (table, thought) = start_thinking(&server, &checkpoints).await;
        assert_refused(&ask(&server, &table, "uct").await, 409, "thinking at this table");
        let other = new_table(&server, json!({"game": "tictactoe"})).await;
        assert_refused(&ask(&server, &other, "uct").await, status, reason);
        // The table itself answers meanwhile.
        let decided = post(&server, &format!("{table}/moves"), json!({"move": "a1", "ply": 0})).await;
        assert!(decided.0.is_success());
        checkpoints.open_gate();
        assert_eq!(thought.await.unwrap(), 200);
        let (_, state) = get(&server, &table).await;
        assert!(state["values"][0].is_object(), "the value of a position that the game came through is kept");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_does_not_decide_in_a_game_that_was_changed() {
    let checkpoints = Checkpoints::default();
    let server = narrow(checkpoints.clone(), 1);
    let table = new_table(&server, json!({"game": "pylos", "seats": [{"agent": "gated"}, null]})).await;
    let (asked, path) = (server.clone(), format!("{table}/agent"));
    let thought = tokio::spawn(async move { post(&asked, &path, json!({"ply": 0})).await });
    wait_for_thought(&checkpoints).await;
    post(&server, &format!("{table}/resign"), json!({"side": 0})).await;
    checkpoints.open_gate();
    assert_refused(&thought.await.unwrap(), 409, "the game changed while the agent was thinking");
    assert_eq!(get(&server, &table).await.1["record"], "= 2");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_value_of_a_position_that_is_gone_is_not_kept() {
    let checkpoints = Checkpoints::default();
    let server = narrow(checkpoints.clone(), 1);
    let table = new_table(&server, json!({"game": "pylos", "record": "a1"})).await;
    let (asked, path) = (server.clone(), format!("{table}/analysis"));
    let ask = json!({"ply": 1, "agent": "gated", "strength": {"simulations": 1}});
    let thought = tokio::spawn(async move { post(&asked, &path, ask).await.0 });
    wait_for_thought(&checkpoints).await;
    post(&server, &format!("{table}/undo"), json!({"ply": 0})).await;
    post(&server, &format!("{table}/moves"), json!({"move": "b2", "ply": 0})).await;
    checkpoints.open_gate();
    assert_eq!(thought.await.unwrap(), 200);
    assert_eq!(get(&server, &table).await.1["values"], json!([null, null]));
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_where_a_player_thinks_do_not_give_way() {
    let checkpoints = Checkpoints::default();
    let config = ServeConfig { max_tables: 1, ..ServeConfig::default() };
    let server = router(catalogue_of(checkpoints.clone()), config).unwrap();
    let (table, thought) = start_thinking(&server, &checkpoints).await;
    let refused = post(&server, "/api/tables", json!({"game": "tictactoe"})).await;
    assert_refused(&refused, 503, "all tables are in use");
    checkpoints.open_gate();
    assert_eq!(thought.await.unwrap(), 200);
    assert!(get(&server, &table).await.0.is_success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thought_ends_though_nobody_waits_for_it() {
    let checkpoints = Checkpoints::default();
    let server = narrow(checkpoints.clone(), 1);
    let (table, thought) = start_thinking(&server, &checkpoints).await;
    thought.abort();
    assert!(thought.await.unwrap_err().is_cancelled());
    assert_refused(&ask(&server, &table, "uct").await, 409, "thinking at this table");
    checkpoints.open_gate();
    while get(&server, &table).await.1["thinking"] == true {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(ask(&server, &table, "uct").await.0.is_success());
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
    assert_refused(&post(&server, "/api/tables", large).await, 413, "more than");
    let mut untyped = request("POST", "/api/tables", Some(&json!({"game": "tictactoe"})));
    untyped.headers_mut().remove("content-type");
    assert_refused(&send(&server, untyped).await, 415, "Content-Type");
}

#[test]
fn configurations_and_catalogues_are_checked() {
    let config = ServeConfig { max_thinkers: 0, ..ServeConfig::default() };
    let Err(ServeError::InvalidKey(invalid)) = router(catalogue(), config) else { panic!("it is refused") };
    assert_eq!(invalid.key, "max_thinkers");
    let refused = |game: &str, name: &str, spec: &str| {
        let (game, name) = (game.to_owned(), name.to_owned());
        let agent =
            CatalogueAgent { game, title: name.clone(), name, spec: PlayerKinds::built_in().parse(spec).unwrap() };
        Catalogue::new(shipped_games().map(|game| game as _), Checkpoints::default(), vec![agent])
            .err()
            .unwrap()
            .to_string()
    };
    assert!(refused("chess", "a", "random").contains("there is no such game; the games are pentago-swap"));
    assert!(refused("pylos", "uct", "random").contains("already taken"));
    assert!(refused("pylos", "a", "program:rm").contains("external programs cannot be played"));
}

#[tokio::test]
async fn a_thought_that_nobody_waits_for_is_given_up() {
    let config = ServeConfig { max_thinkers: 1, waiting_ms: 10_000, ..ServeConfig::default() };
    let server = router(catalogue(), config).unwrap();
    for agent in ["alphabeta", "uct"] {
        let tables = [
            new_table(&server, json!({"game": "pente-9"})).await,
            new_table(&server, json!({"game": "pente-9"})).await,
        ];
        let ask = |seconds: f64| json!({"ply": 0, "agent": agent, "strength": {"seconds": seconds}});
        let [first, second] = tables.map(|table| format!("{table}/analysis"));
        let abandoned = post(&server, &first, ask(30.0));
        assert!(tokio::time::timeout(Duration::from_millis(200), abandoned).await.is_err());
        // Whoever waits here for the other's thirty seconds is rejected.
        let (status, analysis) = post(&server, &second, ask(0.01)).await;
        assert!(status.is_success(), "{agent}: {analysis}");
    }
}
