//! What holds for every request and answer: whom the server answers at all, for how long, and what browsers may do with
//! its pages.

use std::net::IpAddr;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;

use super::apart::within;
use super::config::ServeConfig;
use super::error::Refusal;

/// Everything comes from this server and nothing is written into pages as code.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Rejects requests under other names, which another site could have made its own (DNS rebinding), and requests that
/// pages of other sites make. A request has at most the time of `config`; the answer carries the headers of security.
pub(super) async fn guard(config: ServeConfig, request: Request, next: Next) -> Response<Body> {
    let whole = Duration::from_millis(config.request_ms + config.waiting_ms + config.max_thinking_ms);
    let mut response = match check_names(&config, request.headers()) {
        Err(refusal) => refusal.into_response(),
        Ok(()) => within(whole, next.run(request)).await.unwrap_or_else(|| {
            Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request took too long", "all of it at once").into_response()
        }),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (CACHE_CONTROL, "no-cache"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn check_names(config: &ServeConfig, headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let Some(host) = text(HOST) else {
        return Err(Refusal::bad_request("the header `Host` is missing", "the name and port of this server"));
    };
    // One that somebody on the way believes and another that is believed here would be two servers.
    if headers.get_all(HOST).iter().count() > 1 || headers.get_all(ORIGIN).iter().count() > 1 {
        return Err(Refusal::bad_request("duplicate header `Host` or `Origin`", "each once"));
    }
    if !is_allowed(config, name_of(host)) {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            format!("this server is not called `{}`", name_of(host)),
            "localhost, a loopback address or one of `host_names`",
        ));
    }
    match text(ORIGIN) {
        Some(origin) if !origin.split_once("://").is_some_and(|(_, of)| of.eq_ignore_ascii_case(host)) => {
            Err(Refusal::new(
                StatusCode::FORBIDDEN,
                format!("the request comes from another site, `{origin}`"),
                "a request from this server's own page",
            ))
        }
        _ => Ok(()),
    }
}

/// The name in `Host`, without the port and the brackets of IPv6.
fn name_of(host: &str) -> &str {
    let digits_only = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let name = host.rsplit_once(':').filter(|(_, port)| digits_only(port)).map_or(host, |(name, _)| name);
    name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name)
}

fn is_allowed(config: &ServeConfig, name: &str) -> bool {
    let is_loopback =
        name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    let is_open = config.host_names.is_empty() && !config.host.is_loopback();
    is_loopback || is_open || config.host_names.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
}
