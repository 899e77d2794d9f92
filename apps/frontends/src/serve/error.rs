//! Why the server cannot start, and why it rejects a request.

use std::io;
use std::net::SocketAddr;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use selfplay_config::InvalidKey;
use serde::Serialize;

/// Why the server cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A key of the configuration holds what it must not.
    #[error(transparent)]
    InvalidKey(#[from] InvalidKey),
    /// An agent of the catalogue cannot be offered.
    #[error("agent `{name}` of {game}: {reason}")]
    BadAgent {
        /// Its game.
        game: String,
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {source}; choose another `port`, or 0 for any free port")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the operating system says.
        source: io::Error,
    },
    /// The operating system rejects threads or signals.
    #[error("the server cannot run: {0}")]
    System(#[from] io::Error),
}

/// Why a request is rejected: what is wrong, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Refusal {
    #[serde(skip)]
    status: StatusCode,
    /// What is wrong.
    pub error: String,
    /// What would be right.
    pub expected: String,
}

impl Refusal {
    /// A refusal with this status.
    pub fn new(status: StatusCode, error: impl Into<String>, expected: impl Into<String>) -> Refusal {
        Refusal { status, error: error.into(), expected: expected.into() }
    }

    /// The request cannot be understood.
    pub fn bad_request(error: impl Into<String>, expected: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, error, expected)
    }

    /// What is asked about does not exist.
    pub fn not_found(error: impl Into<String>, expected: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, error, expected)
    }

    /// The request does not fit how things stand.
    pub fn conflict(error: impl Into<String>, expected: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, error, expected)
    }

    /// The rules of the game forbid it.
    pub fn against_the_rules(error: impl Into<String>, expected: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error, expected)
    }

    /// The server is at its bounds.
    pub fn busy(error: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error, "try again in a moment")
    }

    /// A player failed.
    pub fn failure(error: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error, "another agent")
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self)).into_response()
    }
}
