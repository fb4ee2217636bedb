//! Starts that are put off: events gathered into one, and starts that wait their turn under a rate.
//!
//! Who adds an event to a key, or counts starts of one, holds the lock of the key: on PostgreSQL an advisory lock that ends
//! with the transaction, on SQLite the transaction itself. The lock under which events are gathered is taken before that
//! under which starts are counted.

mod add;
mod due;
mod end;

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use domain::id::{DeliveryId, ExecutionId};
use domain::time::{DurationMs, Timestamp};
use domain::webhook::StartEnd;
use domain::workflow::unique::lock_of;
use parking_lot::Mutex;
use serde_json::{Value, json};
use store::StoreResult;
use store::starts::{DueStart, PutOff, PutOffState, StartStore, StartsOf};
use uuid::Uuid;

use crate::SqlStore;
use crate::dialect::Dialect;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

pub(crate) use end::REMOVE as REMOVE_EVENTS;

// Rows of `put_off_start` and `put_off_event`, and the locks of keys.

// PostgreSQL only.
static LOCK: Sql = Sql::new("lock_starts_of_key", "SELECT pg_advisory_xact_lock($1)");

static TURN: Sql =
    Sql::new("turn_put_off_start", "UPDATE put_off_start SET state = $2, due_at = $3 WHERE id = $1");

/// What a lock is for.
#[derive(Debug, Clone, Copy)]
enum Lock {
    /// Events are gathered.
    Gather,
    /// Starts are counted.
    Throttle,
}

/// Takes the lock of a key until the transaction ends.
async fn lock(
    on: &DatabaseTransaction,
    dialect: Dialect,
    kind: Lock,
    (of, key): (&StartsOf, &str),
) -> StoreResult<()> {
    if dialect == Dialect::Sqlite {
        return Ok(());
    }
    let kind = match kind {
        Lock::Gather => "gather",
        Lock::Throttle => "throttle",
    };
    let number = lock_of(&[kind, &of.owner.to_string(), &of.trigger_id, key]);
    LOCK.run(on, vec![number.into()]).await.map(|_| ())
}

/// Moves a start to another state, in which something is to be done at an instant.
async fn turn(on: &DatabaseTransaction, id: Uuid, state: &str, due_at: Timestamp) -> StoreResult<()> {
    TURN.run(on, vec![id.into(), state.into(), due_at.0.into()]).await.map(|_| ())
}

/// How the start of an event ended, from the columns `result`, `execution_id` and `failure`; `None` before that.
fn end_of(row: Row<'_>) -> StoreResult<Option<StartEnd>> {
    let Some(result) = row.text_or_null("result")? else {
        return Ok(None);
    };
    let execution = || row.uuid("execution_id").map(ExecutionId::from_uuid);
    let end = match result.as_str() {
        "started" => StartEnd::Started(execution()?),
        "joined" => StartEnd::Joined(execution()?),
        "exists" => StartEnd::Exists(execution()?),
        "error" => {
            let failure = row.json_or_null::<Value>("failure")?.unwrap_or_default();
            let text = |field: &str| failure[field].as_str().unwrap_or_default().to_owned();
            StartEnd::Failed { code: text("code"), message: text("message") }
        }
        _ => return Err(row.fault("result")),
    };
    Ok(Some(end))
}

/// The columns `execution_id` and `failure` of an end.
fn columns_of(end: &StartEnd) -> (Option<Uuid>, Option<String>) {
    let failure = match end {
        StartEnd::Failed { code, message } => Some(json!({ "code": code, "message": message }).to_string()),
        _ => None,
    };
    (end.execution().map(domain::id::Id::uuid), failure)
}

// Starts that this process cannot open.

/// For so long they are left to other processes.
const LEFT_FOR: DurationMs = DurationMs::from_secs(300);
/// How many are known. Of more some are taken again, as those that are left for long enough.
const LEFT_MAX: usize = 1_000;

/// Starts that this process took and could not open, because it has not their keys. Otherwise it might take them again and again
/// before a process that has.
#[derive(Debug, Default)]
pub(crate) struct ClosedStarts(Mutex<HashMap<Uuid, Timestamp>>);

impl ClosedStarts {
    /// Those that are left to others at an instant.
    fn left_at(&self, now: Timestamp) -> HashSet<Uuid> {
        let mut closed = self.0.lock();
        closed.retain(|_, until| *until > now);
        closed.keys().copied().collect()
    }

    fn add(&self, ids: impl Iterator<Item = Uuid>, now: Timestamp) {
        let mut closed = self.0.lock();
        let room = LEFT_MAX.saturating_sub(closed.len());
        closed.extend(ids.take(room).map(|id| (id, now.plus(LEFT_FOR))));
    }
}

// The port's operations on starts that are put off, each retried where that is safe.

#[async_trait]
impl StartStore for SqlStore {
    async fn put_off(&self, event: &PutOff, now: Timestamp) -> StoreResult<PutOffState> {
        let sealed = self.sealed(std::slice::from_ref(event)).await?;
        let event = sealed.first().unwrap_or(event);
        with_retry(RetryBudget::repeatable(), || add::put_off(self, event, now)).await
    }

    async fn due_starts(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<DueStart>> {
        // Not repeated: what was taken before a fault is answered again when its half minute is over.
        let due = due::due(self, now, limit).await?;
        let mut closed: HashSet<Uuid> = due.iter().map(|start| start.id.uuid()).collect();
        let open = self.openable("a start that was put off", due).await?;
        for start in &open {
            closed.remove(&start.id.uuid());
        }
        self.sealer().closed_starts.add(closed.into_iter(), now);
        Ok(open)
    }

    async fn end_start(&self, id: ExecutionId, end: &StartEnd) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || end::end(self, id, end)).await
    }

    async fn show_ended_starts(&self, delivery: DeliveryId) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || end::show_all(self, delivery)).await
    }
}
