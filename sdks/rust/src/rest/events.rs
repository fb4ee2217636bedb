//! The stream of changes: server-sent events.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use reqwest::Method;
use reqwest::header::ACCEPT;
use tokio::time::timeout;

use super::{Connection, problem, read, retry_after};
use crate::error::ClientError;
use crate::follow::{CALL, Reader, Source};

/// The server says something at least this often, if only a comment.
const SILENCE_MAX: Duration = Duration::from_mins(1);

/// Changes by one connection after another.
pub(super) struct Changes(pub(super) Arc<Connection>);

impl Source for Changes {
    fn read<'a>(&'a self, reader: &'a mut Reader) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(one_stream(&self.0, reader))
    }
}

/// Reads one connection to its end, which is an error always; without one, nobody reads any more.
async fn one_stream(connection: &Connection, reader: &mut Reader) -> Result<(), ClientError> {
    let broken = |error: reqwest::Error| ClientError::connection(CALL, error.without_url());
    let silent = |_| ClientError::connection(CALL, "nothing came for a minute");
    let call = connection.request(Method::GET, "/v1/events", &[]).header(ACCEPT, "text/event-stream");
    let mut answer = timeout(SILENCE_MAX, call.send()).await.map_err(silent)?.map_err(broken)?;
    if !answer.status().is_success() {
        let (status, wait) = (answer.status().as_u16(), retry_after(&answer));
        let content = read(answer, CALL).await?;
        return Err(problem(status, wait, &content));
    }
    if !reader.connected().await {
        return Ok(());
    }
    let mut parser = Parser::default();
    loop {
        let piece = timeout(SILENCE_MAX, answer.chunk()).await.map_err(silent)?.map_err(broken)?;
        let piece = piece.ok_or_else(|| ClientError::connection(CALL, "the server ended the stream"))?;
        for data in parser.push(&piece).map_err(|error| ClientError::connection(CALL, error))? {
            let event = serde_json::from_str(&data).map_err(|error| ClientError::json(CALL, error))?;
            if !reader.give(event).await {
                return Ok(());
            }
        }
    }
}

// Reads server-sent events from pieces of text. Does no input or output.

/// The longest event.
const BYTES_MAX: usize = 1 << 20;

/// What has been read of the event under way.
#[derive(Debug, Default)]
pub(super) struct Parser {
    line: Vec<u8>,
    data: String,
}

/// An event is longer than any that the server sends.
#[derive(Debug, thiserror::Error)]
#[error("an event is longer than 1 MiB")]
pub(super) struct TooLong;

impl Parser {
    /// The data of the events that this piece completes.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut events = Vec::new();
        for &byte in piece {
            if byte != b'\n' {
                self.line.push(byte);
            } else if let Some(event) = self.end_line() {
                events.push(event);
            }
            if self.line.len() + self.data.len() > BYTES_MAX {
                return Err(TooLong);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches('\r');
        if line.is_empty() {
            return (!self.data.is_empty()).then(|| std::mem::take(&mut self.data));
        }
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Parser;

    #[test]
    fn events_may_come_in_any_pieces() {
        let text = ": hello\n\nevent: change\ndata: {\"a\":\ndata: 1}\r\n\ndata: č\n\n: alive\n\n";
        for size in [1, 2, 7, 1000] {
            let mut parser = Parser::default();
            let events: Vec<String> =
                text.as_bytes().chunks(size).flat_map(|piece| parser.push(piece).expect("short")).collect();
            assert_eq!(events, ["{\"a\":\n1}", "č"], "in pieces of {size}");
        }
        assert!(Parser::default().push(&vec![b'x'; 2 << 20]).is_err());
    }
}
