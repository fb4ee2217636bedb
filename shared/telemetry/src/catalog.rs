//! What each metric is and, for histograms, which buckets it has.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

use crate::names;

/// What a metric measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge(Unit),
    /// Seconds, in buckets with these upper bounds.
    Histogram(&'static [f64]),
}

/// One metric.
#[derive(Debug)]
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) help: &'static str,
}

/// From half a millisecond, which is what a pick-up takes when nothing waits, to half an hour of backlog.
const WAIT_SECONDS: &[f64] = &[
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0,
    1800.0,
];
/// From a built-in node to hours of external work.
const RUN_SECONDS: &[f64] = &[
    0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0, 14400.0,
];
/// From one hash of a small body to many of a large one.
const VERIFY_SECONDS: &[f64] =
    &[0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.005, 0.025, 0.1, 0.5];
/// From a read to a poll that is held open.
const REQUEST_SECONDS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

const fn counter(name: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Counter, help }
}

const fn gauge(name: &'static str, unit: Unit, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Gauge(unit), help }
}

const fn histogram(name: &'static str, buckets: &'static [f64], help: &'static str) -> Metric {
    Metric { name, kind: Kind::Histogram(buckets), help }
}

/// All metrics.
pub(crate) const METRICS: &[Metric] = &[
    histogram(
        names::JOB_POLL_LATENCY_SECONDS,
        WAIT_SECONDS,
        "Seconds from a job's creation, or from when it was due, to its first claim.",
    ),
    counter(
        names::JOB_LOCK_CONFLICTS_TOTAL,
        "Claims retried because other claims had locked or claimed the rows.",
    ),
    counter(names::JOBS_ENQUEUED_TOTAL, "Jobs accepted."),
    counter(names::JOBS_CLAIMED_TOTAL, "Attempts started."),
    counter(names::JOBS_SETTLED_TOTAL, "Settled attempts, by outcome of the job."),
    counter(names::LEASE_LOST_TOTAL, "Writes refused because the lease was lost."),
    counter(names::JOBS_REAPED_TOTAL, "Jobs reclaimed from workers whose lease expired."),
    counter(names::JOBS_PROMOTED_TOTAL, "Due jobs that were queued."),
    counter(names::ROWS_PRUNED_TOTAL, "Rows deleted because their retention ended."),
    counter(names::AUDIT_SEALED_TOTAL, "Audit log entries added to the hash chain."),
    gauge(
        names::AUDIT_SEAL_LAG_SECONDS,
        Unit::Seconds,
        "Age of the oldest audit log entry left out of the hash chain.",
    ),
    gauge(names::DATABASE_PAGES, Unit::Count, "Size of the SQLite database file, in pages."),
    gauge(names::DATABASE_FREE_PAGES, Unit::Count, "Free pages of the SQLite database file."),
    gauge(names::DATABASE_LOG_BYTES, Unit::Bytes, "Size of the write-ahead log of the SQLite database."),
    histogram(names::JOB_RUN_SECONDS, RUN_SECONDS, "Seconds from claim to settlement of one attempt."),
    gauge(names::QUEUE_DEPTH, Unit::Count, "Number of queued jobs."),
    gauge(
        names::QUEUE_OLDEST_AGE_SECONDS,
        Unit::Seconds,
        "Seconds since the oldest queued job became claimable.",
    ),
    counter(names::EXECUTIONS_FINISHED_TOTAL, "Executions that ended, by status."),
    counter(names::SCHEDULE_SLOTS_TOTAL, "Fires of schedules, by outcome."),
    histogram(
        names::SCHEDULE_LATENESS_SECONDS,
        WAIT_SECONDS,
        "Seconds from the scheduled time of a fire to the start of its execution.",
    ),
    counter(names::WEBHOOK_DELIVERIES_TOTAL, "Requests to webhooks, by result."),
    counter(names::WEBHOOK_MATCHES_TOTAL, "Accepted deliveries, by result of their triggers."),
    counter(
        names::WEBHOOK_DELIVERIES_UNRECORDED_TOTAL,
        "Rejected webhook requests that are not recorded in the delivery log.",
    ),
    histogram(names::WEBHOOK_VERIFY_SECONDS, VERIFY_SECONDS, "Seconds to verify the signature of a request."),
    counter(
        names::RATE_LIMIT_FALLBACKS_TOTAL,
        "Rate limit checks applied per process because Redis was unavailable.",
    ),
    counter(names::HTTP_REQUESTS_TOTAL, "HTTP requests."),
    histogram(
        names::HTTP_REQUEST_SECONDS,
        REQUEST_SECONDS,
        "Seconds from a request to the headers of its response.",
    ),
    counter(names::STORE_ERRORS_TOTAL, "Store calls that failed because of the database."),
    counter(names::CLOCK_STEPS_TOTAL, "Clock steps of the database, by direction."),
    counter(
        names::NODES_LOST_TOTAL,
        "Processes whose leases were reclaimed after the database detected their end.",
    ),
    gauge(names::BUILD_INFO, Unit::Count, "Always 1; the labels identify the build."),
    gauge(names::TZDB_INFO, Unit::Count, "Always 1; the label is the version of the time zone data."),
    gauge(names::PROCESS_RESIDENT_MEMORY_BYTES, Unit::Bytes, "Resident memory of the process, in bytes."),
    gauge(names::PROCESS_OPEN_FILES, Unit::Count, "Open file descriptors of the process."),
];

/// Describes each metric to the installed recorder.
pub fn describe() {
    for metric in METRICS {
        match metric.kind {
            Kind::Counter => describe_counter!(metric.name, Unit::Count, metric.help),
            Kind::Gauge(unit) => describe_gauge!(metric.name, unit, metric.help),
            Kind::Histogram(_) => describe_histogram!(metric.name, Unit::Seconds, metric.help),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Kind, METRICS};

    #[test]
    fn names_are_unique_and_follow_the_conventions() {
        let names: BTreeSet<_> = METRICS.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), METRICS.len());
        for metric in METRICS {
            assert!(metric.name.starts_with("trunkline_"), "{}", metric.name);
            let suffix_ok = match metric.kind {
                Kind::Counter => metric.name.ends_with("_total"),
                Kind::Histogram(_) => metric.name.ends_with("_seconds"),
                Kind::Gauge(_) => !metric.name.ends_with("_total"),
            };
            assert!(suffix_ok, "{}", metric.name);
        }
    }

    #[test]
    fn buckets_ascend() {
        for metric in METRICS {
            if let Kind::Histogram(buckets) = metric.kind {
                assert!(buckets.windows(2).all(|pair| pair[0] < pair[1]), "{}", metric.name);
            }
        }
    }
}
