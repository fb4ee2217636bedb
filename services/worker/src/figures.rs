//! Metrics of the pools. The names are `telemetry`'s; claims and settlements are counted by the engine.

use std::time::Instant;

use domain::queue::QueueName;
use telemetry::names;

/// An attempt that was settled now.
pub(crate) fn run(queue: QueueName, claimed_at: Instant) {
    metrics::histogram!(names::JOB_RUN_SECONDS, names::QUEUE => queue.as_str())
        .record(claimed_at.elapsed().as_secs_f64());
}

/// A lease that turned out to be lost.
pub(crate) fn lease_lost(queue: QueueName) {
    metrics::counter!(names::LEASE_LOST_TOTAL, names::QUEUE => queue.as_str()).increment(1);
}
