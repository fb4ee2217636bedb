//! Change a stored schedule. What is past by then never fires, and what waited is given up: neither belongs to the
//! schedule as it is now.

use std::sync::Arc;

use domain::id::ScheduleId;
use domain::schedule::{FireReason, tzdb_version};
use domain::time::Timestamp;
use store::Store;
use store::schedules::{DueSchedule, ScheduleFire, ScheduleRecord, ScheduleSaved, SlotAction, SlotDecision};

use super::timing::Timing;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How often a change is tried while others change the same schedule.
const TRIES_MAX: u32 = 5;
/// A slot that waited belongs to a schedule that is not so any more.
const CHANGED: &str = "changed";

impl Engine {
    /// Stores the next version of a schedule, as `change` makes it out of the present one. `None` leaves it as it is.
    pub(super) async fn change_schedule(
        &self,
        caller: &Caller,
        id: ScheduleId,
        change: impl Fn(ScheduleRecord) -> Option<ScheduleRecord>,
    ) -> Result<(ScheduleRecord, bool), EngineError> {
        let store = Arc::clone(self.store());
        self.change_schedule_in(&*store, caller, id, change).await
    }

    /// The same, where the next version is stored by a store of the caller's.
    pub(super) async fn change_schedule_in(
        &self,
        store: &dyn Store,
        caller: &Caller,
        id: ScheduleId,
        change: impl Fn(ScheduleRecord) -> Option<ScheduleRecord>,
    ) -> Result<(ScheduleRecord, bool), EngineError> {
        for _ in 0..TRIES_MAX {
            let found = self.known_schedule(caller, id).await?;
            let Some(changed) = change(found.record.clone()) else {
                return Ok((found.record, false));
            };
            let next = self.next_version(&found.record, changed)?;
            self.give_up_waiting(&found).await?;
            match store.replace_schedule(&caller.scope, &next).await? {
                ScheduleSaved::Saved => return Ok((next, true)),
                ScheduleSaved::NameTaken => return Err(name_taken(&next)),
                ScheduleSaved::NotFound => return Err(EngineError::not_found("schedule", &id)),
                ScheduleSaved::Stale => {}
            }
        }
        Err(changing())
    }

    fn next_version(
        &self,
        present: &ScheduleRecord,
        changed: ScheduleRecord,
    ) -> Result<ScheduleRecord, EngineError> {
        let now = self.now();
        let timings = &self.memory().schedules.timings;
        let timing = timings.of(&changed).map_err(EngineError::Invalid)?;
        let cursor = present.cursor.max(now);
        Ok(ScheduleRecord {
            version: present.version + 1,
            cursor,
            next_run_at: next_run_at(&timing, &changed, cursor),
            tzdb_version: tzdb_version(),
            updated_at: now,
            ..changed
        })
    }

    async fn give_up_waiting(&self, found: &DueSchedule) -> Result<(), EngineError> {
        let Some(waiting) = found.waiting else {
            return Ok(());
        };
        let slot = SlotDecision {
            nominal: waiting,
            reason: FireReason::Tick.as_str(),
            action: SlotAction::Skip { reason: CHANGED },
        };
        let fire = ScheduleFire {
            id: found.record.id,
            version: found.record.version,
            planned_from: None,
            slots: vec![slot],
            advance: None,
            settle_waiting: Some(waiting),
        };
        // Stale means that the change that follows will be refused too, and tried again.
        self.store().fire_schedules(&[fire], self.now()).await?;
        Ok(())
    }
}

/// The next slot of a schedule after an instant; a paused one has none.
pub(super) fn next_run_at(timing: &Timing, schedule: &ScheduleRecord, after: Timestamp) -> Option<Timestamp> {
    if schedule.is_paused { None } else { timing.next(&schedule.policy, after) }
}

/// Another schedule of the tenant has the name.
pub(super) fn name_taken(schedule: &ScheduleRecord) -> EngineError {
    EngineError::Conflict {
        code: "schedule_name_taken",
        message: format!("The tenant has another schedule with the name {}.", schedule.name),
    }
}

/// Others kept changing the schedule.
pub(super) fn changing() -> EngineError {
    EngineError::Conflict {
        code: "schedule_changing",
        message: "The schedule was changed concurrently; retry the request.".to_owned(),
    }
}
