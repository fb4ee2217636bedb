//! What each metric is and, for histograms, which buckets it has.

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

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
/// From a job that is done at once to one that waits for days.
const END_TO_END_SECONDS: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0,
    7200.0, 86_400.0,
];
/// From a commit without a flush to one behind a stalled disk.
const COMMIT_SECONDS: &[f64] =
    &[0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
/// From one hash of a small body to many of a large one.
const VERIFY_SECONDS: &[f64] =
    &[0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.005, 0.025, 0.1, 0.5];
/// From a read to a poll that is held open.
const REQUEST_SECONDS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

/// A histogram of jobs, with exemplars; kept by `latency`.
#[derive(Debug)]
pub(crate) struct JobSeconds {
    pub(crate) name: &'static str,
    pub(crate) buckets: &'static [f64],
    pub(crate) help: &'static str,
}

/// The histograms of jobs, in the order of `JobTime`.
pub(crate) static JOB_SECONDS: [JobSeconds; 3] = [
    JobSeconds {
        name: names::JOB_WAIT_SECONDS,
        buckets: WAIT_SECONDS,
        help: "Seconds from when a job became claimable to its claim, for each attempt.",
    },
    JobSeconds {
        name: names::JOB_RUN_SECONDS,
        buckets: RUN_SECONDS,
        help: "Seconds from claim to settlement of one attempt.",
    },
    JobSeconds {
        name: names::JOB_END_TO_END_SECONDS,
        buckets: END_TO_END_SECONDS,
        help: "Seconds from a job's creation to its end.",
    },
];

const fn count(name: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Counter, help }
}

const fn level(name: &'static str, unit: Unit, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Gauge(unit), help }
}

const fn spread(name: &'static str, buckets: &'static [f64], help: &'static str) -> Metric {
    Metric { name, kind: Kind::Histogram(buckets), help }
}

