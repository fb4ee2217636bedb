//! Adding an event to a start that is put off.

use domain::id::DeliveryId;
use domain::time::Timestamp;
use domain::webhook::{Gathered, Gathering, StartEnd};
use store::StoreResult;
use store::starts::{PutOff, PutOffState};
use uuid::Uuid;

use super::due;
use super::end::end_of;
use super::lock::{Lock, lock, turn};
use crate::SqlStore;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sealing::plain_text_bytes;
use crate::sql::{DatabaseTransaction, Sql};

// One that ended may be gone from `put_off_start`.
static KNOWN: Sql = Sql::new(
    "known_put_off_event",
    "SELECT e.start_id, e.result, e.execution_id, e.failure, s.due_at
     FROM put_off_event e LEFT JOIN put_off_start s ON s.id = e.start_id
     WHERE e.delivery_id = $1 AND e.trigger_id = $2",
);

// One that failed may be added again.
static IS_PUT_OFF: Sql = Sql::new(
    "is_put_off",
    "SELECT start_id FROM put_off_event
     WHERE delivery_id = $1 AND trigger_id = $2 AND (result IS NULL OR result <> 'error')",
);

// Index: put_off_start_gathering.
static OPEN: Sql = Sql::new(
    "gathering_start",
    "SELECT id, throttle_key, first_at, due_at, events, bytes FROM put_off_start
     WHERE owner = $1 AND trigger_id = $2 AND gather_key = $3 AND state = 'gathering' {for_update}",
);

static INSERT: Sql = Sql::new(
    "put_off_start",
    "INSERT INTO put_off_start (id, tenant, owner, trigger_id, gather_key, throttle_key, rate, state, first_at, due_at,
       events, bytes, last_delivery, request)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
);

static JOIN: Sql = Sql::new(
    "join_put_off_start",
    "UPDATE put_off_start SET due_at = $2, events = $3, bytes = $4 WHERE id = $1",
);

// Deliveries may be matched in another order than they came in: the last that came counts.
static LAST: Sql = Sql::new(
    "last_of_put_off_start",
    "UPDATE put_off_start SET last_delivery = $2, request = $3, throttle_key = $4, rate = $5
     WHERE id = $1 AND last_delivery < $2",
);

// One that is there failed before.
static EVENT: Sql = Sql::new(
    "put_off_event",
    "INSERT INTO put_off_event (delivery_id, trigger_id, start_id, entry) VALUES ($1, $2, $3, $4)
     ON CONFLICT (delivery_id, trigger_id) DO UPDATE
     SET start_id = excluded.start_id, entry = excluded.entry, result = NULL, execution_id = NULL, failure = NULL",
);

// Of a replay, which shows the start and adds nothing.
static SHOWN: Sql = Sql::new(
    "show_put_off_event",
    "INSERT INTO put_off_event (delivery_id, trigger_id, start_id) VALUES ($1, $2, $3)
     ON CONFLICT (delivery_id, trigger_id) DO NOTHING",
);

/// What is gathered for a key.
struct Open {
    id: Uuid,
    throttle_key: Option<String>,
    gathered: Gathered,
}

/// An event that was added before.
struct Known {
    start_id: Uuid,
    end: Option<StartEnd>,
    due_at: Option<Timestamp>,
}

/// `StartStore::put_off`. May be repeated.
pub(super) async fn put_off(store: &SqlStore, event: &PutOff, now: Timestamp) -> StoreResult<PutOffState> {
    let transaction = store.pool().begin().await?;
    match (&event.gathering, &event.throttle) {
        (Some((_, key)), _) => lock(&transaction, store.dialect(), Lock::Gather, (&event.of, key)).await?,
        (None, Some((_, key))) => {
            lock(&transaction, store.dialect(), Lock::Throttle, (&event.of, key)).await?;
        }
        (None, None) => {}
    }
    let is_replay = event.shown_on != event.delivery_id;
    let until = match known(&transaction, event).await? {
        Some(Known { end: Some(end), .. }) if !is_replay || !matches!(end, StartEnd::Failed { .. }) => {
            rollback(transaction).await;
            return Ok(PutOffState::Ended(end));
        }
        Some(Known { start_id, end: None, due_at }) => {
            show_on(&transaction, event, start_id).await?;
            due_at.unwrap_or(now)
        }
        _ => {
            let (start_id, until) = add(store, &transaction, event, now).await?;
            let values = vec![
                event.delivery_id.uuid().into(),
                event.of.trigger_id.as_str().into(),
                start_id.into(),
                event.entry.as_deref().into(),
            ];
            EVENT.run(&transaction, values).await?;
            show_on(&transaction, event, start_id).await?;
            until
        }
    };
    commit(transaction).await?;
    Ok(PutOffState::Waits(until.max(now)))
}

/// `StartStore::is_put_off`.
pub(super) async fn is_put_off(
    store: &SqlStore,
    delivery: DeliveryId,
    trigger_id: &str,
) -> StoreResult<bool> {
    let values = vec![delivery.uuid().into(), trigger_id.into()];
    Ok(IS_PUT_OFF.first(store.pool().read(), values).await?.is_some())
}

