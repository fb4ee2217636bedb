//! Finding the starts whose turn it is, under the rate of their key.

use std::collections::HashSet;

use domain::id::ExecutionId;
use domain::names::TenantName;
use domain::rate::{Rate, StartCount};
use domain::time::{DurationMs, Timestamp};
use store::starts::{DueStart, StartsOf};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::lock::{Lock, lock, turn};
use crate::SqlStore;
use crate::bind;
use crate::errors::corrupt;
use crate::lock_order::begin_upkeep;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

/// After this wait a start whose end nobody has recorded is answered again.
const AGAIN_AFTER: DurationMs = DurationMs::from_secs(30);

// Index: put_off_start_due.
static DUE: Sql = Sql::new(
    "due_put_off_starts",
    "SELECT id FROM put_off_start
     WHERE state <> 'throttled' AND due_at <= $1 AND NOT (id {any $3 uuid}) ORDER BY due_at LIMIT $2",
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
    // What this process could not open a while ago is for those that can.
    let closed = store.sealer().closed_starts.left_at(now);
    let left = bind::uuids(store.dialect(), closed.iter().copied());
    for row in &DUE.all(store.pool().read(), vec![now.0.into(), i64::from(limit).into(), left]).await? {
        let id = Row::new("put_off_start", row).uuid("id")?;
        if !add_taken(&mut due, take(store, id, now).await)? {
            return Ok(due);
        }
    }
    let keys = match due_keys(store, now, limit as usize).await {
        Err(_) if !due.is_empty() => return Ok(due),
        keys => keys?,
    };
    for (of, key) in keys {
        let left = (limit as usize).saturating_sub(due.len());
        if left == 0 {
            break;
        }
        let taken = take_throttled(store, (&of, &key), (left, &closed), now).await;
        if !add_taken(&mut due, taken)? {
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
            tracing::error!(error, "a delayed start cannot be read");
            Ok(true)
        }
        Err(error) if due.is_empty() => Err(error),
        Err(error) => {
            tracing::debug!(error = &error as &dyn std::error::Error, "not all due starts could be read");
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
            wait(&transaction, store, (&of, &key), now).await?;
            None
        }
    };
    commit(transaction).await?;
    Ok(due)
}

