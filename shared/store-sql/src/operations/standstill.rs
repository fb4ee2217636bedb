//! What is under way and what comes next, for a clock that skips. Development servers ask many times a second, others never.

use domain::queue::QueueName;
use domain::workflow::execution::JOB_TYPE_RESERVED_PREFIX;
use store::StoreResult;
use store::operations::Standstill;

use crate::executions::NEVER;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

// $1 the queue of executions, $2 the queue of outside workers, $3 how our own job types begin, $4 what never comes
static STANDSTILL: Sql = Sql::new(
    "standstill",
    "SELECT
       (SELECT count(*) FROM job WHERE state = 'processing' AND queue <> $1) AS leased,
       (SELECT count(*) FROM job WHERE state = 'processing' AND queue = $1) AS executions_leased,
       (SELECT count(*) FROM job j JOIN lane l ON l.id = j.lane
        WHERE j.state = 'queued' AND j.queue = $2 AND substr(l.job_type, 1, length($3)) <> $3) AS queued_for_workers,
       (SELECT count(*) FROM job WHERE state = 'queued') AS queued,
       (SELECT count(*) FROM inbox WHERE status = 'pending') AS pending,
       (SELECT min(run_at) FROM job
        WHERE state IN ('scheduled', 'retry_wait', 'waiting') AND run_at < $4) AS first_due,
       (SELECT min(due_at) FROM put_off_start WHERE state <> 'throttled') AS first_start,
       (SELECT min(next_run_at) FROM schedule WHERE next_run_at IS NOT NULL AND is_paused = 0) AS first_schedule",
);

/// `OperationsStore::standstill`.
pub(super) async fn standstill(pool: &Pool) -> StoreResult<Standstill> {
    let values = vec![
        QueueName::Execution.code().into(),
        QueueName::Node.code().into(),
        JOB_TYPE_RESERVED_PREFIX.into(),
        NEVER.into(),
    ];
    let Some(row) = STANDSTILL.first(pool.read(), values).await? else {
        return Ok(Standstill::default());
    };
    let row = Row::new("job", &row);
    let count = |column| row.long(column).map(|count| u64::try_from(count).unwrap_or(0));
    let due = [row.instant_or_null("first_due")?, row.instant_or_null("first_start")?];
    Ok(Standstill {
        leased: count("leased")?,
        executions_leased: count("executions_leased")?,
        queued_for_workers: count("queued_for_workers")?,
        queued: count("queued")?,
        has_inbox: count("pending")? > 0,
        first_due: due.into_iter().flatten().min(),
        first_schedule: row.instant_or_null("first_schedule")?,
    })
}
