//! Queues as they are shown.

use std::collections::BTreeMap;

use domain::stats::{Histogram, Step};
use domain::time::{DurationMs, Timestamp};
use engine::{ScalingView, StatSeries};
use serde::Serialize;
use store::queues::{QueueFigures, QueueMode, TierFigures};
use store::stats::StatPoint;
use utoipa::ToSchema;

use super::words::{QueueModeKindSchema, QueueSchema};

/// A queue with the statistics of the jobs that the key can see.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Queue)]
pub(crate) struct QueueResponse {
    #[schema(value_type = QueueSchema)]
    queue: &'static str,
    #[schema(value_type = QueueModeKindSchema)]
    mode: &'static str,
    /// Whether the queue is paused, so that no jobs start.
    paused: bool,
    /// Statistics of all priorities.
    #[serde(flatten)]
    totals: TierResponse,
    /// Statistics by priority.
    tiers: BTreeMap<&'static str, TierResponse>,
    /// Number of open dead letters.
    dead_letters: u64,
    /// Number of jobs that ended in the last minute.
    throughput1m: u64,
    /// Fraction of these jobs that did not complete, from 0 to 1.
    error_rate1m: f64,
    /// Wait from claimable to claimed in the last minute; null if no job ended.
    #[schema(required = true)]
    wait_ms: Option<PercentilesResponse>,
    /// Run time from claimed to settled in the last minute; null if no job ended.
    #[schema(required = true)]
    run_ms: Option<PercentilesResponse>,
}

/// Number of jobs of a queue by state.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = QueueCounts)]
pub(crate) struct TierResponse {
    /// Queued: ready to be claimed.
    queued: u64,
    /// Leased by a worker.
    processing: u64,
    /// Waiting for a retry.
    retry_wait: u64,
    /// Waiting for their due time.
    scheduled: u64,
    /// Parked executions.
    waiting: u64,
    /// How long the oldest queued job has been claimable; null if no job is queued.
    #[schema(required = true)]
    oldest_age_ms: Option<i64>,
}

/// Three percentiles in milliseconds.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Percentiles)]
pub(crate) struct PercentilesResponse {
    p50: i64,
    p95: i64,
    p99: i64,
}

impl From<[DurationMs; 3]> for PercentilesResponse {
    fn from([p50, p95, p99]: [DurationMs; 3]) -> Self {
        Self { p50: p50.0, p95: p95.0, p99: p99.0 }
    }
}

impl TierResponse {
    fn of(figures: &TierFigures) -> Self {
        Self {
            queued: figures.queued,
            processing: figures.processing,
            retry_wait: figures.retry_wait,
            scheduled: figures.scheduled,
            waiting: figures.waiting,
            oldest_age_ms: figures.oldest_age.map(|age| age.0),
        }
    }

    fn plus(self, other: &Self) -> Self {
        Self {
            queued: self.queued + other.queued,
            processing: self.processing + other.processing,
            retry_wait: self.retry_wait + other.retry_wait,
            scheduled: self.scheduled + other.scheduled,
            waiting: self.waiting + other.waiting,
            oldest_age_ms: self.oldest_age_ms.max(other.oldest_age_ms),
        }
    }
}

impl From<QueueFigures> for QueueResponse {
    fn from(figures: QueueFigures) -> Self {
        let tiers: BTreeMap<_, _> =
            figures.tiers.iter().map(|tier| (tier.tier.as_str(), TierResponse::of(tier))).collect();
        let recent = figures.recent;
        Self {
            queue: figures.queue.as_str(),
            mode: figures.mode.as_str(),
            paused: figures.mode == QueueMode::Paused,
            totals: tiers.values().fold(TierResponse::default(), TierResponse::plus),
            tiers,
            dead_letters: figures.dead_letters,
            throughput1m: recent.ended,
            error_rate1m: if recent.ended == 0 { 0.0 } else { recent.failed as f64 / recent.ended as f64 },
            wait_ms: recent.wait.map(PercentilesResponse::from),
            run_ms: recent.run.map(PercentilesResponse::from),
        }
    }
}

