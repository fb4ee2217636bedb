//! Upkeep by content rather than by age: guards that have expired, and rejected deliveries beyond the newest.

use domain::time::Timestamp;
use store::StoreResult;
use uuid::Uuid;

use super::remove::remove;
use crate::SqlStore;
use crate::rows::Row;
use crate::sql::Sql;

static GUARDS: Sql = Sql::new(
    "prune_guards",
    "DELETE FROM webhook_guard WHERE (webhook_id, digest) IN (
       SELECT webhook_id, digest FROM webhook_guard WHERE expires_at <= $1
       ORDER BY expires_at LIMIT $2 {for_update_skip})",
);

// Index: webhook_delivery_rejected. From the newest that is one too many on; an endpoint that has fewer has none.
// Looked for outside a transaction: what is one too many stays so. CROSS JOIN keeps SQLite from looking for the newest
// of every single row. $1 how many stay, $2 how many go
static REJECTED: Sql = Sql::new(
    "prune_rejected_pick",
    "SELECT d.id FROM webhook w
     CROSS JOIN webhook_delivery d
     WHERE d.webhook_id = w.id AND d.status = 'rejected'
       AND d.id <= (SELECT n.id FROM webhook_delivery n WHERE n.webhook_id = w.id AND n.status = 'rejected'
                    ORDER BY n.id DESC LIMIT 1 OFFSET $1)
     LIMIT $2",
);

/// Removes both kinds; answers how many rows went, bodies not counted.
pub(super) async fn prune(
    store: &SqlStore,
    rejected_max: u64,
    limit: u32,
    now: Timestamp,
) -> StoreResult<u64> {
    let guards = GUARDS.run(store.pool().write(), vec![now.0.into(), i64::from(limit).into()]).await?;
    let kept = i64::try_from(rejected_max).unwrap_or(i64::MAX);
    let rows = REJECTED.all(store.pool().read(), vec![kept.into(), i64::from(limit).into()]).await?;
    let ids = rows.iter().map(|row| Row::new("webhook_delivery", row).uuid("id"));
    let ids: Vec<Uuid> = ids.collect::<StoreResult<_>>()?;
    Ok(guards + remove(store, &ids).await?)
}
