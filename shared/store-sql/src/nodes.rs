//! Processes with pools: on SQLite the file's next owner knows that the one before has ended, on PostgreSQL the server
//! sees its session end.
//!
//! A process holds an advisory lock on a connection of its own ([`session`]), and a row that names the lock and the
//! pools. A row whose lock nobody holds is that of a process that has ended, or whose connection broke; [`nodes`]
//! distinguishes them by time. A row is only believed on the server that it was written on: another one, after a
//! failover, never saw the session.

mod session;

use async_trait::async_trait;
use domain::id::JobId;
use domain::names::WorkerId;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::operations::{LostNodes, NodeRecord, NodeStore};
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::errors::corrupt;
use crate::lock_order::begin_upkeep;
use crate::pool::{commit, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};
use crate::{SqlStore, bind};

pub(crate) use session::Session;

// Ending the leases of processes that have ended.

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
async fn end(store: &SqlStore, nodes: &[Uuid], now: Timestamp) -> StoreResult<LostNodes> {
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
async fn end_leases(
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
fn pools_of(row: &QueryResult) -> StoreResult<Vec<WorkerId>> {
    let text = Row::new("node", row).text("pools")?;
    let names: Vec<String> = serde_json::from_str(&text).map_err(|_| corrupt("node", "pools", &text))?;
    Ok(names.into_iter().map(WorkerId::trusted).collect())
}

// The port's operations on processes.

static ALL: Sql = Sql::new("nodes", "SELECT pools FROM node");

static FORGET: Sql = Sql::new("forget_nodes", "DELETE FROM node");

static INSERT: Sql = Sql::new(
    "insert_node",
    "INSERT INTO node (id, pools, lock_key, server, registered_at) VALUES ($1, $2, 0, 0, $3)",
);

// A lease that began after the present instant was written by a clock that was set back since.
// Index: job_leased; all queues are named so that it serves.
// $1 now
static SHORTEN: Sql = Sql::new(
    "shorten_leases_from_ahead",
    "UPDATE job SET lease_until = $1 + lease_ms, reap_at = $1 + lease_ms
     WHERE queue IN (0, 1, 2, 3) AND state = 'processing' AND started_at > $1 AND lease_until > $1 + lease_ms",
);

// Those whose sessions are away. The lock is given back with the end of the statement.
static AWAY: Sql = Sql::new(
    "nodes_away",
    "SELECT id FROM node
     WHERE server = (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
       AND pg_try_advisory_xact_lock(lock_key)",
);

// The lock is given back with the end of the statement, where it was free.
static ALIVE: Sql = Sql::new(
    "nodes_alive",
    "SELECT count(*) AS nodes FROM node WHERE NOT pg_try_advisory_xact_lock(lock_key)",
);

impl SqlStore {
    /// How many processes with pools hold their sessions. None on SQLite, where the lock of the file says more.
    pub async fn nodes_alive(&self) -> StoreResult<u64> {
        if self.dialect() == Dialect::Sqlite {
            return Ok(0);
        }
        let row = with_retry(RetryBudget::repeatable(), || ALIVE.first(self.pool().read(), vec![])).await?;
        let alive = row.map(|row| Row::new("node", &row).long("nodes")).transpose()?;
        Ok(alive.unwrap_or_default().unsigned_abs())
    }
}

#[async_trait]
impl NodeStore for SqlStore {
    async fn begin_node(&self, node: &NodeRecord, now: Timestamp) -> StoreResult<LostNodes> {
        if self.dialect() == Dialect::Sqlite {
            return with_retry(RetryBudget::once(), || follow(self, node, now)).await;
        }
        if let Some(options) = self.direct_options() {
            self.keep_node(Session::start(options, self.pool().clone(), node));
        }
        Ok(LostNodes::default())
    }

    async fn end_lost_nodes(&self, now: Timestamp) -> StoreResult<LostNodes> {
        if self.dialect() == Dialect::Sqlite {
            return Ok(LostNodes::default());
        }
        let rows = AWAY.all(self.pool().read(), vec![]).await?;
        let away = rows.iter().map(|row| Row::new("node", row).uuid("id"));
        let mut away: Vec<Uuid> = away.collect::<StoreResult<_>>()?;
        // Whoever looks lives, wherever its own session is.
        let own = self.own_node();
        away.retain(|&node| Some(node) != own);
        let lost = self.memory().nodes.observe(&away);
        if lost.is_empty() {
            return Ok(LostNodes::default());
        }
        with_retry(RetryBudget::once(), || end(self, &lost, now)).await
    }
}

/// A file of SQLite has one owner: whoever was there before has ended, and so do the leases of its pools.
async fn follow(store: &SqlStore, node: &NodeRecord, now: Timestamp) -> StoreResult<LostNodes> {
    let transaction = store.pool().begin().await?;
    let mut lost = LostNodes::default();
    for row in &ALL.all(&transaction, vec![]).await? {
        lost.nodes += 1;
        lost.leases += end_leases(store, &transaction, &pools_of(row)?, now).await?;
    }
    SHORTEN.run(&transaction, vec![now.0.into()]).await?;
    FORGET.run(&transaction, vec![]).await?;
    let pools = session::pools_text(node);
    INSERT.run(&transaction, vec![node.nonce.into(), pools.into(), now.0.into()]).await?;
    commit(transaction).await?;
    Ok(lost)
}

#[cfg(test)]
mod tests;