/// Takes the first starts of a key that have a place under their rate, at most so many, and none of those that are closed.
async fn take_throttled(
    store: &SqlStore,
    key: Key<'_>,
    (limit, closed): (usize, &HashSet<Uuid>),
    now: Timestamp,
) -> StoreResult<Vec<DueStart>> {
    let transaction = begin_upkeep(store.pool()).await?;
    lock(&transaction, store.dialect(), Lock::Throttle, key).await?;
    // One more than are taken says whether others wait.
    let values =
        vec![key.0.owner.into(), key.0.trigger_id.as_str().into(), key.1.into(), (limit as i64 + 1).into()];
    let mut rows = THROTTLED.all(&transaction, values).await?;
    if rows.is_empty() {
        forget(&transaction, key, now).await?;
        commit(transaction).await?;
        return Ok(Vec::new());
    }
    let waiting = rows.len();
    rows.retain(|row| !Row::new("put_off_start", row).uuid("id").is_ok_and(|id| closed.contains(&id)));
    let Some(first) = rows.first() else {
        rollback(transaction).await;
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
    throttle.record(&transaction, key, &rate, (due.len(), waiting > due.len())).await?;
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

// Counting the starts of a key under its rate. Everything here holds the lock of the key, and judges by the store's clock.

// Where others wait, or were started, there is an instant before which there is no place.
static WAIT: Sql = Sql::new(
    "await_throttle",
    "INSERT INTO start_throttle (owner, trigger_id, throttle_key, free_at, next_at) VALUES ($1, $2, $3, $4, $4)
     ON CONFLICT (owner, trigger_id, throttle_key) DO UPDATE SET next_at = start_throttle.free_at
     RETURNING free_at",
);

// Index: start_throttle_next.
static KEYS: Sql = Sql::new(
    "due_throttles",
    "SELECT owner, trigger_id, throttle_key FROM start_throttle WHERE next_at <= $1 ORDER BY next_at LIMIT $2",
);

static COUNT: Sql = Sql::new(
    "count_of_throttle",
    "SELECT counted, {now $4} AS now_ms FROM start_throttle
     WHERE owner = $1 AND trigger_id = $2 AND throttle_key = $3",
);

static SAVE: Sql = Sql::new(
    "save_throttle",
    "UPDATE start_throttle SET counted = $4, free_at = $5, next_at = $6
     WHERE owner = $1 AND trigger_id = $2 AND throttle_key = $3",
);

static FORGET: Sql = Sql::new(
    "forget_throttle",
    "DELETE FROM start_throttle WHERE owner = $1 AND trigger_id = $2 AND throttle_key = $3 AND next_at <= $4",
);

/// So much longer than it has to be a count is kept, for nodes whose clocks are ahead of the store's.
const KEPT: DurationMs = DurationMs::from_secs(60);

/// A trigger and a key of it.
pub(super) type Key<'a> = (&'a StartsOf, &'a str);

/// The starts of a key, as far as its rate needs them.
pub(super) struct Throttle {
    count: StartCount,
    /// The instant by the store's clock.
    now: Timestamp,
}

/// Lets starts of a key wait for a place; answers when there is one, as far as is known.
pub(super) async fn wait(
    on: &DatabaseTransaction,
    store: &SqlStore,
    key: Key<'_>,
    now: Timestamp,
) -> StoreResult<Timestamp> {
    lock(on, store.dialect(), Lock::Throttle, key).await?;
    let row = WAIT.first(on, [named(key), vec![now.0.into()]].concat()).await?;
    row.map_or(Ok(now), |row| Row::new("start_throttle", &row).instant("free_at"))
}

/// Keys that are to be looked at, those first that are due for longest.
pub(super) async fn due_keys(
    store: &SqlStore,
    now: Timestamp,
    limit: usize,
) -> StoreResult<Vec<(StartsOf, String)>> {
    let rows = KEYS.all(store.pool().read(), vec![now.0.into(), (limit as i64).into()]).await?;
    let keys = rows.iter().map(|row| {
        let row = Row::new("start_throttle", row);
        let of = StartsOf { owner: row.uuid("owner")?, trigger_id: row.text("trigger_id")? };
        Ok((of, row.text("throttle_key")?))
    });
    keys.collect()
}

impl Throttle {
    /// The count of a key whose lock this transaction has; `None` where there is no such key any more.
    pub(super) async fn load(
        on: &DatabaseTransaction,
        store: &SqlStore,
        key: Key<'_>,
        (rate, now): (&Rate, Timestamp),
    ) -> StoreResult<Option<Self>> {
        let values = [named(key), vec![store.lease_now(now).into()]].concat();
        let Some(row) = COUNT.first(on, values).await? else {
            return Ok(None);
        };
        let row = Row::new("start_throttle", &row);
        let now = row.instant("now_ms")?;
        let count: Option<StartCount> = row.json_or_null("counted")?;
        let count = count.unwrap_or_else(|| StartCount::new(rate, now)).advanced(rate, now);
        Ok(Some(Self { count, now }))
    }

    /// How many may start.
    pub(super) fn room(&self, rate: &Rate) -> usize {
        self.count.room(rate) as usize
    }

    /// Counts starts, and writes when to look again: where others wait, when there is a place for the next one.
    pub(super) async fn record(
        mut self,
        on: &DatabaseTransaction,
        key: Key<'_>,
        rate: &Rate,
        (starts, others_wait): (usize, bool),
    ) -> StoreResult<()> {
        if starts > 0 {
            self.count.record(rate, u32::try_from(starts).unwrap_or(u32::MAX), self.now);
        }
        let counted = serde_json::to_string(&self.count)
            .map_err(|_| corrupt("start_throttle", "counted", key.1.to_owned()))?;
        let free_at = self.count.free_at(rate, 0);
        let next_at = if others_wait { free_at } else { self.count.expires_at(rate).max(free_at).plus(KEPT) };
        SAVE.run(on, [named(key), vec![counted.into(), free_at.0.into(), next_at.0.into()]].concat())
            .await
            .map(|_| ())
    }
}

/// Forgets a key for which nobody waits and whose count says nothing any more.
pub(super) async fn forget(on: &DatabaseTransaction, key: Key<'_>, now: Timestamp) -> StoreResult<()> {
    FORGET.run(on, [named(key), vec![now.0.into()]].concat()).await.map(|_| ())
}

fn named((of, key): Key<'_>) -> Vec<sea_orm::Value> {
    vec![of.owner.into(), of.trigger_id.as_str().into(), key.into()]
}
