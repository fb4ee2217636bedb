//! Senders of webhooks: every request is another one, signed by its sender while the time runs, for the reference too.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use domain::time::Timestamp;
use domain::webhook::{Provider, RequestParts, SchemeConfig, Signer, sign};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::http::client::{ANSWER_TIMEOUT, Load, answer};
use crate::measure::{ms, percentile};

/// Sends deliveries to one endpoint, signed as GitHub does.
#[derive(Debug, Clone)]
pub(crate) struct Deliverer {
    pub(crate) address: SocketAddr,
    /// The path of the endpoint.
    pub(crate) path: String,
    /// Its secret.
    pub(crate) secret: String,
}

impl Deliverer {
    /// Sends deliveries on so many connections for so long, with numbers from `first`. Any answer but 202 is a failure.
    /// Answers what it came to and the next number.
    pub(crate) async fn deliver_for(
        &self,
        connections: usize,
        length: Duration,
        first: u64,
    ) -> Result<(Load, u64)> {
        let numbers = Arc::new(AtomicU64::new(first));
        let started_at = Instant::now();
        let mut clients = JoinSet::new();
        for _ in 0..connections {
            clients.spawn(client(self.clone(), Arc::clone(&numbers), started_at + length));
        }
        let mut times = Vec::new();
        while let Some(ended) = clients.join_next().await {
            times.extend(ended??);
        }
        let load = Load {
            rate: times.len() as f64 / started_at.elapsed().as_secs_f64(),
            p50_ms: percentile(&times, 50.0),
            p99_ms: percentile(&times, 99.0),
        };
        Ok((load, numbers.load(Ordering::Relaxed)))
    }

    /// The whole request: about 700 bytes of body, a push as GitHub tells of it.
    fn request(&self, scheme: &SchemeConfig, number: u64) -> Result<Vec<u8>> {
        let body = format!(
            r#"{{"ref":"refs/heads/main","before":"6113728f27ae82c7b1a177c8d03f9e96e0adf246","after":"{number:040x}","repository":{{"id":186853002,"name":"hello-world","full_name":"octocat/hello-world","private":false,"default_branch":"main"}},"pusher":{{"name":"octocat","email":"octocat@example.com"}},"commits":[{{"id":"{number:040x}","message":"Say hello again","timestamp":"2026-01-02T03:04:05Z","author":{{"name":"The Octocat","email":"octocat@example.com"}},"added":["hello.txt"],"removed":[],"modified":["README.md"]}}]}}"#
        );
        let parts = RequestParts::new("POST", &self.path, &[], body.as_bytes());
        // GitHub signs no time.
        let signed = sign(scheme, Signer::Secret(&self.secret), "", &parts, Timestamp(0))
            .map_err(|fault| anyhow!("cannot sign: {fault}"))?;
        let mut request = format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\nx-github-event: push\r\n\
             x-github-delivery: {number:032x}\r\nuser-agent: GitHub-Hookshot/load\r\n",
            self.path, self.address
        );
        for (name, value) in signed {
            write!(request, "{name}: {value}\r\n")?;
        }
        write!(request, "content-length: {}\r\n\r\n{body}", body.len())?;
        Ok(request.into_bytes())
    }
}

async fn client(sender: Deliverer, numbers: Arc<AtomicU64>, until: Instant) -> Result<Vec<f64>> {
    let scheme = SchemeConfig::preset(Provider::GitHub);
    let mut stream = TcpStream::connect(sender.address).await?;
    stream.set_nodelay(true)?;
    let mut times = Vec::new();
    let mut buffer = Vec::with_capacity(4_096);
    while Instant::now() < until {
        let request = sender.request(&scheme, numbers.fetch_add(1, Ordering::Relaxed))?;
        let sent_at = Instant::now();
        stream.write_all(&request).await?;
        tokio::time::timeout(ANSWER_TIMEOUT, answer(&mut stream, &mut buffer))
            .await
            .context("an answer took too long")??;
        times.push(ms(sent_at.elapsed()));
    }
    Ok(times)
}
