//! The attempts of a job: earlier ones from `attempt`, the last one from the job's own row.

use domain::names::WorkerId;
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;
use store::jobs::{AttemptRecord, AttemptStatus};
use uuid::Uuid;

use crate::rows::Row;
use crate::sql::Sql;

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
