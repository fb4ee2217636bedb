//! Showing one job with its attempts. Lists are in [`list`](super::list).

use domain::access::TenantScope;
use domain::dispatch::is_holder;
use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::names::{JobType, NodeId, TenantName, WorkerId};
use store::StoreResult;
use store::jobs::JobRecord;

use super::attempts::attempts;
use super::{keys, states};
use crate::payloads;
use crate::rows::Row;
use crate::select::Select;
use crate::store::SqlStore;

/// What is read of an unfinished job `j` of lane `l`.
pub(super) const HOT_COLUMNS: &str =
    "j.id, j.position, j.queue, j.state, j.tier, j.execution_id, j.node_id, j.data,
       NULL AS result, j.error, j.progress, j.attempt, j.attempt_base, j.retries_max, j.backoff, j.timeout_ms,
       j.unique_key, j.concurrency_key, j.tags, j.traceparent, j.run_at, j.created_at, j.started_at,
       CAST(NULL AS bigint) AS finished_at, CAST(NULL AS bigint) AS payload_dropped_at, j.lease_until, j.worker_id,
       l.tenant, l.workflow_owner, l.workflow, l.job_type, l.rate_key";

/// The same of a finished one.
pub(super) const DONE_COLUMNS: &str =
    "j.id, j.position, j.queue, j.status AS state, j.tier, j.execution_id, j.node_id, j.data,
       j.result, j.error, NULL AS progress, j.attempt, j.attempt_base, j.retries_max, j.backoff, j.timeout_ms,
       j.unique_key, j.concurrency_key, j.tags, j.traceparent, j.run_at, j.created_at, j.started_at,
       j.finished_at, j.payload_dropped_at, CAST(NULL AS bigint) AS lease_until, j.worker_id,
       l.tenant, l.workflow_owner, l.workflow, l.job_type, l.rate_key";

/// The table of unfinished jobs, or of finished ones.
pub(super) const fn table(is_hot: bool) -> &'static str {
    if is_hot { "job" } else { "job_done" }
}

/// Begins a select of jobs `j` with their lanes `l`.
pub(crate) fn select_jobs(name: &'static str, is_hot: bool) -> Select {
    let columns = if is_hot { HOT_COLUMNS } else { DONE_COLUMNS };
    let table = table(is_hot);
    Select::new(name, &format!("SELECT {columns} FROM {table} j JOIN lane l ON l.id = j.lane WHERE true"))
}

/// `JobStore::job`.
pub(super) async fn job(store: &SqlStore, scope: &TenantScope, id: JobId) -> StoreResult<Option<JobRecord>> {
    let on = store.pool().read();
    for is_hot in [true, false, true] {
        let mut select = select_jobs("job", is_hot);
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
    let (status, holder) = (states::status(row, "state")?, row.text_or_null("worker_id")?);
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
        unique_key: row.text_or_null("unique_key")?.map(|key| keys::shown_unique_key(&key)),
        concurrency_key: row.text_or_null("concurrency_key")?.map(|key| keys::shown_concurrency_key(&key)),
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
