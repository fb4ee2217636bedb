//! Retention of lines by their age.

use domain::time::Timestamp;
use store::StoreResult;

use crate::SqlStore;
use crate::sql::Sql;

static LINES: Sql = Sql::new(
    "prune_job_log",
    "DELETE FROM job_log WHERE (job_id, attempt, line) IN (
       SELECT job_id, attempt, line FROM job_log WHERE logged_at < $1 ORDER BY logged_at LIMIT $2 {for_update_skip})",
);

// Not while lines are there: an attempt that logs again counts on from the last of them.
static ATTEMPTS: Sql = Sql::new(
    "prune_job_log_attempts",
    "DELETE FROM job_log_attempt WHERE (job_id, attempt) IN (
       SELECT a.job_id, a.attempt FROM job_log_attempt a
       WHERE a.logged_at < $1
         AND NOT EXISTS (SELECT 1 FROM job_log l WHERE l.job_id = a.job_id AND l.attempt = a.attempt)
       ORDER BY a.logged_at LIMIT $2 {for_update_skip})",
);

/// Removes lines that were logged before an instant; answers how many.
pub(crate) async fn prune(store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let values = || vec![before.0.into(), i64::from(limit).into()];
    let gone = LINES.run(store.pool().write(), values()).await?;
    ATTEMPTS.run(store.pool().write(), values()).await?;
    Ok(gone)
}
