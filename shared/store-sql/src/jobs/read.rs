//! Showing one job with its attempts, and what lists show of jobs.

use std::collections::HashMap;

use domain::access::TenantScope;
use domain::dispatch::is_holder;
use domain::id::{ExecutionId, JobId};
use domain::job::{AttemptStatus, JobStatus};
use domain::names::{JobType, NodeId, TenantName, WorkerId};
use domain::queue::{LaneId, LaneKey};
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;
use store::jobs::{AttemptRecord, EarlierAttempts, JobRecord};
use uuid::Uuid;

use super::{enqueue_fast, status};
use crate::bind;
use crate::lanes::key_of;
use crate::payloads::{self, TOGETHER_BYTES_MAX};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;
use crate::store::SqlStore;

/// What is read of an unfinished job `j` of lane `l`.
const HOT_COLUMNS: &str =
    "j.id, j.position, j.queue, j.state, j.tier, j.execution_id, j.node_id, j.data,
       NULL AS result, j.error, j.progress, j.attempt, j.attempt_base, j.retries_max, j.backoff, j.timeout_ms,
       j.unique_key, j.concurrency_key, j.tags, j.traceparent, j.run_at, j.created_at, j.started_at,
       CAST(NULL AS bigint) AS finished_at, CAST(NULL AS bigint) AS payload_dropped_at, j.lease_until, j.worker_id,
       l.tenant, l.workflow_owner, l.workflow, l.job_type, l.rate_key";

macro_rules! done_columns {
    ($result:literal) => {
        concat!(
            "j.id, j.position, j.queue, j.status AS state, j.tier, j.execution_id, j.node_id, j.data, ",
            $result,
            ", j.error, NULL AS progress, j.attempt, j.attempt_base, j.retries_max, j.backoff, j.timeout_ms,
       j.unique_key, j.concurrency_key, j.tags, j.traceparent, j.run_at, j.created_at, j.started_at,
       j.finished_at, j.payload_dropped_at, CAST(NULL AS bigint) AS lease_until, j.worker_id,
       l.tenant, l.workflow_owner, l.workflow, l.job_type, l.rate_key"
        )
    };
}

/// The same of a finished one, with its result.
const DONE_WHOLE: &str = done_columns!("j.result");

/// The same in lists, which leave large results out as they do large data.
const DONE_COLUMNS: &str =
    done_columns!("CASE WHEN octet_length(j.result) <= 4096 THEN j.result END AS result");

/// The table of unfinished jobs, or of finished ones.
const fn table(is_hot: bool) -> &'static str {
    if is_hot { "job" } else { "job_done" }
}

/// Begins a select of jobs `j` with their lanes `l`, for a list.
pub(crate) fn select_jobs(name: &'static str, is_hot: bool) -> Select {
    select_with(name, is_hot, DONE_COLUMNS)
}

fn select_with(name: &'static str, is_hot: bool, done_columns: &str) -> Select {
    let columns = if is_hot { HOT_COLUMNS } else { done_columns };
    let table = table(is_hot);
    Select::new(name, &format!("SELECT {columns} FROM {table} j JOIN lane l ON l.id = j.lane WHERE true"))
}

/// `JobStore::job`.
pub(super) async fn job(store: &SqlStore, scope: &TenantScope, id: JobId) -> StoreResult<Option<JobRecord>> {
    let on = store.pool().read();
    for is_hot in [true, false, true] {
        let mut select = select_with("job", is_hot, DONE_WHOLE);
        select.with("AND j.id = $?", id.uuid());
        select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
        if let Some(row) = select.first(on).await? {
            let mut record = record_of(Row::new(table(is_hot), &row))?;
            if record.data.is_none() {
                record.data = payloads::load(on, &[id.uuid()]).await?.remove(&id.uuid());
            }
            record.attempts = attempts(on, id.uuid()).await?;
            return Ok(Some(record));
        }
        // A job that ends, or is brought back, between two looks is found by the next.
    }
    Ok(None)
}

