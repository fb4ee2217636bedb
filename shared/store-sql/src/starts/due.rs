//! Finding the starts whose turn it is.

use domain::id::ExecutionId;
use domain::names::TenantName;
use domain::time::{DurationMs, Timestamp};
use store::starts::{DueStart, StartsOf};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::rows::{Lock, lock, turn};
use super::throttle::{self, Throttle};
use crate::SqlStore;
use crate::lock_order::begin_upkeep;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

/// After this wait a start whose end nobody has recorded is answered again.
const AGAIN_AFTER: DurationMs = DurationMs::from_secs(30);

// Index: put_off_start_due.
static DUE: Sql = Sql::new(
    "due_put_off_starts",
    "SELECT id FROM put_off_start WHERE state <> 'throttled' AND due_at <= $1 ORDER BY due_at LIMIT $2",
);

// $2 now
static ONE: Sql = Sql::new(
    "due_put_off_start",
    "SELECT id, tenant, owner, trigger_id, throttle_key, request FROM put_off_start
     WHERE id = $1 AND state <> 'throttled' AND due_at <= $2 {for_update_skip}",
);

// Index: put_off_start_throttled.
static THROTTLED: Sql = Sql::new(
    "throttled_starts",
    "SELECT id, tenant, rate, request FROM put_off_start
     WHERE owner = $1 AND trigger_id = $2 AND throttle_key = $3 AND state = 'throttled'
     ORDER BY place LIMIT $4",
);

// Those of replays have none. Index: put_off_event_waits.
static ENTRIES: Sql = Sql::new(
    "entries_of_start",
    "SELECT entry FROM put_off_event WHERE start_id = $1 AND result IS NULL AND entry IS NOT NULL
     ORDER BY delivery_id",
);

/// `StartStore::due_starts`. First what waits for no place, or for one from now on; then what waits for one.
///
/// Each is taken in a commit of its own. What was taken is answered although another one fails: otherwise it would come again
/// after half a minute only, and under another place of its rate. A row that cannot be read keeps no other back.
pub(super) async fn due(store: &SqlStore, now: Timestamp, limit: u32) -> StoreResult<Vec<DueStart>> {
    let mut due: Vec<DueStart> = Vec::new();
    for row in &DUE.all(store.pool().read(), vec![now.0.into(), i64::from(limit).into()]).await? {
        let id = Row::new("put_off_start", row).uuid("id")?;
        if !add_taken(&mut due, take(store, id, now).await)? {
            return Ok(due);
        }
    }
    let keys = match throttle::due_keys(store, now, limit as usize).await {
        Err(_) if !due.is_empty() => return Ok(due),
        keys => keys?,
    };
    for (of, key) in keys {
        let left = (limit as usize).saturating_sub(due.len());
        if left == 0 || !add_taken(&mut due, take_throttled(store, (&of, &key), left, now).await)? {
            break;
        }
    }
    Ok(due)
}

/// Adds what was taken, or answers that no more is to be taken now.
fn add_taken(
    due: &mut Vec<DueStart>,
    taken: StoreResult<impl IntoIterator<Item = DueStart>>,
) -> StoreResult<bool> {
    match taken {
        Ok(taken) => {
            due.extend(taken);
            Ok(true)
        }
        Err(error @ (StoreError::Corrupt { .. } | StoreError::Later { .. })) => {
            let error = &error as &dyn std::error::Error;
            tracing::error!(error, "a start that was put off cannot be read");
            Ok(true)
        }
        Err(error) if due.is_empty() => Err(error),
        Err(error) => {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "not all starts that are due were taken"
            );
            Ok(false)
        }
    }
}

/// Takes a start that is counted under no rate, or lets it wait for its place from now on.
async fn take(store: &SqlStore, id: Uuid, now: Timestamp) -> StoreResult<Option<DueStart>> {
    let transaction = begin_upkeep(store.pool()).await?;
    let Some(row) = ONE.first(&transaction, vec![id.into(), now.0.into()]).await? else {
        rollback(transaction).await;
        return Ok(None);
    };
    let row = Row::new("put_off_start", &row);
    let start = start_of(&transaction, row).await?;
    let due = match row.text_or_null("throttle_key")? {
        None => {
            turn(&transaction, id, "starting", now.plus(AGAIN_AFTER)).await?;
            Some(start)
        }
        Some(key) => {
            let of = StartsOf { owner: row.uuid("owner")?, trigger_id: row.text("trigger_id")? };
            turn(&transaction, id, "throttled", now).await?;
            throttle::wait(&transaction, store, (&of, &key), now).await?;
            None
        }
    };
    commit(transaction).await?;
    Ok(due)
}

/// Takes the first starts of a key that have a place under their rate.
async fn take_throttled(
    store: &SqlStore,
    key: throttle::Key<'_>,
    limit: usize,
    now: Timestamp,
) -> StoreResult<Vec<DueStart>> {
    let transaction = begin_upkeep(store.pool()).await?;
    lock(&transaction, store.dialect(), Lock::Throttle, key).await?;
    // One more than are taken says whether others wait.
    let values =
        vec![key.0.owner.into(), key.0.trigger_id.as_str().into(), key.1.into(), (limit as i64 + 1).into()];
    let rows = THROTTLED.all(&transaction, values).await?;
    let Some(first) = rows.first() else {
        throttle::forget(&transaction, key, now).await?;
        commit(transaction).await?;
        return Ok(Vec::new());
    };
    // The rate as the first one's event found it.
    let first = Row::new("put_off_start", first);
    let rate = first.rate_or_null("rate")?.ok_or_else(|| first.fault("rate"))?;
    let Some(throttle) = Throttle::load(&transaction, store, key, (&rate, now)).await? else {
        rollback(transaction).await;
        return Ok(Vec::new());
    };
    let room = throttle.room(&rate).min(limit);
    let mut due = Vec::with_capacity(room.min(rows.len()));
    for row in rows.iter().take(room) {
        let start = start_of(&transaction, Row::new("put_off_start", row)).await?;
        turn(&transaction, start.id.uuid(), "starting", now.plus(AGAIN_AFTER)).await?;
        due.push(start);
    }
    throttle.record(&transaction, key, &rate, (due.len(), rows.len() > due.len())).await?;
    commit(transaction).await?;
    Ok(due)
}

/// A start with its entries. Nothing is added to it any more: its row is locked, or it waits for its place.
async fn start_of(on: &DatabaseTransaction, row: Row<'_>) -> StoreResult<DueStart> {
    let id = row.uuid("id")?;
    let entries = ENTRIES.all(on, vec![id.into()]).await?;
    let entries = entries.iter().map(|row| Row::new("put_off_event", row).text("entry"));
    Ok(DueStart {
        id: ExecutionId::from_uuid(id),
        tenant: row.name("tenant", TenantName::trusted)?,
        request: row.text("request")?,
        entries: entries.collect::<StoreResult<_>>()?,
    })
}
