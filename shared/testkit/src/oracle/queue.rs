//! The queue: its jobs, its limits, and what comes in.

use std::collections::BTreeMap;

use domain::id::JobId;
use domain::job::JobStatus;
use domain::limits::{LimitOverride, LimitScope, QueueLimits, default_limits};
use domain::names::{CallerKey, TenantName};
use domain::queue::{QueueName, WorkflowRef};
use domain::time::Timestamp;
use store::jobs::NewJob;
use store::limits::LimitChange;
use store::queues::QueueMode;

use super::job::MemJob;
use super::letters::MemLetter;

/// A queue in memory.
#[derive(Debug, Clone)]
pub struct MemQueue {
    pub(super) queue: QueueName,
    pub(super) mode: QueueMode,
    pub(super) limits: MemLimits,
    pub(super) jobs: BTreeMap<JobId, MemJob>,
    pub(super) letters: Vec<MemLetter>,
    places: u64,
}

impl MemQueue {
    /// An empty queue with the product's default limits.
    pub fn new(queue: QueueName) -> Self {
        Self {
            queue,
            mode: QueueMode::Running,
            limits: MemLimits::new(default_limits(queue)),
            jobs: BTreeMap::new(),
            letters: Vec::new(),
            places: 0,
        }
    }

    /// All jobs, by id.
    pub fn jobs(&self) -> impl ExactSizeIterator<Item = &MemJob> {
        self.jobs.values()
    }

    /// A job.
    pub fn job(&self, id: JobId) -> Option<&MemJob> {
        self.jobs.get(&id)
    }

    /// How many jobs are in this state.
    pub fn count(&self, status: JobStatus) -> usize {
        self.jobs().filter(|job| job.status == status).count()
    }

    /// Whether claims lease its jobs.
    pub fn mode(&self) -> QueueMode {
        self.mode
    }

    /// Changes whether claims lease its jobs.
    pub fn set_mode(&mut self, mode: QueueMode) {
        self.mode = mode;
    }

    /// Changes a limit.
    pub fn change_limit(&mut self, change: LimitChange) {
        self.limits.change(change);
    }

    /// What operators set.
    pub fn limit_overrides(&self) -> Vec<LimitOverride> {
        self.limits.overrides(self.queue)
    }

    /// How many leased jobs count against a limit.
    pub fn running(&self, scope: &LimitScope) -> u32 {
        let counts = |job: &&MemJob| match scope {
            LimitScope::Tenant(tenant) => job.asked.tenant == *tenant,
            LimitScope::Workflow(workflow) => job.asked.workflow.as_ref() == Some(workflow),
            LimitScope::JobType(job_type) => job.asked.job_type == *job_type,
            LimitScope::TenantJobType(tenant, job_type) => {
                job.asked.tenant == *tenant && job.asked.job_type == *job_type
            }
            LimitScope::Global | LimitScope::TenantDefault | LimitScope::WorkflowDefault => true,
        };
        self.jobs().filter(|job| job.status == JobStatus::Processing).filter(counts).count() as u32
    }

    /// Enqueues a batch; answers for each the id and state of the job that is there now, and whether it was before.
    pub fn enqueue(&mut self, batch: &[NewJob], now: Timestamp) -> Vec<(JobId, JobStatus, bool)> {
        batch.iter().map(|asked| self.enqueue_one(asked, now)).collect()
    }

    fn enqueue_one(&mut self, asked: &NewJob, now: Timestamp) -> (JobId, JobStatus, bool) {
        if let Some(same) = self.jobs.get(&asked.id) {
            return (asked.id, same.status, true);
        }
        if let Some(holder) = self.unique_key_holder(asked) {
            return (holder.asked.id, holder.status, true);
        }
        let job = MemJob::new(asked, self.next_place(), now);
        let status = job.status;
        self.jobs.insert(asked.id, job);
        self.admit(&asked.tenant, asked.concurrency_key.as_ref(), now);
        (asked.id, status, false)
    }

