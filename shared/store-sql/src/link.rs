//! Connections: opening, lending, and what is known of each.
//!
//! A connection is lent to one user at a time. While something is under way its state is unknown, and so it stays where
//! no answer came: then it is closed and never lent again. A connection that comes back outside of a transaction is lent
//! again as it is. Nothing here relies on the driver's own count of transactions, which is wrong after a `COMMIT` that
//! failed.

mod after;
mod connection;
mod lent;
mod opener;

use std::time::{Duration, Instant};

use deadpool::Runtime;
use deadpool::managed::{Object, Pool, PoolError, QueueMode};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};

use crate::metric_names::DATABASE_CONNECTION_WAIT_SECONDS;

pub(crate) use after::{is_out_of_time, is_outcome_unknown, uninterrupted};
pub(crate) use connection::{Answer, Work};
pub(crate) use lent::Lent;
pub(crate) use opener::{OnLost, Opener, Source, disk_room};

// The connections of one pool, lent to one user at a time.

/// How long it may take to open a connection.
const OPENS_WITHIN: Duration = Duration::from_secs(5);

/// For how long a pool that is closed waits for connections that are still lent.
const CLOSES_WITHIN: Duration = Duration::from_secs(5);

/// How often it looks.
const CLOSING_LOOK: Duration = Duration::from_millis(5);

/// A pool of connections.
#[derive(Debug, Clone)]
pub(crate) struct Lender {
    pool: Pool<Opener>,
    /// How long a call waits for a connection, and for one to be opened.
    waits: Duration,
}

impl Lender {
    /// A pool of at most so many connections. None is opened before it is needed.
    pub(crate) fn new(opener: Opener, connections_max: u32, waits: Duration) -> Self {
        let pool = Pool::builder(opener)
            .max_size(connections_max.max(1) as usize)
            // The connection that was used last is most likely to be well, and the others may grow old.
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .create_timeout(Some(OPENS_WITHIN))
            .build();
        // Building fails where timeouts are set without a runtime.
        let pool = pool.unwrap_or_else(|error| unreachable!("a pool with a runtime: {error}"));
        Self { pool, waits }
    }

    /// Waits for a connection. It is outside of any transaction.
    pub(crate) async fn lend(&self) -> Result<Lent, sqlx::Error> {
        let asked_at = Instant::now();
        let lent = tokio::time::timeout(self.waits, self.pool.get()).await;
        metrics::histogram!(DATABASE_CONNECTION_WAIT_SECONDS).record(asked_at.elapsed().as_secs_f64());
        match lent {
            Ok(Ok(object)) => Ok(Lent::new(object, self.pool.clone())),
            Ok(Err(PoolError::Backend(error))) => Err(error),
            Ok(Err(PoolError::Closed)) => Err(sqlx::Error::PoolClosed),
            Ok(Err(_)) | Err(_) => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// How many connections are open: those that lie idle, and those that are lent.
    pub(crate) fn connections(&self) -> (usize, usize) {
        let status = self.pool.status();
        (status.available, status.size.saturating_sub(status.available))
    }

    /// Whether a connection lies idle.
    pub(crate) fn has_idle(&self) -> bool {
        self.pool.status().available > 0
    }

    /// Closes all connections. Those that are lent are waited for, for a while.
    pub(crate) async fn close(&self) {
        let until = Instant::now() + CLOSES_WITHIN;
        loop {
            for connection in self.pool.retain(|_, _| false).removed {
                connection.close().await;
            }
            if self.pool.status().size == 0 || Instant::now() >= until {
                break;
            }
            tokio::time::sleep(CLOSING_LOOK).await;
        }
        self.pool.close();
    }
}

/// Takes a connection out of its pool for good, and drops it with its socket.
fn discard(object: Object<Opener>) {
    drop(Object::take(object));
}

// The server's side of a connection to PostgreSQL: which process it is, and how it is ended.
//
// A statement whose answer was lost may still run, and be carried out later. Its session is ended before the store says
// that the outcome is unknown, so that whoever looks afterwards sees what became of it. Behind a pooler the process
// serves others, too, and is left alone.

/// How long it may take to end a session. Afterwards the outcome stays open.
const ENDS_WITHIN: Duration = Duration::from_secs(3);

/// A process of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Session {
    pid: i32,
    /// The numbers of processes are used again; together with its start it is one for ever.
    started: String,
}

impl Session {
    /// The process that serves a connection.
    async fn of(connection: &mut PgConnection) -> Result<Option<Self>, sqlx::Error> {
        let text = "SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()";
        let Some(row) = connection.fetch_optional(sqlx::raw_sql(text)).await? else {
            return Ok(None);
        };
        Ok(Some(Self { pid: row.try_get(0)?, started: row.try_get(1)? }))
    }

    /// Ends it, and waits until it is gone. Answers whether that is so.
    async fn end(&self, options: &PgConnectOptions) -> bool {
        let ended = tokio::time::timeout(ENDS_WITHIN, self.try_to_end(options)).await;
        match ended {
            Ok(Ok(is_gone)) => is_gone,
            Ok(Err(error)) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "a session could not be ended");
                false
            }
            Err(_) => false,
        }
    }

    async fn try_to_end(&self, options: &PgConnectOptions) -> Result<bool, sqlx::Error> {
        let mut connection = PgConnection::connect_with(options).await?;
        let wait_ms = i64::try_from(ENDS_WITHIN.as_millis()).unwrap_or(i64::MAX);
        let ended = sqlx::query(
            "SELECT pg_terminate_backend(pid, $3) FROM pg_stat_activity
             WHERE pid = $1 AND backend_start = $2::timestamptz",
        )
        .bind(self.pid)
        .bind(&self.started)
        .bind(wait_ms)
        .persistent(false)
        .fetch_optional(&mut connection)
        .await?;
        connection.close().await?;
        // No such session: it has ended by itself.
        ended.map_or(Ok(true), |row| row.try_get(0))
    }
}

#[cfg(test)]
mod tests;
