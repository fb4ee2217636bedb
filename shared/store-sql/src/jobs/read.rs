//! Showing jobs: one with its attempts, and lists over unfinished and finished ones.

use domain::access::TenantScope;
use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::names::{JobType, NodeId, TenantName, WorkerId};
use sea_orm::QueryResult;
use store::StoreResult;
use store::jobs::{JobFilter, JobRecord};
use store::page::{Page, PageRequest};

use super::attempts::attempts;
use super::{keys, states};
use crate::payloads;
use crate::rows::Row;
use crate::select::Select;
use crate::store::SqlStore;

const HOT: &str = "SELECT j.id, j.position, j.queue, j.state, j.tier, j.execution_id, j.node_id, j.data,
       NULL AS result, j.error, j.progress, j.attempt, j.attempt_base, j.retries_max, j.backoff, j.timeout_ms,
       j.unique_key, j.concurrency_key, j.tags, j.traceparent, j.run_at, j.created_at, j.started_at,
       CAST(NULL AS bigint) AS finished_at, j.lease_until, j.worker_id,
       l.tenant, l.workflow_owner, l.workflow, l.job_type
     FROM job j JOIN lane l ON l.id = j.lane WHERE true";

const DONE: &str =
    "SELECT j.id, j.position, j.queue, j.status AS state, j.tier, j.execution_id, j.node_id, j.data,
       j.result, j.error, NULL AS progress, j.attempt, j.attempt_base, j.retries_max, j.backoff, j.timeout_ms,
       j.unique_key, j.concurrency_key, j.tags, j.traceparent, j.run_at, j.created_at, j.started_at,
       j.finished_at, CAST(NULL AS bigint) AS lease_until, j.worker_id,
       l.tenant, l.workflow_owner, l.workflow, l.job_type
     FROM job_done j JOIN lane l ON l.id = j.lane WHERE true";

/// `JobStore::job`.
pub(super) async fn job(store: &SqlStore, scope: &TenantScope, id: JobId) -> StoreResult<Option<JobRecord>> {
    let on = store.pool().read();
    for (text, is_hot) in [(HOT, true), (DONE, false), (HOT, true)] {
        let mut select = Select::new("job", text);
        select.with("AND j.id = $?", id.uuid());
        select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
        if let Some(row) = select.first(on).await? {
            let mut record = record(Row::new(if is_hot { "job" } else { "job_done" }, &row))?;
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

/// `JobStore::list_jobs`.
pub(super) async fn list(
    store: &SqlStore,
    scope: &TenantScope,
    filter: &JobFilter,
    page: PageRequest,
) -> StoreResult<Page<JobRecord>> {
    let mut records: Vec<JobRecord> = Vec::new();
    for (text, is_hot) in [(HOT, true), (DONE, false)] {
        if filter.status.is_some_and(|status| status.is_terminal() == is_hot) {
            continue;
        }
        let rows = part(store, scope, filter, page, text, is_hot).await?;
        let table = if is_hot { "job" } else { "job_done" };
        for row in &rows {
            records.push(record(Row::new(table, row))?);
        }
    }
    records.sort_unstable_by_key(|record| std::cmp::Reverse(record.id));
    // A job that ended between the two reads is in both: the later state counts.
    records.dedup_by(|later, earlier| {
        let is_same = later.id == earlier.id;
        if is_same && later.status.is_terminal() {
            std::mem::swap(later, earlier);
        }
        is_same
    });
    Ok(Page::cut(records, page.limit, |record| record.id.uuid()))
}

async fn part(
    store: &SqlStore,
    scope: &TenantScope,
    filter: &JobFilter,
    page: PageRequest,
    text: &str,
    is_hot: bool,
) -> StoreResult<Vec<QueryResult>> {
    let mut select = Select::new("list_jobs", text);
    select.with_some("AND j.queue = $?", filter.queue.map(domain::queue::QueueName::code));
    if filter.queue.is_none() && filter.job_type.is_none() {
        select.with("AND j.queue <> $?", domain::queue::QueueName::Scheduled.code());
    }
    match filter.status {
        Some(JobStatus::Queued) => select.push("AND j.state IN ('queued', 'blocked')"),
        Some(status) if is_hot => select.with("AND j.state = $?", status.as_str().to_lowercase()),
        Some(status) => select.with("AND j.status = $?", status.as_str()),
        None => {}
    }
    select.with_some("AND l.job_type = $?", filter.job_type.as_ref().map(JobType::as_str));
    select
        .with_some("AND l.workflow = $?", filter.workflow.as_ref().map(domain::names::WorkflowName::as_str));
    select.with_some("AND l.tenant = $?", filter.tenant.as_ref().map(TenantName::as_str));
    select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND j.tier = $?", filter.tier.map(domain::queue::Tier::code));
    // Tags are a JSON array; a tag is looked for as it is written there, with its quotes.
    let tag = filter.tag.as_ref().map(|tag| serde_json::Value::from(tag.as_str()).to_string());
    select.with_some("AND {postgres:strpos}{sqlite:instr}(j.tags, $?) > 0", tag);
    select.with_some("AND j.execution_id = $?", filter.execution_id.map(domain::id::Id::uuid));
    select.with_some("AND j.id < $?", page.after);
    select.with("ORDER BY j.id DESC LIMIT $?", i64::from(page.limit) + 1);
    select.all(store.pool().read()).await
}

fn record(row: Row<'_>) -> StoreResult<JobRecord> {
    let (attempt, base) = (row.count("attempt")?, row.count("attempt_base")?);
    let tags: Option<Vec<String>> = row.json_or_null("tags")?;
    Ok(JobRecord {
        id: JobId::from_uuid(row.uuid("id")?),
        position: row.long("position")?,
        queue: row.queue("queue")?,
        job_type: row.name("job_type", JobType::trusted)?,
        status: states::status(row, "state")?,
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
        tags: tags.unwrap_or_default(),
        traceparent: row.text_or_null("traceparent")?,
        run_at: row.instant("run_at")?,
        created_at: row.instant("created_at")?,
        processed_at: row.instant_or_null("started_at")?,
        completed_at: row.instant_or_null("finished_at")?,
        lease_until: row.instant_or_null("lease_until")?,
        worker_id: row.name_or_null("worker_id", WorkerId::trusted)?,
        attempts: Vec::new(),
    })
}
