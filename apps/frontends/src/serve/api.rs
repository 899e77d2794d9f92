//! The routes: what each path takes and answers. `docs/http-api.md` describes them for programs.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::{CONTENT_TYPE, HeaderMap};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use selfplay_env::Side;
use selfplay_players::Playable;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::assets;
use super::body::WholeBody;
use super::catalogue::{AgentRequest, Catalogue, Strength};
use super::config::ServeConfig;
use super::dto::{AnalysisDto, GameDto, SessionDto};
use super::error::{Refusal, ServeError};
use super::guard::guard;
use super::rules_page::rules_page;
use super::run_routes::run_routes;
use super::session_store::{NewSession, SessionStore};

/// What a handler is given of the server.
type Shared = State<Arc<SessionStore>>;
/// The id of a session in a path.
type Id = Result<Path<String>, PathRejection>;
/// The body of a request.
type Body = Result<WholeBody, Refusal>;

/// The whole server as a service, without a connection.
///
/// # Errors
/// What [`ServeConfig::validate`] finds.
pub fn router(catalogue: Catalogue, config: ServeConfig) -> Result<Router, ServeError> {
    let routes = routes(catalogue, config.clone())?;
    Ok(routes.layer(middleware::from_fn(move |request, next| guard(config.clone(), request, next))))
}

/// The same for an embedded server with a single client: without host checks, time limit and security headers.
///
/// # Errors
/// What [`ServeConfig::validate`] finds.
pub fn routes(catalogue: Catalogue, config: ServeConfig) -> Result<Router, ServeError> {
    let run = catalogue.run().cloned();
    let sessions = Arc::new(SessionStore::new(catalogue, config)?);
    let router = Router::new()
        .route("/api/games", get(games))
        .route("/api/games/{game}/agents", get(agents))
        .route("/api/games/{game}/rules", get(rules))
        .route("/api/tables", post(create))
        .route("/api/tables/{id}", get(show).delete(remove))
        .route("/api/tables/{id}/look", post(look))
        .route("/api/tables/{id}/moves", post(decide))
        .route("/api/tables/{id}/agent", post(let_agent_decide))
        .route("/api/tables/{id}/undo", post(undo))
        .route("/api/tables/{id}/resign", post(resign))
        .route("/api/tables/{id}/analysis", post(analyse))
        .merge(run_routes(run))
        .fallback(asset)
        .method_not_allowed_fallback(wrong_method)
        .with_state(sessions);
    Ok(router)
}

async fn asset(method: Method, uri: Uri) -> Response {
    if method == Method::GET || method == Method::HEAD {
        return assets::file(uri.path());
    }
    wrong_method(method, uri).await
}

async fn wrong_method(method: Method, uri: Uri) -> Response {
    let error = format!("{method} is not supported at `{}`", uri.path());
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, error, "see docs/http-api.md").into_response()
}

/// All games, and the bounds of what can be asked for.
#[derive(Serialize)]
struct GamesDto {
    games: Vec<GameDto>,
    max_simulations: u32,
    max_seconds: f64,
    shows_run: bool,
}

async fn games(State(sessions): Shared) -> Response {
    let catalogue = &sessions.catalogue;
    let dto = |game: &&'static dyn Playable| {
        GameDto::new(*game, catalogue.agents_of(game.id()), catalogue.analyst_of(game.id()))
    };
    let games = catalogue.games().iter().map(dto).collect();
    let max_seconds = sessions.config.max_thinking_ms as f64 / 1000.0;
    let shows_run = sessions.catalogue.run().is_some();
    Json(GamesDto { games, max_simulations: sessions.config.max_simulations, max_seconds, shows_run }).into_response()
}

async fn agents(State(sessions): Shared, game: Id) -> Result<Response, Refusal> {
    let game = sessions.catalogue.game(&id(game)?)?;
    Ok(Json(sessions.catalogue.agents_of(game.id())).into_response())
}

/// Rules and notation of a game, as HTML.
#[derive(Serialize)]
struct RulesDto {
    html: String,
}

async fn rules(State(sessions): Shared, game: Id) -> Result<Response, Refusal> {
    let game = sessions.catalogue.game(&id(game)?)?;
    Ok(Json(RulesDto { html: rules_page(game.rules_text()) }).into_response())
}

async fn create(State(sessions): Shared, headers: HeaderMap, body: Body) -> Result<Response, Refusal> {
    let request: NewSession = read(&headers, body)?;
    Ok((StatusCode::CREATED, Json(sessions.create(request)?)).into_response())
}

