//! Moving completed jobs on SQLite, with no more bound for each than its lease and its result.

use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::lane::LaneId;
use domain::names::NodeId;
use domain::queue::{QueueName, Tier};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, Value};
use store::StoreResult;
use store::jobs::AttemptStatus;
use uuid::Uuid;

use super::finish::{Finish, Finished};
use crate::columns::Columns;
use crate::packed;
use crate::sql::Sql;

pub(super) static COPY: Sql =
    Sql::new("finish_completed", include_str!("../../sql/finish_completed_sqlite.sql"));
pub(super) static DROP: Sql = Sql::new("drop_places", include_str!("../../sql/drop_places_sqlite.sql"));

const COLUMNS: &[&str] = &[
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
pub(super) fn is_eligible(batch: &[Finish]) -> bool {
    batch.iter().all(|finish| {
        finish.status == JobStatus::Completed
            && finish.attempt_status == Some(AttemptStatus::Completed)
            && finish.error.is_none()
    })
}

/// Ends those whose lease holds; answers them, in no order.
pub(super) async fn finish<C: ConnectionTrait>(
    on: &C,
    batch: &[Finish],
    now: Timestamp,
) -> StoreResult<Vec<Finished>> {
    let mut values: Vec<Value> = vec![
        now.0.into(),
        packed::uuid_pairs(batch.iter().map(|finish| (finish.lease.id.uuid(), finish.lease.token.0))),
    ];
    values.extend(packed::texts(batch.iter().map(|finish| finish.result.as_deref())));
    let rows = COPY.all(on, values).await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let columns = |row| Columns::of("job_done", COLUMNS, row);
    let positions: Vec<i64> = rows.iter().map(|row| columns(row)?.get(1)).collect::<StoreResult<_>>()?;
    // The rows are read while the thread of the database is at work: nobody else can use the connection meanwhile.
    let (ran, finished) = tokio::join!(DROP.run(on, vec![packed::longs(positions.into_iter())]), async {
        rows.iter().map(|row| finished_job(columns(row)?)).collect()
    });
    ran?;
    finished
}

fn finished_job(row: Columns<'_>) -> StoreResult<Finished> {
    let (queue, tier): (i16, i16) = (row.get(2)?, row.get(5)?);
    Ok(Finished {
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
