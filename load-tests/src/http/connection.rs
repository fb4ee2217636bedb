//! One connection that stays open, for requests of any kind.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The longest that one answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);

/// A client of one server.
pub(crate) struct Connection {
    stream: TcpStream,
    head: String,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects, with a key for every request.
    pub(crate) async fn open(address: SocketAddr, key: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let head =
            format!("host: {address}\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n");
        Ok(Self { stream, head, buffer: Vec::new() })
    }

    /// Offers compression, as the clients of Go, Node and Python do by default. For answers that stay below the size from
    /// which they are compressed, and those of workers, which never are: one that is compressed cannot be read here.
    #[must_use]
    pub(crate) fn accepting_gzip(mut self) -> Self {
        self.head.push_str("accept-encoding: gzip\r\n");
        self
    }

    /// Asks; answers the body of the answer. Any status but a 2xx is an error.
    pub(crate) async fn send(&mut self, method: &str, path: &str, body: &str) -> Result<&[u8]> {
        let head = &self.head;
        let request =
            format!("{method} {path} HTTP/1.1\r\n{head}content-length: {}\r\n\r\n{body}", body.len());
        self.stream.write_all(request.as_bytes()).await?;
        let start = tokio::time::timeout(ANSWER_TIMEOUT, read(&mut self.stream, &mut self.buffer))
            .await
            .context("an answer took too long")??;
        Ok(&self.buffer[start..])
    }
}

/// Reads one answer to its end; answers where its body begins.
async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<usize> {
    buffer.clear();
    loop {
        ensure!(stream.read_buf(buffer).await? > 0, "the connection was closed");
        let Some(head) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let text = std::str::from_utf8(&buffer[..head]).context("headers are text")?;
        let is_good = text.starts_with("HTTP/1.1 2");
        let length = text
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let (_, length) = length.with_context(|| format!("the answer has no length: {text}"))?;
        let end = head + 4 + length.trim().parse::<usize>()?;
        // The head is read again only once: the rest comes in one go.
        while buffer.len() < end {
            ensure!(stream.read_buf(buffer).await? > 0, "the connection was closed");
        }
        ensure!(is_good, "refused: {}", String::from_utf8_lossy(buffer));
        return Ok(head + 4);
    }
}
