//! Dead letters: list, requeue, archive, one by one. Many are done by `bulk`. Groups of them, and what is decided about them.

mod groups;

use domain::access::Permission;
use domain::id::{DeadLetterId, JobId};
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use store::dead_letters::{DeadLetterChange, DeadLetterFilter, DeadLetterRecord, RequeueEdit};
use store::wakeup::Hint;
use store::{Page, PageRequest};

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

pub use groups::{GroupStanding, GroupView};

// Look at dead letters.

impl Engine {
    /// One, with its attempts.
    pub async fn dead_letter(
        &self,
        caller: &Caller,
        id: DeadLetterId,
    ) -> Result<DeadLetterRecord, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().dead_letter(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("dead letter", &id))
    }

    /// A list, newest first.
    pub async fn list_dead_letters(
        &self,
        caller: &Caller,
        filter: &DeadLetterFilter,
        page: PageRequest,
    ) -> Result<Page<DeadLetterRecord>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().list_dead_letters(&caller.scope, filter, page).await?)
    }
}

// Requeue a dead letter, or archive it.

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
        let changing = self.store().requeue_dead_letter(&caller.scope, id, &edit, self.now());
        let change = recording.of(changing).await?;
        let job_id = self.resolved(id, &change, "requeued")?;
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
        let tenant = self.dead_letter(caller, id).await?.tenant;
        let audited = AuditedAction::new("dead_letter.archive", &id).of(Some(tenant)).because(Some(reason));
        let mut recording = self.recording(caller, audited);
        let changing = self.store().archive_dead_letter(&caller.scope, id, reason, self.now());
        let change = recording.of(changing).await?;
        let job_id = self.resolved(id, &change, "archived")?;
        self.recorded(recording).await;
        Ok(job_id)
    }

    /// The job, after whoever goes on with it was woken; or what refused the change.
    fn resolved(
        &self,
        id: DeadLetterId,
        change: &DeadLetterChange,
        outcome: &'static str,
    ) -> Result<JobId, EngineError> {
        match change {
            DeadLetterChange::Changed { job_id, queue, execution_id } => {
                metrics::dead_letters_resolved(*queue, outcome, 1);
                let mut hints = vec![Hint::Freed(*queue)];
                if let Some(execution) = execution_id {
                    hints.extend([Hint::Inbox(*execution), Hint::Freed(QueueName::Execution)]);
                }
                self.wake(&hints);
                Ok(*job_id)
            }
            DeadLetterChange::AlreadyDone { job_id } => Ok(*job_id),
            DeadLetterChange::Refused { reason } => Err(EngineError::Conflict {
                code: ProblemCode::DeadLetterRefused,
                message: (*reason).to_owned(),
            }),
            DeadLetterChange::NotFound => Err(EngineError::not_found("dead letter", &id)),
        }
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

fn check_reason(reason: &str) -> Result<(), EngineError> {
    let mut faults = Faults::default();
    faults.text("/reason", reason);
    faults.check()
}