/// The load of a queue for autoscalers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = QueueScaling)]
pub(crate) struct QueueScalingResponse {
    #[schema(value_type = QueueSchema)]
    queue: &'static str,
    /// Number of slots that could be busy now: `processing` + `offered` + `startable`.
    desired: u64,
    /// Number of jobs that workers hold.
    processing: u64,
    /// Number of jobs that are offered through Kafka and that no worker has accepted.
    offered: u64,
    /// Number of jobs that wait to be claimed.
    queued: u64,
    /// Number of queued jobs that no limit or pause holds back.
    startable: u64,
    /// Number of queued jobs that a limit or a concurrency key holds back.
    held_by_limit: u64,
    /// Number of queued jobs without an active worker for their type.
    no_worker: u64,
    /// How long the oldest job has been claimable; null if no job is queued.
    #[schema(required = true)]
    oldest_age_ms: Option<i64>,
    /// Number of active external workers that take these jobs.
    workers: u64,
    /// Whether all queued jobs were counted. Otherwise `queued` and `startable` are lower bounds.
    exact: bool,
    /// Time at which the figures were read.
    #[schema(value_type = String, format = DateTime)]
    as_of: Timestamp,
}

impl From<ScalingView> for QueueScalingResponse {
    fn from(view: ScalingView) -> Self {
        let of = view.scaling;
        // Leased is both: a relay's offers have their slots already.
        let processing = of.processing.saturating_sub(of.offered);
        Self {
            queue: view.queue.as_str(),
            desired: processing + of.offered + of.startable,
            processing,
            offered: of.offered,
            queued: of.queued,
            startable: of.startable,
            held_by_limit: of.held_by_limit,
            no_worker: view.no_worker,
            oldest_age_ms: of.oldest_at.map(|oldest| view.as_of.since(oldest).0.max(0)),
            workers: view.workers,
            exact: view.is_exact,
            as_of: view.as_of,
        }
    }
}

/// The mode of a queue.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = QueueMode)]
pub(crate) struct QueueModeResponse {
    #[schema(value_type = QueueSchema)]
    pub(crate) queue: &'static str,
    #[schema(value_type = QueueModeKindSchema)]
    pub(crate) mode: &'static str,
    /// Whether the queue is paused, so that no jobs start.
    pub(crate) paused: bool,
}

// Figures of queues over time, as they are shown.

/// Queue figures over time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Stats)]
pub(crate) struct StatsResponse {
    /// `1m` or `1h`.
    step: &'static str,
    /// One point per minute or hour, oldest first.
    series: Vec<StatPointResponse>,
}

/// The figures for one minute or one hour. Durations are in milliseconds, interpolated within histogram buckets.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StatPoint)]
pub(crate) struct StatPointResponse {
    /// Start of the minute or hour.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// Jobs that were enqueued.
    enqueued: u64,
    /// Attempts that started.
    claimed: u64,
    /// Jobs that completed.
    completed: u64,
    /// Attempts that failed, including final ones.
    failed: u64,
    /// Jobs that became dead letters.
    dead_lettered: u64,
    /// Queued jobs at the last count.
    queued: u64,
    /// Leased jobs at the last count.
    processing: u64,
    /// Age of the oldest queued job at the last count.
    oldest_age_ms: u64,
    /// Median wait from claimable to claimed; null if no job was claimed.
    wait_p50: Option<i64>,
    wait_p95: Option<i64>,
    wait_p99: Option<i64>,
    /// Median run time of attempts; null if none ended. An attempt of an execution ends when the execution is parked or ends.
    run_p50: Option<i64>,
    run_p95: Option<i64>,
    run_p99: Option<i64>,
    /// Median time of jobs (with `queue=workflow-execution`: of executions) from creation to end; null if none ended.
    end_to_end_p50: Option<i64>,
    end_to_end_p95: Option<i64>,
    end_to_end_p99: Option<i64>,
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
        let (waits, runs, ends) = (&point.counts.waits, &point.counts.runs, &point.counts.ends);
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
            end_to_end_p50: of(ends, 0.5),
            end_to_end_p95: of(ends, 0.95),
            end_to_end_p99: of(ends, 0.99),
        }
    }
}