/// Reads a row of either kind.
pub(crate) fn record_of(row: Row<'_>) -> StoreResult<JobRecord> {
    let (attempt, base) = (row.count("attempt")?, row.count("attempt_base")?);
    let tags: Option<Vec<String>> = row.json_or_null("tags")?;
    let (status, holder) = (status::status(row, "state")?, row.text_or_null("worker_id")?);
    let lease_until = row.instant_or_null("lease_until")?;
    // An offered job is leased in the table and nowhere else: nobody works on it, and its attempt has not begun.
    let is_offered = status == JobStatus::Processing && holder.as_deref().is_some_and(is_holder);
    let attempt = attempt.saturating_sub(u32::from(is_offered));
    Ok(JobRecord {
        id: JobId::from_uuid(row.uuid("id")?),
        position: row.long("position")?,
        queue: row.queue("queue")?,
        job_type: row.name("job_type", JobType::trusted)?,
        status: if is_offered { JobStatus::Queued } else { status },
        tier: row.tier("tier")?,
        tenant: row.name("tenant", TenantName::trusted)?,
        workflow: row.workflow()?,
        execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
        node_id: row.name_or_null("node_id", NodeId::trusted)?,
        data: payloads::held(row.text("data")?),
        result: row.text_or_null("result")?,
        error: row.error_or_null("error")?,
        progress: row.text_or_null("progress")?,
        // Attempts before a requeue do not count: the retries are fresh since then.
        retry_count: attempt.saturating_sub(base).saturating_sub(1),
        retries_max: row.count("retries_max")?,
        backoff: row.json_or_null("backoff")?.unwrap_or_default(),
        timeout: row.duration_or_null("timeout_ms")?,
        unique_key: row.text_or_null("unique_key")?.map(|key| enqueue_fast::shown_unique_key(&key)),
        concurrency_key: row
            .text_or_null("concurrency_key")?
            .map(|key| enqueue_fast::shown_concurrency_key(&key)),
        rate_key: row.text_or_null("rate_key")?.filter(|key| !key.is_empty()),
        tags: tags.unwrap_or_default(),
        traceparent: row.text_or_null("traceparent")?,
        run_at: row.instant("run_at")?,
        created_at: row.instant("created_at")?,
        processed_at: row.instant_or_null("started_at")?.filter(|_| !is_offered),
        completed_at: row.instant_or_null("finished_at")?,
        lease_until: lease_until.filter(|_| !is_offered),
        offered_until: lease_until.filter(|_| is_offered),
        worker_id: holder.filter(|_| !is_offered).map(WorkerId::trusted),
        attempts: Vec::new(),
        payload_dropped_at: row.instant_or_null("payload_dropped_at")?,
    })
}

// The attempts of a job: earlier ones from `attempt`, the last one from the job's own row.

static ATTEMPTS: Sql = Sql::new(
    "attempts",
    "SELECT attempt_number, status, error, started_at, finished_at, worker_id FROM attempt WHERE job_id = $1
     UNION ALL
     SELECT attempt AS attempt_number, attempt_status AS status,
       CASE WHEN attempt_status <> 'COMPLETED' THEN error END AS error, started_at, finished_at, worker_id
     FROM job_done WHERE id = $1 AND attempt_status IS NOT NULL
     UNION ALL
     SELECT attempt AS attempt_number, NULL AS status, NULL AS error, started_at, NULL AS finished_at, worker_id
     FROM job WHERE id = $1 AND state = 'processing' AND worker_id NOT LIKE 'trunkline-relay/%'
     ORDER BY attempt_number",
);

/// The attempts of a job, oldest first; a running one is the last.
pub(crate) async fn attempts<C: ConnectionTrait>(on: &C, job_id: Uuid) -> StoreResult<Vec<AttemptRecord>> {
    ATTEMPTS.all(on, vec![job_id.into()]).await?.iter().map(attempt_of).collect()
}

fn attempt_of(row: &QueryResult) -> StoreResult<AttemptRecord> {
    let row = Row::new("attempt", row);
    let status = row.text_or_null("status")?;
    let status = status.map(|status| AttemptStatus::parse(&status).ok_or_else(|| row.fault("status")));
    Ok(AttemptRecord {
        attempt_number: row.count("attempt_number")?,
        status: status.transpose()?,
        error: row.error_or_null("error")?,
        started_at: row.instant("started_at")?,
        finished_at: row.instant_or_null("finished_at")?,
        worker_id: row.name("worker_id", WorkerId::trusted)?,
    })
}

// Finding the job that an operator means, in his scope.

static LOCATE: Sql = Sql::new(
    "locate_job",
    "SELECT j.id, j.lane, j.state, l.queue, l.tier, l.tenant, l.workflow_owner, l.workflow, l.job_type, l.rate_key
     FROM job j JOIN lane l ON l.id = j.lane WHERE j.id = $1
     UNION ALL
     SELECT d.id, d.lane, d.status AS state, l.queue, l.tier, l.tenant, l.workflow_owner, l.workflow, l.job_type,
       l.rate_key
     FROM job_done d JOIN lane l ON l.id = d.lane WHERE d.id = $1",
);

