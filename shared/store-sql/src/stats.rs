//! Figures of queues by minute and hour: rows that are added to, and read as series.

use async_trait::async_trait;
use domain::names::{TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::stats::{BUCKETS, Counts, Histogram, Levels, StatKey, Step};
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::stats::{StatFilter, StatPoint, StatRow, StatStore};

use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::pool::Pool;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

// The table of figures.

/// How many rows one statement writes.
const ROWS_PER_STATEMENT: usize = 200;

/// The tenant or workflow of rows of all of them.
const ALL: &str = "";

static ADD: Sql = Sql::new("add_stats", include_str!("../sql/add_stats.sql"));

static SET_LEVELS: Sql = Sql::new(
    "set_stat_levels",
    "INSERT INTO stat (step, tenant, workflow, at, queue, tier, queued, processing, oldest_age_ms)
     SELECT r.step, r.tenant, r.workflow, r.at, r.queue, r.tier, r.queued, r.processing, r.oldest_age_ms
     FROM {rows $1: step int, tenant text, workflow text, at bigint, queue int, tier int, queued bigint,
                    processing bigint, oldest_age_ms bigint} r
     WHERE true ORDER BY r.step, r.tenant, r.workflow, r.at, r.queue, r.tier
     ON CONFLICT (step, tenant, workflow, at, queue, tier) DO UPDATE SET queued = excluded.queued,
       processing = excluded.processing, oldest_age_ms = excluded.oldest_age_ms",
);

// Index: stat_age.
static PRUNE: Sql = Sql::new(
    "prune_stats",
    "DELETE FROM stat WHERE (step, tenant, workflow, at, queue, tier) IN (
       SELECT step, tenant, workflow, at, queue, tier FROM stat WHERE step = $1 AND at < $2
       ORDER BY at LIMIT $3 {for_update_skip})",
);

const WAITS: [&str; BUCKETS] = [
    "wait_0", "wait_1", "wait_2", "wait_3", "wait_4", "wait_5", "wait_6", "wait_7", "wait_8", "wait_9",
    "wait_10", "wait_11", "wait_12", "wait_13", "wait_14", "wait_15", "wait_16", "wait_17",
];
const RUNS: [&str; BUCKETS] = [
    "run_0", "run_1", "run_2", "run_3", "run_4", "run_5", "run_6", "run_7", "run_8", "run_9", "run_10",
    "run_11", "run_12", "run_13", "run_14", "run_15", "run_16", "run_17",
];
const ENDS: [&str; BUCKETS] = [
    "end_to_end_0",
    "end_to_end_1",
    "end_to_end_2",
    "end_to_end_3",
    "end_to_end_4",
    "end_to_end_5",
    "end_to_end_6",
    "end_to_end_7",
    "end_to_end_8",
    "end_to_end_9",
    "end_to_end_10",
    "end_to_end_11",
    "end_to_end_12",
    "end_to_end_13",
    "end_to_end_14",
    "end_to_end_15",
    "end_to_end_16",
    "end_to_end_17",
];
const SUMS: [&str; 8] =
    ["enqueued", "claimed", "completed", "failed", "dead_lettered", "run_ms", "queued", "processing"];

/// How many columns a row of counts has: its key, six sums, three histograms.
const COLUMNS: usize = 12 + 3 * BUCKETS;

/// Adds to what rows count.
async fn add_counts(pool: &Pool, rows: &[StatRow<Counts>]) -> StoreResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let cells = rows.iter().map(|row| {
        let counts = &row.figures;
        let mut cells = [Cell::Long(0); COLUMNS];
        cells[..6].copy_from_slice(&key_cells(row.step, row.at, &row.key));
        let sums = [
            counts.enqueued,
            counts.claimed,
            counts.completed,
            counts.failed,
            counts.dead_lettered,
            counts.run_ms,
        ];
        let histograms = [counts.waits, counts.runs, counts.ends];
        let all = sums.into_iter().chain(histograms.into_iter().flat_map(|histogram| histogram.0));
        for (cell, number) in cells[6..].iter_mut().zip(all) {
            *cell = long(number);
        }
        cells
    });
    ADD.run(pool.write(), bind::rows(pool.dialect(), cells)).await.map(|_| ())
}

/// Sets the levels of rows.
async fn set_levels(pool: &Pool, rows: &[StatRow<Levels>]) -> StoreResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let cells = rows.iter().map(|row| {
        let [step, tenant, workflow, at, queue, tier] = key_cells(row.step, row.at, &row.key);
        let Levels { queued, processing, oldest_age_ms } = row.figures;
        [step, tenant, workflow, at, queue, tier, long(queued), long(processing), long(oldest_age_ms)]
    });
    SET_LEVELS.run(pool.write(), bind::rows(pool.dialect(), cells)).await.map(|_| ())
}