async fn show(State(sessions): Shared, session: Id, RawQuery(query): RawQuery) -> Result<Json<SessionDto>, Refusal> {
    let ply = match query.as_deref() {
        None | Some("") => None,
        Some(query) => {
            let ply = query.strip_prefix("ply=").and_then(|number| number.parse().ok());
            Some(ply.ok_or_else(|| Refusal::bad_request(format!("the query is `{query}`"), "`ply=` and a number"))?)
        }
    };
    Ok(Json(sessions.dto(&id(session)?, ply, &[])?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LookRequest {
    ply: usize,
    #[serde(default)]
    variation: Vec<String>,
}

async fn look(
    State(sessions): Shared,
    session: Id,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<SessionDto>, Refusal> {
    let (session, LookRequest { ply, variation }) = (id(session)?, read(&headers, body)?);
    Ok(Json(sessions.dto(&session, Some(ply), &variation)?))
}

async fn remove(State(sessions): Shared, session: Id) -> Result<StatusCode, Refusal> {
    sessions.remove(&id(session)?)?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveRequest {
    r#move: String,
    ply: usize,
}

async fn decide(
    State(sessions): Shared,
    session: Id,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<SessionDto>, Refusal> {
    let (session, MoveRequest { r#move, ply }) = (id(session)?, read(&headers, body)?);
    sessions.session(&session)?.decide(&r#move, ply)?;
    Ok(Json(sessions.dto(&session, None, &[])?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlyRequest {
    ply: usize,
}

/// The session after an agent's move, and the search behind it if it tells.
#[derive(Serialize)]
struct DecidedDto {
    #[serde(rename = "table")]
    session: SessionDto,
    analysis: Option<AnalysisDto>,
}

async fn let_agent_decide(
    State(sessions): Shared,
    session: Id,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<DecidedDto>, Refusal> {
    let (session, PlyRequest { ply }) = (id(session)?, read(&headers, body)?);
    let analysis = sessions.let_agent_decide(&session, ply).await?;
    Ok(Json(DecidedDto { session: sessions.dto(&session, None, &[])?, analysis }))
}

async fn undo(
    State(sessions): Shared,
    session: Id,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<SessionDto>, Refusal> {
    let (session, PlyRequest { ply }) = (id(session)?, read(&headers, body)?);
    sessions.session(&session)?.undo_to(ply)?;
    Ok(Json(sessions.dto(&session, None, &[])?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResignRequest {
    side: usize,
}

async fn resign(
    State(sessions): Shared,
    session: Id,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<SessionDto>, Refusal> {
    let (session, ResignRequest { side }) = (id(session)?, read(&headers, body)?);
    let side = Side::BOTH.get(side);
    let &side = side.ok_or_else(|| Refusal::bad_request("there is no such side", "`side` 0 or 1"))?;
    sessions.session(&session)?.resign(side)?;
    Ok(Json(sessions.dto(&session, None, &[])?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnalysisRequest {
    ply: usize,
    #[serde(default)]
    variation: Vec<String>,
    agent: Option<String>,
    strength: Option<Strength>,
}

async fn analyse(
    State(sessions): Shared,
    session: Id,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<AnalysisDto>, Refusal> {
    let (session, request): (_, AnalysisRequest) = (id(session)?, read(&headers, body)?);
    let game = sessions.dto(&session, Some(0), &[])?.game;
    let agent = request.agent.or_else(|| sessions.catalogue.analyst_of(game));
    let agent =
        agent.ok_or_else(|| Refusal::bad_request("`agent` is missing", "the name of an agent that analyses"))?;
    let analyst = AgentRequest { agent, strength: request.strength };
    Ok(Json(sessions.analyse(&session, game, request.ply, request.variation, analyst).await?))
}

fn id(path: Id) -> Result<String, Refusal> {
    path.map(|Path(id)| id).map_err(|error| Refusal::bad_request(error.body_text(), "a path in plain ASCII"))
}

/// The JSON of a body. Its type must be named, which pages of other sites cannot do unasked.
fn read<T: DeserializeOwned>(headers: &HeaderMap, body: Body) -> Result<T, Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().is_none_or(|kind| !kind.trim().eq_ignore_ascii_case("application/json")) {
        let error = format!("the header `Content-Type` is `{kind}`");
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error, "application/json"));
    }
    let WholeBody(body) = body?;
    serde_json::from_slice(&body)
        .map_err(|error| Refusal::bad_request(format!("the body is wrong: {error}"), "JSON as in docs/http-api.md"))
}