async fn known(on: &DatabaseTransaction, event: &PutOff) -> StoreResult<Option<Known>> {
    let values = vec![event.delivery_id.uuid().into(), event.of.trigger_id.as_str().into()];
    let Some(row) = KNOWN.first(on, values).await? else {
        return Ok(None);
    };
    let row = Row::new("put_off_event", &row);
    let (start_id, due_at) = (row.uuid("start_id")?, row.instant_or_null("due_at")?);
    Ok(Some(Known { start_id, end: end_of(row)?, due_at }))
}

/// Lets a replay show the start as well.
async fn show_on(on: &DatabaseTransaction, event: &PutOff, start_id: Uuid) -> StoreResult<()> {
    if event.shown_on == event.delivery_id {
        return Ok(());
    }
    let values = vec![event.shown_on.uuid().into(), event.of.trigger_id.as_str().into(), start_id.into()];
    SHOWN.run(on, values).await.map(|_| ())
}

/// Adds an event; answers its start, and when that is due as things stand.
async fn add(
    store: &SqlStore,
    on: &DatabaseTransaction,
    event: &PutOff,
    now: Timestamp,
) -> StoreResult<(Uuid, Timestamp)> {
    if let Some((gathering, key)) = &event.gathering {
        return gather(store, on, event, (*gathering, key), now).await;
    }
    let alone = Gathered { first_at: now, due_at: now, count: 1, bytes: 0 };
    let Some((_, key)) = &event.throttle else {
        insert(on, event, "ready", alone).await?;
        return Ok((event.id.uuid(), now));
    };
    insert(on, event, "throttled", alone).await?;
    Ok((event.id.uuid(), due::wait(on, store, (&event.of, key), now).await?))
}

/// Adds an event to what is gathered for its key.
async fn gather(
    store: &SqlStore,
    on: &DatabaseTransaction,
    event: &PutOff,
    (gathering, key): (Gathering, &str),
    now: Timestamp,
) -> StoreResult<(Uuid, Timestamp)> {
    let values = vec![event.of.owner.into(), event.of.trigger_id.as_str().into(), key.into()];
    let row = OPEN.first(on, values).await?;
    let open = row.map(|row| open_of(Row::new("put_off_start", &row))).transpose()?;
    let bytes = event.entry.as_ref().map_or(0, |entry| plain_text_bytes(entry) as u64);
    let admission = gathering.add(open.as_ref().map(|open| open.gathered), bytes, now);
    let due_at = admission.gathered.due_at;
    if let Some(open) = open {
        if !admission.seals {
            join(on, open.id, event, admission.gathered).await?;
            return Ok((open.id, due_at));
        }
        match &open.throttle_key {
            None => turn(on, open.id, "ready", now).await?,
            Some(key) => {
                turn(on, open.id, "throttled", now).await?;
                due::wait(on, store, (&event.of, key), now).await?;
            }
        }
    }
    insert(on, event, "gathering", admission.gathered).await?;
    Ok((event.id.uuid(), due_at))
}

async fn join(on: &DatabaseTransaction, id: Uuid, event: &PutOff, gathered: Gathered) -> StoreResult<()> {
    let values = vec![
        id.into(),
        gathered.due_at.0.into(),
        i64::from(gathered.count).into(),
        bytes_of(gathered).into(),
    ];
    JOIN.run(on, values).await?;
    let (throttle_key, rate) = throttle_columns(event);
    let values = vec![
        id.into(),
        event.delivery_id.uuid().into(),
        event.request.as_str().into(),
        throttle_key.into(),
        rate.into(),
    ];
    LAST.run(on, values).await.map(|_| ())
}

async fn insert(
    on: &DatabaseTransaction,
    event: &PutOff,
    state: &str,
    gathered: Gathered,
) -> StoreResult<()> {
    let (throttle_key, rate) = throttle_columns(event);
    let values = vec![
        event.id.uuid().into(),
        event.tenant.as_str().into(),
        event.of.owner.into(),
        event.of.trigger_id.as_str().into(),
        event.gathering.as_ref().map(|(_, key)| key.as_str()).into(),
        throttle_key.into(),
        rate.into(),
        state.into(),
        gathered.first_at.0.into(),
        gathered.due_at.0.into(),
        i64::from(gathered.count).into(),
        bytes_of(gathered).into(),
        event.delivery_id.uuid().into(),
        event.request.as_str().into(),
    ];
    INSERT.run(on, values).await.map(|_| ())
}

/// The columns `throttle_key` and `rate`.
fn throttle_columns(event: &PutOff) -> (Option<&str>, Option<String>) {
    match &event.throttle {
        Some((rate, key)) => (Some(key.as_str()), Some(rate.to_string())),
        None => (None, None),
    }
}

fn bytes_of(gathered: Gathered) -> i64 {
    i64::try_from(gathered.bytes).unwrap_or(i64::MAX)
}

fn open_of(row: Row<'_>) -> StoreResult<Open> {
    Ok(Open {
        id: row.uuid("id")?,
        throttle_key: row.text_or_null("throttle_key")?,
        gathered: Gathered {
            first_at: row.instant("first_at")?,
            due_at: row.instant("due_at")?,
            count: row.count("events")?,
            bytes: row.long("bytes")?.unsigned_abs(),
        },
    })
}
