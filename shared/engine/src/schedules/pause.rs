//! Pause and resume a schedule. Slots that pass while it is paused never fire.

use std::sync::Arc;

use domain::access::Permission;
use domain::id::ScheduleId;
use store::Store;
use store::schedules::ScheduleRecord;

use super::view::ScheduleView;
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Pauses or resumes a schedule. One that is so already is left alone.
    pub async fn pause_schedule(
        &self,
        caller: &Caller,
        id: ScheduleId,
        is_paused: bool,
    ) -> Result<ScheduleView, EngineError> {
        caller.require(Permission::Operate)?;
        let action = if is_paused { "schedule.pause" } else { "schedule.resume" };
        let tenant = self.known_schedule(caller, id).await?.record.tenant;
        let mut recording = self.recording(caller, AuditedAction::new(action, &id).of(Some(tenant)));
        let store = Arc::clone(self.store());
        let pausing = self.pause_schedule_in(&*store, caller, id, is_paused);
        let (record, is_changed) = recording.of(pausing).await?;
        if is_changed {
            self.recorded(recording).await;
        }
        Ok(self.view(record, self.now()))
    }

    /// The same by a store of the caller's, without a line of the audit log. Answers whether anything changed.
    pub(crate) async fn pause_schedule_in(
        &self,
        store: &dyn Store,
        caller: &Caller,
        id: ScheduleId,
        is_paused: bool,
    ) -> Result<(ScheduleRecord, bool), EngineError> {
        let change = |present: ScheduleRecord| {
            (present.is_paused != is_paused).then_some(ScheduleRecord { is_paused, ..present })
        };
        self.change_schedule_in(store, caller, id, change).await
    }
}
