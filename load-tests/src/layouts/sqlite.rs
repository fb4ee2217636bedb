//! Two of the layouts on SQLite: today's tables, and a body with a lease and an end by position. One lane, one connection, and
//! statements over runs of positions as the engine's, without limits.

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Result, ensure};
use domain::time::Timestamp;
use engine::{Entropy as _, SystemEntropy};
use sqlx::sqlite::SqlitePool;
use sqlx::{Executor, Row};

use super::{Speed, SqliteLayout};
use crate::database::{Database, Kind};
use crate::jobs::{BULK, payload};
use crate::measure::rate;

/// A pool of a server has a name like this.
const WORKER: &str = "pool-node-bq3kd9x2mfa";
const NOW: i64 = 1_700_000_000_000;

pub(super) const TODAY: SqliteLayout = SqliteLayout {
    name: "today",
    schema: "
        CREATE TABLE job (
            position integer PRIMARY KEY AUTOINCREMENT, id blob NOT NULL UNIQUE, queue smallint NOT NULL,
            lane integer NOT NULL, state text NOT NULL CHECK (state IN
                ('scheduled', 'queued', 'blocked', 'processing', 'waiting', 'retry_wait')),
            attempt integer NOT NULL, attempt_base integer NOT NULL, retries_max integer NOT NULL,
            crashes integer NOT NULL, run_at bigint NOT NULL, queued_at bigint NOT NULL, created_at bigint NOT NULL,
            started_at bigint, lease_until bigint, lease_ms bigint, deadline_at bigint, lease_token blob,
            worker_id text, tier smallint NOT NULL, timeout_ms bigint, backoff text, unique_key text,
            concurrency_key text, tags text, traceparent text, execution_id blob, node_id text, error text,
            progress text, data text NOT NULL, look_at bigint, reap_at bigint NOT NULL DEFAULT 0,
            is_resumed smallint NOT NULL DEFAULT 0, offers_returned integer NOT NULL DEFAULT 0, expires_at bigint
        );
        CREATE INDEX job_claim ON job (queue, lane, position) WHERE state = 'queued';
        CREATE INDEX job_leased ON job (queue, reap_at) WHERE state = 'processing';
        CREATE INDEX job_due ON job (run_at) WHERE state IN ('scheduled', 'retry_wait');
        CREATE UNIQUE INDEX job_unique_key ON job (unique_key) WHERE unique_key IS NOT NULL;
        CREATE UNIQUE INDEX job_concurrency_key ON job (concurrency_key)
            WHERE concurrency_key IS NOT NULL AND state IN ('queued', 'processing');
        CREATE INDEX job_blocked ON job (concurrency_key, position) WHERE state = 'blocked';
        CREATE INDEX job_execution ON job (execution_id) WHERE execution_id IS NOT NULL;
        CREATE INDEX job_parked ON job (run_at) WHERE state = 'waiting';
        CREATE INDEX job_look ON job (look_at) WHERE state = 'queued' AND look_at IS NOT NULL;
        CREATE INDEX job_resumed ON job (lane, position)
            WHERE state = 'queued' AND queue = 0 AND (attempt > 0 OR is_resumed = 1);
        CREATE INDEX job_expiry ON job (expires_at) WHERE expires_at IS NOT NULL AND started_at IS NULL;
        CREATE TABLE job_done (
            id blob PRIMARY KEY, position bigint NOT NULL, queue smallint NOT NULL, lane integer NOT NULL,
            status text NOT NULL CHECK (status IN ('COMPLETED', 'FAILED', 'DEAD_LETTER', 'CANCELLED')),
            attempt integer NOT NULL, attempt_base integer NOT NULL, retries_max integer NOT NULL,
            run_at bigint NOT NULL, queued_at bigint NOT NULL, created_at bigint NOT NULL, started_at bigint,
            finished_at bigint NOT NULL, lease_token blob, worker_id text, attempt_status text,
            tier smallint NOT NULL, timeout_ms bigint, backoff text, unique_key text, concurrency_key text, tags text,
            traceparent text, execution_id blob, node_id text, error text, result text, data text NOT NULL,
            payload_dropped_at bigint
        );
        CREATE INDEX job_done_ended ON job_done (queue, status, finished_at);
        CREATE INDEX job_done_lane ON job_done (lane, id);
        CREATE INDEX job_done_execution ON job_done (execution_id) WHERE execution_id IS NOT NULL;
        CREATE INDEX job_done_unsuccessful ON job_done (status, id) WHERE status <> 'COMPLETED';
        CREATE INDEX job_done_unique_key ON job_done (unique_key) WHERE unique_key IS NOT NULL",
    enqueue: "
        INSERT INTO job (
            id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at, created_at, tier, data
        )
        SELECT substr($2, r.key * 16 + 1, 16), 1, 1, 'queued', 0, 0, 3, 0, $1, $1, $1, 1,
            CAST(substr($4, (r.value >> 30) + 1, r.value & 1073741823) AS text)
        FROM json_each($3) r
        WHERE NOT EXISTS (SELECT 1 FROM job_done d WHERE d.id = substr($2, r.key * 16 + 1, 16))
        ON CONFLICT DO NOTHING",
    read: "
        SELECT position, id, data, attempt, queued_at FROM job
        WHERE queue = 1 AND lane = 1 AND state = 'queued' AND position > $1 ORDER BY position LIMIT 0 + $2",
    take: "
        UPDATE job
        SET state = 'processing', attempt = attempt + 1, started_at = max($1, queued_at), lease_ms = 30000, worker_id = $2,
            lease_token = substr($3, (position - $4) * 16 + 1, 16), deadline_at = $1 + timeout_ms,
            lease_until = $1 + 30000, reap_at = $1 + 30000
        WHERE position BETWEEN $4 AND $5 AND +state = 'queued' AND +queue = 1 AND +lane = 1",
    copy: "
        INSERT INTO job_done (
            id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at, created_at,
            started_at, finished_at, lease_token, worker_id, attempt_status, tier, timeout_ms, backoff, unique_key,
            concurrency_key, tags, traceparent, execution_id, node_id, result, data
        )
        SELECT
            j.id, j.position, j.queue, j.lane, 'COMPLETED', j.attempt, j.attempt_base, j.retries_max, j.run_at,
            j.queued_at, j.created_at, j.started_at, $1, j.lease_token, j.worker_id, 'COMPLETED', j.tier, j.timeout_ms,
            j.backoff, j.unique_key, NULL, j.tags, j.traceparent, j.execution_id, j.node_id, NULL, j.data
        FROM job j
        WHERE j.position BETWEEN $3 AND $4 AND j.lease_token = substr($2, (j.position - $3) * 16 + 1, 16)
            AND +j.state = 'processing' AND +j.concurrency_key IS NULL",
    remove: "
        DELETE FROM job WHERE position BETWEEN $2 AND $3 AND lease_token = substr($1, (position - $2) * 16 + 1, 16)",
    ended: "SELECT count(*) FROM job_done",
};