/// All metrics.
pub(crate) const METRICS: &[Metric] = &[
    spread(
        names::JOB_POLL_LATENCY_SECONDS,
        WAIT_SECONDS,
        "Seconds from a job's creation, or from when it was due, to its first claim.",
    ),
    count(
        names::JOB_LOCK_CONFLICTS_TOTAL,
        "Claims retried because other claims had locked or claimed the rows.",
    ),
    count(names::JOBS_ENQUEUED_TOTAL, "Jobs accepted."),
    count(names::JOBS_CLAIMED_TOTAL, "Attempts started."),
    count(names::JOBS_SETTLED_TOTAL, "Settled attempts, by outcome of the job."),
    count(names::LEASE_LOST_TOTAL, "Writes rejected because the lease was lost."),
    count(names::JOBS_REAPED_TOTAL, "Jobs reclaimed from workers whose lease expired."),
    level(names::DISPATCH_OFFERS, Unit::Count, "Number of open offers."),
    level(
        names::DISPATCH_OLDEST_OFFER_SECONDS,
        Unit::Seconds,
        "Seconds since the oldest open offer was made.",
    ),
    count(names::DISPATCH_PUBLISHED_TOTAL, "Offers acknowledged by the broker."),
    count(names::DISPATCH_PUBLISH_ERRORS_TOTAL, "Failures to publish an offer, by reason."),
    count(names::DISPATCH_RETURNED_TOTAL, "Offers that no worker accepted in time."),
    level(names::DISPATCH_LEADER, Unit::Count, "1 for each shard of offers that this process publishes."),
    level(names::DISPATCH_TERM, Unit::Count, "Term of each shard of offers that this process publishes."),
    level(
        names::DISPATCH_OUTBOX_DEPTH,
        Unit::Count,
        "Number of jobs of external workers that wait to be offered.",
    ),
    level(
        names::DISPATCH_OUTBOX_OLDEST_SECONDS,
        Unit::Seconds,
        "Seconds since the oldest job that waits to be offered was queued.",
    ),
    level(
        names::DISPATCH_UNACKNOWLEDGED,
        Unit::Count,
        "Number of messages of this process that the broker has not acknowledged.",
    ),
    level(
        names::DISPATCH_HELD_TYPES,
        Unit::Count,
        "Number of job types with waiting jobs for which this process makes no offers.",
    ),
    level(names::DISPATCH_LAG, Unit::Count, "Number of published offers that no worker has accepted."),
    count(names::JOBS_PROMOTED_TOTAL, "Due jobs that were queued."),
    count(
        names::INTAKE_TAKEN_TOTAL,
        "Calls of SQL functions that were processed into jobs, executions or signals.",
    ),
    count(names::INTAKE_REFUSED_TOTAL, "Committed calls of SQL functions that were rejected."),
    count(names::ROWS_PRUNED_TOTAL, "Rows deleted because their retention ended."),
    level(
        names::RETENTION_LAG_SECONDS,
        Unit::Seconds,
        "Time since the next row or payload to be deleted was due, by kind; 0 if deletion is up to date.",
    ),
    count(names::AUDIT_SEALED_TOTAL, "Audit log entries added to the hash chain."),
    level(
        names::AUDIT_SEAL_LAG_SECONDS,
        Unit::Seconds,
        "Age of the oldest audit log entry left out of the hash chain.",
    ),
    level(names::DATABASE_PAGES, Unit::Count, "Size of the SQLite database file, in pages."),
    level(names::DATABASE_FREE_PAGES, Unit::Count, "Free pages of the SQLite database file."),
    level(names::DATABASE_LOG_BYTES, Unit::Bytes, "Size of the write-ahead log of the SQLite database."),
    count(names::JOBS_CANCELLED_TOTAL, "Jobs that were cancelled or expired before their start."),
    count(names::DEAD_LETTERS_TOTAL, "Jobs that became dead letters."),
    count(names::DEAD_LETTERS_RESOLVED_TOTAL, "Dead letters that were requeued or archived."),
    level(names::QUEUE_IN_FLIGHT, Unit::Count, "Number of leased jobs."),
    level(
        names::QUEUE_HELD_BY_LIMIT,
        Unit::Count,
        "Number of queued jobs that only a limit prevents from starting.",
    ),
    level(names::LIMIT_SLOTS, Unit::Count, "Global concurrency limit of the queue."),
    level(
        names::LIMIT_SLOTS_USED,
        Unit::Count,
        "Number of leased jobs that count against the global concurrency limit of the queue.",
    ),
    level(names::LIMITS_FULL, Unit::Count, "Number of exhausted limits and rates for which jobs wait."),
    level(names::DEAD_LETTERS_OPEN, Unit::Count, "Number of open dead letters."),
    level(names::WORKERS, Unit::Count, "Number of workers seen within the last minute."),
    level(names::ALERTS_FIRING, Unit::Count, "Number of firing alerts."),
    count(names::ALERT_NOTIFICATIONS_TOTAL, "Attempts to send alert notifications, by outcome."),
    count(names::OTEL_SPANS_DROPPED_TOTAL, "Spans dropped because no collector accepted them."),
    count(
        names::ATTRIBUTES_SKIPPED_TOTAL,
        "Payload values skipped as searchable attributes because they do not match the declared type.",
    ),
    count(names::EXECUTIONS_STARTED_TOTAL, "Executions created, by trigger."),
    count(names::EXECUTIONS_PARKED_TOTAL, "Executions parked because they only wait."),
    count(names::EXECUTIONS_WOKEN_TOTAL, "Parked executions that were resumed."),
    count(names::EXECUTIONS_RESUMED_TOTAL, "Failed executions that continued after a retry or a requeue."),
    count(names::EXECUTIONS_COMPENSATING_TOTAL, "Executions that started to compensate completed nodes."),
    spread(
        names::COMMIT_WAIT_SECONDS,
        COMMIT_SECONDS,
        "Seconds from the request of a grouped commit until it is durable.",
    ),
    spread(
        names::DATABASE_CONNECTION_WAIT_SECONDS,
        COMMIT_SECONDS,
        "Seconds that a call waits for a database connection.",
    ),
    spread(
        names::DATABASE_STATEMENT_SECONDS,
        COMMIT_SECONDS,
        "Seconds of a database statement or commit, whatever its outcome.",
    ),
    level(names::DATABASE_CONNECTIONS, Unit::Count, "Open database connections, by state."),
    count(
        names::HTTP_CONNECTIONS_REFUSED_TOTAL,
        "Connections rejected with 503 or closed because too many are open.",
    ),
    level(names::QUEUE_DEPTH, Unit::Count, "Number of queued jobs."),
    level(
        names::QUEUE_OLDEST_AGE_SECONDS,
        Unit::Seconds,
        "Seconds since the oldest queued job became claimable.",
    ),
    count(names::EXECUTIONS_FINISHED_TOTAL, "Executions that ended, by status."),
    count(names::SCHEDULE_SLOTS_TOTAL, "Fires of schedules, by outcome."),
    spread(
        names::SCHEDULE_LATENESS_SECONDS,
        WAIT_SECONDS,
        "Seconds from the scheduled time of a fire to the start of its execution.",
    ),
    count(names::WEBHOOK_DELIVERIES_TOTAL, "Requests to webhooks, by result."),
    count(names::WEBHOOK_MATCHES_TOTAL, "Accepted deliveries, by result of their triggers."),
    count(
        names::WEBHOOK_DELIVERIES_UNRECORDED_TOTAL,
        "Rejected webhook requests that are not recorded in the delivery log.",
    ),
    spread(names::WEBHOOK_VERIFY_SECONDS, VERIFY_SECONDS, "Seconds to verify the signature of a request."),
    count(
        names::RATE_LIMIT_FALLBACKS_TOTAL,
        "Rate limit checks applied per process because Redis was unavailable.",
    ),
    count(names::HTTP_REQUESTS_TOTAL, "HTTP requests."),
    spread(
        names::HTTP_REQUEST_SECONDS,
        REQUEST_SECONDS,
        "Seconds from a request to the headers of its response.",
    ),
    count(names::GRPC_REQUESTS_TOTAL, "Unary gRPC calls."),
    spread(names::GRPC_REQUEST_SECONDS, REQUEST_SECONDS, "Seconds of a unary gRPC call."),
    level(names::GRPC_STREAMS, Unit::Count, "Open gRPC worker streams."),
    count(
        names::GRPC_OFFERS_RETURNED_TOTAL,
        "Jobs offered on worker streams that were not confirmed in time and returned to their queue.",
    ),
    count(
        names::STORE_ERRORS_TOTAL,
        "Statements that failed because the database was unavailable or full, or its response was lost.",
    ),
    count(names::CLOCK_STEPS_TOTAL, "Clock steps of the database, by direction."),
    count(
        names::NODES_LOST_TOTAL,
        "Processes whose leases were reclaimed after the database detected that they had ended.",
    ),
    level(names::BUILD_INFO, Unit::Count, "Always 1; the labels identify the build."),
    level(names::TZDB_INFO, Unit::Count, "Always 1; the label is the version of the time zone data."),
    level(names::PROCESS_RESIDENT_MEMORY_BYTES, Unit::Bytes, "Resident memory of the process, in bytes."),
    level(names::PROCESS_OPEN_FILES, Unit::Count, "Open file descriptors of the process."),
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

/// Records each metric once, without labels, for checks of how they are shown.
pub fn record_each() {
    for metric in METRICS {
        match metric.kind {
            Kind::Counter => counter!(metric.name).increment(1),
            Kind::Gauge(_) => gauge!(metric.name).set(1.0),
            Kind::Histogram(_) => histogram!(metric.name).record(0.25),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{JOB_SECONDS, Kind, METRICS};

    #[test]
    fn names_are_unique_and_follow_the_conventions() {
        let all = METRICS.iter().map(|metric| metric.name).chain(JOB_SECONDS.iter().map(|of| of.name));
        let names: BTreeSet<_> = all.collect();
        assert_eq!(names.len(), METRICS.len() + JOB_SECONDS.len());
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
        for of in &JOB_SECONDS {
            assert!(of.buckets.windows(2).all(|pair| pair[0] < pair[1]), "{}", of.name);
        }
        for metric in METRICS {
            if let Kind::Histogram(buckets) = metric.kind {
                assert!(buckets.windows(2).all(|pair| pair[0] < pair[1]), "{}", metric.name);
            }
        }
    }
}
