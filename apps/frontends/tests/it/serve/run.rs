//! The page of a training run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http_body_util::BodyExt;
use selfplay_frontends::serve::{RunPage, RunPageError, RunPicture, RunSnapshot, ServeConfig, router};
use selfplay_notebooks_export::{RunState, RunStatus};
use tower::ServiceExt;

use crate::serve::client::{assert_refused, catalogue, get, request, server};

/// A run that keeps account of what it drew.
#[derive(Clone, Default, Debug)]
struct Counted {
    drawn: Arc<Mutex<Vec<String>>>,
    is_broken: Arc<AtomicBool>,
}

impl RunPage for Counted {
    fn snapshot(&mut self) -> Result<RunSnapshot, RunPageError> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(RunPageError::new("phases/gen-00003.learn.json is damaged"));
        }
        let status = RunStatus {
            run: "sample".into(),
            game: "Pylos".into(),
            state: RunState::Stopped { since_unix_seconds: 1_700_000_000 },
            generation: Some(2),
            ..RunStatus::default()
        };
        let picture = |name: &str, version| RunPicture {
            name: name.into(),
            title: format!("The {name}"),
            description: "Two curves".into(),
            version,
        };
        Ok(RunSnapshot {
            status: serde_json::to_value(status).unwrap(),
            pictures: vec![picture("elo", 7), picture("losses", 9)],
        })
    }

    fn svg(&mut self, name: &str) -> Result<String, RunPageError> {
        self.drawn.lock().unwrap().push(name.into());
        if name == "losses" {
            Err(RunPageError::new("no font"))
        } else {
            Ok("<svg xmlns='http://www.w3.org/2000/svg'/>".into())
        }
    }
}

fn with_run(run: &Counted) -> Router {
    router(catalogue().with_run(run.clone()), ServeConfig::default()).unwrap()
}

#[tokio::test]
async fn without_a_run_there_is_no_page_and_the_reason_is_told() {
    let server = server();
    for path in ["/run", "/api/run", "/api/run/plots/elo.svg"] {
        assert_refused(&get(&server, path).await, 404, "shows no training run");
    }
    assert_eq!(get(&server, "/api/games").await.1["shows_run"], false);
}

#[tokio::test]
async fn the_page_and_its_files_are_served() {
    let server = with_run(&Counted::default());
    let response = server.clone().oneshot(request("GET", "/run", None)).await.unwrap();
    assert_eq!(response.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let page = String::from_utf8(body.to_vec()).unwrap();
    for file in ["/run.js", "/run.css", "/style.css"] {
        assert!(page.contains(file), "{file}");
        assert!(get(&server, file).await.0.is_success(), "{file}");
    }
    assert!(get(&server, "/run-numbers.js").await.0.is_success());
    assert!(!page.contains("http"), "nothing comes from elsewhere");
    assert_eq!(get(&server, "/api/games").await.1["shows_run"], true);
}

#[tokio::test]
async fn the_run_is_told_in_numbers() {
    let (status, report) = get(&with_run(&Counted::default()), "/api/run").await;
    assert_eq!(status, StatusCode::OK, "{report}");
    assert_eq!((&report["run"], &report["state"]), (&"sample".into(), &"stopped".into()));
    assert_eq!(report["since_unix_seconds"], 1_700_000_000);
    assert!(report["self_play"].is_null() && report["matches"].as_array().unwrap().is_empty());
    assert_eq!(report["pictures"][0]["name"], "elo");
    assert_eq!(report["pictures"][1]["version"], 9);
}

#[tokio::test]
async fn a_picture_is_drawn_once_for_each_version_and_not_sent_twice() {
    let run = Counted::default();
    let server = with_run(&run);
    for _ in 0..3 {
        let path = "/api/run/plots/elo.svg?version=7";
        let response = server.clone().oneshot(request("GET", path, None)).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[CONTENT_TYPE], "image/svg+xml");
        assert_eq!(response.headers()[ETAG], "\"7\"");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(body.starts_with(b"<svg"));

        let mut again = request("GET", path, None);
        again.headers_mut().insert(IF_NONE_MATCH, "\"7\"".parse().unwrap());
        let response = server.clone().oneshot(again).await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
        assert!(response.into_body().collect().await.unwrap().to_bytes().is_empty());

        let mut old = request("GET", path, None);
        old.headers_mut().insert(IF_NONE_MATCH, "\"6\"".parse().unwrap());
        assert_eq!(server.clone().oneshot(old).await.unwrap().status(), StatusCode::OK);
    }
    assert_eq!(*run.drawn.lock().unwrap(), ["elo"]);
}

#[tokio::test]
async fn what_cannot_be_shown_is_refused_with_the_reason() {
    let run = Counted::default();
    let server = with_run(&run);
    assert_refused(&get(&server, "/api/run/plots/losses.svg").await, 500, "no font");
    assert_refused(&get(&server, "/api/run/plots/elo").await, 404, "`elo` is not a picture");
    let unknown = get(&server, "/api/run/plots/..%2felo.svg").await;
    assert_refused(&unknown, 404, "the run has no picture `../elo`");
    assert_eq!(unknown.1["expected"], "one of elo, losses");
    assert_eq!(server.clone().oneshot(request("POST", "/api/run", None)).await.unwrap().status(), 405);

    let broken = Counted { is_broken: Arc::new(AtomicBool::new(true)), ..Counted::default() };
    let server = with_run(&broken);
    assert_refused(&get(&server, "/api/run").await, 500, "gen-00003.learn.json is damaged");
    assert_refused(&get(&server, "/api/run/plots/elo.svg").await, 500, "is damaged");
    assert!(get(&server, "/run").await.0.is_success(), "the page itself tells what is wrong");
}
