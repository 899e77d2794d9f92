//! The connection to the server: its address, who asks, and what is reported when it is lost and found again.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event};
use serde::Deserialize;

use crate::error::{ClusterError, reason};

/// Longest pause between attempts to find a lost server again.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// How often a silent connection is asked whether it is still there: a partition is noticed after two of these.
const PING: Duration = Duration::from_secs(10);

/// Where the server is, and who asks.
#[derive(Clone, Debug)]
pub struct ConnectionOptions {
    /// Its address: `nats://HOST:PORT`, or `tls://HOST:PORT` for an encrypted connection; several with commas between them.
    pub url: String,
    /// A file with credentials; the environment is asked besides.
    pub credentials: Option<PathBuf>,
}

/// Who asks: what a file of credentials may hold, and the variables `SELFPLAY_NATS_USER` and so on.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Credentials {
    user: Option<String>,
    password: Option<String>,
    token: Option<String>,
    /// Seed of an Ed25519 key, beginning with `SU`.
    nkey: Option<String>,
    /// A file of the form that `nsc` writes.
    creds: Option<PathBuf>,
    /// Certificates to trust in addition to the system's, for servers with private certificates.
    ca: Option<PathBuf>,
    /// This machine's certificate, where the server asks for one, and its key.
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

/// Connects as `name`. A connection that is lost later is looked for until it is found again; so is the server at first, for as
/// long as `timeout`, or for ever.
///
/// # Errors
/// If the address or the credentials cannot be used, or the server cannot be reached or fails.
pub async fn connect(
    options: &ConnectionOptions,
    name: &str,
    timeout: Option<Duration>,
) -> Result<Client, ClusterError> {
    let hosts = addresses(&options.url)?;
    let credentials = match &options.credentials {
        Some(path) => from_file(path)?,
        None => Credentials::default(),
    };
    let credentials = credentials.or_environment();
    let is_encrypted =
        options.url.starts_with("tls://") || credentials.ca.is_some() || credentials.certificate.is_some();
    if credentials.is_secret() && !is_encrypted && !hosts.iter().all(|host| is_here(host)) {
        tracing::warn!("the password goes to {} as it is, for everybody on the way to read; use tls://", options.url);
    }
    let started = std::time::Instant::now();
    let mut is_told = false;
    loop {
        let attempt = credentials.clone().into_options(options)?;
        let attempt = attempt.name(name).ping_interval(PING).require_tls(is_encrypted);
        let attempt = attempt.reconnect_delay_callback(pause).event_callback(told);
        match attempt.connect(options.url.as_str()).await {
            Ok(client) => return Ok(client),
            Err(error) => {
                let refused = matches!(
                    error.kind(),
                    async_nats::ConnectErrorKind::Authentication
                        | async_nats::ConnectErrorKind::AuthorizationViolation
                        | async_nats::ConnectErrorKind::ServerParse
                        | async_nats::ConnectErrorKind::Tls
                );
                if refused || timeout.is_some_and(|timeout| started.elapsed() >= timeout) {
                    return Err(ClusterError::Server { url: options.url.clone(), reason: reason(&error) });
                }
                if !is_told {
                    tracing::warn!("{} cannot be reached, trying again: {}", options.url, reason(&error));
                    is_told = true;
                }
                tokio::time::sleep(LONGEST_PAUSE / 4).await;
            }
        }
    }
}

/// How long to wait before the attempt after so many: longer each time, and never as long as others wait, so that a server that
/// comes back does not meet all at once.
fn pause(attempts: usize) -> Duration {
    let most = Duration::from_millis(50 << attempts.min(7)).min(LONGEST_PAUSE);
    most.mul_f64(0.5 + 0.5 * jitter())
}

/// A number in 0..1 that is another one each time.
pub(crate) fn jitter() -> f64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    (RandomState::new().build_hasher().finish() >> 11) as f64 / (1_u64 << 53) as f64
}

async fn told(event: Event) {
    match event {
        Event::Disconnected => tracing::warn!("the connection to the NATS server is lost; looking for it"),
        Event::Connected => tracing::debug!("connected to the NATS server"),
        Event::ClientError(error) => tracing::debug!("NATS: {error}"),
        Event::ServerError(error) => tracing::warn!("NATS server: {error}"),
        Event::SlowConsumer(_) => tracing::warn!("messages come faster than they are read"),
        other => tracing::debug!("NATS: {other}"),
    }
}

