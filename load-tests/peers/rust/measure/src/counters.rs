//! What PostgreSQL counted: write-ahead log, commits, dead rows. The server is private, so all of it is the peer's.

use std::time::Duration;

use anyhow::Result;
use sqlx::{Connection, Executor, PgConnection};

/// The statistics of a session arrive a moment after its last statement, or at once when it ends.
const ARRIVE: Duration = Duration::from_millis(1_200);

const READ: &str = "
    SELECT (SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()),
           (SELECT coalesce(sum(n_dead_tup), 0)::float8 FROM pg_stat_user_tables)";

/// A connection of its own for the counters.
pub(crate) struct Counters(PgConnection);

/// The counters at one instant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) commits: f64,
    pub(crate) dead: f64,
}

impl Counters {
    pub(crate) async fn open(url: &str) -> Result<Self> {
        Ok(Self(PgConnection::connect(url).await?))
    }

    /// The counters now.
    pub(crate) async fn read(&mut self) -> Result<Reading> {
        tokio::time::sleep(ARRIVE).await;
        let (commits, dead) = sqlx::query_as(READ).fetch_one(&mut self.0).await?;
        Ok(Reading { commits, dead })
    }

    /// How many bytes of log were written so far.
    pub(crate) async fn wal(&mut self) -> Result<f64> {
        let wal = sqlx::query_scalar("SELECT (pg_current_wal_insert_lsn() - '0/0')::float8");
        Ok(wal.fetch_one(&mut self.0).await?)
    }

    /// Cleans up after the inserts, as the reference does; answers the bytes of log that it wrote.
    pub(crate) async fn vacuum(&mut self) -> Result<f64> {
        let before = self.wal().await?;
        self.0.execute("VACUUM ANALYZE").await?;
        Ok(self.wal().await? - before)
    }
}
