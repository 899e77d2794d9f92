//! One agent, and the answers to what its page asks.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Request, StatusCode};
use futures_util::FutureExt;
use selfplay_bundle::{AgentKind, BundledNetwork, WholeAgent};
use selfplay_frontends::serve::{Catalogue, CatalogueAgent, ServeConfig, ServeError, routes};
use selfplay_network::Precision;
use selfplay_network::checkpoint::Bundle;
use selfplay_players::{EvalError, NetworkSource, NoCheckpoints};
use selfplay_registry::{GameRef, Games, UnknownGame};
use tower::ServiceExt;

/// Why an agent cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum OfflineError {
    /// The bytes are no agent.
    #[error("the agent in this page is damaged: {0}")]
    Damaged(postcard::Error),
    /// A page cannot hold what the agent plays by.
    #[error("the agent in this page needs a tablebase, which a page cannot contain")]
    Tablebase,
    /// The program of the page has other games.
    #[error(transparent)]
    Game(#[from] UnknownGame),
    /// The specification of the agent is wrong.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The agent cannot be offered.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// The server of one agent.
pub struct Offline {
    router: Router,
}

impl Offline {
    /// A server for the agent in `bytes`, a [`WholeAgent`] in postcard's format, of one of `games`.
    ///
    /// # Errors
    /// [`OfflineError`]. A network that does not fit is noticed when it is asked.
    pub fn open(games: &[GameRef], bytes: &[u8]) -> Result<Self, OfflineError> {
        let WholeAgent { head, weights } = postcard::from_bytes(bytes).map_err(OfflineError::Damaged)?;
        let games = Games::new(games);
        let game = games.find(&head.game)?;
        if head.kind == AgentKind::Table {
            return Err(OfflineError::Tablebase);
        }
        let spec = head.kind.spec("", games.players())?;
        let source: Box<dyn NetworkSource + Send> = match head.kind {
            AgentKind::Network { manifest, .. } => {
                Box::new(BundledNetwork::new(Bundle { manifest, weights }, Precision::fastest(), 1))
            }
            _ => Box::new(NoCheckpoints),
        };
        let agent = CatalogueAgent { game: head.game, name: "agent".into(), title: head.name, spec };
        let catalogue = Catalogue::new([game as _], source, vec![agent])?;
        Ok(Offline { router: routes(catalogue, ServeConfig::default())? })
    }

    /// The answer to `question`, `METHOD PATH`, a new line, and perhaps a body in JSON: three digits of the status, a new line,
    /// and a body.
    pub fn ask(&self, question: &[u8]) -> Vec<u8> {
        let (status, body) = self.answer(question).unwrap_or((StatusCode::INTERNAL_SERVER_ERROR, Vec::new()));
        let mut answer = format!("{}\n", status.as_u16()).into_bytes();
        answer.extend(body);
        answer
    }

    /// The answer to a request; `None` if the request is invalid, or if its answer is not available at once.
    fn answer(&self, question: &[u8]) -> Option<(StatusCode, Vec<u8>)> {
        let end = question.iter().position(|&byte| byte == b'\n')?;
        let (head, body) = (str::from_utf8(&question[..end]).ok()?, &question[end + 1..]);
        let (method, path) = head.split_once(' ')?;
        let method = Method::from_bytes(method.as_bytes()).ok()?;
        let request = Request::builder().method(method).uri(path).header(CONTENT_TYPE, "application/json");
        let request = request.body(Body::from(body.to_vec())).ok()?;
        let (head, body) = self.router.clone().oneshot(request).now_or_never()?.ok()?.into_parts();
        let body = to_bytes(body, usize::MAX).now_or_never()?.ok()?;
        Some((head.status, body.into()))
    }
}

#[cfg(test)]
mod tests {
    use selfplay_bundle::AgentHead;
    use selfplay_network::{NetworkConfig, NetworkWeights, Provenance, checkpoint};
    use selfplay_tictactoe::TIC_TAC_TOE;
    use serde_json::{Value, json};

    use super::*;

    fn whole(kind: AgentKind, weights: Vec<u8>) -> Vec<u8> {
        let head = AgentHead { name: "tester".into(), game: "tictactoe".into(), kind, rules: None };
        postcard::to_stdvec(&WholeAgent { head, weights }).unwrap()
    }

    fn asked(offline: &Offline, head: &str, body: Option<Value>) -> (u16, Value) {
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let answer = String::from_utf8(offline.ask(format!("{head}\n{body}").as_bytes())).unwrap();
        let (status, body) = answer.split_once('\n').unwrap();
        (status.parse().unwrap(), serde_json::from_str(body).unwrap_or_default())
    }

    #[test]
    fn an_agent_with_a_network_plays_and_analyses() {
        let folder = tempfile::tempdir().unwrap();
        let (checkpoint, config) = (folder.path().join("agent"), NetworkConfig { channels: 8, ..Default::default() });
        let weights = NetworkWeights::fresh(TIC_TAC_TOE.shape(), config, 1).unwrap();
        checkpoint::save(&checkpoint, &weights, None, &Provenance::default()).unwrap();
        let Bundle { manifest, weights } = checkpoint::bundle(&checkpoint).unwrap();
        let offline =
            Offline::open(&[TIC_TAC_TOE], &whole(AgentKind::Network { manifest, verify: true }, weights)).unwrap();

        let (status, games) = asked(&offline, "GET /api/games", None);
        assert_eq!((status, &games["games"][0]["agents"][0]["title"]), (200, &json!("tester")));
        let seats = json!([{ "agent": "agent", "strength": { "simulations": 20 } }, null]);
        let (status, table) = asked(&offline, "POST /api/tables", Some(json!({ "game": "tictactoe", "seats": seats })));
        assert_eq!(status, 201, "{table}");
        let id = table["id"].as_str().unwrap();
        let (status, decided) = asked(&offline, &format!("POST /api/tables/{id}/agent"), Some(json!({ "ply": 0 })));
        assert_eq!((status, decided["table"]["ply"].clone()), (200, json!(1)), "{decided}");
        let request = json!({ "ply": 1, "agent": "agent", "strength": { "simulations": 4 } });
        let (status, analysis) = asked(&offline, &format!("POST /api/tables/{id}/analysis"), Some(request));
        assert_eq!((status, analysis["simulations"].clone()), (200, json!(4)), "{analysis}");
        assert_eq!(asked(&offline, &format!("DELETE /api/tables/{id}"), None).0, 204);
        assert_eq!(asked(&offline, "GET /api/tables/none", None).0, 404);
    }

    #[test]
    fn what_cannot_be_played_is_refused() {
        let refused = |games: &[GameRef], bytes: &[u8], expected: &str| {
            let error = Offline::open(games, bytes).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        let player = whole(AgentKind::Player { spec: "random".into() }, Vec::new());
        assert!(Offline::open(&[TIC_TAC_TOE], &player).is_ok());
        refused(&[TIC_TAC_TOE], &player[..3], "damaged");
        refused(&[], &player, "unknown game `tictactoe`");
        refused(&[TIC_TAC_TOE], &whole(AgentKind::Table, Vec::new()), "tablebase");
        let offline = Offline::open(&[TIC_TAC_TOE], &player).unwrap();
        for question in ["", "GET", "GET /api/games", "\n", "\u{7f} \u{7f}\n"] {
            assert_eq!(offline.ask(question.as_bytes()), b"500\n", "{question:?}");
        }
    }
}
