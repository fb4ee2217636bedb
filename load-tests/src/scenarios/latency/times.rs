//! When each job was sent and started.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio_util::sync::CancellationToken;

/// How long the last job may take.
const LATE: Duration = Duration::from_secs(10);

/// Instants in nanoseconds since the first; zero is not yet.
pub(crate) struct Times {
    base: Instant,
    sent: Vec<AtomicU64>,
    started: Vec<AtomicU64>,
    left: AtomicU64,
    all_done: CancellationToken,
}

impl Times {
    pub(crate) fn new(count: usize) -> Arc<Self> {
        let zeros = || (0..count).map(|_| AtomicU64::new(0)).collect();
        Arc::new(Self {
            base: Instant::now(),
            sent: zeros(),
            started: zeros(),
            left: AtomicU64::new(count as u64),
            all_done: CancellationToken::new(),
        })
    }

    fn now(&self) -> u64 {
        self.base.elapsed().as_nanos() as u64
    }

    /// Called before the job is enqueued.
    pub(crate) fn send(&self, number: usize) {
        self.sent[number].store(self.now(), Ordering::Release);
    }

    /// Called at the start of a job, with its payload.
    pub(crate) fn start(&self, data: &str) {
        let value = serde_json::from_str::<serde_json::Value>(data).ok();
        if let Some(number) = value.and_then(|value| value["number"].as_u64()) {
            self.start_number(number as usize);
        }
    }

    /// A job that is started twice counts with its first start.
    pub(crate) fn start_number(&self, number: usize) {
        let now = self.now();
        let is_first = self
            .started
            .get(number)
            .is_some_and(|place| place.compare_exchange(0, now, Ordering::AcqRel, Ordering::Relaxed).is_ok());
        if is_first && self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.all_done.cancel();
        }
    }

    /// How long each took, once all have started.
    pub(crate) async fn milliseconds(&self) -> Result<Vec<f64>> {
        tokio::time::timeout(LATE, self.all_done.cancelled()).await.context("jobs were not started")?;
        let pairs = self.sent.iter().zip(&self.started);
        Ok(pairs
            .map(|(sent, started)| {
                let nanoseconds = started.load(Ordering::Acquire) - sent.load(Ordering::Acquire);
                nanoseconds as f64 / 1_000_000.0
            })
            .collect())
    }
}
