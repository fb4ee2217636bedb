//! Retention of webhook deliveries, with their bodies.

use domain::time::Timestamp;
use store::StoreResult;

use super::prune_jobs::ids_of;
use crate::SqlStore;
use crate::sql::Sql;
use crate::webhooks::remove::remove;

// A delivery stays while its job has not ended, or died and may be requeued. Looked for outside a transaction, as jobs
// are: a job that ended for good stays so.
static PICK: Sql = Sql::new(
    "prune_deliveries_pick",
    "SELECT d.id FROM webhook_delivery d
     WHERE d.received_at < $1
       AND NOT EXISTS (SELECT 1 FROM job j WHERE j.id = d.job_id)
       AND NOT EXISTS (SELECT 1 FROM dead_letter l WHERE l.job_id = d.job_id AND l.status = 'open')
     ORDER BY d.received_at LIMIT $2",
);

/// Removes deliveries that came before an instant.
pub(super) async fn prune(store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let values = vec![before.0.into(), i64::from(limit).into()];
    let found = ids_of("webhook_delivery", &PICK.all(store.pool().read(), values).await?)?;
    remove(store, &found).await
}
