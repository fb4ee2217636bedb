//! Takes connections from a socket, also when no descriptor is left for them.

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};

/// How long nothing is taken after an error that tells nothing about a single connection.
const REST: Duration = Duration::from_millis(100);

/// What the system says when a process, or all of them together, have too many files open.
const TOO_MANY_OPEN: [i32; 2] = [24, 23];

/// A socket, and a descriptor that is kept for the moment at which there is none: then a caller is taken and closed
/// instead of being left to wait in the queue of the system.
pub(super) struct Acceptor {
    listener: TcpListener,
    spare: Option<File>,
}

impl Acceptor {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self { listener, spare: spare() }
    }

    /// The next connection. Cancelling it loses none.
    pub(super) async fn accept(&mut self) -> (TcpStream, SocketAddr) {
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
mod tests {
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
