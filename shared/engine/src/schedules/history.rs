//! What became of the slots of a schedule.

use domain::access::Permission;
use domain::id::ScheduleId;
use domain::time::Timestamp;
use store::schedules::ScheduleRunRecord;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// The history of a schedule, latest nominal instant first, before `before`.
    pub async fn schedule_runs(
        &self,
        caller: &Caller,
        id: ScheduleId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<ScheduleRunRecord>, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().schedule_runs(&caller.scope, id, before, limit).await?;
        found.ok_or_else(|| EngineError::not_found("schedule", &id))
    }
}
