//! Ending the leases of processes that have ended.

use domain::id::JobId;
use domain::names::WorkerId;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::nodes::LostNodes;
use uuid::Uuid;

use crate::SqlStore;
use crate::bind;
use crate::errors::corrupt;
use crate::lock_order::begin_upkeep;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

// Until the end of the transaction a process that comes back waits for the lock, and then begins anew.
// $1 the process
static TAKE: Sql = Sql::new(
    "take_lost_node",
    "DELETE FROM node WHERE id = $1
       {postgres:AND server = (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
       AND pg_try_advisory_xact_lock(lock_key)}
     RETURNING pools",
);

// In the order in which everybody locks jobs.
// Index: job_leased; all queues are named so that it serves.
// $2 now or null
static LEASED: Sql = Sql::new(
    "leases_of_lost_node",
    "SELECT j.id, {now $2} AS now_ms FROM job j
     WHERE j.queue IN (0, 1, 2, 3) AND j.state = 'processing' AND j.worker_id {any $1 text}
     ORDER BY j.id {for_update}",
);

// $1 now
static END: Sql = Sql::new(
    "end_leases_of_lost_node",
    "UPDATE job SET lease_until = $1, reap_at = CASE WHEN reap_at < $1 THEN reap_at ELSE $1 END
     WHERE id {any $2 uuid} AND state || '' = 'processing' AND lease_until > $1",
);

/// Ends the leases of the pools of these processes, if they are still lost.
pub(super) async fn end(store: &SqlStore, nodes: &[Uuid], now: Timestamp) -> StoreResult<LostNodes> {
    let mut lost = LostNodes::default();
    for &node in nodes {
        let transaction = begin_upkeep(store.pool()).await?;
        let Some(row) = TAKE.first(&transaction, vec![node.into()]).await? else {
            rollback(transaction).await;
            continue;
        };
        let leases = end_leases(store, &transaction, &pools_of(&row)?, now).await?;
        commit(transaction).await?;
        lost.nodes += 1;
        lost.leases += leases;
    }
    Ok(lost)
}

/// Ends the leases that are held under these names; answers how many.
pub(super) async fn end_leases(
    store: &SqlStore,
    on: &DatabaseTransaction,
    pools: &[WorkerId],
    now: Timestamp,
) -> StoreResult<u64> {
    let dialect = store.dialect();
    let names = bind::texts(dialect, pools.iter().map(WorkerId::as_str));
    let rows = LEASED.all(on, vec![names, store.lease_now(now).into()]).await?;
    let Some(first) = rows.first() else {
        return Ok(0);
    };
    let now = Row::new("job", first).instant("now_ms")?;
    let ids = rows.iter().map(|row| Row::new("job", row).uuid("id").map(JobId::from_uuid));
    let ids: Vec<JobId> = ids.collect::<StoreResult<_>>()?;
    END.run(on, vec![now.0.into(), bind::uuids(dialect, ids.iter().map(|id| id.uuid()))]).await
}

/// The names in the row of a process.
pub(super) fn pools_of(row: &QueryResult) -> StoreResult<Vec<WorkerId>> {
    let text = Row::new("node", row).text("pools")?;
    let names: Vec<String> = serde_json::from_str(&text).map_err(|_| corrupt("node", "pools", &text))?;
    Ok(names.into_iter().map(WorkerId::trusted).collect())
}
