//! Retention of dead letters that were dealt with, with their payloads.

use domain::time::Timestamp;
use store::StoreResult;

use super::prune_jobs::ids_of;
use crate::SqlStore;
use crate::lock_order::begin_upkeep;
use crate::payloads;
use crate::pool::commit;
use crate::sql::Sql;

static DEAD_LETTERS: Sql = Sql::new(
    "prune_dead_letters",
    "DELETE FROM dead_letter WHERE id IN (
       SELECT id FROM dead_letter WHERE resolved_at < $1 AND status IN ('requeued', 'archived')
       ORDER BY resolved_at LIMIT $2 {for_update_skip})
     RETURNING id",
);

/// Removes dead letters that were resolved before an instant.
pub(super) async fn prune(store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let transaction = begin_upkeep(store.pool()).await?;
    let rows = DEAD_LETTERS.all(&transaction, vec![before.0.into(), i64::from(limit).into()]).await?;
    let gone = ids_of("dead_letter", &rows)?;
    payloads::remove(&transaction, &gone).await?;
    commit(transaction).await?;
    Ok(gone.len() as u64)
}