pub(super) const BODY: SqliteLayout = SqliteLayout {
    name: "body, lease, end",
    schema: "
        CREATE TABLE body (
            position integer PRIMARY KEY AUTOINCREMENT, id blob NOT NULL UNIQUE, lane integer NOT NULL,
            created_at bigint NOT NULL, retries_max smallint NOT NULL, run_at bigint, execution_id blob, more text,
            data text NOT NULL
        );
        CREATE INDEX body_claim ON body (lane, position);
        CREATE TABLE lane_floor (lane integer PRIMARY KEY, position bigint NOT NULL);
        INSERT INTO lane_floor VALUES (1, 0);
        CREATE TABLE lease (
            position integer PRIMARY KEY, lane integer NOT NULL, attempt smallint NOT NULL, worker integer NOT NULL,
            started_at bigint NOT NULL, lease_until bigint NOT NULL, deadline_at bigint, token blob NOT NULL, progress text
        );
        CREATE TABLE ended (
            position integer PRIMARY KEY, lane integer NOT NULL, status smallint NOT NULL, attempt smallint NOT NULL,
            worker integer, started_at bigint, finished_at bigint NOT NULL, token blob, result text
        );
        CREATE INDEX ended_at ON ended (finished_at)",
    enqueue: "
        INSERT INTO body (id, lane, created_at, retries_max, data)
        SELECT substr($2, r.key * 16 + 1, 16), 1, $1, 3,
            CAST(substr($4, (r.value >> 30) + 1, r.value & 1073741823) AS text)
        FROM json_each($3) r WHERE true
        ON CONFLICT DO NOTHING",
    read: "
        SELECT position, id, data, 1, created_at FROM body WHERE lane = 1 AND position > $1 ORDER BY position LIMIT 0 + $2",
    take: "
        INSERT INTO lease (position, lane, attempt, worker, started_at, lease_until, token)
        SELECT position, lane, 1, length($2), $1, $1 + 30000, substr($3, (position - $4) * 16 + 1, 16)
        FROM body WHERE position BETWEEN $4 AND $5 AND +lane = 1",
    copy: "
        INSERT INTO ended (position, lane, status, attempt, worker, started_at, finished_at, token)
        SELECT position, lane, 1, attempt, worker, started_at, $1, token FROM lease
        WHERE position BETWEEN $3 AND $4 AND token = substr($2, (position - $3) * 16 + 1, 16)",
    remove: "DELETE FROM lease WHERE position BETWEEN $2 AND $3 AND token = substr($1, (position - $2) * 16 + 1, 16)",
    ended: "SELECT count(*) FROM ended",
};

