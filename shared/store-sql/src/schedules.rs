//! Schedules: their rows, which of them are due, and what became of each slot.
//!
//! What a slot comes to is decided in `domain`. Here it is recorded, together with the execution that it starts and
//! the place up to which the schedule is decided. The key of `schedule_run` is what keeps a slot from being started
//! twice, whoever tries; the lock on the schedule's row only spares them the work.

mod crud;
mod fire;
mod rows;
mod runs;
mod work;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ScheduleId;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::schedules::{DueSchedule, Fired, ScheduleFire, ScheduleRecord, ScheduleSaved, ScheduleStore};

use crate::retry::{RetryBudget, with_retry};
use crate::{SqlStore, lanes};

pub(crate) use rows::{LISTED, record_of, run_of};

// The port's operations on schedules, each retried where that is safe.

#[async_trait]
impl ScheduleStore for SqlStore {
    async fn create_schedule(&self, schedule: &ScheduleRecord) -> StoreResult<ScheduleSaved> {
        with_retry(RetryBudget::repeatable(), || crud::create(self.pool(), schedule)).await
    }

    async fn replace_schedule(
        &self,
        scope: &TenantScope,
        schedule: &ScheduleRecord,
    ) -> StoreResult<ScheduleSaved> {
        // Not repeated over a broken connection: the second time its own first would look like somebody else's.
        with_retry(RetryBudget::once(), || crud::replace(self.pool(), scope, schedule)).await
    }

    async fn delete_schedule(&self, scope: &TenantScope, id: ScheduleId) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || crud::delete(self.pool(), scope, id)).await
    }

    async fn schedule(&self, scope: &TenantScope, id: ScheduleId) -> StoreResult<Option<DueSchedule>> {
        with_retry(RetryBudget::repeatable(), || crud::one(self.pool(), scope, id)).await
    }

    async fn due_schedules(
        &self,
        now: Timestamp,
        limit: u32,
        bytes_max: u64,
        without: &[TenantName],
    ) -> StoreResult<Vec<DueSchedule>> {
        with_retry(RetryBudget::repeatable(), || rows::due(self.pool(), now, limit, bytes_max, without)).await
    }

    async fn waiting_schedules(&self, limit: u32) -> StoreResult<Vec<DueSchedule>> {
        with_retry(RetryBudget::repeatable(), || rows::waiting(self.pool(), limit)).await
    }

    async fn is_interval_due(&self, now: Timestamp) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || rows::is_interval_due(self.pool(), now)).await
    }

    async fn schedules_of_other_tzdb(
        &self,
        tzdb_version: &str,
        limit: u32,
    ) -> StoreResult<Vec<ScheduleRecord>> {
        with_retry(RetryBudget::repeatable(), || crud::of_other_tzdb(self.pool(), tzdb_version, limit)).await
    }

    async fn fire_schedules(&self, fires: &[ScheduleFire], now: Timestamp) -> StoreResult<Vec<Fired>> {
        let fires = &*self.sealed_fires(fires).await?;
        lanes::with_current(self, || fire::fire(self, fires, now)).await
    }

    async fn recorded_slots(&self, id: ScheduleId, nominals: &[Timestamp]) -> StoreResult<Vec<Timestamp>> {
        with_retry(RetryBudget::repeatable(), || runs::recorded(self.pool(), id, nominals)).await
    }
}
