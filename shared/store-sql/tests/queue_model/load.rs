//! The load of the concurrent test: jobs, what becomes of each, and what may be leased at once.

use domain::failure::{DeadReason, JobError};
use domain::id::JobId;
use domain::job::{Disposition, JobStatus};
use domain::limits::LimitScope;
use domain::names::CallerKey;
use domain::queue::Tier;
use domain::retry::Backoff;
use domain::time::Timestamp;
use store::jobs::{ClaimedJob, NewJob};
use store::limits::LimitChange;
use uuid::Uuid;

use crate::system::{QUEUE, job_type, tenant, workflow};

/// How many jobs there are, numbered from 0.
pub(crate) const JOBS: u32 = 2_000;

/// How many may be leased at once in all.
pub(crate) const GLOBAL_MAX: usize = 7;
/// The same of each tenant.
pub(crate) const TENANT_MAX: usize = 4;
/// The same of each workflow.
pub(crate) const WORKFLOW_MAX: usize = 2;

/// Time stands still: nothing expires.
pub(crate) const NOW: Timestamp = Timestamp(1_700_000_000_000);

/// The limits, to be set.
pub(crate) fn limits() -> [LimitChange; 3] {
    let limit =
        |scope, max: usize| LimitChange { queue: QUEUE, scope, max_concurrent: Some(Some(max as u32)) };
    [
        limit(LimitScope::Global, GLOBAL_MAX),
        limit(LimitScope::TenantDefault, TENANT_MAX),
        limit(LimitScope::WorkflowDefault, WORKFLOW_MAX),
    ]
}

/// Everything about a job follows from its number.
pub(crate) fn new_job(number: u32) -> NewJob {
    NewJob {
        id: JobId::from_uuid(Uuid::from_u128((0x7_u128 << 76) | (0x8_u128 << 60) | u128::from(number))),
        queue: QUEUE,
        tier: Tier::ALL[number as usize % 3],
        tenant: tenant((number % 5) as u8),
        workflow: (!number.is_multiple_of(4)).then(|| workflow((number / 4 % 3) as u8)),
        job_type: job_type((number % 2) as u8),
        data: "{}".to_owned(),
        run_at: NOW,
        expires_at: None,
        retries_max: 3,
        backoff: Backoff::default(),
        timeout: None,
        unique_key: None,
        concurrency_key: number.is_multiple_of(9).then(|| CallerKey::trusted("only one")),
        rate_key: None,
        tags: Vec::new(),
        traceparent: None,
        execution_id: None,
        node_id: None,
        attributes: Vec::new(),
    }
}

/// The number of a job.
pub(crate) fn number_of(id: JobId) -> u32 {
    id.uuid().as_u128() as u32
}

fn dies(number: u32) -> bool {
    number % 50 == 7
}

fn fails_first(number: u32) -> bool {
    number % 4 == 1
}

/// Fails where these jobs may not all be leased at once; answers how many they are.
pub(crate) fn within_limits(numbers: impl Iterator<Item = u32>) -> usize {
    let numbers: Vec<u32> = numbers.collect();
    let jobs: Vec<NewJob> = numbers.iter().map(|&number| new_job(number)).collect();
    assert!(jobs.len() <= GLOBAL_MAX, "{} jobs are leased", jobs.len());
    for job in &jobs {
        let of_tenant = jobs.iter().filter(|other| other.tenant == job.tenant);
        assert!(of_tenant.clone().count() <= TENANT_MAX, "of {} are leased: {numbers:?}", job.tenant);
        let with_key = of_tenant.filter(|other| other.concurrency_key.is_some()).count();
        assert!(with_key <= 1, "of the key of {} are leased: {numbers:?}", job.tenant);
        let of_workflow = jobs.iter().filter(|other| other.workflow == job.workflow).count();
        let has_workflow = job.workflow.is_some();
        assert!(
            !has_workflow || of_workflow <= WORKFLOW_MAX,
            "of {:?} are leased: {numbers:?}",
            job.workflow
        );
    }
    jobs.len()
}

/// What the worker says about an attempt.
pub(crate) fn disposition(job: &ClaimedJob) -> Disposition {
    let number = number_of(job.id);
    let error = JobError::coded("broken", "no use");
    if dies(number) {
        Disposition::Die { reason: DeadReason::NonRetryable, error }
    } else if fails_first(number) && job.attempt == 1 {
        Disposition::RetryAt { at: NOW, error }
    } else {
        Disposition::Complete(None)
    }
}

/// How a job ends, after how many attempts, and how often it is completed.
pub(crate) fn end_of(number: u32) -> (JobStatus, usize, u32) {
    match (dies(number), fails_first(number)) {
        (true, _) => (JobStatus::DeadLetter, 1, 0),
        (false, true) => (JobStatus::Completed, 2, 1),
        (false, false) => (JobStatus::Completed, 1, 1),
    }
}
