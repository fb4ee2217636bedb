//! Admitting jobs whose concurrency key became free: from 'blocked' to 'queued', one for each key.

use domain::id::JobId;
use domain::lane::LaneId;
use domain::queue::{QueueName, Tier};
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sql::Sql;

static ADMIT: Sql = Sql::new("admit", include_str!("../../sql/admit.sql"));

/// A job that can be claimed now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// The job.
    pub(crate) id: JobId,
    /// Its queue.
    pub(crate) queue: QueueName,
    /// Its lane.
    pub(crate) lane: LaneId,
    /// Its place in the lane.
    pub(crate) position: i64,
    /// The tier that it was enqueued at.
    pub(crate) tier: Tier,
}

/// Admits the next job of each of these (stored) concurrency keys that nobody holds. To be called in the transaction
/// that freed the keys or brought the jobs.
pub(crate) async fn admit<C: ConnectionTrait>(
    on: &C,
    concurrency_keys: &[String],
    now: Timestamp,
) -> StoreResult<Vec<Admitted>> {
    if concurrency_keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut keys: Vec<&str> = concurrency_keys.iter().map(String::as_str).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut values = vec![now.0.into()];
    let dialect = Dialect::of(on.get_database_backend());
    values.extend(bind::rows(dialect, keys.iter().map(|key| [Cell::Text(key)])));
    let rows = ADMIT.all(on, values).await?;
    let admitted = rows.iter().map(|row| {
        let row = Row::new("job", row);
        let id = JobId::from_uuid(row.uuid("id")?);
        let (queue, lane) = (row.queue("queue")?, LaneId(row.int("lane")?));
        Ok(Admitted { id, queue, lane, position: row.long("position")?, tier: row.tier("tier")? })
    });
    admitted.collect()
}
