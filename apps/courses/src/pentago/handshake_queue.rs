//! Clients that wait for a game. Each sends `START` in its own time, and silent clients delay the others only briefly.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::seat::ConnectedClient;

/// Clients that are waited for at the same time; further ones wait to be accepted.
const MAX_SILENT: usize = 64;
/// How often it is looked whether somebody wants to connect.
const LOOK: Duration = Duration::from_millis(5);
/// A client that has said `START` waits so long for one that connected before it and has not.
const COURTESY: Duration = Duration::from_millis(200);

/// The clients of a server, from one game to the next.
pub struct HandshakeQueue<'a> {
    listener: &'a TcpListener,
    /// How long a client may take until it says `START`.
    limit: Duration,
    /// Clients that have connected.
    connected: u64,
    /// Those that have not said `START` yet, by the order in which they connected.
    silent: BTreeSet<u64>,
    /// Those that have, and when that was heard.
    started: BTreeMap<u64, (ConnectedClient, Instant)>,
    sender: Sender<(u64, Option<ConnectedClient>)>,
    heard: Receiver<(u64, Option<ConnectedClient>)>,
}

impl<'a> HandshakeQueue<'a> {
    /// A queue for the clients of `listener`, who have `limit` each to say `START`.
    ///
    /// # Errors
    /// If the listener cannot be looked at without waiting.
    pub fn new(listener: &'a TcpListener, limit: Duration) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let (sender, heard) = channel();
        let (silent, started) = (BTreeSet::new(), BTreeMap::new());
        Ok(HandshakeQueue { listener, limit, connected: 0, silent, started, sender, heard })
    }

    /// The next client: the first to connect of those that have said `START`.
    ///
    /// # Errors
    /// If connections cannot be accepted.
    pub(super) fn next(&mut self) -> io::Result<ConnectedClient> {
        loop {
            self.accept_all()?;
            if let Ok((number, seated)) = self.heard.recv_timeout(LOOK) {
                self.silent.remove(&number);
                self.started.extend(seated.map(|seated| (number, (seated, Instant::now()))));
            }
            let is_due = self.started.first_key_value().is_some_and(|(number, (_, since))| {
                self.silent.first().is_none_or(|silent| silent > number) || since.elapsed() >= COURTESY
            });
            if is_due && let Some((_, (seated, _))) = self.started.pop_first() {
                return Ok(seated);
            }
        }
    }

    fn accept_all(&mut self) -> io::Result<()> {
        while self.silent.len() < MAX_SILENT {
            match self.listener.accept() {
                Ok((stream, _)) => self.wait_for(stream),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // The client was gone before it was greeted.
                Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted) => {
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits for the client on a thread of its own; one that the system gives no thread is sent away.
    fn wait_for(&mut self, stream: TcpStream) {
        let (number, limit, sender) = (self.connected, self.limit, self.sender.clone());
        self.connected += 1;
        let waiting = thread::Builder::new().spawn(move || {
            let seated = stream.set_nonblocking(false).and_then(|()| ConnectedClient::wait_for_start(stream, limit));
            // Once nobody plays any more the client is let go.
            let _ = sender.send((number, seated.ok().flatten()));
        });
        if waiting.is_ok() {
            self.silent.insert(number);
        }
    }
}
