//! Starts of one key are gathered one after another: its lock, and whose turn it is.

use domain::time::Timestamp;
use domain::workflow::unique::lock_of;
use store::StoreResult;
use store::starts::StartsOf;
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::sql::{DatabaseTransaction, Sql};

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
