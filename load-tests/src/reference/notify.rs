//! The shortest ways from a durable insert to a handler: over `NOTIFY`, and in the same process.

use anyhow::Result;
use sqlx::Executor;
use sqlx::postgres::{PgListener, PgPool};
use tokio::task::JoinHandle;

use crate::jobs::payload;

const INSERT: &str = "
    INSERT INTO ref_job (queue, priority, state, job_type, tenant, run_at, created_at, attempts, attempts_max, payload)
    VALUES ('default', 0, 'ready', 'noop', 'default', now(), now(), 0, 4, $1::jsonb)";

const INSERT_CLAIMED: &str = "
    INSERT INTO ref_job (queue, priority, state, job_type, tenant, run_at, created_at, attempts, attempts_max, payload,
        locked_until, locked_by, started_at)
    VALUES ('default', 0, 'processing', 'noop', 'default', now(), now(), 1, 4, $1::jsonb,
        now() + interval '30 s', 'reference', now())
    RETURNING id";

const CLAIM: &str = "
    UPDATE ref_job SET state = 'processing', attempts = attempts + 1, started_at = now(),
        locked_until = now() + interval '30 s', locked_by = 'reference'
    WHERE id = ANY(ARRAY(
        SELECT id FROM ref_job WHERE queue = 'default' AND state = 'ready'
        ORDER BY priority, run_at, id LIMIT 1 FOR UPDATE SKIP LOCKED))
    RETURNING id, payload::text";

const COMPLETE: &str = "
    WITH gone AS (DELETE FROM ref_job WHERE id = $1 RETURNING *)
    INSERT INTO ref_history SELECT gone.*, now() FROM gone";

/// Inserts a job and notifies, in one transaction.
pub(crate) async fn send_notified(pool: &PgPool, number: usize) -> Result<()> {
    let mut transaction = pool.begin().await?;
    sqlx::query(INSERT).bind(payload(number)).execute(&mut *transaction).await?;
    transaction.execute("NOTIFY ref_jobs").await?;
    transaction.commit().await?;
    Ok(())
}

/// Inserts a job that is claimed already: its handler can start when this returns.
pub(crate) async fn send_claimed(pool: &PgPool, number: usize) -> Result<i64> {
    Ok(sqlx::query_scalar(INSERT_CLAIMED).bind(payload(number)).fetch_one(pool).await?)
}

/// Moves one job to the history.
pub(crate) async fn complete(pool: &PgPool, id: i64) -> Result<()> {
    sqlx::query(COMPLETE).bind(id).execute(pool).await?;
    Ok(())
}

/// A raw worker: waits for a notification, claims, starts, completes, and notifies whoever waits for the end.
pub(crate) async fn listen(
    pool: &PgPool,
    start: impl Fn(&str) + Send + Sync + 'static,
) -> Result<JoinHandle<Result<()>>> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen("ref_jobs").await?;
    let pool = pool.clone();
    Ok(tokio::spawn(async move {
        loop {
            listener.recv().await?;
            while let Some((id, data)) =
                sqlx::query_as::<_, (i64, String)>(CLAIM).fetch_optional(&pool).await?
            {
                start(&data);
                let mut transaction = pool.begin().await?;
                sqlx::query(COMPLETE).bind(id).execute(&mut *transaction).await?;
                transaction.execute("NOTIFY ref_ended").await?;
                transaction.commit().await?;
            }
        }
    }))
}
