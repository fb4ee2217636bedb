//! What the handlers that do nothing tell the measurement.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// Counts handled jobs and remembers when each was sent and first started.
#[derive(Debug)]
pub struct Handled {
    base: Instant,
    count: AtomicUsize,
    sent: Vec<AtomicU64>,
    started: Vec<AtomicU64>,
}

impl Handled {
    /// Remembers instants for jobs numbered below `timed`.
    pub fn new(timed: usize) -> Self {
        let zeros = || (0..timed).map(|_| AtomicU64::new(0)).collect();
        Self { base: Instant::now(), count: AtomicUsize::new(0), sent: zeros(), started: zeros() }
    }

    /// Called by the handler, once for each job.
    pub fn start(&self, number: usize) {
        if let Some(place) = self.started.get(number) {
            let now = self.now();
            // A job that is started twice counts with its first start; the failure of the exchange says just that.
            if place.compare_exchange(0, now, Ordering::AcqRel, Ordering::Relaxed).is_err() {
                return;
            }
        }
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn send(&self, number: usize) {
        self.sent[number].store(self.now(), Ordering::Release);
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// How long each took that was started.
    pub(crate) fn milliseconds(&self) -> Vec<f64> {
        let pairs = self.sent.iter().zip(&self.started);
        pairs
            .map(|(sent, started)| (sent.load(Ordering::Acquire), started.load(Ordering::Acquire)))
            .filter(|(_, started)| *started > 0)
            .map(|(sent, started)| started.saturating_sub(sent) as f64 / 1_000_000.0)
            .collect()
    }

    fn now(&self) -> u64 {
        self.base.elapsed().as_nanos() as u64
    }
}
