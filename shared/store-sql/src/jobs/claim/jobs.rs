//! From a row to the claimed job.

use domain::build::BuildPins;
use domain::claim::{LimitTable, RateTable};
use domain::id::{ExecutionId, JobId, LeaseToken};
use domain::job::AttemptFacts;
use domain::names::NodeId;
use domain::queue::{LaneId, LaneKey, QueueName, WorkflowRef};
use domain::rate::{KeyRates, Rate};
use domain::time::{DurationMs, Timestamp};
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::jobs::{ClaimRequest, ClaimedJob, GiveBack};
use uuid::Uuid;

use crate::builds::pins_of;
use crate::columns::Columns;
use crate::errors::corrupt;
use crate::jobs::retry;
use crate::limits::{Overrides, overrides_of};
use crate::memory::{CachedLimits, ClaimMemory};
use crate::memory_lanes::LaneMemory;
use crate::payloads;
use crate::rows::{Row, workflow_ref};
use crate::sql::Sql;
use crate::store::SqlStore;

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

// The limits a claim obeys: kept in memory under a version that the lock statement answers.

// The latest version of each workflow decides.
static DEFINITIONS: Sql = Sql::new(
    "definition_limits",
    "SELECT w.owner, w.name, w.max_concurrent, w.rate FROM workflow w
     WHERE (w.max_concurrent IS NOT NULL OR w.rate IS NOT NULL) AND w.version = (
         SELECT max(v.version) FROM workflow v WHERE v.owner = w.owner AND v.name = w.name
     )",
);

static PAUSED: Sql = Sql::new("paused_workflows", "SELECT owner, name FROM workflow_pause");

static VERSION: Sql = Sql::new("limits_version", "SELECT limits_version FROM queue_claim WHERE queue = $1");

/// Whether these limits are still in force. Waits for no lock.
pub(super) async fn are_current(
    store: &SqlStore,
    queue: QueueName,
    limits: &CachedLimits,
) -> StoreResult<bool> {
    if store.memory().queue(queue).are_limits_stale() {
        return Ok(false);
    }
    let row = VERSION.first(store.pool().read(), vec![queue.code().into()]).await?;
    let version = row.map(|row| Row::new("queue_claim", &row).long("limits_version")).transpose()?;
    Ok(version == Some(limits.version))
}

/// Reads the limits of a queue. Within the claim's transaction, after its lock, so that they are those of `version`.
pub(super) async fn read<C: ConnectionTrait>(
    store: &SqlStore,
    on: &C,
    queue: QueueName,
    version: i64,
) -> StoreResult<CachedLimits> {
    let Overrides { limits, rates, keys } = overrides_of(on, queue).await?;
    // A definition's limit and a pause are about executions; its nodes have their own queue.
    let is_execution = queue == QueueName::Execution;
    let (limits_of, rates_of) = if is_execution { definitions(on).await? } else { (Vec::new(), Vec::new()) };
    let paused = if is_execution { paused(on).await? } else { Vec::new() };
    let rates = RateTable::resolve(&rates, &rates_of, is_execution).with_keys(KeyRates::resolve(&keys));
    let table = LimitTable::resolve(store.settings_of(queue), &limits, &limits_of).with_rates(rates);
    // Outside workers take jobs of that queue only.
    let pins = if queue == QueueName::Node { pins_of(on).await? } else { Vec::new() };
    Ok(CachedLimits { version, table, paused, pins: BuildPins::new(pins) })
}

/// The limits in force for a queue, and the workflows of which nothing starts, for those who only look.
pub(crate) async fn in_force(
    store: &SqlStore,
    queue: QueueName,
) -> StoreResult<(LimitTable, Vec<WorkflowRef>)> {
    let CachedLimits { table, paused, .. } = read(store, store.pool().lists(), queue, 0).await?;
    Ok((table, paused))
}

/// The limits and the rates of definitions.
async fn definitions<C: ConnectionTrait>(
    on: &C,
) -> StoreResult<(Vec<(WorkflowRef, u32)>, Vec<(WorkflowRef, Rate)>)> {
    let (mut limits, mut rates) = (Vec::new(), Vec::new());
    for row in &DEFINITIONS.all(on, vec![]).await? {
        let row = Row::new("workflow", row);
        let workflow = workflow_ref(row.text("owner")?, row.text("name")?);
        if let Some(rate) = row.rate_or_null("rate")? {
            rates.push((workflow.clone(), rate));
        }
        if let Some(limit) = row.count_or_null("max_concurrent")? {
            limits.push((workflow, limit));
        }
    }
    Ok((limits, rates))
}

async fn paused<C: ConnectionTrait>(on: &C) -> StoreResult<Vec<WorkflowRef>> {
    let rows = PAUSED.all(on, vec![]).await?;
    let paused = rows.iter().map(|row| {
        let row = Row::new("workflow_pause", row);
        Ok(workflow_ref(row.text("owner")?, row.text("name")?))
    });
    paused.collect()
}

// Payloads that are kept out of the rows: they are read after the claim, so many bytes together at most. Jobs whose
// payloads do not fit are given back, and the next claims ask for fewer.

/// Gives claimed jobs their payloads. Those that are cut come after those that are not, so that order is kept.
pub(super) async fn complete(
    store: &SqlStore,
    memory: &mut ClaimMemory,
    request: &ClaimRequest,
    mut jobs: Vec<ClaimedJob>,
) -> StoreResult<Vec<ClaimedJob>> {
    let count = payloads::fitting(jobs.iter().map(|job| job.data.as_str()));
    let cut = jobs.split_off(count);
    memory.record_room(jobs.len(), !cut.is_empty());
    give_back(store, request, &cut).await;
    let large: Vec<Uuid> =
        jobs.iter().filter(|job| payloads::length_of(&job.data).is_some()).map(|job| job.id.uuid()).collect();
    if large.is_empty() {
        return Ok(jobs);
    }
    let mut loaded = match payloads::load(store.pool().read(), &large).await {
        Ok(loaded) => loaded,
        Err(error) => {
            give_back(store, request, &jobs).await;
            return Err(error);
        }
    };
    let has_payload = |job: &mut ClaimedJob| {
        if payloads::length_of(&job.data).is_none() {
            return true;
        }
        let Some(data) = loaded.remove(&job.id.uuid()) else {
            // Cancelled and removed since, or lost: no handler is to see a job without what it is about.
            tracing::error!(job.id = %job.id, "a job whose stored payload is missing is not leased");
            return false;
        };
        job.data = data;
        true
    };
    jobs.retain_mut(has_payload);
    Ok(jobs)
}

/// If that fails, the leases run out.
async fn give_back(store: &SqlStore, request: &ClaimRequest, jobs: &[ClaimedJob]) {
    let leases: Vec<GiveBack> = jobs.iter().map(|job| job.lease().into()).collect();
    if let Err(error) = retry::give_back(store, &leases, request.now).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "claimed jobs could not be released");
    }
}
