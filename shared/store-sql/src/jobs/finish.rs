//! Moving ended jobs from `job` to `job_done`, under the token of their lease. Shared by everything that ends a job.

use std::collections::HashSet;
use std::hash::Hash;

use domain::failure::{DeadReason, JobError};
use domain::id::{ExecutionId, JobId};
use domain::job::{AttemptStatus, JobStatus};
use domain::names::NodeId;
use domain::queue::{LaneId, QueueName, Tier};
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use sea_orm::{ConnectionTrait, QueryResult, Value};
use store::StoreResult;
use store::jobs::{LeaseRef, SettledFacts};
use uuid::Uuid;

use super::status;
use crate::bind::{self, Cell};
use crate::columns::Columns;
use crate::dialect::Dialect;
use crate::packed;
use crate::rows::Row;
use crate::sql::Sql;

pub(super) static FINISH_POSTGRES: Sql = Sql::new("finish", include_str!("../../sql/finish_postgres.sql"));
pub(super) static COPY_SQLITE: Sql =
    Sql::new("finish_copy", include_str!("../../sql/finish_copy_sqlite.sql"));
static DROP: Sql = Sql::new("drop_jobs", include_str!("../../sql/drop_jobs.sql"));

/// How a job ends under its lease.
#[derive(Debug, Clone)]
pub(crate) enum JobEnd<'a> {
    /// It was completed, with its result as raw JSON text.
    Completed(Option<&'a str>),
    /// It died: a dead letter, or FAILED if it is the job of an execution.
    Died(DeadReason, &'a JobError),
    /// It is the job of an execution, and ends with it.
    WithExecution(ExecutionStatus, Option<JobError>),
}

impl<'a> JobEnd<'a> {
    /// The job's last state. DEAD_LETTER becomes FAILED for the job of an execution.
    const fn status(&self) -> JobStatus {
        match self {
            Self::Completed(_) | Self::WithExecution(ExecutionStatus::Completed, _) => JobStatus::Completed,
            Self::Died(..) => JobStatus::DeadLetter,
            Self::WithExecution(ExecutionStatus::Cancelled, _) => JobStatus::Cancelled,
            Self::WithExecution(..) => JobStatus::Failed,
        }
    }

    /// How the last attempt ended.
    fn attempt_status(&self) -> AttemptStatus {
        match self {
            Self::Completed(_) | Self::WithExecution(ExecutionStatus::Completed, _) => {
                AttemptStatus::Completed
            }
            Self::Died(reason, error) => attempt_status(error, Some(*reason)),
            Self::WithExecution(ExecutionStatus::Cancelled, _) => AttemptStatus::Cancelled,
            Self::WithExecution(..) => AttemptStatus::Failed,
        }
    }

    const fn error(&self) -> Option<&JobError> {
        match self {
            Self::Completed(_) => None,
            Self::Died(_, error) => Some(*error),
            Self::WithExecution(_, error) => error.as_ref(),
        }
    }

    const fn result(&self) -> Option<&'a str> {
        match self {
            Self::Completed(result) => *result,
            Self::Died(..) | Self::WithExecution(..) => None,
        }
    }
}

/// How an attempt ended that failed, for the history.
pub(super) fn attempt_status(error: &JobError, reason: Option<DeadReason>) -> AttemptStatus {
    match (reason, error.code.as_deref()) {
        (Some(DeadReason::WorkerLost), _) | (None, Some("worker_lost")) => AttemptStatus::WorkerLost,
        (Some(DeadReason::Timeout), _) | (None, Some("timeout")) => AttemptStatus::TimedOut,
        _ => AttemptStatus::Failed,
    }
}

/// A job that ended.
#[derive(Debug, Clone)]
pub(crate) struct EndedJob {
    /// The job that ended.
    pub(crate) id: JobId,
    /// The queue that it was in.
    pub(crate) queue: QueueName,
    /// The lane that it was in.
    pub(crate) lane: LaneId,
    /// The state in which it ended.
    pub(crate) status: JobStatus,
    /// The number of its last attempt, from 1.
    pub(crate) attempt: u32,
    /// The tier it was enqueued at.
    pub(crate) tier: Tier,
    /// When it was created.
    pub(crate) created_at: Timestamp,
    /// When the last attempt started.
    pub(crate) started_at: Option<Timestamp>,
    /// W3C trace context of whoever enqueued it.
    pub(crate) traceparent: Option<String>,
    /// The stored concurrency key, which is free now.
    pub(crate) concurrency_key: Option<String>,
    /// The execution it belongs to.
    pub(crate) execution_id: Option<ExecutionId>,
    /// The node it ran.
    pub(crate) node_id: Option<NodeId>,
    /// The payload, for dead letters only.
    pub(crate) data: Option<String>,
}

