//! Look at a database that was restored to an earlier moment, while no server runs on it.
//!
//! What happened after that moment is not known any more, though the world has seen it: attempts were reported, schedules
//! fired, deliveries were answered. What would happen once more is listed here.

use std::collections::BTreeSet;

use domain::id::{DeliveryId, ExecutionId, JobId, ScheduleId, WebhookId};
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;
use serde_json::json;
use store::PageRequest;
use store::jobs::LeaseRef;
use store::queues::QueueMode;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// A job that was under way. What its attempt did after that moment is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredLease {
    /// The job.
    pub job_id: JobId,
    /// The queue.
    pub queue: QueueName,
    /// Whose it is.
    pub tenant: TenantName,
    /// Which handler ran it.
    pub job_type: JobType,
    /// Who ran it.
    pub worker_id: WorkerId,
    /// The execution that it belongs to.
    pub execution_id: Option<ExecutionId>,
    /// When the lease would have ended.
    pub lease_until: Timestamp,
}

/// A schedule with slots that passed since, or a slot that waited then; they have fired, or may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredSchedule {
    /// The schedule.
    pub id: ScheduleId,
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub tenant: TenantName,
    /// The first slot that would fire again.
    pub first_slot: Timestamp,
    /// The slot that waited for others to end, if one did.
    pub waiting: Option<Timestamp>,
}

/// A delivery that was accepted and not matched yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredDelivery {
    /// The delivery.
    pub id: DeliveryId,
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// Whose it is.
    pub tenant: TenantName,
    /// `accepted` or `held`.
    pub status: &'static str,
    /// When it came.
    pub received_at: Timestamp,
}

/// What would happen once more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restored {
    /// The latest instant of which the database knows: about the moment to which it was restored.
    pub last_written: Option<Timestamp>,
    /// Queues whose jobs would be claimed.
    pub running_queues: Vec<QueueName>,
    /// Jobs that were under way.
    pub leases: Vec<RestoredLease>,
    /// Schedules with slots that passed.
    pub schedules: Vec<RestoredSchedule>,
    /// Deliveries that were not matched yet.
    pub deliveries: Vec<RestoredDelivery>,
    /// Whether there are more than were asked for.
    pub has_more: bool,
}

impl Restored {
    /// Whether a server may be started on it without doing anything twice by itself.
    pub fn is_safe(&self) -> bool {
        self.running_queues.is_empty() && self.leases.is_empty() && self.schedules.is_empty()
    }
}

impl Engine {
    /// What would happen once more if a server were started now; at most so many of each kind.
    pub async fn restored(&self, limit: u32) -> Result<Restored, EngineError> {
        let now = self.now();
        let leases = self.store().held_leases(None, limit).await?;
        let mut schedules = self.store().due_schedules(now, limit, u64::MAX, &[]).await?;
        let waiting = self.store().waiting_schedules(limit).await?;
        let is_full = [schedules.len(), waiting.len()].contains(&(limit as usize));
        let due: BTreeSet<ScheduleId> = schedules.iter().map(|due| due.record.id).collect();
        schedules.extend(waiting.into_iter().filter(|found| !due.contains(&found.record.id)));
        let (mut deliveries, mut has_more) = (Vec::new(), false);
        for status in [DeliveryStatus::Accepted, DeliveryStatus::Held] {
            let page = PageRequest { limit, after: None };
            let found = self.store().deliveries_with_status(status, page).await?;
            has_more |= found.next.is_some();
            deliveries.extend(found.items.into_iter().map(|one| RestoredDelivery {
                id: one.id,
                webhook_id: one.webhook_id,
                tenant: one.tenant,
                status: status.as_str(),
                received_at: one.received_at,
            }));
        }
        has_more |= is_full || leases.len() == limit as usize;
        let stopped: BTreeSet<QueueName> = self
            .store()
            .queue_modes()
            .await?
            .into_iter()
            .filter(|(_, mode)| *mode == QueueMode::Paused)
            .map(|(queue, _)| queue)
            .collect();
        Ok(Restored {
            last_written: self.store().last_written().await?,
            running_queues: QueueName::ALL.into_iter().filter(|queue| !stopped.contains(queue)).collect(),
            leases: leases
                .into_iter()
                .map(|held| RestoredLease {
                    job_id: held.job(),
                    queue: held.queue,
                    tenant: held.tenant,
                    job_type: held.job_type,
                    worker_id: held.worker_id,
                    execution_id: held.execution_id,
                    lease_until: held.lease_until,
                })
                .collect(),
            schedules: schedules
                .into_iter()
                .map(|due| RestoredSchedule {
                    first_slot: due.waiting.or(due.record.next_run_at).unwrap_or(due.record.cursor),
                    waiting: due.waiting,
                    id: due.record.id,
                    name: due.record.name,
                    tenant: due.record.tenant,
                })
                .collect(),
            deliveries,
            has_more,
        })
    }
}

// Make a restored database safe to start on: nothing is claimed before somebody has looked, no slot fires twice.

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