    /// The unfinished job of the tenant that has the unique key of this one.
    pub(super) fn unique_key_holder(&self, asked: &NewJob) -> Option<&MemJob> {
        let key = asked.unique_key.as_ref()?;
        self.jobs().find(|job| {
            !job.status.is_terminal()
                && job.asked.tenant == asked.tenant
                && job.asked.unique_key.as_ref() == Some(key)
        })
    }

    /// A place behind all others.
    pub(super) fn next_place(&mut self) -> u64 {
        self.places += 1;
        self.places
    }

    /// Lets the first job in line for a concurrency key have it, if nobody does. A queued job has it until it ends
    /// or goes to wait for its next try, leased or not.
    pub(super) fn admit(&mut self, tenant: &TenantName, key: Option<&CallerKey>, now: Timestamp) {
        let Some(key) = key else { return };
        let in_line = |job: &&mut MemJob| {
            matches!(job.status, JobStatus::Queued | JobStatus::Processing)
                && job.asked.tenant == *tenant
                && job.asked.concurrency_key.as_ref() == Some(key)
        };
        let mut line: Vec<&mut MemJob> = self.jobs.values_mut().filter(in_line).collect();
        if line.iter().any(|job| job.is_admitted) {
            return;
        }
        line.sort_by_key(|job| job.place);
        if let Some(first) = line.into_iter().next() {
            first.is_admitted = true;
            first.queued_at = now;
        }
    }

    /// Changes a job; after it, whoever is next in line for its concurrency key gets it if it is free.
    pub(super) fn change<T>(
        &mut self,
        id: JobId,
        now: Timestamp,
        change: impl FnOnce(&mut MemJob) -> T,
    ) -> Option<T> {
        let job = self.jobs.get_mut(&id)?;
        let answer = change(job);
        let is_in_line = matches!(job.status, JobStatus::Queued | JobStatus::Processing);
        if !is_in_line {
            job.is_admitted = job.asked.concurrency_key.is_none();
        }
        let (tenant, key) = (job.asked.tenant.clone(), job.asked.concurrency_key.clone());
        self.admit(&tenant, key.as_ref(), now);
        Some(answer)
    }
}

// The limits in force, looked up afresh every time.

/// The settings of a queue and what operators set on top of them. `None` is no limit.
#[derive(Debug, Clone)]
pub struct MemLimits {
    settings: QueueLimits,
    overrides: BTreeMap<LimitScope, Option<u32>>,
}

impl MemLimits {
    /// Nothing but the settings.
    pub fn new(settings: QueueLimits) -> Self {
        Self { settings, overrides: BTreeMap::new() }
    }

    /// Sets or removes an override.
    pub(super) fn change(&mut self, change: LimitChange) {
        match change.max_concurrent {
            Some(limit) => drop(self.overrides.insert(change.scope, limit)),
            None => drop(self.overrides.remove(&change.scope)),
        }
    }

    /// How many jobs may be leased at once in all.
    pub fn global(&self) -> Option<u32> {
        self.overrides.get(&LimitScope::Global).copied().unwrap_or(self.settings.global)
    }

    /// The same for a tenant.
    pub fn tenant(&self, tenant: &TenantName) -> Option<u32> {
        let own = self.overrides.get(&LimitScope::Tenant(tenant.clone()));
        let default = self.overrides.get(&LimitScope::TenantDefault);
        own.or(default).copied().unwrap_or(self.settings.tenant)
    }

    /// The same for a workflow.
    pub fn workflow(&self, workflow: &WorkflowRef) -> Option<u32> {
        let own = self.overrides.get(&LimitScope::Workflow(workflow.clone()));
        let default = self.overrides.get(&LimitScope::WorkflowDefault);
        own.or(default).copied().unwrap_or(self.settings.workflow)
    }

    /// What operators set, sorted by scope.
    pub fn overrides(&self, queue: QueueName) -> Vec<LimitOverride> {
        let of = |(scope, &max_concurrent): (&LimitScope, &Option<u32>)| LimitOverride {
            queue,
            scope: scope.clone(),
            max_concurrent,
        };
        self.overrides.iter().map(of).collect()
    }
}
