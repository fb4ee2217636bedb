//! Rows of `event_wait`: written with the steps of executions, found by what an event carries.

use std::collections::HashMap;

use domain::id::ExecutionId;
use domain::names::{EventType, NodeId, TenantName};
use domain::time::Timestamp;
use domain::workflow::execution::EventWait;
use store::StoreResult;
use store::events::{EventWaitChange, EventWake, WaitingNode};
use store::executions::InboxEntry;
use uuid::Uuid;

use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::executions::lock::{Locked, Moves, lock_family, mark_inbox_changed};
use crate::executions::{inbox, wake};
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::{DatabaseTransaction, Sql};
use crate::webhooks::woke_text;

// A row of an earlier round that was left is replaced.
static OPEN: Sql = Sql::new(
    "open_event_waits",
    "INSERT INTO event_wait (execution_id, node_id, event, round, tenant, paths, digest, has_filter, began_at, look_from)
     SELECT r.execution_id, r.node_id, r.event, r.round, e.tenant, r.paths, r.digest, r.has_filter, r.began_at,
       r.look_from
     FROM {rows $1: execution_id uuid, node_id text, event text, round int, paths text, digest bytes, has_filter int, began_at bigint, look_from bigint} r
     JOIN execution e ON e.id = r.execution_id
     WHERE true
     ON CONFLICT (execution_id, node_id, event) DO UPDATE SET round = excluded.round, paths = excluded.paths,
       digest = excluded.digest, has_filter = excluded.has_filter, began_at = excluded.began_at,
       look_from = excluded.look_from",
);

// Index: the key.
static CLOSE: Sql = Sql::new(
    "close_event_waits",
    "DELETE FROM event_wait WHERE (execution_id, node_id, round) IN (
       SELECT r.execution_id, r.node_id, r.round FROM {rows $1: execution_id uuid, node_id text, round int} r)
       AND execution_id IN (SELECT o.execution_id FROM {rows $1: execution_id uuid, node_id text, round int} o)",
);

static REMOVE: Sql =
    Sql::new("remove_event_waits", "DELETE FROM event_wait WHERE execution_id {any $1 uuid}");

// One step along the index event_wait_match for each, however many nodes have the same. $1 tenant, $2 event, $3 after
// which, $4 how many
static PATHS: Sql = Sql::new(
    "event_wait_paths",
    "WITH RECURSIVE known (paths, place) AS (
         SELECT (SELECT w.paths FROM event_wait w WHERE w.tenant = $1 AND w.event = $2 AND w.paths > $3
                 ORDER BY w.paths LIMIT 1), 1
         UNION ALL
         SELECT (SELECT w.paths FROM event_wait w WHERE w.tenant = $1 AND w.event = $2 AND w.paths > k.paths
                 ORDER BY w.paths LIMIT 1), k.place + 1
         FROM known k WHERE k.paths IS NOT NULL AND k.place < $4)
     SELECT k.paths FROM known k WHERE k.paths IS NOT NULL ORDER BY k.place",
);

