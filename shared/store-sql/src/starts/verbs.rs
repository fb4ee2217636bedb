//! The port's operations on starts that are put off, each retried where that is safe.

use async_trait::async_trait;
use domain::id::{DeliveryId, ExecutionId};
use domain::time::Timestamp;
use domain::webhook::StartEnd;
use store::StoreResult;
use store::starts::{DueStart, PutOff, PutOffState, StartStore};

use super::{add, due, end};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl StartStore for SqlStore {
    async fn put_off(&self, event: &PutOff, now: Timestamp) -> StoreResult<PutOffState> {
        let sealed = self.sealed(std::slice::from_ref(event)).await?;
        let event = sealed.first().unwrap_or(event);
        with_retry(RetryBudget::repeatable(), || add::put_off(self, event, now)).await
    }

    async fn due_starts(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<DueStart>> {
        // Not repeated: what was taken before a fault is answered again when its half minute is over.
        self.openable("a start that was put off", due::due(self, now, limit).await?).await
    }

    async fn end_start(&self, id: ExecutionId, end: &StartEnd) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || end::end(self, id, end)).await
    }

    async fn show_ended_starts(&self, delivery: DeliveryId) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || end::show_all(self, delivery)).await
    }
}
