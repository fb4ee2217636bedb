//! Showing jobs: one with its attempts, and lists over unfinished and finished ones.

use domain::access::TenantScope;
use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::names::{JobType, NodeId, TenantName, WorkerId};
use sea_orm::{ConnectionTrait, QueryResult};
use store::jobs::{JobFilter, JobRecord};
use store::page::{Page, PageRequest};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::attempts::attempts;
use super::{keys, states};
use crate::dialect::Dialect;
use crate::lists::begin_list;
use crate::payloads;
use crate::pool::rollback;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;
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

/// How many jobs of each table one page is looked for among. What matches little comes in pages that are short or empty
/// and name the next one.
const WINDOW: i64 = 20_000;

// Index: job's and job_done's ids.
// $1 the id before which the window begins, $2 how many ids it has
static FLOORS: Sql = Sql::new(
    "list_window",
    "SELECT (SELECT id FROM job WHERE id < $1 ORDER BY id DESC LIMIT 1 OFFSET $2) AS unfinished,
       (SELECT id FROM job_done WHERE id < $1 ORDER BY id DESC LIMIT 1 OFFSET $2) AS finished",
);

/// `JobStore::list_jobs`. A list goes on to its end when its caller has left, which is soon, and keeps its turn until then.
pub(super) async fn list(
    store: &SqlStore,
    scope: &TenantScope,
    filter: &JobFilter,
    page: PageRequest,
) -> StoreResult<Page<JobRecord>> {
    let turn = store.list_turns().take().await?;
    let (pool, scope, filter) = (store.pool().clone(), scope.clone(), filter.clone());
    let reading = tokio::spawn(async move {
        let _turn = turn;
        if pool.dialect() == Dialect::Sqlite {
            return list_on(pool.read(), &scope, &filter, page, WINDOW).await;
        }
        let transaction = begin_list(&pool).await?;
        let listed = list_on(&transaction, &scope, &filter, page, WINDOW).await;
        rollback(transaction).await;
        listed
    });
    reading.await.map_err(|error| StoreError::Unavailable { source: Box::new(error) })?
}

/// The oldest id of the window before `after`, where there is more beyond it.
async fn floor<C: ConnectionTrait>(on: &C, after: Option<Uuid>, window: i64) -> StoreResult<Option<Uuid>> {
    let values = vec![after.unwrap_or(Uuid::from_u128(u128::MAX)).into(), window.into()];
    let Some(row) = FLOORS.first(on, values).await? else {
        return Ok(None);
    };
    let row = Row::new("job", &row);
    Ok(row.uuid_or_null("unfinished")?.max(row.uuid_or_null("finished")?))
}

async fn list_on<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    filter: &JobFilter,
    page: PageRequest,
    window: i64,
) -> StoreResult<Page<JobRecord>> {
    // The jobs of one execution are few and have an index; without any condition each job matches.
    let is_bounded =
        filter.execution_id.is_some() || (*filter == JobFilter::default() && scope.tenant().is_none());
    let floor = if is_bounded { None } else { floor(on, page.after, window).await? };
    let mut records: Vec<JobRecord> = Vec::new();
    for (text, is_hot) in [(HOT, true), (DONE, false)] {
        if filter.status.is_some_and(|status| status.is_terminal() == is_hot) {
            continue;
        }
        let rows = part(on, scope, filter, (page, floor), text, is_hot).await?;
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
    let mut page = Page::cut(records, page.limit, |record| record.id.uuid());
    page.next = page.next.or(floor);
    Ok(page)
}

async fn part<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    filter: &JobFilter,
    (page, floor): (PageRequest, Option<Uuid>),
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
    select.with_some("AND j.id >= $?", floor);
    select.with("ORDER BY j.id DESC LIMIT $?", i64::from(page.limit) + 1);
    select.all(on).await
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

#[cfg(test)]
mod tests {
    use domain::id::JobId;
    use store::conformance::fixture::{T0, claim_nodes, complete, job, tenant};
    use store::jobs::{JobStore as _, NewJob};
    use testkit::database::postgres_database;

    use super::*;
    use crate::options::{Pooler, StoreOptions, Synchronous, TimeSource};

    /// Four pages to find one job among thirty others, which are half of them finished.
    async fn windows(url: String) {
        let options = StoreOptions {
            url,
            connections_max: 2,
            synchronous: Synchronous::Normal,
            migrate: true,
            pooler: Pooler::Session,
            listen_url: None,
            schema: "public".to_owned(),
            statement_timeout: std::time::Duration::from_mins(1),
            limits: Vec::new(),
            lease_time: TimeSource::Caller,
        };
        let store = SqlStore::connect(&options).await.expect("a new database can be opened");
        let rare = NewJob { tenant: tenant("rare"), ..job() };
        store.enqueue(std::slice::from_ref(&rare), T0).await.expect("enqueue works");
        let others: Vec<NewJob> = (0..30).map(|_| job()).collect();
        store.enqueue(&others, T0).await.expect("enqueue works");
        let filter = JobFilter { tenant: Some(rare.tenant.clone()), ..JobFilter::default() };
        let scope = TenantScope::All;
        let on = store.pool().read();
        let (mut after, mut found, mut pages): (Option<Uuid>, Vec<JobId>, u32) = (None, Vec::new(), 0);
        loop {
            let page = PageRequest { limit: 5, after };
            let page = list_on(on, &scope, &filter, page, 9).await.expect("lists can be read");
            found.extend(page.items.iter().map(|item| item.id));
            pages += 1;
            after = page.next;
            if after.is_none() {
                break;
            }
            assert!(pages < 10, "the pages come to an end");
        }
        assert_eq!((found, pages), (vec![rare.id], 4));
        for job in claim_nodes(&*store, 15, T0).await {
            complete(&*store, &job, T0).await;
        }
        let all = list_on(on, &scope, &JobFilter::default(), PageRequest { limit: 50, after: None }, 9).await;
        assert_eq!(
            all.expect("lists can be read").items.len(),
            31,
            "what matches everything needs no window"
        );
    }

    #[tokio::test]
    async fn what_matches_little_is_found_in_windows_on_sqlite() {
        windows("sqlite::memory:".to_owned()).await;
    }

    #[tokio::test]
    async fn what_matches_little_is_found_in_windows_on_postgres() {
        windows(postgres_database().await).await;
    }
}
