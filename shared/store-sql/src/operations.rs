//! What operators look at and what upkeep does: workers, bulk operations, retention, care for the file.

mod compact_file;
mod drop_payloads;
pub(crate) mod idle_lanes;
pub(crate) mod progress;
mod prune;
mod prune_jobs;
mod standstill;
pub(crate) mod walk;

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::WorkerKey;
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::sqlite_maintenance::FileBounds;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::audit::AuditRecord;
use store::operations::{
    FileReport, LaneRemoval, LaneRemovalPace, OperationsStore, Retention, Standstill, WorkerRecord,
};
use uuid::Uuid;

use crate::bind::{self, Cell};
use crate::pool::{Pool, commit};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;
use crate::{SqlStore, audit};

// The port's operations for operators and upkeep, each retried where that is safe.

#[async_trait]
impl OperationsStore for SqlStore {
    async fn record_workers(&self, records: &[WorkerRecord]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || record(self.pool(), records)).await
    }

    async fn list_workers(
        &self,
        scope: &TenantScope,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<WorkerRecord>> {
        with_retry(RetryBudget::repeatable(), || list(self.pool(), scope, since, limit)).await
    }

    async fn drain_worker(
        &self,
        tenant: Option<&TenantName>,
        id: &WorkerId,
        since: Timestamp,
        now: Timestamp,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || drain(self.pool(), tenant, id, since, now, audit)).await
    }

    async fn draining_workers(&self, since: Timestamp) -> StoreResult<Vec<(Option<TenantName>, WorkerId)>> {
        with_retry(RetryBudget::repeatable(), || draining(self.pool(), since)).await
    }

    async fn prune(&self, retention: &Retention, limit: u32) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || prune::prune(self, retention, limit)).await
    }

    async fn remove_idle_lanes(&self, pace: &LaneRemovalPace, now: Timestamp) -> StoreResult<LaneRemoval> {
        // Two calls at once would be in the way of each other: the later one leaves it to the first.
        let Ok(mut round) = self.memory().idle_lanes.try_lock() else {
            return Ok(LaneRemoval::default());
        };
        round.step(self.pool(), pace, now).await
    }

    async fn standstill(&self) -> StoreResult<Standstill> {
        with_retry(RetryBudget::repeatable(), || standstill::standstill(self.pool())).await
    }

    async fn compact_file(&self, bounds: &FileBounds) -> StoreResult<Option<FileReport>> {
        with_retry(RetryBudget::repeatable(), || compact_file::tend(self, bounds)).await
    }
}

// Workers that showed themselves.

// After a minute of silence it is another process of that name, which nobody has drained. With another build it begins anew:
// pins of builds go by that instant.
static RECORD: Sql = Sql::new(
    "record_workers",
    "INSERT INTO worker (tenant, id, kind, job_types, build, slots, first_seen_at, last_seen_at, key)
     SELECT r.tenant, r.id, r.kind, r.job_types, r.build, r.slots, r.first_seen_at, r.last_seen_at, r.key
     FROM {rows $1: tenant text, id text, kind text, job_types text, build text?, slots bigint?, first_seen_at bigint,
                    last_seen_at bigint, key uuid} r
     WHERE true ORDER BY r.tenant, r.id
     ON CONFLICT (tenant, id) DO UPDATE SET kind = excluded.kind, job_types = excluded.job_types, build = excluded.build,
       key = excluded.key,
       slots = CASE WHEN worker.slots > excluded.slots AND excluded.last_seen_at <= worker.last_seen_at + 60000
                         AND COALESCE(excluded.build, '') = COALESCE(worker.build, '')
               THEN worker.slots ELSE COALESCE(excluded.slots, worker.slots) END,
       first_seen_at = CASE WHEN COALESCE(excluded.build, '') <> COALESCE(worker.build, '')
                       THEN excluded.first_seen_at ELSE worker.first_seen_at END,
       draining_at = CASE WHEN excluded.last_seen_at > worker.last_seen_at + 60000 THEN NULL ELSE worker.draining_at END,
       last_seen_at = CASE WHEN excluded.last_seen_at > worker.last_seen_at
                      THEN excluded.last_seen_at ELSE worker.last_seen_at END",
);

static DRAIN: Sql = Sql::new(
    "drain_worker",
    "UPDATE worker SET draining_at = COALESCE(draining_at, $4)
     WHERE tenant = $1 AND id = $2 AND kind = 'external' AND last_seen_at >= $3",
);

// Index: worker_draining.
static DRAINING: Sql = Sql::new(
    "draining_workers",
    "SELECT tenant, id FROM worker WHERE draining_at IS NOT NULL AND last_seen_at >= $1
     ORDER BY last_seen_at DESC LIMIT 1000",
);

/// The tenant of workers whose key is bound to none.
const UNBOUND: &str = "";

