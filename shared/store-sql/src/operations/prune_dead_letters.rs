//! Retention of dead letters that were dealt with, with their payloads.

use domain::time::Timestamp;
use store::StoreResult;
use uuid::Uuid;

use super::prune_jobs::ids_of;
use crate::SqlStore;
use crate::attributes;
use crate::lock_order::begin_upkeep;
use crate::payloads;
use crate::pool::commit;
use crate::rows::Row;
use crate::sql::Sql;

static DEAD_LETTERS: Sql = Sql::new(
    "prune_dead_letters",
    "DELETE FROM dead_letter WHERE id IN (
       SELECT id FROM dead_letter WHERE resolved_at < $1 AND status IN ('requeued', 'archived')
       ORDER BY resolved_at LIMIT $2 {for_update_skip})
     RETURNING id, job_id",
);

/// Removes dead letters that were resolved before an instant.
pub(super) async fn prune(store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let transaction = begin_upkeep(store.pool()).await?;
    let rows = DEAD_LETTERS.all(&transaction, vec![before.0.into(), i64::from(limit).into()]).await?;
    let gone = ids_of("dead_letter", &rows)?;
    payloads::remove(&transaction, &gone).await?;
    let jobs: StoreResult<Vec<Uuid>> =
        rows.iter().map(|row| Row::new("dead_letter", row).uuid("job_id")).collect();
    attributes::forget_jobs(&transaction, &jobs?).await?;
    commit(transaction).await?;
    Ok(gone.len() as u64)
}
