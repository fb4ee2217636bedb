//! Requeue a dead letter, or archive it.

use domain::access::{Permission, TenantScope};
use domain::id::{DeadLetterId, JobId};
use domain::queue::QueueName;
use store::dead_letters::{DeadLetterChange, RequeueEdit};
use store::wakeup::Hint;

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::dead_letters::bulk::BulkKind;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

impl Engine {
    /// Puts the job back into its queue, with its history and fresh retries. A second requeue answers the same job.
    pub async fn requeue_dead_letter(
        &self,
        caller: &Caller,
        id: DeadLetterId,
        edit: RequeueEdit,
    ) -> Result<JobId, EngineError> {
        caller.require(Permission::Operate)?;
        self.check_requeue(&edit)?;
        let detail = serde_json::json!({
            "dataEdited": edit.data.is_some(),
            "priority": edit.tier.map(domain::queue::Tier::as_str),
            "maxRetries": edit.retries_max,
        });
        let tenant = self.dead_letter(caller, id).await?.tenant;
        let audited = AuditedAction::new("dead_letter.requeue", &id).of(Some(tenant)).with(detail);
        let mut recording = self.recording(caller, audited);
        let job_id = recording.of(self.resolve_one(caller, id, &BulkKind::Requeue(edit))).await?;
        self.recorded(recording).await;
        Ok(job_id)
    }

    /// Archives a dead letter and answers its job.
    pub async fn archive_dead_letter(
        &self,
        caller: &Caller,
        id: DeadLetterId,
        reason: &str,
    ) -> Result<JobId, EngineError> {
        caller.require(Permission::Operate)?;
        check_reason(reason)?;
        let kind = BulkKind::Archive { reason: reason.to_owned() };
        let tenant = self.dead_letter(caller, id).await?.tenant;
        let audited = AuditedAction::new("dead_letter.archive", &id).of(Some(tenant)).because(Some(reason));
        let mut recording = self.recording(caller, audited);
        let job_id = recording.of(self.resolve_one(caller, id, &kind)).await?;
        self.recorded(recording).await;
        Ok(job_id)
    }

    async fn resolve_one(
        &self,
        caller: &Caller,
        id: DeadLetterId,
        kind: &BulkKind,
    ) -> Result<JobId, EngineError> {
        match self.change_dead_letter(&caller.scope, id, kind).await? {
            DeadLetterChange::Changed { job_id, .. } | DeadLetterChange::AlreadyDone { job_id } => Ok(job_id),
            DeadLetterChange::Refused { reason } => {
                Err(EngineError::Conflict { code: "dead_letter_refused", message: reason.to_owned() })
            }
            DeadLetterChange::NotFound => Err(EngineError::not_found("dead letter", &id)),
        }
    }

    /// Requeues or archives one, and wakes whoever goes on with it.
    pub(crate) async fn change_dead_letter(
        &self,
        scope: &TenantScope,
        id: DeadLetterId,
        kind: &BulkKind,
    ) -> Result<DeadLetterChange, EngineError> {
        let now = self.now();
        let change = match kind {
            BulkKind::Requeue(edit) => self.store().requeue_dead_letter(scope, id, edit, now).await?,
            BulkKind::Archive { reason } => self.store().archive_dead_letter(scope, id, reason, now).await?,
        };
        if let DeadLetterChange::Changed { queue, execution_id, .. } = &change {
            let outcome = if matches!(kind, BulkKind::Requeue(_)) { "requeued" } else { "archived" };
            metrics::dead_letter_resolved(*queue, outcome);
            let mut hints = vec![Hint::Freed(*queue)];
            if let Some(execution) = execution_id {
                hints.extend([Hint::Inbox(*execution), Hint::Freed(QueueName::Execution)]);
            }
            self.wake(&hints);
        }
        Ok(change)
    }

    pub(crate) fn check_requeue(&self, edit: &RequeueEdit) -> Result<(), EngineError> {
        let mut faults = Faults::default();
        if let Some(data) = &edit.data {
            faults.json("/data", data, self.policy().payload_bytes_max);
        }
        if let Some(retries_max) = edit.retries_max {
            faults.retries("/maxRetries", retries_max);
        }
        faults.check()
    }
}

pub(crate) fn check_reason(reason: &str) -> Result<(), EngineError> {
    let mut faults = Faults::default();
    faults.text("/reason", reason);
    faults.check()
}
