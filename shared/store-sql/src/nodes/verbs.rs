//! The port's operations on processes.

use async_trait::async_trait;
use domain::time::Timestamp;
use store::StoreResult;
use store::nodes::{LostNodes, NodeRecord, NodeStore};
use uuid::Uuid;

use super::lost::{end, end_leases, pools_of};
use super::session::{self, Session};
use crate::SqlStore;
use crate::dialect::Dialect;
use crate::pool::commit;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;

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
