//! From a row to the claimed job.

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
use crate::memory_lanes::LaneMemory;
use crate::rows::Row;

macro_rules! columns {
    ($first:literal, $($last:literal),+) => {
        &[
            $first, "id", "lane", "position", "data", "attempt", "attempt_base", "retries_max", "crashes", "timeout_ms",
            "backoff", "created_at", "queued_at", "traceparent", "execution_id", "node_id", $($last),+
        ]
    };
}

/// What statements answer of a job: its token and its lease once it is taken; before, the number of its grant, and the
/// present instant.
pub(super) const TAKEN: &[&str] = columns!("lease_token", "started_at", "lease_until");
/// After the columns of [`TAKEN`]: where the claim left the row of the queue, on PostgreSQL.
pub(super) const CLAIM_PLACE: usize = TAKEN.len();
/// See [`TAKEN`].
pub(super) const PICKED: &[&str] = columns!("nth", "now_ms");
/// The first of the columns that only one of them has.
const LAST: usize = 16;

/// The present instant, from a row with the columns of [`PICKED`].
pub(super) fn now_of(row: Columns<'_>) -> StoreResult<Timestamp> {
    row.get(LAST).map(Timestamp)
}

/// A taken job with its lane.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) lane: LaneId,
    pub(super) job: ClaimedJob,
}

/// A job that was taken, from its row with the columns of [`TAKEN`]; `None` where they are null, because there was none.
/// The key of its lane is known, because it was planned.
pub(super) fn taken_or_none(memory: &LaneMemory, row: Columns<'_>) -> StoreResult<Option<Taken>> {
    let Some(token) = row.get_or_null(0)? else {
        return Ok(None);
    };
    let lease = Lease {
        token: LeaseToken(token),
        attempt: row.count(5)?,
        started_at: Timestamp(row.get(LAST)?),
        until: Timestamp(row.get(LAST + 1)?),
    };
    job(memory, row, &lease).map(Some)
}

/// A job that is about to be taken under this token at `now`, from its row with the columns of [`PICKED`].
pub(super) fn picked(
    request: &ClaimRequest,
    memory: &LaneMemory,
    row: Columns<'_>,
    (token, now): (LeaseToken, Timestamp),
) -> StoreResult<Taken> {
    let lease = Lease {
        token,
        attempt: row.count(5)?.saturating_add(1),
        started_at: now.max(Timestamp(row.get(12)?)),
        until: request.lease_until(now, row.get_or_null::<i64>(9)?.map(DurationMs)),
    };
    job(memory, row, &lease)
}

/// What a claim gives a job.
struct Lease {
    token: LeaseToken,
    attempt: u32,
    started_at: Timestamp,
    until: Timestamp,
}

fn job(memory: &LaneMemory, row: Columns<'_>, lease: &Lease) -> StoreResult<Taken> {
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
        attempt: lease.attempt,
        facts: AttemptFacts {
            attempt: lease.attempt.saturating_sub(row.count(6)?),
            retries_max: row.count(7)?,
            crashes: row.count(8)?,
            backoff: backoff.unwrap_or_default(),
        },
        timeout,
        token: lease.token,
        lease_until: lease.until,
        started_at: lease.started_at,
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
