//! A claimed job for tests.

use domain::id::{ExecutionId, JobId, LeaseToken};
use domain::job::AttemptFacts;
use domain::names::{JobType, NodeId, TenantName};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::time::Timestamp;
use store::jobs::ClaimedJob;

/// The job of a node in its second attempt, whose ids are those of its token.
pub(crate) fn sample_job(token: LeaseToken) -> ClaimedJob {
    ClaimedJob {
        id: JobId::from_uuid(token.0),
        queue: QueueName::Node,
        job_type: JobType::trusted("x"),
        tenant: TenantName::trusted("default"),
        workflow: None,
        tier: Tier::Normal,
        position: 1,
        data: "{}".to_owned(),
        attempt: 2,
        facts: AttemptFacts { attempt: 1, retries_max: 3, crashes: 0, backoff: Backoff::default() },
        timeout: None,
        token,
        lease_until: Timestamp(0),
        started_at: Timestamp(7),
        created_at: Timestamp(0),
        queued_at: Timestamp(0),
        traceparent: None,
        execution_id: Some(ExecutionId::from_uuid(token.0)),
        node_id: Some(NodeId::trusted("n")),
    }
}
