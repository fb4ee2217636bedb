//! Counting the starts of a key under its rate. Everything here holds the lock of the key, and judges by the store's clock.

use domain::rate::{Rate, StartCount};
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::starts::StartsOf;

use super::rows::{Lock, lock};
use crate::SqlStore;
use crate::errors::corrupt;
use crate::rows::Row;
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

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
