//! Look at schedules.

use domain::access::Permission;
use domain::id::ScheduleId;
use store::schedules::{DueSchedule, ScheduleFilter};
use store::{Page, PageRequest};

use super::view::ScheduleView;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// A schedule.
    pub async fn schedule(&self, caller: &Caller, id: ScheduleId) -> Result<ScheduleView, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.known_schedule(caller, id).await?;
        Ok(self.view(found.record, self.now()))
    }

    /// Schedules, newest first.
    pub async fn list_schedules(
        &self,
        caller: &Caller,
        filter: &ScheduleFilter,
        page: PageRequest,
    ) -> Result<Page<ScheduleView>, EngineError> {
        caller.require(Permission::Read)?;
        let now = self.now();
        let page = self.store().list_schedules(&caller.scope, filter, page).await?;
        Ok(page.map(|record| self.view(record, now)))
    }

    /// A schedule that the caller may know of, whatever its role.
    pub(super) async fn known_schedule(
        &self,
        caller: &Caller,
        id: ScheduleId,
    ) -> Result<DueSchedule, EngineError> {
        let found = self.store().schedule(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("schedule", &id))
    }
}