/// The hosts in an address.
fn addresses(url: &str) -> Result<Vec<String>, ClusterError> {
    let error = |reason: &str| {
        // Whatever stands before an @ may be a password.
        let shown = url.rsplit_once('@').map_or(url.to_owned(), |(_, rest)| format!("…@{rest}"));
        ClusterError::Address { url: shown, reason: reason.to_owned() }
    };
    let one = |part: &str| {
        let (scheme, rest) = part.split_once("://").unwrap_or(("nats", part));
        if !["nats", "tls"].contains(&scheme) {
            return Err(error("expected nats://HOST:PORT, or tls://HOST:PORT for an encrypted connection"));
        }
        if rest.contains('@') {
            return Err(error(
                "everybody on this machine can read the arguments of programs: give user and password in the environment \
                 (SELFPLAY_NATS_USER, SELFPLAY_NATS_PASSWORD) or in a file (--nats-credentials)",
            ));
        }
        let host = match rest.rsplit_once(':') {
            Some((host, port)) if port.parse::<u16>().is_ok() => host,
            Some((_, port)) if !rest.ends_with(']') => return Err(error(&format!("`{port}` is no port"))),
            _ => rest,
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() { Err(error("expected a host, as in nats://127.0.0.1:4222")) } else { Ok(host.to_owned()) }
    };
    url.split(',').map(one).collect()
}

/// Whether what is sent there stays on this machine.
fn is_here(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn from_file(path: &Path) -> Result<Credentials, ClusterError> {
    let error = |reason: String| ClusterError::Credentials { path: path.into(), reason };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).map_err(|source| error(source.to_string()))?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(error(format!("others may read it (mode {:03o}): chmod 600 {}", mode & 0o777, path.display())));
        }
    }
    let text = fs::read_to_string(path).map_err(|source| error(source.to_string()))?;
    toml::from_str(&text).map_err(|problem: toml::de::Error| error(problem.message().to_owned()))
}

impl Credentials {
    /// What is not here, as the environment has it.
    fn or_environment(self) -> Self {
        let said = |name: &str| std::env::var(format!("SELFPLAY_NATS_{name}")).ok().filter(|text| !text.is_empty());
        let path = |name: &str| said(name).map(PathBuf::from);
        Credentials {
            user: self.user.or_else(|| said("USER")),
            password: self.password.or_else(|| said("PASSWORD")),
            token: self.token.or_else(|| said("TOKEN")),
            nkey: self.nkey.or_else(|| said("NKEY")),
            creds: self.creds.or_else(|| path("CREDS")),
            ca: self.ca.or_else(|| path("CA")),
            certificate: self.certificate.or_else(|| path("CERTIFICATE")),
            key: self.key.or_else(|| path("KEY")),
        }
    }

    /// Whether a secret is sent to the server: a password or a token.
    fn is_secret(&self) -> bool {
        self.password.is_some() || self.token.is_some()
    }

    fn into_options(self, link: &ConnectionOptions) -> Result<ConnectOptions, ClusterError> {
        let error = |reason: String| ClusterError::Server { url: link.url.clone(), reason };
        let mut options = ConnectOptions::new();
        if let Some(path) = &self.creds {
            let text = fs::read_to_string(path).map_err(ClusterError::io(path))?;
            options = options.credentials(&text).map_err(|problem| error(problem.to_string()))?;
        }
        match (self.user, self.password) {
            (Some(user), Some(password)) => options = options.user_and_password(user, password),
            (None, None) => {}
            _ => return Err(error("user and password go together".into())),
        }
        if let Some(token) = self.token {
            options = options.token(token);
        }
        if let Some(seed) = self.nkey {
            options = options.nkey(seed);
        }
        if let Some(path) = self.ca {
            options = options.add_root_certificates(path);
        }
        match (self.certificate, self.key) {
            (Some(certificate), Some(key)) => Ok(options.add_client_certificate(certificate, key)),
            (None, None) => Ok(options),
            _ => Err(error("a certificate and its key go together".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_hosts_and_no_passwords() {
        assert_eq!(addresses("nats://a:4222,tls://[::1]:1").unwrap(), ["a", "::1"]);
        assert_eq!(addresses("127.0.0.1").unwrap(), ["127.0.0.1"]);
        for (url, expected) in [
            ("http://a", "expected nats://HOST:PORT"),
            ("nats://a:port", "`port` is no port"),
            ("nats://", "expected a host"),
            ("nats://me:secret@a", "--nats-credentials"),
        ] {
            let error = addresses(url).unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains("secret"), "{error}");
        }
        assert!(is_here("localhost") && is_here("127.0.0.9") && is_here("::1") && !is_here("10.0.0.1"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nats.toml");
        fs::write(&path, "user = \"worker\"\npassword = \"secret\"\n").unwrap();
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o644);
        let error = from_file(&path).err().unwrap().to_string();
        assert!(error.contains("others may read it (mode 644): chmod 600"), "{error}");
        mode(0o600);
        let read = from_file(&path).ok().unwrap();
        assert_eq!((read.user.as_deref(), read.password.as_deref()), (Some("worker"), Some("secret")));
        fs::write(&path, "pass = \"secret\"\n").unwrap();
        let error = from_file(&path).err().unwrap().to_string();
        assert!(error.contains("unknown field `pass`") && !error.contains("secret\""), "{error}");
    }
}
