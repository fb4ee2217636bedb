//! Waking the nodes that a delivery is for: rows of executions first, then what they wait for, then their inboxes.

use std::collections::HashMap;

use domain::time::Timestamp;
use store::StoreResult;
use store::events::{EventWake, WaitingNode};
use store::executions::InboxEntry;
use uuid::Uuid;

use super::waits;
use crate::SqlStore;
use crate::executions::lock::{Locked, lock_family, mark_inbox_changed};
use crate::executions::moves::Moves;
use crate::executions::{inbox, wake};
use crate::pool::{commit, rollback};
use crate::sql::Sql;
use crate::webhooks::woke_text;

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
    let woken = waits::close(&transaction, dialect, &there).await?;
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
