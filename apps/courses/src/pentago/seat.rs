//! A client at the server: its name, a thread that reads its lines, and lines sent to it.

use std::io::{self, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use selfplay_env::Side;

use selfplay_frontends::line::{InputLine, read_line};

/// Maximum length of a client's line (bytes); a longer line is treated like an unrecognised one.
const LINE_BYTES: usize = 1024;
/// Lines that may wait for the referee; a client that sends more has to wait.
pub(super) const LINES_WAITING: usize = 64;
/// Lines that a client may send before its `START`.
const LINES_BEFORE_START: usize = 64;
/// How long a client may take to read what is sent to it.
const WRITE_LIMIT: Duration = Duration::from_secs(1);

/// What a client did, and when it was seen.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) side: Side,
    pub(super) at: Instant,
    /// A line, or `None` if the connection ended. A line that is too long is empty.
    pub(super) line: Option<String>,
}

/// A client that said `START`.
pub(super) struct ConnectedClient {
    pub(super) name: String,
    stream: TcpStream,
    /// Until it is handed to the thread that reads on.
    input: Option<BufReader<TcpStream>>,
}

impl ConnectedClient {
    /// Waits up to `limit` for the client's `START NAME`; other lines before it are passed over. `None` if it never
    /// comes.
    pub(super) fn wait_for_start(stream: TcpStream, limit: Duration) -> io::Result<Option<Self>> {
        let deadline = Instant::now() + limit;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_LIMIT))?;
        let mut input = BufReader::new(stream.try_clone()?);
        for _ in 0..LINES_BEFORE_START {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            stream.set_read_timeout(Some(left))?;
            match read_line(&mut input, LINE_BYTES) {
                Ok(Some(InputLine::Text(line))) => {
                    if let Some(name) = line.strip_prefix("START") {
                        stream.set_read_timeout(None)?;
                        return Ok(Some(ConnectedClient { name: name.trim().into(), stream, input: Some(input) }));
                    }
                }
                Ok(Some(InputLine::TooLong)) => {}
                // It went away, or took too long.
                Ok(None) | Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Starts the thread that sends what the client says to `events`, until the connection or the receiver is closed.
    pub(super) fn listen(&mut self, side: Side, events: SyncSender<Event>) {
        let Some(mut input) = self.input.take() else { return };
        thread::spawn(move || {
            loop {
                let line = match read_line(&mut input, LINE_BYTES) {
                    Ok(Some(InputLine::Text(line))) => Some(line),
                    Ok(Some(InputLine::TooLong)) => Some(String::new()),
                    Ok(None) | Err(_) => None,
                };
                let is_end = line.is_none();
                if events.send(Event { side, at: Instant::now(), line }).is_err() || is_end {
                    return;
                }
            }
        });
    }

    /// Sends a line. A client that does not read is found by its silence.
    pub(super) fn send(&mut self, line: &str) {
        let _ = self.stream.write_all(format!("{line}\n").as_bytes());
    }
}

impl Drop for ConnectedClient {
    /// Ends the connection, and with it the thread that reads.
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Whether waiting for an event ended because nothing came in time.
pub(super) fn is_timeout(error: RecvTimeoutError) -> bool {
    error == RecvTimeoutError::Timeout
}
