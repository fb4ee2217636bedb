//! From a row to the job that is handed out.

use domain::id::{ExecutionId, JobId, LeaseToken};
use domain::job::AttemptFacts;
use domain::lane::{LaneId, LaneKey};
use domain::names::NodeId;
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::jobs::{ClaimRequest, ClaimedJob};
use uuid::Uuid;

use crate::columns::Columns;
use crate::errors::corrupt;
use crate::memory::LaneMemory;
use crate::rows::Row;

/// What statements answer of a job: its token once it is taken, the number of its grant before.
pub(super) const TAKEN: &[&str] = &columns("lease_token");
/// After the columns of [`TAKEN`]: where the claim left the row of the queue, on PostgreSQL.
pub(super) const CLAIM_PLACE: usize = TAKEN.len();
/// See [`TAKEN`].
pub(super) const PICKED: &[&str] = &columns("nth");

const fn columns(first: &'static str) -> [&'static str; 16] {
    [
        first,
        "id",
        "lane",
        "position",
        "data",
        "attempt",
        "attempt_base",
        "retries_max",
        "crashes",
        "timeout_ms",
        "backoff",
        "created_at",
        "queued_at",
        "traceparent",
        "execution_id",
        "node_id",
    ]
}

/// A taken job with its lane.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) lane: LaneId,
    pub(super) job: ClaimedJob,
}

/// A job that was taken, from its row with the columns of [`TAKEN`]. The key of its lane is known, because it was planned.
pub(super) fn taken(request: &ClaimRequest, memory: &LaneMemory, row: Columns<'_>) -> StoreResult<Taken> {
    let attempt = row.count(5)?;
    job(request, memory, row, LeaseToken(row.get(0)?), attempt)
}

/// A job that is about to be taken under this token, from its row with the columns of [`PICKED`].
pub(super) fn picked(
    request: &ClaimRequest,
    memory: &LaneMemory,
    row: Columns<'_>,
    token: LeaseToken,
) -> StoreResult<Taken> {
    let attempt = row.count(5)?.saturating_add(1);
    job(request, memory, row, token, attempt)
}

fn job(
    request: &ClaimRequest,
    memory: &LaneMemory,
    row: Columns<'_>,
    token: LeaseToken,
    attempt: u32,
) -> StoreResult<Taken> {
    let lane = LaneId(row.get(2)?);
    let key: &LaneKey = memory.lanes.get(lane).ok_or_else(|| corrupt("lane", "id", lane.0))?;
    let timeout = row.get_or_null::<i64>(9)?.map(DurationMs);
    let backoff: Option<String> = row.get_or_null(10)?;
    let backoff = backoff.map(|text| serde_json::from_str(&text).map_err(|_| row.fault(10))).transpose()?;
    let job = ClaimedJob {
        id: JobId::from_uuid(row.get(1)?),
        queue: key.queue,
        job_type: key.job_type.clone(),
        tenant: key.tenant.clone(),
        workflow: key.workflow.clone(),
        tier: key.tier,
        position: row.get(3)?,
        data: row.get(4)?,
        attempt,
        facts: AttemptFacts {
            attempt: attempt.saturating_sub(row.count(6)?),
            retries_max: row.count(7)?,
            crashes: row.count(8)?,
            backoff: backoff.unwrap_or_default(),
        },
        timeout,
        token,
        lease_until: request.lease_until(timeout),
        created_at: Timestamp(row.get(11)?),
        queued_at: Timestamp(row.get(12)?),
        traceparent: row.get_or_null(13)?,
        execution_id: row.get_or_null::<Uuid>(14)?.map(ExecutionId::from_uuid),
        node_id: row.get_or_null::<String>(15)?.map(NodeId::trusted),
    };
    Ok(Taken { lane, job })
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
