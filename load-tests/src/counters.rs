//! What PostgreSQL counted while something ran: write-ahead log, commits, dead rows. The server is private and runs one
//! thing at a time, so that all of it belongs to what is measured.

use std::time::Duration;

use anyhow::Result;
use sqlx::postgres::PgPool;

use crate::database::connect;

/// The statistics of a session arrive a moment after its last statement, or at once when it ends.
const ARRIVE: Duration = Duration::from_millis(1_200);

/// Counters of one database.
#[derive(Debug)]
pub(crate) struct Counters {
    pool: PgPool,
    wal: f64,
    commits: f64,
}

/// What was counted in between.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    pub(crate) wal_bytes: f64,
    pub(crate) commits: f64,
    pub(crate) dead_tuples: f64,
}

impl Counters {
    /// Starts counting.
    pub(crate) async fn start(url: &str) -> Result<Self> {
        let pool = connect(url, 1).await?;
        let wal = wal(&pool).await?;
        tokio::time::sleep(ARRIVE).await;
        let (commits, _) = read(&pool).await?;
        Ok(Self { pool, wal, commits })
    }

    /// Does something whose log does not count.
    pub(crate) async fn leave_out(&mut self, work: impl Future<Output = Result<()>>) -> Result<()> {
        let before = wal(&self.pool).await?;
        work.await?;
        self.wal += wal(&self.pool).await? - before;
        Ok(())
    }

    /// Ends the other sessions of the database, which makes them report, and answers what was counted since the start.
    pub(crate) async fn end(self) -> Result<Counted> {
        let wal_bytes = wal(&self.pool).await? - self.wal;
        sqlx::query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'",
        )
        .execute(&self.pool)
        .await?;
        tokio::time::sleep(ARRIVE).await;
        let (commits, dead_tuples) = read(&self.pool).await?;
        self.pool.close().await;
        Ok(Counted { wal_bytes, commits: commits - self.commits, dead_tuples })
    }
}

async fn wal(pool: &PgPool) -> Result<f64> {
    Ok(sqlx::query_scalar("SELECT (pg_current_wal_insert_lsn() - '0/0')::float8").fetch_one(pool).await?)
}

async fn read(pool: &PgPool) -> Result<(f64, f64)> {
    let counters = sqlx::query_as(
        "SELECT (SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()),
                (SELECT coalesce(sum(n_dead_tup), 0)::float8 FROM pg_stat_user_tables)",
    );
    Ok(counters.fetch_one(pool).await?)
}
