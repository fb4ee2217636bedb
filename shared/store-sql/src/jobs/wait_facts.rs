//! Why a job waits, as far as rows show it.

use domain::id::JobId;
use domain::lane::WorkflowRef;
use domain::names::TenantName;
use domain::queue::QueueName;
use store::StoreResult;
use store::jobs::WaitFacts;

use crate::rows::{Row, workflow_columns};
use crate::select::Select;
use crate::sql::Sql;
use crate::store::SqlStore;

static JOB: Sql = Sql::new(
    "wait_facts",
    "SELECT j.id, j.queue, j.lane, j.position, j.concurrency_key, j.offers_returned, l.tenant, l.workflow_owner, l.workflow
     FROM job j JOIN lane l ON l.id = j.lane WHERE j.id = $1",
);

// $1 queue, $2 lane, $3 position
static RANK: Sql = Sql::new(
    "wait_rank",
    "SELECT count(*) AS ahead FROM (
         SELECT 1 AS one FROM job
         WHERE queue = $1 AND lane = $2 AND state = 'queued' AND position < $3 LIMIT 10000
     ) counted",
);

static KEY_HOLDER: Sql = Sql::new(
    "wait_key_holder",
    "SELECT id FROM job WHERE concurrency_key = $1 AND state IN ('queued', 'processing') AND id <> $2",
);

/// How many of the jobs that hold slots are named.
const HOLDERS_MAX: i64 = 10;

/// `JobStore::wait_facts`.
pub(super) async fn wait_facts(store: &SqlStore, id: JobId) -> StoreResult<Option<WaitFacts>> {
    let on = store.pool().read();
    let Some(row) = JOB.first(on, vec![id.uuid().into()]).await? else {
        return Ok(None);
    };
    let row = Row::new("job", &row);
    let queue = row.queue("queue")?;
    let tenant = row.name("tenant", TenantName::trusted)?;
    let workflow = row.workflow()?;
    let values = vec![queue.code().into(), row.int("lane")?.into(), row.long("position")?.into()];
    let rank = match RANK.first(on, values).await? {
        Some(row) => Row::new("job", &row).long("ahead")?,
        None => 0,
    };
    let key_holder = match row.text_or_null("concurrency_key")? {
        Some(key) => {
            let holder = KEY_HOLDER.first(on, vec![key.into(), id.uuid().into()]).await?;
            holder.map(|row| Row::new("job", &row).uuid("id")).transpose()?
        }
        None => None,
    };
    Ok(Some(WaitFacts {
        rank: u64::try_from(rank).unwrap_or(0),
        running_global: running(store, queue, None, None).await?,
        running_tenant: running(store, queue, Some(&tenant), None).await?,
        running_workflow: match &workflow {
            Some(workflow) => running(store, queue, None, Some(workflow)).await?,
            None => (0, Vec::new()),
        },
        key_holder: key_holder.map(JobId::from_uuid),
        offers_returned: row.count("offers_returned")?,
    }))
}

/// How many jobs are leased of a queue, or of one tenant or workflow in it, and the first few of them.
async fn running(
    store: &SqlStore,
    queue: QueueName,
    tenant: Option<&TenantName>,
    workflow: Option<&WorkflowRef>,
) -> StoreResult<(u32, Vec<JobId>)> {
    let narrowed = |select: &mut Select| {
        select.with("AND j.queue = $?", queue.code());
        select.with_some("AND l.tenant = $?", tenant.map(TenantName::as_str));
        if let Some(workflow) = workflow {
            let (owner, name) = workflow_columns(Some(workflow));
            select.with("AND l.workflow_owner = $?", owner);
            select.with("AND l.workflow = $?", name);
        }
    };
    let from = "FROM job j JOIN lane l ON l.id = j.lane WHERE j.state = 'processing'";
    let mut count = Select::new("wait_running", &format!("SELECT count(*) AS running {from}"));
    narrowed(&mut count);
    let running = match count.first(store.pool().read()).await? {
        Some(row) => Row::new("job", &row).count("running")?,
        None => 0,
    };
    let mut holders = Select::new("wait_holders", &format!("SELECT j.id {from}"));
    narrowed(&mut holders);
    holders.with("ORDER BY j.started_at, j.position LIMIT $?", HOLDERS_MAX);
    let rows = holders.all(store.pool().read()).await?;
    let ids = rows.iter().map(|row| Row::new("job", row).uuid("id").map(JobId::from_uuid));
    Ok((running, ids.collect::<StoreResult<_>>()?))
}
