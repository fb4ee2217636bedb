//! Sockets, and the connections on them: how many there may be, how long they may take to say what they want, and TLS.

mod caps;
mod connection;
mod linger;
mod tls;

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use caps::{Admission, Caps};
use connection::{Manner, refuse, serve as serve_connection};

pub(super) use caps::{CapOptions, LiveCaps};
pub(super) use tls::{TlsConfig, TlsFiles, check_files, install_provider, watched};

// A listener: takes connections and has them served, asked to retry, or closed.

/// How a listener treats its callers.
#[derive(Clone)]
pub(in crate::serve) struct ListenerOptions {
    /// How long the head of a request may take to arrive, from the connection or the answer before it on.
    pub(in crate::serve) head_timeout: Duration,
    /// Whether callers may speak HTTP/2.
    pub(in crate::serve) serves_http2: bool,
    /// TLS, where there is one.
    pub(in crate::serve) tls: Option<TlsConfig>,
    /// How many requests of one HTTP/2 connection may be under way.
    pub(in crate::serve) streams_max: u32,
    /// How old connections get, up to a fifth more or less; they are not ended for their age where absent.
    pub(in crate::serve) age_max: Option<Duration>,
    /// How many connections there may be.
    pub(in crate::serve) caps: CapOptions,
}

/// Binds, and says in words for people why that failed.
pub(in crate::serve) async fn bind(addr: SocketAddr, what: &str, flag: &str) -> Result<TcpListener> {
    TcpListener::bind(addr).await.map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::AddrInUse => ": another process uses it",
            io::ErrorKind::AddrNotAvailable => ": this machine does not have it",
            _ => "",
        };
        let text = format!("cannot listen on {addr} for {what}{why}; choose another with {flag} HOST:PORT");
        anyhow::Error::new(error).context(text)
    })
}

/// Serves a router until `closing`; requests under way are answered.
pub(in crate::serve) fn serve(
    listener: TcpListener,
    router: Router,
    options: ListenerOptions,
    closing: CancellationToken,
) -> JoinHandle<()> {
    tokio::spawn(serve_all(listener, router, options, closing))
}

/// `axum::serve` has no bound on heads or connections.
async fn serve_all(
    listener: TcpListener,
    router: Router,
    options: ListenerOptions,
    closing: CancellationToken,
) {
    let ListenerOptions { head_timeout, serves_http2, tls, streams_max, age_max, caps } = options;
    let closing_connections = closing.clone();
    let manner =
        Manner { head_timeout, serves_http2, tls, streams_max, age_max, closing: closing_connections };
    let caps = Caps::new(caps);
    let connections = TaskTracker::new();
    let mut acceptor = Acceptor::new(listener);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = acceptor.accept() => accepted,
            () = closing.cancelled() => break,
        };
        let (manner, router) = (manner.clone(), router.clone());
        match caps.admit(peer.ip()) {
            Admission::Served(place) => {
                connections.spawn(async move {
                    serve_connection(manner, stream, peer, router).await;
                    drop(place);
                });
            }
            Admission::Refused(place) => {
                metrics::counter!("trunkline_http_connections_refused_total", "answer" => "503").increment(1);
                connections.spawn(async move {
                    refuse(manner, stream, peer, router).await;
                    drop(place);
                });
            }
            Admission::Closed => {
                metrics::counter!("trunkline_http_connections_refused_total", "answer" => "closed")
                    .increment(1);
            }
        }
    }
    drop(acceptor);
    connections.close();
    connections.wait().await;
}

// Takes connections from a socket, also when no descriptor is left for them.

/// How long nothing is taken after an error that tells nothing about a single connection.
const REST: Duration = Duration::from_millis(100);

/// What the system says when a process, or all of them together, have too many files open.
const TOO_MANY_OPEN: [i32; 2] = [24, 23];

/// A socket, and a descriptor that is kept for the moment at which there is none: then a caller is taken and closed
/// instead of being left to wait in the queue of the system.
struct Acceptor {
    listener: TcpListener,
    spare: Option<File>,
}

impl Acceptor {
    fn new(listener: TcpListener) -> Self {
        Self { listener, spare: spare() }
    }

    /// The next connection. Cancelling it loses none.
    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok(accepted) => return accepted,
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) if is_too_many_open(&error) => {
                    tracing::warn!("out of file descriptors: rejecting a connection; see `ulimit -n`");
                    self.turn_one_away().await;
                }
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "cannot accept a connection");
                    tokio::time::sleep(REST).await;
                }
            }
        }
    }

    async fn turn_one_away(&mut self) {
        self.spare = None;
        // Whoever closed a file meanwhile may have made room for it.
        let turned_away = tokio::time::timeout(REST, self.listener.accept()).await;
        let is_none_left = !matches!(turned_away, Ok(Ok(_)));
        drop(turned_away);
        self.spare = spare();
        if is_none_left || self.spare.is_none() {
            tokio::time::sleep(REST).await;
        }
    }
}

fn spare() -> Option<File> {
    File::open("/dev/null").ok()
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

fn is_too_many_open(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| TOO_MANY_OPEN.contains(&code))
}

/// How many connections may be served, of those that were asked for: what the process needs for itself is left.
pub(in crate::serve) fn served_max(asked: usize, open_files_max: u64, own: usize) -> usize {
    let open_files_max = usize::try_from(open_files_max).unwrap_or(usize::MAX);
    // Where the limit is very low, callers get a quarter of it all the same.
    let left = open_files_max.saturating_sub(own).max(open_files_max / 4);
    asked.min(left).max(1)
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod listen_tests {
    use super::*;

    #[test]
    fn the_process_keeps_descriptors_for_itself() {
        assert_eq!(served_max(10_000, 1_048_576, 500), 10_000);
        assert_eq!(served_max(10_000, 4_096, 500), 3_596);
        assert_eq!(served_max(10_000, 1_024, 1_000), 256);
        assert_eq!(served_max(10_000, u64::MAX, 500), 10_000);
        assert_eq!(served_max(10, 0, 500), 1);
    }

    #[test]
    fn errors_are_classified() {
        assert!(is_too_many_open(&io::Error::from_raw_os_error(24)));
        assert!(!is_too_many_open(&io::Error::from_raw_os_error(22)));
        assert!(is_of_one_connection(&io::ErrorKind::ConnectionAborted.into()));
        assert!(!is_of_one_connection(&io::ErrorKind::OutOfMemory.into()));
    }
}