// Index: the key.
/// Figures by span, summed over queues and tiers.
async fn series(pool: &Pool, filter: &StatFilter) -> StoreResult<Vec<StatPoint>> {
    let sums = SUMS.iter().chain(&WAITS).chain(&RUNS).chain(&ENDS);
    let sums: Vec<String> =
        sums.map(|column| format!("CAST(SUM(s.{column}) AS bigint) AS {column}")).collect();
    let text = format!(
        "SELECT s.at, MAX(s.oldest_age_ms) AS oldest_age_ms, {} FROM stat s WHERE true",
        sums.join(", ")
    );
    let mut select = Select::new("stats", &text);
    select.with("AND s.step = $?", filter.step.code());
    select.with("AND s.tenant = $?", filter.tenant.as_ref().map_or(ALL, TenantName::as_str));
    select.with("AND s.workflow = $?", filter.workflow.as_ref().map_or(ALL, WorkflowName::as_str));
    select.with("AND s.at >= $?", filter.from.0);
    select.with("AND s.at < $?", filter.to.0);
    select.with_some("AND s.queue = $?", filter.queue.map(QueueName::code));
    select.with_some("AND s.tier = $?", filter.tier.map(Tier::code));
    select.push("GROUP BY s.at ORDER BY s.at");
    select.all(pool.delayed_lists()).await?.iter().map(point_of).collect()
}

/// Removes rows from before an instant.
async fn prune(pool: &Pool, step: Step, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let values = vec![step.code().into(), before.0.into(), i64::from(limit).into()];
    PRUNE.run(pool.write(), values).await
}

fn key_cells(step: Step, at: Timestamp, key: &StatKey) -> [Cell<'_>; 6] {
    [
        Cell::Int(i32::from(step.code())),
        Cell::Text(key.tenant.as_ref().map_or(ALL, TenantName::as_str)),
        Cell::Text(key.workflow.as_ref().map_or(ALL, WorkflowName::as_str)),
        Cell::Long(at.0),
        Cell::Int(i32::from(key.queue.code())),
        Cell::Int(i32::from(key.tier.code())),
    ]
}

fn point_of(row: &QueryResult) -> StoreResult<StatPoint> {
    let row = Row::new("stat", row);
    let number = |column: &'static str| row.long(column).map(|long| u64::try_from(long).unwrap_or(0));
    let histogram = |columns: [&'static str; BUCKETS]| -> StoreResult<Histogram> {
        let mut histogram = Histogram::default();
        for (bucket, column) in histogram.0.iter_mut().zip(columns) {
            *bucket = number(column)?;
        }
        Ok(histogram)
    };
    Ok(StatPoint {
        at: row.instant("at")?,
        counts: Counts {
            enqueued: number("enqueued")?,
            claimed: number("claimed")?,
            completed: number("completed")?,
            failed: number("failed")?,
            dead_lettered: number("dead_lettered")?,
            run_ms: number("run_ms")?,
            waits: histogram(WAITS)?,
            runs: histogram(RUNS)?,
            ends: histogram(ENDS)?,
        },
        levels: Levels {
            queued: number("queued")?,
            processing: number("processing")?,
            oldest_age_ms: number("oldest_age_ms")?,
        },
    })
}

fn long(number: u64) -> Cell<'static> {
    Cell::Long(i64::try_from(number).unwrap_or(i64::MAX))
}

// The port's operations on figures, each retried where that is safe.

#[async_trait]
impl StatStore for SqlStore {
    async fn add_counts(&self, rows: &[StatRow<Counts>]) -> StoreResult<()> {
        for part in rows.chunks(ROWS_PER_STATEMENT) {
            with_retry(RetryBudget::once(), || add_counts(self.pool(), part)).await?;
        }
        Ok(())
    }

    async fn set_levels(&self, rows: &[StatRow<Levels>]) -> StoreResult<()> {
        for part in rows.chunks(ROWS_PER_STATEMENT) {
            with_retry(RetryBudget::repeatable(), || set_levels(self.pool(), part)).await?;
        }
        Ok(())
    }

    async fn stats(&self, filter: &StatFilter) -> StoreResult<Vec<StatPoint>> {
        with_retry(RetryBudget::repeatable(), || series(self.pool(), filter)).await
    }

    async fn prune_stats(&self, step: Step, before: Timestamp, limit: u32) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || prune(self.pool(), step, before, limit)).await
    }
}
