//! Figures of queues over time, as they are shown.

use domain::stats::{Histogram, Step};
use domain::time::Timestamp;
use engine::StatSeries;
use serde::Serialize;
use store::stats::StatPoint;
use utoipa::ToSchema;

/// Figures of queues over time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Stats)]
pub(crate) struct StatsResponse {
    /// `1m` or `1h`.
    step: &'static str,
    /// A point for each minute or hour, oldest first.
    series: Vec<StatPointResponse>,
}

/// The figures of a minute or an hour. Durations are milliseconds, interpolated within the buckets of a histogram.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StatPoint)]
pub(crate) struct StatPointResponse {
    /// When it begins.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// Jobs that were stored.
    enqueued: u64,
    /// Attempts that started.
    claimed: u64,
    /// Jobs that completed.
    completed: u64,
    /// Attempts that failed, including final ones.
    failed: u64,
    /// Jobs that became dead letters.
    dead_lettered: u64,
    /// Queued jobs when they were last counted.
    queued: u64,
    /// Leased jobs when they were last counted.
    processing: u64,
    /// Age of the oldest queued job when they were last counted.
    oldest_age_ms: u64,
    /// Median wait from claimable to claimed; null if nothing was claimed.
    wait_p50: Option<i64>,
    wait_p95: Option<i64>,
    wait_p99: Option<i64>,
    /// Median run of attempts; null if none ended.
    run_p50: Option<i64>,
    run_p95: Option<i64>,
    run_p99: Option<i64>,
}

impl From<StatSeries> for StatsResponse {
    fn from(series: StatSeries) -> Self {
        Self {
            step: Step::as_str(series.step),
            series: series.points.into_iter().map(StatPointResponse::from).collect(),
        }
    }
}

impl From<StatPoint> for StatPointResponse {
    fn from(point: StatPoint) -> Self {
        let of = |histogram: &Histogram, share: f64| histogram.percentile(share).map(|span| span.0);
        let (waits, runs) = (&point.counts.waits, &point.counts.runs);
        Self {
            at: point.at,
            enqueued: point.counts.enqueued,
            claimed: point.counts.claimed,
            completed: point.counts.completed,
            failed: point.counts.failed,
            dead_lettered: point.counts.dead_lettered,
            queued: point.levels.queued,
            processing: point.levels.processing,
            oldest_age_ms: point.levels.oldest_age_ms,
            wait_p50: of(waits, 0.5),
            wait_p95: of(waits, 0.95),
            wait_p99: of(waits, 0.99),
            run_p50: of(runs, 0.5),
            run_p95: of(runs, 0.95),
            run_p99: of(runs, 0.99),
        }
    }
}