/// Records that workers called. A worker that is named twice counts as the later one says.
async fn record(pool: &Pool, workers: &[WorkerRecord]) -> StoreResult<()> {
    let latest: BTreeMap<(&str, &str), &WorkerRecord> =
        workers.iter().map(|worker| ((tenant_of(worker), worker.id.as_str()), worker)).collect();
    if latest.is_empty() {
        return Ok(());
    }
    let job_types: Vec<String> = latest.values().map(|worker| job_types_text(&worker.job_types)).collect();
    let cells = latest.iter().zip(&job_types).map(|(((tenant, id), worker), job_types)| {
        [
            Cell::Text(tenant),
            Cell::Text(id),
            Cell::Text(&worker.kind),
            Cell::Text(job_types),
            Cell::TextOrNull(worker.build.as_ref().map(CallerKey::as_str)),
            Cell::LongOrNull(worker.slots.map(i64::from)),
            Cell::Long(worker.first_seen_at.0),
            Cell::Long(worker.last_seen_at.0),
            // What lists go on behind; the same on every node.
            Cell::Uuid(WorkerKey::derive(Uuid::nil(), &[*tenant, *id]).uuid()),
        ]
    });
    RECORD.run(pool.write(), bind::rows(pool.dialect(), cells)).await.map(|_| ())
}

/// Workers seen since an instant, with how many jobs they hold, the latest first.
async fn list(
    pool: &Pool,
    scope: &TenantScope,
    since: Timestamp,
    limit: u32,
) -> StoreResult<Vec<WorkerRecord>> {
    let mut select = select_workers("list_workers", scope);
    select.with("AND w.last_seen_at >= $?", since.0);
    select.push("GROUP BY w.tenant, w.id");
    select.with("ORDER BY w.last_seen_at DESC, w.id LIMIT $?", i64::from(limit));
    select.all(pool.lists()).await?.iter().map(worker_of).collect()
}

/// Begins a select of workers `w` with how many jobs they hold, which is grouped by tenant and id. Names are each tenant's
/// own; one that is bound to none has the jobs of all tenants that are held under its name.
pub(crate) fn select_workers(name: &'static str, scope: &TenantScope) -> Select {
    let mut select = Select::new(
        name,
        "SELECT w.tenant, w.id, w.kind, w.job_types, w.build, w.slots, w.draining_at, w.first_seen_at, w.last_seen_at, w.key,
           CAST(COALESCE(SUM(held.leased), 0) AS bigint) AS leased
         FROM worker w LEFT JOIN (SELECT j.worker_id, l.tenant, count(*) AS leased
                                  FROM job j JOIN lane l ON l.id = j.lane WHERE j.state = 'processing'",
    );
    select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.push(
        "GROUP BY j.worker_id, l.tenant) held ON held.worker_id = w.id AND (w.tenant = '' OR held.tenant = w.tenant)
         WHERE true",
    );
    select.with_some("AND w.tenant = $?", scope.tenant().map(TenantName::as_str));
    select
}

/// Marks a worker as drained; answers whether it was there.
async fn drain(
    pool: &Pool,
    tenant: Option<&TenantName>,
    id: &WorkerId,
    since: Timestamp,
    now: Timestamp,
    lines: &[AuditRecord],
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let tenant = tenant.map_or(UNBOUND, TenantName::as_str);
    let values = vec![tenant.into(), id.as_str().into(), since.0.into(), now.0.into()];
    let is_there = DRAIN.run(&transaction, values).await? > 0;
    if is_there {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(is_there)
}

/// Workers that are drained and were seen since.
async fn draining(pool: &Pool, since: Timestamp) -> StoreResult<Vec<(Option<TenantName>, WorkerId)>> {
    let rows = DRAINING.all(pool.read(), vec![since.0.into()]).await?;
    rows.iter()
        .map(|row| {
            let row = Row::new("worker", row);
            let tenant = row.text("tenant")?;
            let tenant = (tenant != UNBOUND).then(|| TenantName::trusted(&tenant));
            Ok((tenant, row.name("id", WorkerId::trusted)?))
        })
        .collect()
}

/// Reads a worker of [`select_workers`].
pub(crate) fn worker_of(row: &QueryResult) -> StoreResult<WorkerRecord> {
    let row = Row::new("worker", row);
    let job_types: Option<Vec<JobType>> = row.json_or_null("job_types")?;
    let tenant = row.text("tenant")?;
    Ok(WorkerRecord {
        id: row.name("id", WorkerId::trusted)?,
        kind: row.text("kind")?,
        tenant: (tenant != UNBOUND).then(|| TenantName::trusted(&tenant)),
        job_types: job_types.unwrap_or_default(),
        first_seen_at: row.instant("first_seen_at")?,
        last_seen_at: row.instant("last_seen_at")?,
        leased: row.count("leased")?,
        build: row.name_or_null("build", CallerKey::trusted)?,
        draining_at: row.instant_or_null("draining_at")?,
        slots: row.count_or_null("slots")?,
    })
}

fn tenant_of(worker: &WorkerRecord) -> &str {
    worker.tenant.as_ref().map_or(UNBOUND, TenantName::as_str)
}

fn job_types_text(job_types: &[JobType]) -> String {
    serde_json::to_string(job_types).expect("names are strings")
}
