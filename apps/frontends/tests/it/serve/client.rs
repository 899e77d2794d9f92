//! A server without connections, and how the tests ask it.

use std::sync::{Arc, Condvar, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use selfplay_env::Rules;
use selfplay_frontends::serve::{Catalogue, CatalogueAgent, ServeConfig, router};
use selfplay_mcts::{LeafBatch, Network, UniformNetwork};
use selfplay_players::{EvalError, NetworkSource, PlayerKinds};
use selfplay_shipped::shipped_games;
use serde_json::Value;
use tower::ServiceExt;

/// Where no checkpoint can be opened but `gated`, whose evaluations wait until the gate is open.
#[derive(Clone, Default, Debug)]
pub struct Checkpoints {
    gate: Arc<(Mutex<Gate>, Condvar)>,
}

#[derive(Default, Debug)]
struct Gate {
    is_open: bool,
    waiting: usize,
}

impl Checkpoints {
    /// Lets all evaluations proceed.
    pub fn open_gate(&self) {
        self.gate.0.lock().unwrap().is_open = true;
        self.gate.1.notify_all();
    }

    /// Whether an evaluation waits at the gate.
    pub fn is_waited_for(&self) -> bool {
        self.gate.0.lock().unwrap().waiting > 0
    }
}

impl NetworkSource for Checkpoints {
    fn open(
        &self,
        rules: &dyn Rules,
        checkpoint: &str,
        _precision: Option<&str>,
    ) -> Result<Vec<Box<dyn Network>>, EvalError> {
        if checkpoint == "gated" {
            return Ok(vec![Box::new(Gated(self.clone(), UniformNetwork(rules.id())))]);
        }
        Err(EvalError::Checkpoint { checkpoint: checkpoint.into(), source: "there is none of this name".into() })
    }
}

/// Knows nothing, once the gate is open.
#[derive(Clone)]
struct Gated(Checkpoints, UniformNetwork);

impl Network for Gated {
    fn game(&self) -> &str {
        self.1.game()
    }

    fn id(&self) -> u64 {
        self.1.id()
    }

    fn evaluate_batch(&mut self, batch: &mut dyn LeafBatch) {
        let (gate, opened) = &*self.0.gate;
        gate.lock().unwrap().waiting += 1;
        let mut gate = opened.wait_while(gate.lock().unwrap(), |gate| !gate.is_open).unwrap();
        gate.waiting -= 1;
        drop(gate);
        self.1.evaluate_batch(batch);
    }

    fn clone_box(&self) -> Box<dyn Network> {
        Box::new(self.clone())
    }
}

/// The agents of [`catalogue_of`] without a gate.
pub fn catalogue() -> Catalogue {
    catalogue_of(Checkpoints::default())
}

/// Searches of uniform priors, one whose checkpoint is missing, and in Pylos one that waits for the gate.
pub fn catalogue_of(checkpoints: Checkpoints) -> Catalogue {
    let agent = |game: &str, name: &str, spec: &str| CatalogueAgent {
        game: game.into(),
        name: name.into(),
        title: name.into(),
        spec: PlayerKinds::built_in().parse(spec).unwrap(),
    };
    let agents = vec![
        agent("tictactoe", "search", "search:checkpoint=uniform"),
        agent("pylos", "gated", "search:checkpoint=gated"),
        agent("tictactoe", "lost", "search:checkpoint=nowhere"),
    ];
    Catalogue::new(shipped_games().map(|game| game as _), checkpoints, agents).unwrap()
}

/// A server with the default bounds.
pub fn server() -> Router {
    router(catalogue(), ServeConfig::default()).unwrap()
}

/// Sends a request and returns status and JSON; `Value::Null` for a body that is no JSON.
pub async fn send(server: &Router, request: Request<Body>) -> (StatusCode, Value) {
    let response = server.clone().oneshot(request).await.unwrap();
    let status = response.status();
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    assert!(response.headers().contains_key("content-security-policy"));
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

/// A request as the page makes it.
pub fn request(method: &str, path: &str, body: Option<&Value>) -> Request<Body> {
    let request = Request::builder().method(method).uri(path).header("host", "localhost:8787");
    match body {
        None => request.body(Body::empty()).unwrap(),
        Some(body) => request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap(),
    }
}

pub async fn get(server: &Router, path: &str) -> (StatusCode, Value) {
    send(server, request("GET", path, None)).await
}

pub async fn post(server: &Router, path: &str, body: Value) -> (StatusCode, Value) {
    send(server, request("POST", path, Some(&body))).await
}

/// Sets up a table and returns its path.
pub async fn new_table(server: &Router, body: Value) -> String {
    let (status, table) = post(server, "/api/tables", body).await;
    assert_eq!(status, StatusCode::CREATED, "{table}");
    format!("/api/tables/{}", table["id"].as_str().unwrap())
}

/// Checks that `answer` is a refusal with `status` whose reason holds `part`.
#[track_caller]
pub fn assert_refused(answer: &(StatusCode, Value), status: u16, part: &str) {
    assert_eq!(answer.0.as_u16(), status, "{}", answer.1);
    let reason = answer.1["error"].as_str().unwrap_or_default();
    assert!(reason.contains(part), "`{reason}` lacks `{part}`");
    assert!(!answer.1["expected"].as_str().unwrap_or_default().is_empty(), "{}", answer.1);
}
