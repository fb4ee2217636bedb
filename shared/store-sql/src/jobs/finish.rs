//! Moving ended jobs from `job` to `job_done`, under the token of their lease. Shared by everything that ends a job.

use domain::failure::JobError;
use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::lane::LaneId;
use domain::names::NodeId;
use domain::queue::{QueueName, Tier};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;
use store::jobs::{AttemptStatus, LeaseRef, SettledFacts};

use super::{finish_sqlite, states};
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sql::Sql;

pub(super) static FINISH_POSTGRES: Sql = Sql::new("finish", include_str!("../../sql/finish_postgres.sql"));
pub(super) static COPY_SQLITE: Sql =
    Sql::new("finish_copy", include_str!("../../sql/finish_copy_sqlite.sql"));
static DROP: Sql = Sql::new("drop_jobs", include_str!("../../sql/drop_jobs.sql"));

/// A lease that is to end its job.
#[derive(Debug, Clone)]
pub(crate) struct Finish {
    /// The lease; without it nothing happens.
    pub(crate) lease: LeaseRef,
    /// The job's last state. DEAD_LETTER becomes FAILED for the job of an execution.
    pub(crate) status: JobStatus,
    /// How the attempt ended.
    pub(crate) attempt_status: Option<AttemptStatus>,
    /// Why it failed.
    pub(crate) error: Option<JobError>,
    /// The result as raw JSON text.
    pub(crate) result: Option<String>,
}

/// A job that ended.
#[derive(Debug, Clone)]
pub(crate) struct Finished {
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

impl Finished {
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
    batch: &[Finish],
    now: Timestamp,
) -> StoreResult<Vec<Finished>> {
    if batch.is_empty() {
        return Ok(Vec::new());
    }
    let dialect = Dialect::of(on.get_database_backend());
    if dialect == Dialect::Sqlite && finish_sqlite::is_eligible(batch) {
        return finish_sqlite::finish(on, batch, now).await;
    }
    // In the order in which everybody locks jobs.
    let mut batch: Vec<&Finish> = batch.iter().collect();
    batch.sort_unstable_by_key(|finish| finish.lease.id);
    let errors: Vec<Option<String>> = batch.iter().map(|finish| error_text(finish.error.as_ref())).collect();
    let cells = batch.iter().zip(&errors).map(|(finish, error)| {
        [
            Cell::Uuid(finish.lease.id.uuid()),
            Cell::Uuid(finish.lease.token.0),
            Cell::Text(finish.status.as_str()),
            Cell::TextOrNull(finish.attempt_status.map(AttemptStatus::as_str)),
            Cell::TextOrNull(error.as_deref()),
            Cell::TextOrNull(finish.result.as_deref()),
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
pub(super) async fn drop_jobs<C: ConnectionTrait>(on: &C, finished: &[Finished]) -> StoreResult<()> {
    if finished.is_empty() {
        return Ok(());
    }
    let dialect = Dialect::of(on.get_database_backend());
    let ids = bind::uuids(dialect, finished.iter().map(|job| job.id.uuid()));
    DROP.run(on, vec![ids]).await.map(|_| ())
}

/// Reads rows of ended jobs.
pub(super) fn read(rows: &[QueryResult]) -> StoreResult<Vec<Finished>> {
    let finished = rows.iter().map(|row| {
        let row = Row::new("job_done", row);
        Ok(Finished {
            id: JobId::from_uuid(row.uuid("id")?),
            queue: row.queue("queue")?,
            lane: LaneId(row.int("lane")?),
            status: states::status(row, "status")?,
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