impl EndedJob {
    /// What those want to know who measure.
    pub(crate) fn facts(&self, now: Timestamp) -> SettledFacts {
        SettledFacts {
            lane: self.lane,
            tier: self.tier,
            created_at: self.created_at,
            started_at: self.started_at,
            settled_at: now,
            traceparent: self.traceparent.clone(),
        }
    }

    /// The execution and node that are notified of the end of this job: nodes' jobs only.
    pub(crate) fn node(&self) -> Option<(ExecutionId, &NodeId)> {
        match (self.queue, self.execution_id, &self.node_id) {
            (QueueName::Node, Some(execution), Some(node)) => Some((execution, node)),
            _ => None,
        }
    }
}

/// Ends jobs whose lease holds; answers those, in no order. A job must not be named twice.
pub(crate) async fn finish<C: ConnectionTrait>(
    on: &C,
    batch: &[(LeaseRef, JobEnd<'_>)],
    now: Timestamp,
) -> StoreResult<Vec<EndedJob>> {
    if batch.is_empty() {
        return Ok(Vec::new());
    }
    let dialect = Dialect::of(on.get_database_backend());
    if dialect == Dialect::Sqlite && is_eligible_on_sqlite(batch) {
        return finish_on_sqlite(on, batch, now).await;
    }
    // In the order in which everybody locks jobs.
    let mut batch: Vec<&(LeaseRef, JobEnd<'_>)> = batch.iter().collect();
    batch.sort_unstable_by_key(|(lease, _)| lease.id);
    let errors: Vec<Option<String>> = batch.iter().map(|(_, end)| error_text(end.error())).collect();
    let cells = batch.iter().zip(&errors).map(|((lease, end), error)| {
        [
            Cell::Uuid(lease.id.uuid()),
            Cell::Uuid(lease.token.0),
            Cell::Text(end.status().as_str()),
            Cell::TextOrNull(Some(end.attempt_status().as_str())),
            Cell::TextOrNull(error.as_deref()),
            Cell::TextOrNull(end.result()),
        ]
    });
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(dialect, cells));
    match dialect {
        Dialect::Postgres => read(&FINISH_POSTGRES.all(on, values).await?),
        Dialect::Sqlite => {
            let finished = read(&COPY_SQLITE.all(on, values).await?)?;
            drop_jobs(on, &finished).await?;
            Ok(finished)
        }
    }
}

/// Removes copied jobs from the hot table.
pub(super) async fn drop_jobs<C: ConnectionTrait>(on: &C, finished: &[EndedJob]) -> StoreResult<()> {
    if finished.is_empty() {
        return Ok(());
    }
    let dialect = Dialect::of(on.get_database_backend());
    let ids = bind::uuids(dialect, finished.iter().map(|job| job.id.uuid()));
    DROP.run(on, vec![ids]).await.map(|_| ())
}

/// Reads rows of ended jobs.
pub(super) fn read(rows: &[QueryResult]) -> StoreResult<Vec<EndedJob>> {
    let finished = rows.iter().map(|row| {
        let row = Row::new("job_done", row);
        Ok(EndedJob {
            id: JobId::from_uuid(row.uuid("id")?),
            queue: row.queue("queue")?,
            lane: LaneId(row.int("lane")?),
            status: status::status(row, "status")?,
            attempt: row.count("attempt")?,
            tier: row.tier("tier")?,
            created_at: row.instant("created_at")?,
            started_at: row.instant_or_null("started_at")?,
            traceparent: row.text_or_null("traceparent")?,
            concurrency_key: row.text_or_null("concurrency_key")?,
            execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
            node_id: row.name_or_null("node_id", NodeId::trusted)?,
            data: row.text_or_null("data")?,
        })
    });
    finished.collect()
}

/// An error as it is stored.
pub(crate) fn error_text(error: Option<&JobError>) -> Option<String> {
    error.and_then(|error| serde_json::to_string(error).ok())
}

// Batches in which a job is named more than once, under several tokens of which one at most is its lease's.
//
// A statement answers what it changed by the job's id, so each statement gets a batch that names each job once.

/// The places of a batch, sorted into rounds that name each id once. Nearly always there is one round.
pub(super) fn partition_unique_ids<T: Eq + Hash + Copy>(ids: impl Iterator<Item = T>) -> Vec<Vec<usize>> {
    let mut rounds: Vec<(HashSet<T>, Vec<usize>)> = Vec::new();
    for (place, id) in ids.enumerate() {
        match rounds.iter_mut().find(|(seen, _)| !seen.contains(&id)) {
            Some((seen, places)) => {
                seen.insert(id);
                places.push(place);
            }
            None => rounds.push((HashSet::from([id]), vec![place])),
        }
    }
    rounds.into_iter().map(|(_, places)| places).collect()
}

// Moving completed jobs on SQLite, with no more bound for each than its lease and its result.

pub(super) static COPY: Sql =
    Sql::new("finish_completed", include_str!("../../sql/finish_completed_sqlite.sql"));
pub(super) static FINISH_SQLITE_DROP: Sql =
    Sql::new("drop_places", include_str!("../../sql/drop_by_position_sqlite.sql"));

const FINISH_SQLITE_COLUMNS: &[&str] = &[
    "id",
    "position",
    "queue",
    "lane",
    "attempt",
    "tier",
    "started_at",
    "concurrency_key",
    "execution_id",
    "node_id",
    "created_at",
    "traceparent",
];

/// Whether the jobs were all completed by who holds their leases.
pub(super) fn is_eligible_on_sqlite(batch: &[(LeaseRef, JobEnd<'_>)]) -> bool {
    batch.iter().all(|(_, end)| end.status() == JobStatus::Completed && end.error().is_none())
}

/// Ends those whose lease holds; answers them, in no order.
pub(super) async fn finish_on_sqlite<C: ConnectionTrait>(
    on: &C,
    batch: &[(LeaseRef, JobEnd<'_>)],
    now: Timestamp,
) -> StoreResult<Vec<EndedJob>> {
    let mut values: Vec<Value> = vec![
        now.0.into(),
        packed::uuid_pairs(batch.iter().map(|(lease, _)| (lease.id.uuid(), lease.token.0))),
    ];
    values.extend(packed::texts(batch.iter().map(|(_, end)| end.result())));
    let rows = COPY.all(on, values).await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let columns = |row| Columns::of("job_done", FINISH_SQLITE_COLUMNS, row);
    let positions: Vec<i64> = rows.iter().map(|row| columns(row)?.get(1)).collect::<StoreResult<_>>()?;
    // The rows are read while the thread of the database is at work: nobody else can use the connection meanwhile.
    let (ran, finished) =
        tokio::join!(FINISH_SQLITE_DROP.run(on, vec![packed::longs(positions.into_iter())]), async {
            rows.iter().map(|row| finished_job(columns(row)?)).collect()
        });
    ran?;
    finished
}

fn finished_job(row: Columns<'_>) -> StoreResult<EndedJob> {
    let (queue, tier): (i16, i16) = (row.get(2)?, row.get(5)?);
    Ok(EndedJob {
        id: JobId::from_uuid(row.get(0)?),
        queue: QueueName::from_code(queue).ok_or_else(|| row.fault(2))?,
        lane: LaneId(row.get(3)?),
        status: JobStatus::Completed,
        attempt: row.count(4)?,
        tier: Tier::from_code(tier).ok_or_else(|| row.fault(5))?,
        created_at: Timestamp(row.get(10)?),
        started_at: row.get_or_null::<i64>(6)?.map(Timestamp),
        traceparent: row.get_or_null(11)?,
        concurrency_key: row.get_or_null(7)?,
        execution_id: row.get_or_null::<Uuid>(8)?.map(ExecutionId::from_uuid),
        node_id: row.get_or_null::<String>(9)?.map(NodeId::trusted),
        data: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_round_names_an_id_twice() {
        assert_eq!(partition_unique_ids([1, 2, 1, 3, 1].into_iter()), [vec![0, 1, 3], vec![2], vec![4]]);
        assert!(partition_unique_ids(std::iter::empty::<u8>()).is_empty());
    }
}
