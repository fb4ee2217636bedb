//! Claimed jobs for tests.

use domain::id::{JobId, LeaseToken};
use domain::job::AttemptFacts;
use domain::names::{JobType, TenantName};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::time::Timestamp;
use store::jobs::ClaimedJob;
use uuid::Uuid;

/// A claimed job whose id and token follow from a number.
pub(crate) fn test_job(job_type: &str, number: u128) -> ClaimedJob {
    let instant = Timestamp(0);
    ClaimedJob {
        id: JobId::from_uuid(Uuid::from_u128(number)),
        queue: QueueName::Node,
        job_type: JobType::trusted(job_type),
        tenant: TenantName::trusted("default"),
        workflow: None,
        tier: Tier::Normal,
        position: 1,
        data: "{}".to_owned(),
        attempt: 1,
        facts: AttemptFacts { attempt: 1, retries_max: 3, crashes: 0, backoff: Backoff::default() },
        timeout: None,
        token: LeaseToken(Uuid::from_u128(number)),
        lease_until: instant,
        started_at: instant,
        created_at: instant,
        queued_at: instant,
        traceparent: None,
        execution_id: None,
        node_id: None,
    }
}
