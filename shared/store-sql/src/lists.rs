//! Turns of lists that people look at: few are read at a time and each for a bounded time, so that they take neither the
//! connections nor the time that claims and reports need.

use std::sync::Arc;
use std::time::Duration;

use store::{StoreError, StoreResult};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::pool::Pool;
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

/// How many lists a process reads at once.
const AT_ONCE: usize = 3;

/// How long a list waits for its turn before its caller is asked to come again.
const TURN_TIMEOUT: Duration = Duration::from_secs(5);

static DEADLINE: Sql =
    Sql::new("list_deadline", "SELECT set_config('statement_timeout', '5s', true) AS statement_timeout");

/// The turns.
#[derive(Debug, Clone)]
pub(crate) struct ListTurns(Arc<Semaphore>);

impl Default for ListTurns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl ListTurns {
    /// Waits for a turn, which ends when the answer is dropped.
    pub(crate) async fn take(&self) -> StoreResult<OwnedSemaphorePermit> {
        match tokio::time::timeout(TURN_TIMEOUT, Arc::clone(&self.0).acquire_owned()).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(closed)) => Err(StoreError::Unavailable { source: Box::new(closed) }),
            Err(elapsed) => Err(StoreError::Unavailable { source: Box::new(elapsed) }),
        }
    }
}

/// Begins a transaction on PostgreSQL in which each statement has five seconds.
pub(crate) async fn begin_list(pool: &Pool) -> StoreResult<DatabaseTransaction> {
    let transaction = pool.begin().await?;
    DEADLINE.first(&transaction, vec![]).await?;
    Ok(transaction)
}
