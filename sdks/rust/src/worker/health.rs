//! What `/healthz` of a worker says. It is read from the delivery channel, which is polls and nothing else.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::metrics::Metrics;
use crate::error::ClientError;

const JSON: &str = "application/json";
const REQUEST_BYTES_MAX: usize = 8 * 1024;
const REQUEST_TIME_MAX: Duration = Duration::from_secs(5);

/// The health of a worker. Only `Ok` returns 200.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HealthStatus {
    /// No poll came back yet.
    Starting,
    /// Polls come back.
    Ok,
    /// The last poll failed or is late.
    Disconnected,
    /// It takes nothing new.
    Draining,
}

impl HealthStatus {
    /// The text in `/healthz`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Ok => "ok",
            Self::Disconnected => "disconnected",
            Self::Draining => "draining",
        }
    }
}

/// The health of a worker, which can be read while it runs.
#[derive(Clone)]
pub struct Health(Arc<Mutex<State>>);

struct State {
    status: HealthStatus,
    error: Option<String>,
}

impl Health {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(State { status: HealthStatus::Starting, error: None })))
    }

    /// The current health.
    pub fn status(&self) -> HealthStatus {
        self.0.lock().status
    }

    pub(crate) fn set(&self, status: HealthStatus, error: Option<String>) {
        let mut state = self.0.lock();
        if state.status != HealthStatus::Draining {
            state.status = status;
        }
        state.error = error;
    }

    /// Listens at an address. Dropping what this gives ends it.
    pub(super) async fn listen(
        &self,
        address: &str,
        metrics: Arc<Metrics>,
    ) -> Result<HealthServer, ClientError> {
        let failed =
            |error| ClientError::Configuration(format!("TRUNKLINE_WORKER_HEALTH={address}: {error}"));
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        Ok(HealthServer { listener, health: self.clone(), metrics })
    }

    fn answer(&self, request: &[u8], metrics: &Metrics) -> String {
        let target = std::str::from_utf8(request).unwrap_or("").split(' ').nth(1).unwrap_or("");
        match target.split('?').next() {
            Some("/healthz") => {}
            Some("/metrics") => return response("200 OK", "text/plain; version=0.0.4", &metrics.render()),
            _ => return response("404 Not Found", JSON, "{}"),
        }
        let state = self.0.lock();
        let mut body = serde_json::json!({ "status": state.status.as_str() });
        if let Some(error) = &state.error {
            body["error"] = error.as_str().into();
        }
        let status = if state.status == HealthStatus::Ok { "200 OK" } else { "503 Service Unavailable" };
        response(status, JSON, &body.to_string())
    }
}

fn response(status: &str, media_type: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncache-control: no-store\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Answers `/healthz` and `/metrics`.
pub(super) struct HealthServer {
    listener: TcpListener,
    health: Health,
    metrics: Arc<Metrics>,
}

impl HealthServer {
    /// Answers until it is dropped.
    pub(super) async fn serve(self) {
        loop {
            // A connection that could not be accepted is not ours to repair.
            if let Ok((connection, _)) = self.listener.accept().await {
                let (health, metrics) = (self.health.clone(), Arc::clone(&self.metrics));
                tokio::spawn(async move {
                    // Whoever asked and went away needs no answer.
                    let _ = timeout(REQUEST_TIME_MAX, answer(connection, health, metrics)).await;
                });
            }
        }
    }
}

async fn answer(mut connection: TcpStream, health: Health, metrics: Arc<Metrics>) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < REQUEST_BYTES_MAX {
        if connection.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    connection.write_all(health.answer(&request, &metrics).as_bytes()).await?;
    connection.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::{Health, HealthStatus, Metrics};

    #[test]
    fn only_ok_is_200_and_draining_stays() {
        let health = Health::new();
        let metrics = Metrics::default();
        let answer = |path: &str| health.answer(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes(), &metrics);
        assert!(answer("/healthz").starts_with("HTTP/1.1 503"));
        health.set(HealthStatus::Ok, None);
        assert!(answer("/healthz").starts_with("HTTP/1.1 200"));
        assert!(answer("/else").starts_with("HTTP/1.1 404"));
        assert!(answer("/metrics").starts_with("HTTP/1.1 200"));
        health.set(HealthStatus::Draining, None);
        health.set(HealthStatus::Ok, None);
        assert!(answer("/healthz").contains("draining"));
    }
}
