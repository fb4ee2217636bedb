//! What is looked at in a database that was restored.

use domain::id::{ExecutionId, JobId, LeaseToken};
use domain::names::{JobType, TenantName, WorkerId};
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::backup::HeldLease;
use store::jobs::LeaseRef;

use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

// Processes write down their pools every few seconds, so that this is seldom far from the end.
static LAST: Sql = Sql::new(
    "last_written",
    "SELECT max(seen.at) AS at FROM (
       SELECT max(last_seen_at) AS at FROM worker
       UNION ALL SELECT max(at) FROM audit
       UNION ALL SELECT max(created_at) FROM job
       UNION ALL SELECT max(created_at) FROM execution) seen",
);

/// The latest instant that is written anywhere of interest.
pub(super) async fn last_written(pool: &Pool) -> StoreResult<Option<Timestamp>> {
    let row = LAST.first(pool.lists(), vec![]).await?;
    Ok(row.map(|row| Row::new("worker", &row).instant_or_null("at")).transpose()?.flatten())
}

/// Leases by the ids of their jobs.
pub(super) async fn leases(pool: &Pool, after: Option<JobId>, limit: u32) -> StoreResult<Vec<HeldLease>> {
    let mut select = Select::new(
        "held_leases",
        "SELECT j.id, j.lease_token, j.queue, l.tenant, l.job_type, j.worker_id, j.execution_id, j.started_at, j.lease_until
         FROM job j JOIN lane l ON l.id = j.lane WHERE j.state = 'processing'",
    );
    select.with_some("AND j.id > $?", after.map(JobId::uuid));
    select.with("ORDER BY j.id LIMIT $?", i64::from(limit));
    select.all(pool.lists()).await?.iter().map(lease_of).collect()
}

fn lease_of(row: &QueryResult) -> StoreResult<HeldLease> {
    let row = Row::new("job", row);
    Ok(HeldLease {
        lease: LeaseRef {
            id: JobId::from_uuid(row.uuid("id")?),
            token: LeaseToken(row.uuid("lease_token")?),
        },
        queue: row.queue("queue")?,
        tenant: row.name("tenant", TenantName::trusted)?,
        job_type: row.name("job_type", JobType::trusted)?,
        worker_id: row.name("worker_id", WorkerId::trusted)?,
        execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
        started_at: row.instant_or_null("started_at")?,
        lease_until: row.instant("lease_until")?,
    })
}
