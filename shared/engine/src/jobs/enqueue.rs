//! Enqueue stand-alone jobs: one commit, all or nothing. Jobs that arrive one by one share commits.

mod sink;

use std::sync::Arc;

use domain::access::{Action, Permission, Subject};
use domain::id::{Id, JobKind};
use domain::names::{JobType, TenantName};
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use domain::quota::QuotaKind;
use store::audit::{AuditRecord, with_lines};
use store::jobs::{Enqueued, NewJob};
use store::queues::QueueMode;

use crate::bounds::{Faults, check_batch};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::group_commit::lines_of;
use crate::jobs::request::JobRequest;
use crate::traces::Sends;

pub(crate) use sink::{EnqueueSink, enqueue_hint};

impl Engine {
    /// Checks one job as [`Engine::enqueue`] would, for batches that accept the valid items only.
    pub async fn check_job(&self, caller: &Caller, request: &JobRequest) -> Result<(), EngineError> {
        caller.require(Permission::Start)?;
        let tenant = caller.tenant_or_default(request.tenant.clone())?;
        may_enqueue(caller, &request.job_type, &tenant)?;
        let mut faults = Faults::default();
        faults.extend(request.faults(self.policy()), "");
        if !request.attributes.is_empty() {
            let set =
                self.attributes().await?.set_on_job(&tenant, &request.job_type, None, &request.attributes);
            faults.extend(set.err().unwrap_or_default(), "");
        }
        faults.check()
    }

    /// Enqueues jobs on `workflow-node` and answers in order. Faults of a batch of several jobs point below
    /// `/jobs/{index}`, those of a single one at its fields.
    pub async fn enqueue(
        &self,
        caller: &Caller,
        requests: Vec<JobRequest>,
    ) -> Result<Vec<Enqueued>, EngineError> {
        caller.require(Permission::Start)?;
        check_batch(requests.len(), self.policy().batch_max, "/jobs")?;
        self.check_jobs(&requests)?;
        self.refuse_when_draining(QueueName::Node).await?;
        let now = self.now();
        let declared = self.attributes().await?;
        let mut jobs: Vec<NewJob> = Vec::with_capacity(requests.len());
        let (mut faults, is_batch) = (Faults::default(), requests.len() > 1);
        for (index, request) in requests.into_iter().enumerate() {
            let tenant = caller.tenant_or_default(request.tenant.clone())?;
            may_enqueue(caller, &request.job_type, &tenant)?;
            let id: Id<JobKind> = self.make_id(caller, &["job", &index.to_string()], now);
            let attributes = match declared.set_on_job(&tenant, &request.job_type, None, &request.attributes)
            {
                Ok(attributes) => attributes,
                Err(found) => {
                    faults.extend(found, &if is_batch { format!("/jobs/{index}") } else { String::new() });
                    continue;
                }
            };
            let mut job = request.into_job(id, tenant, self.policy(), now);
            job.attributes = attributes;
            jobs.push(job);
        }
        faults.check()?;
        let work = jobs.iter().map(|job| (&job.tenant, job.data.len()));
        self.refuse_work_over_quota(QuotaKind::OpenJobs, work).await?;
        // A line is of one tenant; that of a batch of several is of none.
        let tenant = jobs.first().map(|job| job.tenant.clone());
        let tenant = tenant.filter(|tenant| jobs.iter().all(|job| job.tenant == *tenant));
        let ids: Vec<Id<JobKind>> = jobs.iter().map(|job| job.id).collect();
        let start = self.start_line(caller, "job.enqueue", tenant, &ids);
        self.commit_jobs(jobs, start.into_iter().collect()).await
    }

    /// Stores jobs, with the lines of the audit log of the calls that they are of, and says that they are there. One alone may
    /// share its commit with others.
    pub(crate) async fn commit_jobs(
        &self,
        mut jobs: Vec<NewJob>,
        mut starts: Vec<AuditRecord>,
    ) -> Result<Vec<Enqueued>, EngineError> {
        self.complete_attributes(&mut jobs).await;
        let sink = || EnqueueSink {
            store: Arc::clone(self.store()),
            wakeup: Arc::clone(self.wakeup()),
            clock: Arc::clone(self.clock()),
            eager: self.eager_starts(QueueName::Node),
            stats: Arc::clone(&self.memory().stats),
        };
        let sends = Sends::of(&jobs, self.now());
        let enqueued = match (jobs.pop(), jobs.is_empty()) {
            (Some(job), true) => {
                vec![self.memory().enqueues.commit_recorded(starts.pop(), job, sink).await?]
            }
            (last, _) => {
                jobs.extend(last);
                with_lines(lines_of(&starts), sink().store(&jobs, None)).await.0?
            }
        };
        sends.durable(&enqueued, self.now());
        Ok(enqueued)
    }

    fn check_jobs(&self, requests: &[JobRequest]) -> Result<(), EngineError> {
        let mut faults = Faults::default();
        for (index, request) in requests.iter().enumerate() {
            let found = request.faults(self.policy());
            if !found.is_empty() {
                let prefix = if requests.len() > 1 { format!("/jobs/{index}") } else { String::new() };
                faults.extend(found, &prefix);
            }
        }
        faults.check()
    }

    /// A draining queue takes no new jobs from callers. Jobs of executions under way are still taken.
    pub(crate) async fn refuse_when_draining(&self, queue: QueueName) -> Result<(), EngineError> {
        if self.queue_mode(queue).await? == QueueMode::Draining {
            return Err(EngineError::Conflict {
                code: ProblemCode::QueueDraining,
                message: format!("The queue {queue} is draining and rejects new jobs."),
            });
        }
        Ok(())
    }
}

/// Fails where the caller's scopes do not allow jobs of this type for this tenant.
fn may_enqueue(caller: &Caller, job_type: &JobType, tenant: &TenantName) -> Result<(), EngineError> {
    let (job_type, tenant) = (Some(job_type.as_str()), Some(tenant.as_str()));
    caller.require_on(Action::JobsEnqueue, &Subject { job_type, tenant, ..Subject::default() })
}

#[cfg(test)]
mod tests {
    use domain::id::JobId;
    use domain::job::JobStatus;
    use store::wakeup::Hint;
    use uuid::Uuid;

    use super::sink::enqueue_hint;
    use super::*;

    fn job(status: JobStatus, existing: bool) -> Enqueued {
        Enqueued { id: JobId::from_uuid(Uuid::nil()), position: 1, status, existing }
    }

    #[test]
    fn a_repeated_job_is_announced_by_its_queue_and_a_leased_one_not_at_all() {
        let queued = job(JobStatus::Queued, false);
        let leased = job(JobStatus::Processing, false);
        let (enqueued, queue) = (Hint::Enqueued(QueueName::Node), Hint::Queue(QueueName::Node));
        for (jobs, expected) in [
            (vec![leased.clone()], None),
            (vec![leased.clone(), queued.clone()], Some(enqueued)),
            (vec![queued, job(JobStatus::Queued, true)], Some(queue)),
            // An earlier call may have stored it without telling anybody.
            (vec![leased, job(JobStatus::Processing, true)], Some(queue)),
        ] {
            assert_eq!(enqueue_hint(QueueName::Node, &jobs), expected, "{jobs:?}");
        }
    }
}
