//! Retention of what became of slots.

use domain::time::Timestamp;
use store::StoreResult;

use super::walk::Walk;
use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::sql::Sql;

// The newest slot of a schedule stays, however old it is, and so does one that waits. Looked for outside a
// transaction: slots that stay may be many, and a slot that has a newer one never becomes the newest again. See `walk` for
// the parameters.
// Index: schedule_run_age.
static PICK: Sql = Sql::new(
    "prune_schedule_runs_pick",
    "SELECT r.schedule_id AS id, r.decided_at AS at, r.nominal_at AS also, CAST(
       CASE WHEN r.status = 'waiting'
              OR NOT EXISTS (SELECT 1 FROM schedule_run newer
                             WHERE newer.schedule_id = r.schedule_id AND newer.nominal_at > r.nominal_at)
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.schedule_id, w.nominal_at, w.decided_at, w.status FROM schedule_run w
         WHERE w.decided_at < $1 AND w.decided_at >= $3
           AND (w.decided_at > $3 OR w.schedule_id > $4 OR (w.schedule_id = $4 AND w.nominal_at > $5))
         ORDER BY w.decided_at, w.schedule_id, w.nominal_at LIMIT $2) r
     ORDER BY r.decided_at, r.schedule_id, r.nominal_at",
);

static DELETE: Sql = Sql::new(
    "prune_schedule_runs",
    "DELETE FROM schedule_run WHERE (schedule_id, nominal_at) IN (
       SELECT k.id, k.at FROM {rows $1: id uuid, at bigint} k)",
);

/// Removes slots that were decided before an instant.
pub(super) async fn prune(store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let walk = Walk { sql: &PICK, kind: "schedule_runs", part: None, class: None, has_also: true };
    let slots = walk.find(store, before, limit).await?;
    if slots.is_empty() {
        return Ok(0);
    }
    let cells = slots.iter().map(|slot| [Cell::Uuid(slot.id), Cell::Long(slot.also)]);
    DELETE.run(store.pool().write(), bind::rows(store.dialect(), cells)).await
}
