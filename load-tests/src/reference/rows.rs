//! The rows of chains that run in place, written by raw SQL into the engine's own tables: the least that the database
//! has to do for them.
//!
//! Claims a batch, reads its executions, and writes in one commit what the engine writes: the end of the jobs, status,
//! snapshot and output of the executions, the results of their nodes, their timelines. It computes nothing, checks no
//! lease and no limit, and looks at no inbox.

use std::time::Instant;

use anyhow::{Result, ensure};
use sqlx::postgres::PgPool;
use sqlx::types::Uuid;
use sqlx::{Executor, Row};

use crate::measure::rate;

/// How many executions one commit ends.
const BATCH: i64 = 200;

/// As the engine's connections are set.
const SETUP: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off; \
     SET enable_mergejoin = off; SET jit = off";

const CLAIM: &str = "
    UPDATE job SET state = 'processing', attempt = attempt + 1, started_at = $1, lease_until = $1 + 30000,
        lease_ms = 30000, lease_token = id, worker_id = 'reference'
    WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM job WHERE queue = 0 AND state = 'queued' ORDER BY queue, lane, position LIMIT $2
        FOR UPDATE SKIP LOCKED))
    RETURNING id, execution_id, data";

const READ: &str = "SELECT * FROM execution WHERE id = ANY($1)";

const END: &str = "
    WITH gone AS (
        DELETE FROM job WHERE id = ANY($1) RETURNING *
    ), done AS (
        INSERT INTO job_done (id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at,
            created_at, started_at, finished_at, lease_token, worker_id, attempt_status, tier, timeout_ms, backoff,
            unique_key, concurrency_key, tags, traceparent, execution_id, node_id, data)
        SELECT id, position, queue, lane, 'COMPLETED', attempt, attempt_base, retries_max, run_at, queued_at,
            created_at, started_at, $2, lease_token, worker_id, 'COMPLETED', tier, timeout_ms, backoff,
            unique_key, concurrency_key, tags, traceparent, execution_id, node_id, data
        FROM gone
    ), changed AS (
        UPDATE execution SET status = 'COMPLETED', state = $3, started_at = $2, completed_at = $2, output = '{\"n\":1}'
        WHERE id = ANY($4)
    ), recorded AS (
        INSERT INTO node_result (execution_id, node_id, round, status, attempts, started_at, finished_at, output)
        SELECT e, chr(96 + n), 1, 'COMPLETED', 1, $2, $2, '{\"n\":1}'
        FROM unnest($4) e, generate_series(1, 4) n
    )
    INSERT INTO execution_event (execution_id, kind, node_id, at)
    SELECT e, 'node_completed', CASE WHEN n BETWEEN 2 AND 5 THEN chr(95 + n) END, $2
    FROM unnest($4) e, generate_series(1, 6) n";

/// Ends executions that wait on the engine's tables, with two connections at once; answers executions a second.
pub(crate) async fn end_waiting(pool: &PgPool, count: usize) -> Result<f64> {
    let started_at = Instant::now();
    let (first, second) = tokio::try_join!(end_some(pool), end_some(pool))?;
    ensure!(first + second == count, "the reference ended {} of {count} executions", first + second);
    Ok(rate(count, started_at))
}

async fn end_some(pool: &PgPool) -> Result<usize> {
    let mut connection = pool.acquire().await?;
    connection.execute(SETUP).await?;
    // About as long as the engine's snapshot of such an execution.
    let snapshot = vec![7_u8; 420];
    let mut ended = 0;
    loop {
        let now = ended as i64;
        let rows = sqlx::query(CLAIM).bind(now).bind(BATCH).fetch_all(&mut *connection).await?;
        if rows.is_empty() {
            return Ok(ended);
        }
        let mut jobs: Vec<Uuid> = Vec::with_capacity(rows.len());
        let mut executions: Vec<Uuid> = Vec::with_capacity(rows.len());
        for row in &rows {
            jobs.push(row.try_get(0)?);
            executions.push(row.try_get(1)?);
        }
        let read = sqlx::query(READ).bind(&executions).fetch_all(&mut *connection).await?;
        ensure!(read.len() == executions.len(), "an execution is gone");
        sqlx::query(END)
            .bind(&jobs)
            .bind(now)
            .bind(&snapshot)
            .bind(&executions)
            .execute(&mut *connection)
            .await?;
        ended += jobs.len();
    }
}
