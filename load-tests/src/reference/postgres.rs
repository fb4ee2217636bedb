//! The reference on PostgreSQL.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Result, ensure};
use sqlx::postgres::PgPool;
use sqlx::{Executor, Row};

use crate::database::{Database, Kind};
use crate::jobs::{BULK, EMPTY_PAUSE, payload};
use crate::measure::rate;

const SCHEMA: &str = "
    CREATE TABLE ref_job (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, queue text NOT NULL, priority smallint NOT NULL,
        state text NOT NULL, job_type text NOT NULL, tenant text NOT NULL, run_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL, attempts int NOT NULL, attempts_max int NOT NULL,
        locked_until timestamptz, locked_by text, started_at timestamptz, payload jsonb NOT NULL
    ) WITH (fillfactor = 70);
    CREATE INDEX ref_ready ON ref_job (queue, priority, run_at, id) WHERE state = 'ready';
    CREATE TABLE ref_history (LIKE ref_job);
    ALTER TABLE ref_history ADD COLUMN finished_at timestamptz NOT NULL;
    ALTER TABLE ref_history ADD PRIMARY KEY (id)";

pub(crate) const INSERT: &str = "
    INSERT INTO ref_job (queue, priority, state, job_type, tenant, run_at, created_at, attempts, attempts_max, payload)
    SELECT 'default', r.priority, 'ready', r.job_type, r.tenant, now(), now(), 0, 4, r.payload::jsonb
    FROM UNNEST($1::smallint[], $2::text[], $3::text[], $4::text[]) AS r (priority, job_type, tenant, payload)
    RETURNING id";

const CLAIM: &str = "
    UPDATE ref_job SET state = 'processing', attempts = attempts + 1, started_at = now(),
        locked_until = now() + interval '30 s', locked_by = $1
    WHERE id = ANY(ARRAY(
        SELECT id FROM ref_job WHERE queue = 'default' AND state = 'ready'
        ORDER BY priority, run_at, id LIMIT $2 FOR UPDATE SKIP LOCKED))
    RETURNING id, job_type, attempts, payload::text";

const COMPLETE: &str = "
    WITH gone AS (DELETE FROM ref_job WHERE id = ANY($1) RETURNING *)
    INSERT INTO ref_history SELECT gone.*, now() FROM gone";

const RENEW: &str = "UPDATE ref_job SET locked_until = now() + interval '30 s' WHERE id = ANY($1)";

const PRUNE: &str =
    "DELETE FROM ref_history WHERE id = ANY(ARRAY(SELECT id FROM ref_history ORDER BY id LIMIT $1))";

/// Tables of the reference, on a database of their own.
pub(crate) struct PostgresReference {
    pub(crate) pool: PgPool,
    database: Database,
}

impl PostgresReference {
    /// Makes the tables.
    pub(crate) async fn start(server: &str) -> Result<Self> {
        let database = Database::create(Kind::Postgres, server).await?;
        let pool = database.postgres(8).await?;
        pool.execute(SCHEMA).await?;
        Ok(Self { pool, database })
    }

    /// Inserts in bulk; answers rows a second.
    pub(crate) async fn enqueue(&self, count: usize) -> Result<f64> {
        let started_at = Instant::now();
        for start in (0..count).step_by(BULK) {
            let payloads: Vec<String> = (start..count.min(start + BULK)).map(payload).collect();
            insert(&self.pool, payloads).await?;
        }
        Ok(rate(count, started_at))
    }

    /// Cleans up after the inserts, as the server would a moment later.
    pub(crate) async fn vacuum(&self) -> Result<()> {
        self.pool.execute("VACUUM ANALYZE ref_job").await?;
        Ok(())
    }

    /// Claims and completes everything with two claimers; answers jobs a second. Waits for jobs that come late.
    pub(crate) async fn drain(&self, count: usize, batch: i64) -> Result<f64> {
        let done = AtomicUsize::new(0);
        let started_at = Instant::now();
        let claimer = || async {
            while done.load(Ordering::Relaxed) < count {
                let ids = self.claim(batch).await?;
                if ids.is_empty() {
                    tokio::time::sleep(EMPTY_PAUSE).await;
                    continue;
                }
                self.complete(&ids).await?;
                done.fetch_add(ids.len(), Ordering::Relaxed);
            }
            Ok::<_, anyhow::Error>(())
        };
        tokio::try_join!(claimer(), claimer())?;
        let rate = rate(count, started_at);
        let (kept,): (i64,) =
            sqlx::query_as("SELECT count(*) FROM ref_history").fetch_one(&self.pool).await?;
        ensure!(kept as usize >= count && done.into_inner() == count, "the reference lost jobs");
        Ok(rate)
    }

    /// Claims up to so many; answers their ids after reading whole rows.
    pub(crate) async fn claim(&self, batch: i64) -> Result<Vec<i64>> {
        let rows = sqlx::query(CLAIM).bind("reference").bind(batch).fetch_all(&self.pool).await?;
        let mut ids = Vec::with_capacity(rows.len());
        for row in &rows {
            let _: (String, i32, String) = (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
            ids.push(row.try_get(0)?);
        }
        Ok(ids)
    }

    /// Moves claimed jobs to the history.
    pub(crate) async fn complete(&self, ids: &[i64]) -> Result<()> {
        sqlx::query(COMPLETE).bind(ids).execute(&self.pool).await?;
        Ok(())
    }

    /// Holds claimed jobs for longer.
    pub(crate) async fn renew(&self, ids: &[i64]) -> Result<()> {
        sqlx::query(RENEW).bind(ids).execute(&self.pool).await?;
        Ok(())
    }

    /// Removes the oldest jobs of the history; answers how many.
    pub(crate) async fn prune(&self, limit: i64) -> Result<u64> {
        Ok(sqlx::query(PRUNE).bind(limit).execute(&self.pool).await?.rows_affected())
    }

    /// Where its tables are.
    pub(crate) fn url(&self) -> &str {
        &self.database.url
    }

    /// Removes everything.
    pub(crate) async fn end(self) -> Result<()> {
        self.pool.close().await;
        self.database.remove().await
    }
}

/// Inserts jobs in one statement and one commit; answers their ids.
pub(crate) async fn insert(pool: &PgPool, payloads: Vec<String>) -> Result<Vec<i64>> {
    let tenants = vec!["default"; payloads.len()];
    insert_for(pool, &tenants, payloads).await
}

/// The same, each job for a tenant.
pub(crate) async fn insert_for(pool: &PgPool, tenants: &[&str], payloads: Vec<String>) -> Result<Vec<i64>> {
    let count = payloads.len();
    let ids = sqlx::query_scalar(INSERT)
        .bind(vec![0_i16; count])
        .bind(vec!["noop"; count])
        .bind(tenants)
        .bind(payloads)
        .fetch_all(pool)
        .await?;
    Ok(ids)
}
