//! The files of the page, compiled into the program; no other file is ever served.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use super::error::Refusal;

const HTML: &str = "text/html; charset=utf-8";
/// Content type of style sheets.
pub(super) const STYLE: &str = "text/css; charset=utf-8";
/// Content type of modules.
pub(super) const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// The page where people play.
pub(super) const PAGE: &str = include_str!("assets/index.html");

/// Path, content type and contents of each file.
pub(super) const FILES: &[(&str, &str, &str)] = &[
    ("/", HTML, PAGE),
    ("/style.css", STYLE, include_str!("assets/style.css")),
    ("/board.css", STYLE, include_str!("assets/board.css")),
    ("/icon.svg", PICTURE, include_str!("assets/icon.svg")),
    ("/app.js", SCRIPT, include_str!("assets/app.js")),
    ("/transport.js", SCRIPT, include_str!("assets/transport.js")),
    ("/api.js", SCRIPT, include_str!("assets/api.js")),
    ("/dom.js", SCRIPT, include_str!("assets/dom.js")),
    ("/setup.js", SCRIPT, include_str!("assets/setup.js")),
    ("/geometry.js", SCRIPT, include_str!("assets/geometry.js")),
    ("/board.js", SCRIPT, include_str!("assets/board.js")),
    ("/composer.js", SCRIPT, include_str!("assets/composer.js")),
    ("/choices.js", SCRIPT, include_str!("assets/choices.js")),
    ("/motion.js", SCRIPT, include_str!("assets/motion.js")),
    ("/sides.js", SCRIPT, include_str!("assets/sides.js")),
    ("/analysis.js", SCRIPT, include_str!("assets/analysis.js")),
    ("/moves.js", SCRIPT, include_str!("assets/moves.js")),
    ("/link.js", SCRIPT, include_str!("assets/link.js")),
    ("/theme.js", SCRIPT, include_str!("assets/theme.js")),
    ("/tree.js", SCRIPT, include_str!("assets/tree.js")),
    ("/session.js", SCRIPT, include_str!("assets/session.js")),
    ("/render.js", SCRIPT, include_str!("assets/render.js")),
    ("/judge.js", SCRIPT, include_str!("assets/judge.js")),
    ("/lesson.js", SCRIPT, include_str!("assets/lesson.js")),
    ("/curve.js", SCRIPT, include_str!("assets/curve.js")),
    ("/value-bar.js", SCRIPT, include_str!("assets/value-bar.js")),
    ("/clock.js", SCRIPT, include_str!("assets/clock.js")),
    ("/hints.js", SCRIPT, include_str!("assets/hints.js")),
    ("/keys.js", SCRIPT, include_str!("assets/keys.js")),
    ("/sheet.js", SCRIPT, include_str!("assets/sheet.js")),
    ("/transfer.js", SCRIPT, include_str!("assets/transfer.js")),
    ("/run.css", STYLE, include_str!("assets/run.css")),
    ("/run.js", SCRIPT, include_str!("assets/run.js")),
    ("/run-numbers.js", SCRIPT, include_str!("assets/run-numbers.js")),
];

/// The page of a run.
pub(super) fn run_page() -> Response {
    ([(CONTENT_TYPE, HTML)], include_str!("assets/run.html")).into_response()
}

/// The file at `path`, or 404.
pub(super) fn file(path: &str) -> Response {
    match FILES.iter().find(|(known, _, _)| *known == path) {
        Some((_, kind, contents)) => ([(CONTENT_TYPE, *kind)], *contents).into_response(),
        None => {
            let expected = "`/`, `/run`, `/api/games`, `/api/tables` or `/api/run`";
            Refusal::not_found("nothing at this path", expected).into_response()
        }
    }
}
