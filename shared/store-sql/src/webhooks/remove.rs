//! Removing deliveries with their bodies, in one transaction.

use store::StoreResult;
use uuid::Uuid;

use crate::SqlStore;
use crate::bind;
use crate::pool::commit;
use crate::sql::Sql;
use crate::starts::REMOVE_EVENTS;

static BODIES: Sql =
    Sql::new("remove_delivery_bodies", "DELETE FROM webhook_body WHERE delivery_id {any $1 uuid}");

static DELIVERIES: Sql = Sql::new("remove_deliveries", "DELETE FROM webhook_delivery WHERE id {any $1 uuid}");

/// Removes these deliveries; answers how many were there.
pub(crate) async fn remove(store: &SqlStore, ids: &[Uuid]) -> StoreResult<u64> {
    if ids.is_empty() {
        return Ok(0);
    }
    let list = || vec![bind::uuids(store.dialect(), ids.iter().copied())];
    let transaction = store.pool().begin().await?;
    // Deliveries before bodies, as every node does it: whoever is later waits here and finds nothing left.
    let gone = DELIVERIES.run(&transaction, list()).await?;
    BODIES.run(&transaction, list()).await?;
    REMOVE_EVENTS.run(&transaction, list()).await?;
    commit(transaction).await?;
    Ok(gone)
}