/// Carries out changes, each of an execution whose row the transaction has locked. What is closed and opened again was
/// closed in an earlier round.
pub(crate) async fn change(
    on: &DatabaseTransaction,
    dialect: Dialect,
    changes: &[(Uuid, &EventWaitChange)],
) -> StoreResult<()> {
    let mut opened: Vec<(Uuid, &EventWait, &EventType)> = Vec::new();
    let mut closed: Vec<[Cell<'_>; 3]> = Vec::new();
    for &(execution, change) in changes {
        match change {
            EventWaitChange::Open(wait) => {
                opened.extend(wait.events.iter().map(|event| (execution, wait, event)));
            }
            EventWaitChange::Close { node_id, round } => {
                closed.push([Cell::Uuid(execution), Cell::Text(node_id.as_str()), round_cell(*round)]);
            }
        }
    }
    if !closed.is_empty() {
        CLOSE.run(on, bind::rows(dialect, closed.into_iter())).await?;
    }
    if opened.is_empty() {
        return Ok(());
    }
    let cells = opened.iter().map(|(execution, wait, event)| {
        [
            Cell::Uuid(*execution),
            Cell::Text(wait.node.as_str()),
            Cell::Text(event.as_str()),
            round_cell(wait.round),
            Cell::Text(&wait.paths),
            Cell::Bytes(&wait.digest),
            Cell::Int(i32::from(wait.has_filter)),
            Cell::Long(wait.began_at.0),
            Cell::Long(wait.look_from.0),
        ]
    });
    OPEN.run(on, bind::rows(dialect, cells)).await.map(|_| ())
}

/// Removes all of executions that ended without their owner.
pub(crate) async fn remove_all(
    on: &DatabaseTransaction,
    dialect: Dialect,
    executions: &[Uuid],
) -> StoreResult<()> {
    if executions.is_empty() {
        return Ok(());
    }
    REMOVE.run(on, vec![bind::uuids(dialect, executions.iter().copied())]).await.map(|_| ())
}

/// Removes the rows of these nodes; answers which nodes had any.
pub(super) async fn close(
    on: &DatabaseTransaction,
    dialect: Dialect,
    nodes: &[WaitingNode],
) -> StoreResult<Vec<WaitingNode>> {
    let mut closed = Vec::with_capacity(nodes.len());
    for node in nodes {
        let cells = [cells_of(node)];
        if CLOSE.run(on, bind::rows(dialect, cells.into_iter())).await? > 0 {
            closed.push(node.clone());
        }
    }
    Ok(closed)
}

/// The key of a node's rows.
pub(super) fn cells_of(node: &WaitingNode) -> [Cell<'_>; 3] {
    [Cell::Uuid(node.execution_id.uuid()), Cell::Text(node.node_id.as_str()), round_cell(node.round)]
}

/// The different paths that are compared, in their order.
pub(super) async fn paths(
    pool: &Pool,
    tenant: &TenantName,
    event: &str,
    after: Option<&str>,
    limit: u32,
) -> StoreResult<Vec<String>> {
    let values =
        vec![tenant.as_str().into(), event.into(), after.unwrap_or("").into(), i64::from(limit).into()];
    let rows = PATHS.all(pool.read(), values).await?;
    rows.iter().map(|row| Row::new("event_wait", row).text("paths")).collect()
}

fn selected(
    (tenant, event): (&TenantName, &str),
    (paths, digest): (&str, &[u8; 32]),
    after: Option<(ExecutionId, &NodeId)>,
    limit: u32,
) -> Select {
    // Index: event_wait_match.
    let mut select = Select::new(
        "waiting_nodes",
        "SELECT w.execution_id, w.node_id, w.round, w.has_filter FROM event_wait w WHERE true",
    );
    select.with("AND w.tenant = $?", tenant.as_str());
    select.with("AND w.event = $?", event);
    select.with("AND w.paths = $?", paths);
    select.with("AND w.digest = $?", digest.to_vec());
    if let Some((execution, node)) = after {
        select.with("AND (w.execution_id, w.node_id) > ($?,", execution.uuid());
        select.with("$?)", node.as_str());
    }
    select.with("ORDER BY w.execution_id, w.node_id LIMIT $?", i64::from(limit));
    select
}

/// Nodes that wait for exactly this.
pub(super) async fn waiting(
    pool: &Pool,
    of: (&TenantName, &str),
    matched: (&str, &[u8; 32]),
    after: Option<(ExecutionId, &NodeId)>,
    limit: u32,
) -> StoreResult<Vec<WaitingNode>> {
    selected(of, matched, after, limit).all(pool.read()).await?.iter().map(waiting_of).collect()
}

/// Reads the node of a row.
pub(super) fn waiting_of(row: &sea_orm::QueryResult) -> StoreResult<WaitingNode> {
    let row = Row::new("event_wait", row);
    Ok(WaitingNode {
        execution_id: ExecutionId::from_uuid(row.uuid("execution_id")?),
        node_id: row.name("node_id", NodeId::trusted)?,
        round: row.count("round")?,
        has_filter: row.long("has_filter")? != 0,
    })
}

fn round_cell(round: u32) -> Cell<'static> {
    Cell::Int(i32::try_from(round).unwrap_or(i32::MAX))
}

