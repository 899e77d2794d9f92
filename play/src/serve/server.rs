//! From the router to the network: listening, connections within bounds, and an orderly end.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tower::ServiceExt;

use super::api::router;
use super::catalogue::Catalogue;
use super::config::ServeConfig;
use super::error::ServeError;

/// How long connections have to finish once the server closes.
const FAREWELL: Duration = Duration::from_secs(2);
/// After an error of the operating system, such as too many open files, the next connection is accepted so much later.
const AFTER_AN_ERROR: Duration = Duration::from_millis(50);

/// Serves the page and its API until the program is told to stop (Ctrl-C, or SIGTERM on Unix); calls `ready` with the
/// address once connections are accepted.
///
/// # Errors
/// [`ServeError`] if the configuration is wrong or the address taken.
pub fn serve(catalogue: Catalogue, config: ServeConfig, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    serve_until(catalogue, config, ready, stop_signal())
}

/// As [`serve`], until `stop` is ready.
///
/// # Errors
/// As [`serve`].
pub fn serve_until(
    catalogue: Catalogue,
    config: ServeConfig,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let address = SocketAddr::new(config.host, config.port);
    let router = router(catalogue, config.clone())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
        ready(listener.local_addr()?);
        accept(&listener, &router, &config, stop).await;
        Ok(())
    });
    // Whoever still thinks is not waited for.
    runtime.shutdown_background();
    served
}

async fn accept(listener: &TcpListener, router: &Router, config: &ServeConfig, stop: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(config.max_connections));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, _) = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    sleep(AFTER_AN_ERROR).await;
                    continue;
                }
            },
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                let connection = graceful.watch(connection(stream, router.clone(), config));
                tokio::spawn(async move {
                    // A connection that breaks is the other end's affair.
                    let _ = connection.await;
                    drop(place);
                });
            }
            Err(_) => drop(stream),
        }
    }
    let _ = timeout(FAREWELL, graceful.shutdown()).await;
}

type Service = TowerToHyperService<tower::util::MapRequest<Router, fn(Request<Incoming>) -> Request<Body>>>;

/// Speaks HTTP/1.1 on `stream`; who does not send a request's head in time is cut off.
fn connection(
    stream: TcpStream,
    router: Router,
    config: &ServeConfig,
) -> http1::Connection<TokioIo<TcpStream>, Service> {
    let service = router.map_request((|request| request.map(Body::new)) as fn(Request<Incoming>) -> Request<Body>);
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(config.request_ms))
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
}

/// Ready when the program is told to stop.
pub async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
