//! Why a job waits, as far as rows show it.

use domain::id::JobId;
use domain::lane::{LaneKey, WorkflowRef};
use domain::names::{CallerKey, JobType, TenantName};
use domain::queue::QueueName;
use domain::rate::{Rate, RateSubject, StartCount};
use domain::time::Timestamp;
use store::StoreResult;
use store::jobs::WaitFacts;

use super::claim::{in_force, rate_columns};
use crate::lanes::key_of;
use crate::rows::{Row, workflow_columns};
use crate::select::Select;
use crate::sql::Sql;
use crate::store::SqlStore;

static JOB: Sql = Sql::new(
    "wait_facts",
    "SELECT j.id, j.queue, j.lane, j.position, j.concurrency_key, j.offers_returned, j.attempt, j.is_resumed, l.tier,
       l.tenant, l.workflow_owner, l.workflow, l.job_type, l.rate_key
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

static START_COUNT: Sql = Sql::new(
    "wait_start_count",
    "SELECT counted FROM start_count WHERE queue = $1 AND scope = $2 AND owner = $3 AND name = $4",
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
    let key = key_of(row)?;
    let is_first = row.count("attempt")? == 0 && row.long("is_resumed")? == 0;
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
        running_global: running(store, queue, Of::All).await?,
        running_tenant: running(store, queue, Of::Tenant(&key.tenant)).await?,
        running_workflow: match &key.workflow {
            Some(workflow) => running(store, queue, Of::Workflow(workflow)).await?,
            None => (0, Vec::new()),
        },
        running_job_type: running(store, queue, Of::JobType(&key.job_type)).await?,
        running_tenant_job_type: running(store, queue, Of::TenantJobType(&key.tenant, &key.job_type)).await?,
        running_rate_key: match &key.rate_key {
            Some(rate_key) => running(store, queue, Of::RateKey(&key.tenant, rate_key)).await?,
            None => (0, Vec::new()),
        },
        starts: starts(store, &key, is_first).await?,
        key_holder: key_holder.map(JobId::from_uuid),
        offers_returned: row.count("offers_returned")?,
    }))
}

/// The rates that the start of a job of a lane counts under, with what was counted. A job that was claimed before waits for
/// none where only first claims count.
async fn starts(
    store: &SqlStore,
    key: &LaneKey,
    is_first: bool,
) -> StoreResult<Vec<(RateSubject, Rate, StartCount)>> {
    let (table, _) = in_force(store, key.queue).await?;
    if table.rates.counts_first_only() && !is_first {
        return Ok(Vec::new());
    }
    let mut starts = Vec::new();
    for (subject, rate) in table.rates.subjects(key) {
        let (scope, owner, name) = rate_columns(&subject);
        let values = vec![key.queue.code().into(), scope.into(), owner.into(), name.into()];
        let row = START_COUNT.first(store.pool().read(), values).await?;
        let count = row.map(|row| Row::new("start_count", &row).json_or_null("counted")).transpose()?;
        let count = count.flatten().unwrap_or_else(|| StartCount::new(&rate, Timestamp(0)));
        starts.push((subject, rate, count));
    }
    Ok(starts)
}

/// Which leased jobs are meant.
enum Of<'a> {
    All,
    Tenant(&'a TenantName),
    Workflow(&'a WorkflowRef),
    JobType(&'a JobType),
    TenantJobType(&'a TenantName, &'a JobType),
    RateKey(&'a TenantName, &'a CallerKey),
}

/// How many jobs are leased of a queue, or of some of it, and the first few of them.
async fn running(store: &SqlStore, queue: QueueName, of: Of<'_>) -> StoreResult<(u32, Vec<JobId>)> {
    let narrowed = |select: &mut Select| {
        select.with("AND j.queue = $?", queue.code());
        match of {
            Of::All => {}
            Of::Tenant(tenant) => select.with("AND l.tenant = $?", tenant.as_str()),
            Of::Workflow(workflow) => {
                let (owner, name) = workflow_columns(Some(workflow));
                select.with("AND l.workflow_owner = $?", owner);
                select.with("AND l.workflow = $?", name);
            }
            Of::JobType(job_type) => select.with("AND l.job_type = $?", job_type.as_str()),
            Of::TenantJobType(tenant, job_type) => {
                select.with("AND l.tenant = $?", tenant.as_str());
                select.with("AND l.job_type = $?", job_type.as_str());
            }
            Of::RateKey(tenant, rate_key) => {
                select.with("AND l.tenant = $?", tenant.as_str());
                select.with("AND l.rate_key = $?", rate_key.as_str());
            }
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
