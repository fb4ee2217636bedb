//! Retention of what became of slots.

use domain::time::Timestamp;
use store::StoreResult;

use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::rows::Row;
use crate::sql::Sql;

// The newest slot of a schedule stays, however old it is, and so does one that waits. Looked for outside a
// transaction: slots that stay may be many, and a slot that has a newer one never becomes the newest again.
static PICK: Sql = Sql::new(
    "prune_schedule_runs_pick",
    "SELECT r.schedule_id, r.nominal_at FROM schedule_run r
     WHERE r.decided_at < $1 AND r.status <> 'waiting'
       AND r.nominal_at < (SELECT max(newest.nominal_at) FROM schedule_run newest
                           WHERE newest.schedule_id = r.schedule_id)
     ORDER BY r.decided_at LIMIT $2",
);

static DELETE: Sql = Sql::new(
    "prune_schedule_runs",
    "DELETE FROM schedule_run WHERE (schedule_id, nominal_at) IN (
       SELECT k.id, k.at FROM {rows $1: id uuid, at bigint} k)",
);

/// Removes slots that were decided before an instant.
pub(super) async fn prune(store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let values = vec![before.0.into(), i64::from(limit).into()];
    let rows = PICK.all(store.pool().read(), values).await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let keys = rows.iter().map(|row| {
        let row = Row::new("schedule_run", row);
        Ok((row.uuid("schedule_id")?, row.long("nominal_at")?))
    });
    let keys: Vec<_> = keys.collect::<StoreResult<_>>()?;
    let cells = keys.iter().map(|&(id, at)| [Cell::Uuid(id), Cell::Long(at)]);
    DELETE.run(store.pool().write(), bind::rows(store.dialect(), cells)).await
}
