//! From the router to the network: listening, connections within bounds, and an orderly end.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
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
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use super::api::router;
use super::catalogue::Catalogue;
use super::config::ServeConfig;
use super::connections::ConnectionLimit;
use super::error::ServeError;

/// How long connections have to finish once the server closes.
const FAREWELL: Duration = Duration::from_secs(2);
/// Connections beyond the bound that are reported so at the same time, at most.
const MAX_TURNED_AWAY: usize = 32;
/// After an error of the operating system, such as too many open files, the next connection is accepted so much later.
const AFTER_AN_ERROR: Duration = Duration::from_millis(50);

/// Serves the page and its API until the program receives a request to stop (Ctrl-C, or SIGTERM on Unix); calls `ready` with the
/// address once connections are accepted.
///
/// # Errors
/// [`ServeError`] if the configuration is wrong or the address taken.
pub fn serve(catalogue: Catalogue, config: ServeConfig, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    serve_until(catalogue, config, ready, async { _ = stop_signal().await })
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
    let places = Arc::new(ConnectionLimit::new(config.max_connections));
    let farewells = Arc::new(Semaphore::new(MAX_TURNED_AWAY));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    sleep(AFTER_AN_ERROR).await;
                    continue;
                }
            },
        };
        match ConnectionLimit::take(&places, peer.ip()) {
            Some(place) => {
                let connection = graceful.watch(connection(stream, router.clone(), config));
                tokio::spawn(async move {
                    // A connection that breaks is the other end's affair.
                    let _ = connection.await;
                    drop(place);
                });
            }
            None => {
                // Where there are too many of these too, nothing is said.
                let Ok(permit) = Arc::clone(&farewells).try_acquire_owned() else { continue };
                tokio::spawn(async move {
                    let _ = timeout(FAREWELL, turn_away(stream)).await;
                    drop(permit);
                });
            }
        }
    }
    let _ = timeout(FAREWELL, graceful.shutdown()).await;
}

/// Says that there is no place, and hears the other end out, so that it reads the answer.
async fn turn_away(mut stream: TcpStream) -> io::Result<()> {
    let body = r#"{"error":"too many connections","expected":"try again in a moment"}"#;
    let head =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Type: application/json\r\nConnection: close";
    stream.write_all(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await?;
    stream.shutdown().await?;
    let mut unread = [0; 1024];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}

type Service = TowerToHyperService<tower::util::MapRequest<Router, fn(Request<Incoming>) -> Request<Body>>>;
/// A connection whose other end has to read in time.
type Stream = TokioIo<Pin<Box<TimeoutStream<TcpStream>>>>;

/// Speaks HTTP/1.1 on `stream`; who does not send a request's head in time, or reads no answers, is cut off.
fn connection(stream: TcpStream, router: Router, config: &ServeConfig) -> http1::Connection<Stream, Service> {
    let service = router.map_request((|request| request.map(Body::new)) as fn(Request<Incoming>) -> Request<Body>);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(Duration::from_millis(config.request_ms)));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(config.request_ms))
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(service))
}

/// What shells show of a program that ended by Ctrl-C, and by the signal that ends programs: 128 and its number.
const INTERRUPTED: u8 = 130;
#[cfg(unix)]
const TERMINATED: u8 = 143;

/// Ready when the program receives a request to stop, from this call on; the status that it is expected to end with. To be called where a
/// runtime is.
pub fn stop_signal() -> impl Future<Output = u8> {
    #[cfg(unix)]
    let signals = {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::interrupt()).and_then(|interrupted| Ok((interrupted, signal(SignalKind::terminate())?)))
    };
    async move {
        #[cfg(unix)]
        if let Ok((mut interrupted, mut terminated)) = signals {
            return tokio::select! {
                _ = interrupted.recv() => INTERRUPTED,
                _ = terminated.recv() => TERMINATED,
            };
        }
        let _ = tokio::signal::ctrl_c().await;
        INTERRUPTED
    }
}
