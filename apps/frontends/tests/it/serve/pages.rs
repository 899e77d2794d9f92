//! The page's files, and who may ask for anything at all.

use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use http_body_util::BodyExt;
use selfplay_frontends::serve::{ServeConfig, router};
use tower::ServiceExt;

use crate::serve::client::{assert_refused, catalogue, get, request, send, server};

#[tokio::test]
async fn every_file_that_the_page_names_is_served() {
    let server = server();
    let mut to_do = vec![String::from("/")];
    let mut seen: Vec<String> = Vec::new();
    while let Some(path) = to_do.pop() {
        if seen.contains(&path) {
            continue;
        }
        let response = server.clone().oneshot(request("GET", &path, None)).await.unwrap();
        assert!(response.status().is_success(), "{path}");
        let kind = response.headers()[CONTENT_TYPE].to_str().unwrap().to_owned();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8(body.to_vec()).unwrap();
        for named in text.split(['"', '\'']).filter(|part| part.starts_with("./") || part.starts_with('/')) {
            let is_file = named.ends_with(".js") || named.ends_with(".css") || named.ends_with(".svg");
            if is_file && (kind.starts_with("text/html") || kind.starts_with("text/javascript")) {
                to_do.push(named.trim_start_matches('.').to_owned());
            }
        }
        seen.push(path);
    }
    for file in ["/style.css", "/app.js", "/board.js", "/link.js", "/icon.svg"] {
        assert!(seen.iter().any(|path| path == file), "{file} is not reached: {seen:?}");
    }
}

#[tokio::test]
async fn nothing_else_is_served() {
    let server = server();
    let paths = [
        "/../Cargo.toml",
        "/..%2f..%2fCargo.toml",
        "/%2e%2e/Cargo.toml",
        "/assets/app.js",
        "/style.css/..",
        "//etc/passwd",
        "/src/serve/assets/index.html",
        "/index.html",
        "/api",
        "/api/tables",
    ];
    for path in paths {
        let (status, answer) = get(&server, path).await;
        assert!(status.is_client_error(), "{path}: {status} {answer}");
        assert!(answer["error"].is_string(), "{path}: {answer}");
    }
}

#[tokio::test]
async fn other_names_and_other_sites_are_refused() {
    let named = |host: &str, origin: Option<&str>| {
        let mut request = request("GET", "/api/games", None);
        request.headers_mut().insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            request.headers_mut().insert(ORIGIN, origin.parse().unwrap());
        }
        request
    };
    let server = server();
    for host in ["localhost", "localhost:8787", "127.0.0.1:8787", "127.0.0.9", "[::1]:8787"] {
        assert!(send(&server, named(host, Some(&format!("http://{host}")))).await.0.is_success(), "{host}");
        assert!(send(&server, named(host, None)).await.0.is_success(), "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "192.168.1.2:8787", "", "127.0.0.1.evil.example:80"] {
        assert_refused(&send(&server, named(host, None)).await, 403, "not called");
    }
    for origin in ["http://evil.example", "null", "http://localhost:1", "http://localhost:8787.evil.example"] {
        assert_refused(&send(&server, named("localhost:8787", Some(origin))).await, 403, "another site");
    }
    let mut nameless = request("GET", "/", None);
    nameless.headers_mut().remove(HOST);
    assert_refused(&send(&server, nameless).await, 400, "`Host` is missing");

    let open = ServeConfig { host: "0.0.0.0".parse().unwrap(), ..ServeConfig::default() };
    assert!(send(&router(catalogue(), open.clone()).unwrap(), named("play.example", None)).await.0.is_success());
    let listed = router(catalogue(), ServeConfig { host_names: vec!["play.example".into()], ..open }).unwrap();
    assert!(send(&listed, named("Play.Example:80", None)).await.0.is_success());
    assert_refused(&send(&listed, named("evil.example", None)).await, 403, "not called");
}
