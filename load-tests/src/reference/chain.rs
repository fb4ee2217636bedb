//! Chains of steps in raw SQL: the least that a durable workflow over a queue can do.
//!
//! A result is stored together with a row in an inbox and a `NOTIFY`; an owner takes inbox rows and inserts the next
//! steps, with a `NOTIFY`; a worker claims them. Each of the three is one commit.

use anyhow::Result;
use sqlx::postgres::{PgListener, PgPool};
use sqlx::{Executor, Row};
use tokio::task::JoinHandle;

use crate::database::{Database, Kind};

const SCHEMA: &str = "
    CREATE TABLE ref_step (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, chain bigint NOT NULL, step int NOT NULL,
        state text NOT NULL, payload text NOT NULL
    ) WITH (fillfactor = 70);
    CREATE INDEX ref_step_ready ON ref_step (id) WHERE state = 'ready';
    CREATE TABLE ref_result (chain bigint, step int, payload text NOT NULL, PRIMARY KEY (chain, step));
    CREATE TABLE ref_inbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, chain bigint NOT NULL, step int NOT NULL)";

const CLAIM: &str = "
    UPDATE ref_step SET state = 'processing'
    WHERE id = ANY(ARRAY(SELECT id FROM ref_step WHERE state = 'ready' ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING id, chain, step, payload";

const RESULT: &str = "
    WITH gone AS (DELETE FROM ref_step WHERE id = ANY($1) RETURNING chain, step, payload),
         kept AS (INSERT INTO ref_result SELECT chain, step, payload FROM gone)
    INSERT INTO ref_inbox (chain, step) SELECT chain, step FROM gone";

const ADVANCE: &str = "
    WITH read AS (DELETE FROM ref_inbox RETURNING chain, step)
    INSERT INTO ref_step (chain, step, state, payload)
    SELECT chain, step + 1, 'ready', '{\"n\":1}' FROM read WHERE step + 1 < $1";

/// A claimed step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawStep {
    pub(crate) id: i64,
    pub(crate) chain: i64,
    pub(crate) step: i32,
}

/// Tables of the chains, on a database of their own.
pub(crate) struct RawChain {
    pool: PgPool,
    database: Database,
    owner: JoinHandle<Result<()>>,
}

impl RawChain {
    /// Makes the tables and `chains` first steps, and starts the owner of chains of `length` steps.
    pub(crate) async fn start(server: &str, chains: usize, length: usize) -> Result<Self> {
        let database = Database::create(Kind::Postgres, server).await?;
        let pool = database.postgres(6).await?;
        pool.execute(SCHEMA).await?;
        sqlx::query(
            "INSERT INTO ref_step (chain, step, state, payload)
             SELECT n, 0, 'ready', '{\"n\":1}' FROM generate_series(0, $1 - 1) n",
        )
        .bind(chains as i64)
        .execute(&pool)
        .await?;
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.listen("ref_inbox").await?;
        let owner = tokio::spawn(advance(pool.clone(), listener, length as i32));
        Ok(Self { pool, database, owner })
    }

    /// Whoever wants to know of new steps.
    pub(crate) async fn listener(&self) -> Result<PgListener> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen("ref_steps").await?;
        Ok(listener)
    }

    /// Claims up to so many.
    pub(crate) async fn claim(&self, batch: i64) -> Result<Vec<RawStep>> {
        let rows = sqlx::query(CLAIM).bind(batch).fetch_all(&self.pool).await?;
        let step = |row: &sqlx::postgres::PgRow| {
            Ok(RawStep { id: row.try_get(0)?, chain: row.try_get(1)?, step: row.try_get(2)? })
        };
        rows.iter().map(step).collect()
    }

    /// Stores results and tells the owner.
    pub(crate) async fn complete(&self, ids: &[i64]) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(RESULT).bind(ids).execute(&mut *transaction).await?;
        transaction.execute("NOTIFY ref_inbox").await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Removes everything.
    pub(crate) async fn end(self) -> Result<()> {
        self.owner.abort();
        // It ends by being cut off, which is what was asked for.
        let _ = self.owner.await;
        self.pool.close().await;
        self.database.remove().await
    }
}

async fn advance(pool: PgPool, mut listener: PgListener, length: i32) -> Result<()> {
    loop {
        listener.recv().await?;
        let mut transaction = pool.begin().await?;
        let made = sqlx::query(ADVANCE).bind(length).execute(&mut *transaction).await?;
        if made.rows_affected() > 0 {
            transaction.execute("NOTIFY ref_steps").await?;
        }
        transaction.commit().await?;
    }
}
