//! Rows of `put_off_start` and `put_off_event`, and the locks of keys.

use domain::id::ExecutionId;
use domain::time::Timestamp;
use domain::webhook::StartEnd;
use domain::workflow::unique::lock_of;
use serde_json::{Value, json};
use store::StoreResult;
use store::starts::StartsOf;
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

// PostgreSQL only.
static LOCK: Sql = Sql::new("lock_starts_of_key", "SELECT pg_advisory_xact_lock($1)");

static TURN: Sql =
    Sql::new("turn_put_off_start", "UPDATE put_off_start SET state = $2, due_at = $3 WHERE id = $1");

/// What a lock is for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lock {
    /// Events are gathered.
    Gather,
    /// Starts are counted.
    Throttle,
}

/// Takes the lock of a key until the transaction ends.
pub(super) async fn lock(
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
pub(super) async fn turn(
    on: &DatabaseTransaction,
    id: Uuid,
    state: &str,
    due_at: Timestamp,
) -> StoreResult<()> {
    TURN.run(on, vec![id.into(), state.into(), due_at.0.into()]).await.map(|_| ())
}

/// How the start of an event ended, from the columns `result`, `execution_id` and `failure`; `None` before that.
pub(super) fn end_of(row: Row<'_>) -> StoreResult<Option<StartEnd>> {
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
pub(super) fn columns_of(end: &StartEnd) -> (Option<Uuid>, Option<String>) {
    let failure = match end {
        StartEnd::Failed { code, message } => Some(json!({ "code": code, "message": message }).to_string()),
        _ => None,
    };
    (end.execution().map(domain::id::Id::uuid), failure)
}
