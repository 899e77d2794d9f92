//! The body of a request: read within bounds of length and time, and copied as it comes, since a piece of it that is kept keeps
//! all that was read with it.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use futures_util::StreamExt;

use super::apart::within;
use super::config::ServeConfig;
use super::error::Refusal;
use super::session_store::SessionStore;

/// A whole body.
pub(super) struct WholeBody(pub(super) Vec<u8>);

impl FromRequest<Arc<SessionStore>> for WholeBody {
    type Rejection = Refusal;

    async fn from_request(request: Request, sessions: &Arc<SessionStore>) -> Result<Self, Refusal> {
        read(request.into_body(), &sessions.config).await.map(WholeBody)
    }
}

async fn read(body: Body, config: &ServeConfig) -> Result<Vec<u8>, Refusal> {
    let read =
        within(Duration::from_millis(config.request_ms), collect(body.into_data_stream(), config.max_body_bytes));
    read.await.unwrap_or_else(|| {
        let error = format!("the body took longer than {} ms", config.request_ms);
        Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, error, "all of it at once"))
    })
}

async fn collect(mut pieces: BodyDataStream, most: usize) -> Result<Vec<u8>, Refusal> {
    let mut whole = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece =
            piece.map_err(|error| Refusal::bad_request(format!("the body is incomplete: {error}"), "a whole body"))?;
        if whole.len() + piece.len() > most {
            let error = format!("the body has more than {most} bytes");
            return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, error, "a smaller body"));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}
