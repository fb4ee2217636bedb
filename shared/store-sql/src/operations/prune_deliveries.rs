//! Retention of webhook deliveries, with their bodies.

use store::StoreResult;

use super::walk::Walk;
use crate::SqlStore;
use crate::retention::classes::Class;
use crate::sql::Sql;
use crate::webhooks::remove::remove;

// A delivery stays while it is held, and while its job has not ended, or died and may be requeued. Looked for outside a
// transaction, as jobs are: a job that ended for good stays so. See `walk` for the parameters.
// Index: webhook_delivery_age.
static PICK: Sql = Sql::new(
    "prune_deliveries_pick",
    "SELECT d.id, d.received_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN d.held_at IS NOT NULL
              OR EXISTS (SELECT 1 FROM job j WHERE j.id = d.job_id)
              OR EXISTS (SELECT 1 FROM dead_letter l WHERE l.job_id = d.job_id AND l.status = 'open')
              OR COALESCE((SELECT o.kept_ms FROM retention_override o WHERE o.tenant = d.tenant AND o.subject = $5), -1) <> $6
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.received_at, w.job_id, w.held_at, w.tenant FROM webhook_delivery w
         WHERE w.received_at < $1 AND w.received_at >= $3 AND (w.received_at > $3 OR w.id > $4)
         ORDER BY w.received_at, w.id LIMIT $2) d
     ORDER BY d.received_at, d.id",
);

/// Removes deliveries of a class that came before its instant.
pub(super) async fn prune(store: &SqlStore, class: &Class, limit: u32) -> StoreResult<u64> {
    let walk = Walk { sql: &PICK, kind: "deliveries", part: None, class: Some(class), has_also: false };
    let found = walk.find_ids(store, class.before, limit).await?;
    remove(store, &found).await
}
