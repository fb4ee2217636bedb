//! Make a restored database safe to start on: nothing is claimed before somebody has looked, no slot fires twice.

use domain::queue::QueueName;
use serde_json::json;
use store::jobs::LeaseRef;
use store::queues::QueueMode;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How many rows one step takes.
const BATCH: u32 = 500;

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mended {
    /// Queues that were paused.
    pub queues_paused: u32,
    /// Leases that were ended without consuming an attempt.
    pub leases_ended: u32,
    /// Schedules whose slots up to now were recorded as skipped.
    pub schedules_advanced: u32,
}

impl Engine {
    /// Pauses all queues, ends all leases, and records the slots of schedules that passed as skipped (`restored`). Repeating
    /// it does what is left.
    pub async fn mend_restored(&self, caller: &Caller) -> Result<Mended, EngineError> {
        caller.require_unscoped()?;
        let mut mended = Mended::default();
        // First: whatever fails afterwards, nothing runs.
        let modes = self.store().queue_modes().await?;
        for queue in QueueName::ALL {
            if !modes.contains(&(queue, QueueMode::Paused)) {
                self.set_queue_mode(caller, queue, QueueMode::Paused).await?;
                mended.queues_paused += 1;
            }
        }
        let mut after = None;
        loop {
            let held = self.store().held_leases(after, BATCH).await?;
            let Some(last) = held.last() else {
                break;
            };
            after = Some(last.job());
            let leases: Vec<LeaseRef> = held.iter().map(|held| held.lease).collect();
            self.store().release(&leases, self.now()).await?;
            mended.leases_ended += u32::try_from(leases.len()).unwrap_or(u32::MAX);
        }
        mended.schedules_advanced = self.skip_slots_of_restored().await?;
        let detail = json!({
            "queuesPaused": mended.queues_paused,
            "leasesEnded": mended.leases_ended,
            "schedulesAdvanced": mended.schedules_advanced,
        });
        self.audit(caller, AuditedAction::new("backup.mend", "database").with(detail)).await;
        Ok(mended)
    }
}
