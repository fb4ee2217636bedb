//! Starts that are put off: events gathered into one, and starts that wait their turn under a rate.
//!
//! Who adds an event to a key, or counts starts of one, holds the lock of the key: on PostgreSQL an advisory lock that ends
//! with the transaction, on SQLite the transaction itself. The lock under which events are gathered is taken before that
//! under which starts are counted.

mod add;
mod closed;
mod due;
mod end;
mod lock;

use std::collections::HashSet;

use async_trait::async_trait;
use domain::id::{DeliveryId, ExecutionId};
use domain::time::Timestamp;
use domain::webhook::StartEnd;
use store::StoreResult;
use store::starts::{DueStart, PutOff, PutOffState, StartStore};
use uuid::Uuid;

use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

pub(crate) use closed::ClosedStarts;
pub(crate) use end::REMOVE as REMOVE_EVENTS;

// The port's operations on starts that are put off, each retried where that is safe.

#[async_trait]
impl StartStore for SqlStore {
    async fn put_off(&self, event: &PutOff, now: Timestamp) -> StoreResult<PutOffState> {
        let sealed = self.sealed(std::slice::from_ref(event)).await?;
        let event = sealed.first().unwrap_or(event);
        with_retry(RetryBudget::repeatable(), || add::put_off(self, event, now)).await
    }

    async fn is_put_off(&self, delivery: DeliveryId, trigger_id: &str) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || add::is_put_off(self, delivery, trigger_id)).await
    }

    async fn due_starts(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<DueStart>> {
        // Not repeated: what was taken before a fault is answered again when its half minute is over.
        let due = due::due(self, now, limit).await?;
        let mut closed: HashSet<Uuid> = due.iter().map(|start| start.id.uuid()).collect();
        let open = self.openable("a start that was put off", due).await?;
        for start in &open {
            closed.remove(&start.id.uuid());
        }
        self.sealer().closed_starts.add(closed.into_iter(), now);
        Ok(open)
    }

    async fn end_start(&self, id: ExecutionId, end: &StartEnd) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || end::end(self, id, end)).await
    }

    async fn show_ended_starts(&self, delivery: DeliveryId) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || end::show_all(self, delivery)).await
    }
}
