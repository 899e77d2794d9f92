//! The routes of the page that shows a training run.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, ETAG, HeaderMap, IF_NONE_MATCH};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};

use super::apart::apart;
use super::assets;
use super::error::Refusal;
use super::run_page::{Drawn, NoPicture, RunPageCache};

/// The run, if one is shown.
type Shown = State<Option<Arc<RunPageCache>>>;

/// The page, the numbers and the pictures of `run`; without a run, 404 with the reason.
pub(super) fn run_routes<T: Clone + Send + Sync + 'static>(run: Option<Arc<RunPageCache>>) -> Router<T> {
    Router::new()
        .route("/run", get(page))
        .route("/api/run", get(snapshot))
        .route("/api/run/plots/{file}", get(picture))
        .with_state(run)
}

async fn page(State(run): Shown) -> Result<Response, Refusal> {
    shown(run)?;
    Ok(assets::run_page())
}

async fn snapshot(State(run): Shown) -> Result<Response, Refusal> {
    let run = shown(run)?;
    let snapshot = beside(move || run.snapshot()).await?.map_err(unreadable)?;
    Ok(Json(&*snapshot).into_response())
}

async fn picture(
    State(run): Shown,
    file: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let run = shown(run)?;
    let Path(file) =
        file.map_err(|error| Refusal::bad_request(error.body_text(), "the name of a picture and `.svg`"))?;
    let Some(name) = file.strip_suffix(".svg").map(str::to_owned) else {
        return Err(Refusal::not_found(format!("`{file}` is not a picture"), "the name of a picture and `.svg`"));
    };
    let asked = name.clone();
    let Drawn { version, svg } = beside(move || run.picture(&asked)).await?.map_err(|reason| match reason {
        NoPicture::Unknown(names) => {
            let expected = if names.is_empty() { "none yet".into() } else { format!("one of {}", names.join(", ")) };
            Refusal::not_found(format!("the run has no picture `{name}`"), expected)
        }
        NoPicture::Failed(reason) => unreadable(reason),
    })?;
    let tag = format!("\"{version}\"");
    let is_known = headers.get_all(IF_NONE_MATCH).iter().any(|known| known.as_bytes() == tag.as_bytes());
    let tag = HeaderValue::try_from(tag).map_err(unreadable)?;
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response());
    }
    let kind = HeaderValue::from_static("image/svg+xml");
    Ok(([(CONTENT_TYPE, kind), (ETAG, tag)], svg.to_string()).into_response())
}

fn shown(run: Option<Arc<RunPageCache>>) -> Result<Arc<RunPageCache>, Refusal> {
    run.ok_or_else(|| Refusal::not_found("this server shows no training run", "a server started with `--run RUN`"))
}

fn unreadable(reason: impl ToString) -> Refusal {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, reason.to_string(), "a run folder that can be read")
}

/// Reads and draws where nothing else has to wait for it.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    apart(work).await.ok_or_else(|| unreadable("reading the run failed"))
}