// Waking the nodes that a delivery is for: rows of executions first, then what they wait for, then their inboxes.

// One that nobody had wanted is wanted after all: the node may have begun to wait later.
// $1 the delivery, $2 elements of the list, $3 how many bytes of them are kept
static SHOW: Sql = Sql::new(
    "show_woken_nodes",
    "UPDATE webhook_delivery SET status = CASE WHEN status = 'unmatched' THEN 'matched' ELSE status END,
       woke = CASE WHEN woke IS NULL THEN $2 WHEN length(woke) < $3 THEN woke || ',' || $2 ELSE woke END
     WHERE id = $1",
);

/// About how many bytes a woken node takes where it is shown.
const SHOWN_BYTES: i64 = 100;

/// `EventStore::wake_waiting_nodes`.
pub(super) async fn wake_nodes(
    store: &SqlStore,
    event: &EventWake,
    now: Timestamp,
) -> StoreResult<Vec<WaitingNode>> {
    if event.nodes.is_empty() {
        return Ok(Vec::new());
    }
    let dialect = store.dialect();
    let mut ids: Vec<Uuid> = event.nodes.iter().map(|node| node.execution_id.uuid()).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut moves = Moves::none(store);
    let transaction = store.pool().begin().await?;
    let family = lock_family(&transaction, dialect, &ids, &[], &[]).await?;
    let open: HashMap<Uuid, &Locked> = family
        .locked
        .iter()
        .filter(|(_, locked)| !locked.status.is_terminal())
        .map(|(id, locked)| (*id, locked))
        .collect();
    let there = event.nodes.iter().filter(|node| open.contains_key(&node.execution_id.uuid()));
    let there: Vec<WaitingNode> = there.cloned().collect();
    let woken = close(&transaction, dialect, &there).await?;
    if woken.is_empty() {
        rollback(transaction).await;
        return Ok(woken);
    }
    let ring = store.sealer().current();
    let mut entries: Vec<(Uuid, InboxEntry)> = Vec::with_capacity(woken.len());
    for node in &woken {
        let entry = InboxEntry::Event {
            node_id: node.node_id.clone(),
            round: node.round,
            output: event.output.clone(),
        };
        let id = node.execution_id.uuid();
        let stored = match open.get(&id) {
            Some(locked) => ring.sealed_entry(&locked.tenant, id, &entry)?,
            None => entry,
        };
        entries.push((id, stored));
    }
    inbox::append_all(&transaction, dialect, &entries, now).await?;
    let mut executions: Vec<Uuid> = entries.iter().map(|(id, _)| *id).collect();
    executions.dedup();
    for id in &executions {
        mark_inbox_changed(&transaction, dialect, *id).await?;
    }
    let jobs: Vec<Uuid> =
        executions.iter().filter_map(|id| open.get(id)).map(|locked| locked.job_id).collect();
    moves.revive(wake::wake(&transaction, dialect, &jobs, now).await?);
    let shown = woke_text(woken.iter());
    let bytes_max = i64::from(event.shown_max) * SHOWN_BYTES;
    SHOW.run(&transaction, vec![event.delivery_id.uuid().into(), shown.into(), bytes_max.into()]).await?;
    moves.bump(&transaction, &[]).await?;
    commit(transaction).await?;
    moves.record(store, &[]);
    Ok(woken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::plans::{assert_plan_uses, open_empty};
    use testkit::database::postgres_database;

    #[tokio::test]
    async fn i06_what_waits_for_an_event_is_found_by_its_index() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let file = format!("sqlite://{}", directory.path().join("plans.db").display());
        for url in [file, postgres_database().await] {
            let store = open_empty(url).await;
            let values = vec!["a".into(), "e".into(), "".into(), 10_i64.into()];
            assert_plan_uses(&store, &PATHS, values, "event_wait_match").await;
        }
    }
}
