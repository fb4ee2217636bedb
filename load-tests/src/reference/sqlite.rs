//! The reference on SQLite: one writing connection, as durable as the engine's.

use std::time::Instant;

use anyhow::{Result, ensure};
use sqlx::sqlite::SqlitePool;
use sqlx::{Executor, Row};

use crate::database::{Database, Kind};
use crate::jobs::{BULK, payload};
use crate::measure::rate;

const SCHEMA: &str = "
    CREATE TABLE ref_job (
        id integer PRIMARY KEY, queue text NOT NULL, priority int NOT NULL, state text NOT NULL,
        job_type text NOT NULL, tenant text NOT NULL, run_at bigint NOT NULL, created_at bigint NOT NULL,
        attempts int NOT NULL, attempts_max int NOT NULL, locked_until bigint, locked_by text, started_at bigint,
        payload text NOT NULL
    );
    CREATE INDEX ref_ready ON ref_job (queue, priority, run_at, id) WHERE state = 'ready';
    CREATE TABLE ref_history (
        id integer PRIMARY KEY, queue text NOT NULL, priority int NOT NULL, state text NOT NULL,
        job_type text NOT NULL, tenant text NOT NULL, run_at bigint NOT NULL, created_at bigint NOT NULL,
        attempts int NOT NULL, attempts_max int NOT NULL, locked_until bigint, locked_by text, started_at bigint,
        payload text NOT NULL, finished_at bigint NOT NULL
    )";

const INSERT: &str = "
    INSERT INTO ref_job (queue, priority, state, job_type, tenant, run_at, created_at, attempts, attempts_max, payload)
    SELECT 'default', 0, 'ready', 'noop', 'default', 1, 1, 0, 4, value FROM json_each($1)";

const CLAIM: &str = "
    UPDATE ref_job SET state = 'processing', attempts = attempts + 1, started_at = 2, locked_until = 3,
        locked_by = 'reference'
    WHERE id IN (
        SELECT id FROM ref_job WHERE queue = 'default' AND state = 'ready' ORDER BY priority, run_at, id LIMIT $1)
    RETURNING id, job_type, attempts, payload";

const COPY: &str = "
    INSERT INTO ref_history SELECT j.*, 4 FROM json_each($1) r JOIN ref_job j ON j.id = r.value";

const DROP: &str = "DELETE FROM ref_job WHERE id IN (SELECT value FROM json_each($1))";

/// Tables of the reference, in a file of their own.
pub(crate) struct SqliteReference {
    pool: SqlitePool,
    database: Database,
}

impl SqliteReference {
    /// Makes the tables.
    pub(crate) async fn start(server: &str) -> Result<Self> {
        let database = Database::create(Kind::Sqlite, server).await?;
        let pool = database.sqlite().await?;
        pool.execute(SCHEMA).await?;
        Ok(Self { pool, database })
    }

    /// Inserts in bulk; answers rows a second.
    pub(crate) async fn enqueue(&self, count: usize) -> Result<f64> {
        let started_at = Instant::now();
        for start in (0..count).step_by(BULK) {
            let payloads: Vec<String> = (start..count.min(start + BULK)).map(payload).collect();
            let list = serde_json::to_string(&payloads)?;
            sqlx::query(INSERT).bind(list).execute(&self.pool).await?;
        }
        Ok(rate(count, started_at))
    }

    /// Claims and completes everything; answers jobs a second.
    pub(crate) async fn drain(&self, count: usize, batch: i64) -> Result<f64> {
        let started_at = Instant::now();
        let mut done = 0;
        loop {
            let rows = sqlx::query(CLAIM).bind(batch).fetch_all(&self.pool).await?;
            if rows.is_empty() {
                break;
            }
            let mut ids: Vec<i64> = Vec::with_capacity(rows.len());
            for row in &rows {
                let _: (String, i32, String) = (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
                ids.push(row.try_get(0)?);
            }
            let list = serde_json::to_string(&ids)?;
            let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
            sqlx::query(COPY).bind(&list).execute(&mut *transaction).await?;
            sqlx::query(DROP).bind(&list).execute(&mut *transaction).await?;
            transaction.commit().await?;
            done += ids.len();
        }
        let rate = rate(count, started_at);
        ensure!(done == count, "the reference lost jobs");
        Ok(rate)
    }

    /// Removes everything.
    pub(crate) async fn end(self) -> Result<()> {
        self.pool.close().await;
        self.database.remove().await
    }
}