const QUEUE: &str = "
    CREATE TABLE queue_claim (queue smallint PRIMARY KEY, epoch bigint NOT NULL);
    INSERT INTO queue_claim VALUES (1, 0)";

/// Times a bulk enqueue, and a drain.
pub(crate) async fn sqlite_speed(
    layout: &SqliteLayout,
    server: &str,
    count: usize,
    batch: usize,
) -> Result<Speed> {
    let database = Database::create(Kind::Sqlite, server).await?;
    let pool = database.sqlite().await?;
    pool.execute(QUEUE).await?;
    pool.execute(layout.schema).await?;
    let entropy = SystemEntropy::new();
    let started_at = Instant::now();
    for start in (0..count).step_by(BULK) {
        enqueue(layout, &pool, &entropy, start..count.min(start + BULK)).await?;
    }
    let enqueue = rate(count, started_at);
    let started_at = Instant::now();
    let (mut done, mut floor) = (0, 0);
    while done < count {
        let (first, last, ended) = claim_and_settle(layout, &pool, &entropy, (floor, batch)).await?;
        ensure!(ended > 0 && first > floor, "{}: {} jobs were not claimed", layout.name, count - done);
        (done, floor) = (done + ended, last);
    }
    let drain = rate(count, started_at);
    let ended: i64 = sqlx::query_scalar(layout.ended).fetch_one(&pool).await?;
    ensure!(ended as usize == count, "{}: {ended} jobs of {count} have ended", layout.name);
    pool.close().await;
    database.remove().await?;
    Ok(Speed { enqueue, drain })
}

async fn enqueue(
    layout: &SqliteLayout,
    pool: &SqlitePool,
    entropy: &SystemEntropy,
    numbers: std::ops::Range<usize>,
) -> Result<()> {
    let (mut ids, mut spans, mut blob) = (Vec::new(), String::from("["), Vec::new());
    for (place, number) in numbers.enumerate() {
        ids.extend_from_slice(entropy.uuid(Timestamp(NOW)).as_bytes());
        let data = payload(number);
        let comma = if place > 0 { "," } else { "" };
        let _ = write!(spans, "{comma}{}", ((blob.len() as i64) << 30) | data.len() as i64);
        blob.extend_from_slice(data.as_bytes());
    }
    spans.push(']');
    sqlx::query(layout.enqueue).bind(NOW).bind(ids).bind(spans).bind(blob).execute(pool).await?;
    Ok(())
}

/// Claims after a floor, and ends what was claimed; answers the first and the last position, and how many there were.
async fn claim_and_settle(
    layout: &SqliteLayout,
    pool: &SqlitePool,
    entropy: &SystemEntropy,
    (floor, batch): (i64, usize),
) -> Result<(i64, i64, usize)> {
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    transaction.execute("UPDATE queue_claim SET epoch = epoch + 1 WHERE queue = 1").await?;
    let rows = sqlx::query(layout.read).bind(floor).bind(batch as i64).fetch_all(&mut *transaction).await?;
    let mut positions: Vec<i64> = Vec::with_capacity(rows.len());
    for row in &rows {
        let _: (Vec<u8>, String, i64, i64) =
            (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
        positions.push(row.try_get(0)?);
    }
    let (Some(&first), Some(&last)) = (positions.first(), positions.last()) else {
        return Ok((0, floor, 0));
    };
    let mut tokens = vec![0_u8; (last - first + 1) as usize * 16];
    for (position, token) in positions.iter().zip(entropy.tokens(positions.len())) {
        let offset = (position - first) as usize * 16;
        tokens[offset..offset + 16].copy_from_slice(token.0.as_bytes());
    }
    let take = sqlx::query(layout.take).bind(NOW).bind(WORKER).bind(&tokens).bind(first).bind(last);
    let taken = take.execute(&mut *transaction).await?.rows_affected();
    transaction.commit().await?;
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    let copy = sqlx::query(layout.copy).bind(NOW).bind(&tokens).bind(first).bind(last);
    let copied = copy.execute(&mut *transaction).await?.rows_affected();
    let remove = sqlx::query(layout.remove).bind(&tokens).bind(first).bind(last);
    let removed = remove.execute(&mut *transaction).await?.rows_affected();
    transaction.commit().await?;
    ensure!(taken == copied && copied == removed, "{}: a lease was lost", layout.name);
    Ok((first, last, positions.len()))
}
