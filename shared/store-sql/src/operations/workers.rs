//! Workers that showed themselves.

use std::collections::BTreeMap;

use domain::access::TenantScope;
use domain::names::{JobType, TenantName, WorkerId};
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::operations::WorkerRecord;

use crate::bind::{self, Cell};
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

static NOTE: Sql = Sql::new(
    "note_workers",
    "INSERT INTO worker (id, kind, tenant, job_types, first_seen_at, last_seen_at)
     SELECT r.id, r.kind, r.tenant, r.job_types, r.first_seen_at, r.last_seen_at
     FROM {rows $1: id text, kind text, tenant text?, job_types text, first_seen_at bigint, last_seen_at bigint} r
     WHERE true ORDER BY r.id
     ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, tenant = excluded.tenant, job_types = excluded.job_types,
       last_seen_at = CASE WHEN excluded.last_seen_at > worker.last_seen_at
                      THEN excluded.last_seen_at ELSE worker.last_seen_at END",
);

/// Notes that workers showed themselves. A worker that is named twice counts as the later one says.
pub(super) async fn note(pool: &Pool, workers: &[WorkerRecord]) -> StoreResult<()> {
    let latest: BTreeMap<&str, &WorkerRecord> =
        workers.iter().map(|worker| (worker.id.as_str(), worker)).collect();
    if latest.is_empty() {
        return Ok(());
    }
    let job_types: Vec<String> = latest.values().map(|worker| job_types_text(&worker.job_types)).collect();
    let cells = latest.values().zip(&job_types).map(|(worker, job_types)| {
        [
            Cell::Text(worker.id.as_str()),
            Cell::Text(&worker.kind),
            Cell::TextOrNull(worker.tenant.as_ref().map(TenantName::as_str)),
            Cell::Text(job_types),
            Cell::Long(worker.first_seen_at.0),
            Cell::Long(worker.last_seen_at.0),
        ]
    });
    NOTE.run(pool.write(), bind::rows(pool.dialect(), cells)).await.map(|_| ())
}

/// Workers seen since an instant, with how many jobs they hold, the latest first. Names of workers are not each
/// tenant's own, so a caller that is bound to one is only told of its own jobs.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    since: Timestamp,
    limit: u32,
) -> StoreResult<Vec<WorkerRecord>> {
    let mut select = Select::new(
        "list_workers",
        "SELECT w.*, COALESCE(held.leased, 0) AS leased
         FROM worker w LEFT JOIN (SELECT j.worker_id, count(*) AS leased FROM job j JOIN lane l ON l.id = j.lane
                                  WHERE j.state = 'processing'",
    );
    select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.push("GROUP BY j.worker_id) held ON held.worker_id = w.id WHERE true");
    select.with("AND w.last_seen_at >= $?", since.0);
    select.with_some("AND w.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with("ORDER BY w.last_seen_at DESC, w.id LIMIT $?", i64::from(limit));
    select.all(pool.read()).await?.iter().map(worker_of).collect()
}

fn worker_of(row: &QueryResult) -> StoreResult<WorkerRecord> {
    let row = Row::new("worker", row);
    let job_types: Option<Vec<JobType>> = row.json_or_null("job_types")?;
    Ok(WorkerRecord {
        id: row.name("id", WorkerId::trusted)?,
        kind: row.text("kind")?,
        tenant: row.name_or_null("tenant", TenantName::trusted)?,
        job_types: job_types.unwrap_or_default(),
        first_seen_at: row.instant("first_seen_at")?,
        last_seen_at: row.instant("last_seen_at")?,
        leased: row.count("leased")?,
    })
}

fn job_types_text(job_types: &[JobType]) -> String {
    serde_json::to_string(job_types).expect("names are strings")
}
