//! A client that sends the same request over and over on connections that stay open.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::measure::{ms, percentile};

/// The longest that one answer may take.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// What a run came to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Requests a second that were answered with 202.
    pub(crate) rate: f64,
    /// The median time of an answer, in milliseconds.
    pub(crate) p50_ms: f64,
    /// The time that 99 % of the answers did not exceed.
    pub(crate) p99_ms: f64,
}

/// Posts a body on so many connections for so long. Any answer but 202 is a failure.
pub(crate) async fn post_for(
    address: SocketAddr,
    connections: usize,
    (body, key): (&str, &str),
    length: Duration,
) -> Result<Load> {
    let request = format!(
        "POST /v1/jobs HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         accept-encoding: gzip\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let started_at = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..connections {
        clients.spawn(client(address, request.clone(), started_at + length));
    }
    let mut times = Vec::new();
    while let Some(ended) = clients.join_next().await {
        times.extend(ended??);
    }
    Ok(Load {
        rate: times.len() as f64 / started_at.elapsed().as_secs_f64(),
        p50_ms: percentile(&times, 50.0),
        p99_ms: percentile(&times, 99.0),
    })
}

async fn client(address: SocketAddr, request: String, until: Instant) -> Result<Vec<f64>> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut times = Vec::new();
    let mut buffer = Vec::with_capacity(4_096);
    while Instant::now() < until {
        let sent_at = Instant::now();
        stream.write_all(request.as_bytes()).await?;
        tokio::time::timeout(ANSWER_TIMEOUT, answer(&mut stream, &mut buffer))
            .await
            .context("an answer took too long")??;
        times.push(ms(sent_at.elapsed()));
    }
    Ok(times)
}

/// Reads one answer to its end.
pub(super) async fn answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<()> {
    buffer.clear();
    loop {
        ensure!(stream.read_buf(buffer).await? > 0, "the connection was closed");
        let Some(head) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let text = std::str::from_utf8(&buffer[..head]).context("headers are text")?;
        ensure!(text.starts_with("HTTP/1.1 202"), "refused: {text}");
        let length = text
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let (_, length) = length.context("the answer has no length")?;
        let length: usize = length.trim().parse()?;
        if buffer.len() >= head + 4 + length {
            return Ok(());
        }
    }
}
