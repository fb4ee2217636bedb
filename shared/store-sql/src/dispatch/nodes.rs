//! The nodes that are there, all of one mode.

use domain::dispatch::DispatchMode;
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::dispatch::{DispatchNode, Joined};
use uuid::Uuid;

use crate::SqlStore;
use crate::errors::corrupt;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::Sql;

// The row is the lock under which nodes join: two of different modes never both find that they are the first.
static LOCK: Sql = Sql::new("dispatch_lock", "SELECT mode FROM dispatch WHERE id = 1 {for_update}");

static STATE: Sql = Sql::new("dispatch_state", "SELECT mode, is_draining FROM dispatch WHERE id = 1");

static FORGET: Sql = Sql::new("forget_dispatch_nodes", "DELETE FROM dispatch_node WHERE until <= $1");

static NODES: Sql = Sql::new(
    "dispatch_nodes",
    "SELECT id, name, mode, relays, until, broker_away_since FROM dispatch_node
     WHERE until > $1 ORDER BY name, id",
);

static SET: Sql = Sql::new(
    "set_dispatch_node",
    "INSERT INTO dispatch_node (id, name, mode, relays, until, broker_away_since) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, mode = excluded.mode, relays = excluded.relays,
       until = excluded.until, broker_away_since = excluded.broker_away_since",
);

// Most of the time a node renews itself, and nobody else has to be looked at.
static RENEW: Sql = Sql::new(
    "renew_dispatch_node",
    "UPDATE dispatch_node SET until = $4, relays = $3, broker_away_since = $6
     WHERE id = $1 AND mode = $2 AND until > $5",
);

static SET_MODE: Sql = Sql::new(
    "set_dispatch_mode",
    "UPDATE dispatch SET mode = $1, is_draining = 0, changed_at = $2 WHERE id = 1 AND mode <> $1",
);

static SET_DRAINING: Sql =
    Sql::new("set_dispatch_draining", "UPDATE dispatch SET is_draining = $1, changed_at = $2 WHERE id = 1");

static REMOVE: Sql = Sql::new("remove_dispatch_node", "DELETE FROM dispatch_node WHERE id = $1");

pub(super) async fn join(store: &SqlStore, node: &DispatchNode, now: Timestamp) -> StoreResult<Joined> {
    let mode = node.mode.as_str();
    let relays = i32::from(node.relays);
    let away = node.broker_away_since.map(|since| since.0);
    let renewal =
        vec![node.id.into(), mode.into(), relays.into(), node.until.0.into(), now.0.into(), away.into()];
    if RENEW.run(store.pool().write(), renewal).await? > 0 {
        return Ok(Joined::Yes);
    }
    let transaction = store.pool().begin().await?;
    LOCK.first(&transaction, vec![]).await?;
    FORGET.run(&transaction, vec![now.0.into()]).await?;
    let mut others = nodes(&transaction, now).await?;
    others.retain(|other| other.id != node.id && other.mode != node.mode);
    if !others.is_empty() {
        rollback(transaction).await;
        return Ok(Joined::Differs(others));
    }
    let values = vec![
        node.id.into(),
        node.name.as_str().into(),
        mode.into(),
        relays.into(),
        node.until.0.into(),
        away.into(),
    ];
    SET.run(&transaction, values).await?;
    SET_MODE.run(&transaction, vec![mode.into(), now.0.into()]).await?;
    commit(transaction).await?;
    Ok(Joined::Yes)
}

pub(super) async fn nodes<C: ConnectionTrait>(on: &C, now: Timestamp) -> StoreResult<Vec<DispatchNode>> {
    let rows = NODES.all(on, vec![now.0.into()]).await?;
    let nodes = rows.iter().map(|row| {
        let row = Row::new("dispatch_node", row);
        Ok(DispatchNode {
            id: row.uuid("id")?,
            name: row.text("name")?,
            mode: row.parsed("mode", DispatchMode::parse)?,
            relays: row.int("relays")? != 0,
            until: row.instant("until")?,
            broker_away_since: row.instant_or_null("broker_away_since")?,
        })
    });
    nodes.collect()
}

/// The mode, and whether no more offers are made.
pub(super) async fn state<C: ConnectionTrait>(on: &C) -> StoreResult<(DispatchMode, bool)> {
    let row = STATE.first(on, vec![]).await?.ok_or_else(|| corrupt("dispatch", "id", "no row"))?;
    let row = Row::new("dispatch", &row);
    Ok((row.parsed("mode", DispatchMode::parse)?, row.int("is_draining")? != 0))
}

pub(super) async fn remove(store: &SqlStore, node: Uuid) -> StoreResult<()> {
    REMOVE.run(store.pool().write(), vec![node.into()]).await.map(|_| ())
}

pub(super) async fn set_draining(store: &SqlStore, is_draining: bool, now: Timestamp) -> StoreResult<()> {
    let values = vec![i32::from(is_draining).into(), now.0.into()];
    SET_DRAINING.run(store.pool().write(), values).await.map(|_| ())
}