/// Where a job is.
#[derive(Debug, Clone)]
pub(super) struct Located {
    /// Its state.
    pub(super) status: JobStatus,
    /// Its lane.
    pub(super) lane: LaneId,
    /// The lane's key.
    pub(super) key: LaneKey,
}

/// Where a job is; `None` if there is no such job in the scope.
pub(super) async fn locate<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    id: JobId,
) -> StoreResult<Option<Located>> {
    let Some(row) = LOCATE.first(on, vec![id.uuid().into()]).await? else {
        return Ok(None);
    };
    let row = Row::new("job", &row);
    let located =
        Located { status: status::status(row, "state")?, lane: LaneId(row.int("lane")?), key: key_of(row)? };
    Ok(Some(located).filter(|located| scope.allows(&located.key.tenant)))
}

// Index: job(id), job_done(id). One statement: a job that ends between two looks would be in neither.
static TENANTS: Sql = Sql::new(
    "tenants_of_jobs",
    "SELECT j.id, l.tenant FROM job j JOIN lane l ON l.id = j.lane WHERE j.id {any $1 uuid}
     UNION ALL
     SELECT d.id, l.tenant FROM job_done d JOIN lane l ON l.id = d.lane WHERE d.id {any $1 uuid}",
);

/// `JobStore::tenants_of_jobs`.
pub(super) async fn tenants(store: &SqlStore, ids: &[JobId]) -> StoreResult<Vec<(JobId, TenantName)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let list = bind::uuids(store.dialect(), ids.iter().map(|id| id.uuid()));
    let rows = TENANTS.all(store.pool().read(), vec![list]).await?;
    let whose = rows.iter().map(|row| {
        let row = Row::new("job", row);
        Ok((JobId::from_uuid(row.uuid("id")?), row.name("tenant", TenantName::trusted)?))
    });
    whose.collect()
}

// What earlier attempts left for the next one. Read after the claim, and only for jobs that may have some: those that are
// leased for the first time, which are nearly all, cost nothing.

// Index: job(id).
static EARLIER: Sql = Sql::new(
    "earlier_attempts",
    "SELECT id, error, progress FROM job WHERE id {any $1 uuid} AND (error IS NOT NULL OR progress IS NOT NULL)",
);

static ENDED: Sql = Sql::new("ended_jobs", "SELECT id FROM job_done WHERE id {any $1 uuid}");

/// How many jobs one statement reads: what they left takes a bounded number of bytes each.
const PAGE: usize = 100;

/// `JobStore::earlier_attempts`.
pub(super) async fn earlier_attempts(store: &SqlStore, ids: &[JobId]) -> StoreResult<Vec<EarlierAttempts>> {
    let mut all = Vec::with_capacity(ids.len());
    let mut bytes_total = 0;
    for page in ids.chunks(PAGE) {
        let list = bind::uuids(store.dialect(), page.iter().map(|id| id.uuid()));
        let mut found: HashMap<Uuid, (usize, EarlierAttempts)> = HashMap::new();
        for row in &EARLIER.all(store.pool().read(), vec![list]).await? {
            let row = Row::new("job", row);
            let progress = row.text_or_null("progress")?;
            let bytes = progress.as_deref().map_or(0, str::len)
                + row.text_or_null("error")?.as_deref().map_or(0, str::len);
            found.insert(
                row.uuid("id")?,
                (bytes, EarlierAttempts { error: row.error_or_null("error")?, progress }),
            );
        }
        for id in page {
            let (bytes, earlier) = found.remove(&id.uuid()).unwrap_or_default();
            bytes_total += bytes;
            if bytes_total > TOGETHER_BYTES_MAX && !all.is_empty() {
                return Ok(all);
            }
            all.push(earlier);
        }
    }
    Ok(all)
}

/// `JobStore::ended_jobs`.
pub(super) async fn ended_jobs(store: &SqlStore, ids: &[JobId]) -> StoreResult<Vec<JobId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let list = bind::uuids(store.dialect(), ids.iter().map(|id| id.uuid()));
    let rows = ENDED.all(store.pool().read(), vec![list]).await?;
    rows.iter().map(|row| Row::new("job_done", row).uuid("id").map(JobId::from_uuid)).collect()
}
