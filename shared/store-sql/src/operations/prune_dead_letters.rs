//! Retention of dead letters that were dealt with, with their payloads.

use store::StoreResult;
use uuid::Uuid;

use super::prune_jobs::ids_of;
use super::walk::Walk;
use crate::SqlStore;
use crate::attributes;
use crate::bind;
use crate::lock_order::begin_upkeep;
use crate::payloads;
use crate::pool::commit;
use crate::retention::classes::Class;
use crate::rows::Row;
use crate::sql::Sql;

// See `walk` for the parameters.
// Index: dead_letter_resolved.
static PICK: Sql = Sql::new(
    "prune_dead_letters_pick",
    "SELECT d.id, d.resolved_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN d.status = 'open'
              OR COALESCE((SELECT o.kept_ms FROM retention_override o WHERE o.tenant = d.tenant AND o.subject = $5), -1) <> $6
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.resolved_at, w.status, w.tenant FROM dead_letter w
         WHERE w.resolved_at IS NOT NULL AND w.resolved_at < $1 AND w.resolved_at >= $3
           AND (w.resolved_at > $3 OR w.id > $4)
         ORDER BY w.resolved_at, w.id LIMIT $2) d
     ORDER BY d.resolved_at, d.id",
);

static DEAD_LETTERS: Sql = Sql::new(
    "prune_dead_letters",
    "DELETE FROM dead_letter WHERE id {any $2 uuid} AND resolved_at < $1 AND status IN ('requeued', 'archived')
     RETURNING id, job_id",
);

/// Removes dead letters of a class that were resolved before its instant.
pub(super) async fn prune(store: &SqlStore, class: &Class, limit: u32) -> StoreResult<u64> {
    let walk = Walk { sql: &PICK, kind: "dead_letters", part: None, class: Some(class), has_also: false };
    let found = walk.find_ids(store, class.before, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let list = |ids: &[Uuid]| bind::uuids(store.dialect(), ids.iter().copied());
    let rows = DEAD_LETTERS.all(&transaction, vec![class.before.0.into(), list(&found)]).await?;
    let gone = ids_of("dead_letter", &rows)?;
    payloads::remove(&transaction, &gone).await?;
    let jobs: StoreResult<Vec<Uuid>> =
        rows.iter().map(|row| Row::new("dead_letter", row).uuid("job_id")).collect();
    attributes::forget_jobs(&transaction, &jobs?).await?;
    commit(transaction).await?;
    Ok(gone.len() as u64)
}
