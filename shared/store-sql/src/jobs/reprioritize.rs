//! Changing a waiting job: to another tier, or due now; and why a job waits, as far as rows show it.

use domain::access::TenantScope;
use domain::id::JobId;
use domain::job::JobStatus;
use domain::names::{CallerKey, JobType, TenantName};
use domain::queue::{LaneId, LaneKey, QueueName, Tier, WorkflowRef};
use domain::rate::{Rate, RateSubject, StartCount};
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::jobs::{JobChange, WaitFacts};
use store::{StoreError, StoreResult};

use super::admit::{admit, places_of};
use super::claim::{in_force, rate_columns};
use super::read::locate;
use super::status;
use crate::claim_row::bump_epoch;
use crate::lanes::{self, key_of};
use crate::pool::{commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::{Row, workflow_columns};
use crate::select::Select;
use crate::sql::Sql;
use crate::store::SqlStore;

// Only from the lane that was read: another one may have moved it, or promoted it, meanwhile.
// $1 id, $2 the lane it is in, $3 the new one, $4 the new tier
static MOVE: Sql = Sql::new(
    "reprioritize",
    "UPDATE job SET lane = (SELECT l.id FROM lane l WHERE l.id = $3 AND l.mark IS NULL), tier = $4
     WHERE id = $1 AND lane = $2 AND state <> 'processing'
     RETURNING id, state",
);

/// `JobStore::reprioritize_job`.
pub(super) async fn reprioritize(
    store: &SqlStore,
    scope: &TenantScope,
    id: JobId,
    tier: Tier,
) -> StoreResult<JobChange> {
    with_retry(RetryBudget::repeatable(), || reprioritize_once(store, scope, id, tier)).await
}

async fn reprioritize_once(
    store: &SqlStore,
    scope: &TenantScope,
    id: JobId,
    tier: Tier,
) -> StoreResult<JobChange> {
    let Some(located) = locate(store.pool().read(), scope, id).await? else {
        return Ok(JobChange::NotFound);
    };
    if located.status == JobStatus::Processing || located.status.is_terminal() {
        return Ok(JobChange::Refused(located.status));
    }
    let queue = located.key.queue;
    let lanes = lanes::resolve(store, &[LaneKey { tier, ..located.key }]).await?;
    let transaction = store.pool().begin().await?;
    let values = vec![id.uuid().into(), located.lane.0.into(), lanes[0].0.into(), tier.code().into()];
    let Some(row) = MOVE.first(&transaction, values).await? else {
        rollback(transaction).await;
        return Err(StoreError::Contended { source: "the job moved on while it was being moved".into() });
    };
    let status = status::status(Row::new("job", &row), "state")?;
    let bumps = bump_epoch(&transaction, &[queue]).await?;
    commit_change(transaction).await?;
    if status == JobStatus::Queued {
        store.memory().record_claimable(queue, lanes[0]);
    }
    bumps.record(store);
    Ok(JobChange::Changed { status, queue, execution_id: None })
}

// Why a job waits, as far as rows show it.

static JOB: Sql = Sql::new(
    "wait_facts",
    "SELECT j.id, j.queue, j.lane, j.position, j.state, j.concurrency_key, j.offers_returned, j.attempt, j.is_resumed, l.tier,
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

static KEY_HOLDERS: Sql = Sql::new(
    "wait_key_holders",
    "SELECT id FROM job WHERE concurrency_key = $1 AND state IN ('queued', 'processing') LIMIT 10000",
);

static START_COUNT: Sql = Sql::new(
    "wait_start_count",
    "SELECT counted FROM start_count WHERE queue = $1 AND scope = $2 AND owner = $3 AND name = $4",
);

/// How many of the jobs that hold slots are named.
const HOLDERS_MAX: i64 = 10;

/// `JobStore::wait_facts`. For whoever looks: counts what is leased and what waits before it.
pub(super) async fn wait_facts(store: &SqlStore, id: JobId) -> StoreResult<Option<WaitFacts>> {
    let on = store.pool().lists();
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
    let is_admitted = matches!(row.text("state")?.as_str(), status::QUEUED | status::PROCESSING);
    let concurrency_key = match row.text_or_null("concurrency_key")?.filter(|_| !is_admitted) {
        Some(key) => Some((places_of(on, &key).await?, key_holders(on, &key).await?)),
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
        concurrency_key,
        offers_returned: row.count("offers_returned")?,
    }))
}

/// The leased and admitted jobs of a concurrency key: how many, and the ids of at most ten.
async fn key_holders<C: ConnectionTrait>(on: &C, key: &str) -> StoreResult<(u32, Vec<JobId>)> {
    let rows = KEY_HOLDERS.all(on, vec![key.into()]).await?;
    let some = rows.iter().take(HOLDERS_MAX as usize);
    let ids = some.map(|row| Row::new("job", row).uuid("id").map(JobId::from_uuid));
    Ok((u32::try_from(rows.len()).unwrap_or(u32::MAX), ids.collect::<StoreResult<_>>()?))
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
        let row = START_COUNT.first(store.pool().lists(), values).await?;
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
    let running = match count.first(store.pool().lists()).await? {
        Some(row) => Row::new("job", &row).count("running")?,
        None => 0,
    };
    let mut holders = Select::new("wait_holders", &format!("SELECT j.id {from}"));
    narrowed(&mut holders);
    holders.with("ORDER BY j.started_at, j.position LIMIT $?", HOLDERS_MAX);
    let rows = holders.all(store.pool().lists()).await?;
    let ids = rows.iter().map(|row| Row::new("job", row).uuid("id").map(JobId::from_uuid));
    Ok((running, ids.collect::<StoreResult<_>>()?))
}

// Making a job that waits for its time due now.

// $1 id, $2 now
static RUN_NOW: Sql = Sql::new(
    "run_job_now",
    "UPDATE job SET run_at = $2, queued_at = $2,
       state = CASE WHEN concurrency_key IS NULL THEN 'queued' ELSE 'blocked' END
     WHERE id = $1 AND state IN ('scheduled', 'retry_wait')
     RETURNING id, queue, lane, concurrency_key",
);

/// `JobStore::run_job_now`.
pub(super) async fn run_now(
    store: &SqlStore,
    scope: &TenantScope,
    id: JobId,
    now: Timestamp,
) -> StoreResult<JobChange> {
    let Some(located) = locate(store.pool().read(), scope, id).await? else {
        return Ok(JobChange::NotFound);
    };
    let transaction = store.pool().begin().await?;
    let Some(row) = RUN_NOW.first(&transaction, vec![id.uuid().into(), now.0.into()]).await? else {
        rollback(transaction).await;
        return Ok(JobChange::Refused(located.status));
    };
    let row = Row::new("job", &row);
    let (queue, lane) = (row.queue("queue")?, LaneId(row.int("lane")?));
    let claimable = match row.text_or_null("concurrency_key")? {
        None => vec![(queue, lane, 1)],
        Some(key) => admit(&transaction, &[key], now)
            .await?
            .iter()
            .map(|job| (job.queue, job.lane, job.position))
            .collect(),
    };
    let bumps = bump_epoch(&transaction, &[queue]).await?;
    commit_change(transaction).await?;
    for (queue, lane, position) in claimable {
        store.memory().record_claimable_from(queue, lane, position);
    }
    bumps.record(store);
    Ok(JobChange::Changed { status: JobStatus::Queued, queue, execution_id: None })
}
