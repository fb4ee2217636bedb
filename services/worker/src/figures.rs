//! Metrics of the pools. The names are `telemetry`'s; claims and settlements are counted by the engine.

use std::time::Instant;

use domain::queue::QueueName;
use metrics::Histogram;
use telemetry::names;

/// An attempt that was settled now.
pub(crate) fn run(queue: QueueName, claimed_at: Instant) {
    Runs::default().add(queue, claimed_at);
}

/// Attempts that were settled together: each queue's figure is looked up once.
#[derive(Default)]
pub(crate) struct Runs(Vec<(QueueName, Histogram)>);

impl Runs {
    /// An attempt that was settled now.
    pub(crate) fn add(&mut self, queue: QueueName, claimed_at: Instant) {
        let place = self.0.iter().position(|(known, _)| *known == queue).unwrap_or_else(|| {
            let figure = metrics::histogram!(names::JOB_RUN_SECONDS, names::QUEUE => queue.as_str());
            self.0.push((queue, figure));
            self.0.len() - 1
        });
        self.0[place].1.record(claimed_at.elapsed().as_secs_f64());
    }
}

/// A lease that turned out to be lost.
pub(crate) fn lease_lost(queue: QueueName) {
    metrics::counter!(names::LEASE_LOST_TOTAL, names::QUEUE => queue.as_str()).increment(1);
}
