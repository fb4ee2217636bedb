//! From a taken row to the job that is handed out.

use domain::id::{ExecutionId, JobId, LeaseToken};
use domain::job::AttemptFacts;
use domain::lane::{LaneId, LaneKey};
use domain::names::NodeId;
use sea_orm::QueryResult;
use store::StoreResult;
use store::jobs::ClaimedJob;

use crate::errors::corrupt;
use crate::memory::LaneMemory;
use crate::rows::Row;

/// A taken job with its lane.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) lane: LaneId,
    pub(super) job: ClaimedJob,
}

/// Reads taken rows; the keys of their lanes are known, because they were planned.
pub(super) fn read(rows: &[QueryResult], memory: &LaneMemory) -> StoreResult<Vec<Taken>> {
    let taken = rows.iter().map(|row| {
        let row = Row::new("job", row);
        let lane = LaneId(row.int("lane")?);
        let key = memory.lanes.get(lane).ok_or_else(|| corrupt("lane", "id", lane.0))?;
        Ok(Taken { lane, job: job(row, key)? })
    });
    taken.collect()
}

fn job(row: Row<'_>, key: &LaneKey) -> StoreResult<ClaimedJob> {
    let attempt = row.count("attempt")?;
    Ok(ClaimedJob {
        id: JobId::from_uuid(row.uuid("id")?),
        queue: key.queue,
        job_type: key.job_type.clone(),
        tenant: key.tenant.clone(),
        workflow: key.workflow.clone(),
        tier: key.tier,
        position: row.long("position")?,
        data: row.text("data")?,
        attempt,
        facts: facts(row)?,
        timeout: row.duration_or_null("timeout_ms")?,
        token: LeaseToken(row.uuid("lease_token")?),
        lease_until: row.instant("lease_until")?,
        created_at: row.instant("created_at")?,
        queued_at: row.instant("queued_at")?,
        traceparent: row.text_or_null("traceparent")?,
        execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
        node_id: row.name_or_null("node_id", NodeId::trusted)?,
    })
}

/// What the decision after the attempt depends on, from a row with these columns of `job`. Attempts before a requeue
/// do not count against the retries.
pub(in crate::jobs) fn facts(row: Row<'_>) -> StoreResult<AttemptFacts> {
    let (attempt, base) = (row.count("attempt")?, row.count("attempt_base")?);
    Ok(AttemptFacts {
        attempt: attempt.saturating_sub(base),
        retries_max: row.count("retries_max")?,
        crashes: row.count("crashes")?,
        backoff: row.json_or_null("backoff")?.unwrap_or_default(),
    })
}
