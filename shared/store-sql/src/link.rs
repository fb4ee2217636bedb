//! Connections: opening, lending, and what is known of each.
//!
//! A connection is lent to one user at a time. While something is under way its state is unknown, and so it stays where
//! no answer came: then it is closed and never lent again. A connection that comes back outside of a transaction is lent
//! again as it is. Nothing here relies on the driver's own count of transactions, which is wrong after a `COMMIT` that
//! failed.

pub(super) mod after;
mod connection;
mod lent;
mod opener;

use std::time::{Duration, Instant};

use deadpool::Runtime;
use deadpool::managed::{Pool, PoolError, QueueMode};

use crate::metric_names::DATABASE_CONNECTION_WAIT_SECONDS;

pub(crate) use after::{is_out_of_time, is_outcome_unknown, is_undone, uninterrupted};
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

#[cfg(test)]
mod tests;
