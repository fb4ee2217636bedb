//! The order in which rows are locked, by everything that changes jobs. Two transactions that follow it never wait for
//! each other in a circle.
//!
//! 1. What jobs come from: entries of bulk operations, which only the owner of the operation marks (`batches/mark.rs`), rows of
//!    schedules by id, guards of webhooks by key, the lock of a unique key of executions (`executions/unique.rs`).
//! 2. Executions: parents first, by depth and then by id (`executions/lock.rs`). Then dead letters, by id.
//! 3. Jobs, by id: cancel, reprioritise, settle, release, heartbeat, run now, the commits of executions. A batch is
//!    sorted before it is sent, and what takes more than one statement locks its jobs first ([`lock_jobs`]). New jobs go
//!    in by their unique keys, then by their ids (`enqueue.sql`): an insert waits for another one of its key.
//! 4. The rows that serialise claims, by the code of the queue, all of them by the last statement of the transaction
//!    ([`bump_epoch`](crate::claim_row::bump_epoch)).
//!
//! A claim and an eager start begin with the fourth, because what they do depends on it. So **who has such a row waits for
//! no job**: the claim leaves out jobs that are being changed, and finds them again when its node lists the lanes.
//!
//! Whoever gives a concurrency key on does not wait for the job that is next either (`admit.sql`): a key whose next job
//! was being changed is given on by promotion.
//!
//! Upkeep waits for nobody. It leaves out what is locked ([`lock_expired_jobs`], `promote_due.sql`, `move_lanes.sql`) and
//! gives up after [a second](begin_upkeep) where it cannot: the next tick is soon.
//!
//! Migrations take whole tables, in this order where there is one, and give up soon where they cannot (`migrate.rs`).
//!
//! `tests/lock_order` provokes the circles that there were, and reads `pg_locks`. SQLite has one writer, so that none of
//! this concerns it.

use sea_orm::ConnectionTrait;
use store::StoreResult;
use uuid::Uuid;

use crate::bind;
use crate::dialect::Dialect;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

static UPKEEP: Sql =
    Sql::new("upkeep_lock_timeout", "SELECT set_config('lock_timeout', '1s', true) AS lock_timeout");

static LOCK: Sql =
    Sql::new("lock_jobs", "SELECT id FROM job WHERE id {any $1 uuid} ORDER BY id {for_update}");

// The state is written so that no partial index fits: what is left is a probe by id.
// $2 now or null
static LOCK_EXPIRED: Sql = Sql::new(
    "lock_expired_jobs",
    "SELECT id FROM job WHERE id {any $1 uuid} AND state || '' = 'processing' AND lease_until < {now $2}
     ORDER BY id {for_update_skip}",
);

/// Begins a transaction of upkeep, which waits for no lock longer than a second.
pub(crate) async fn begin_upkeep(pool: &Pool) -> StoreResult<DatabaseTransaction> {
    let transaction = pool.begin().await?;
    if pool.dialect() == Dialect::Postgres {
        UPKEEP.first(&transaction, vec![]).await?;
    }
    Ok(transaction)
}

/// Locks jobs, before statements that name them in another order.
pub(crate) async fn lock_jobs<C: ConnectionTrait>(
    on: &C,
    jobs: impl ExactSizeIterator<Item = Uuid>,
) -> StoreResult<()> {
    let dialect = Dialect::of(on.get_database_backend());
    if dialect == Dialect::Postgres {
        LOCK.all(on, vec![bind::uuids(dialect, jobs)]).await?;
    }
    Ok(())
}

/// Locks those of these jobs whose leases have ended and that nobody else is changing, and answers them.
pub(crate) async fn lock_expired_jobs<C: ConnectionTrait>(
    on: &C,
    jobs: impl ExactSizeIterator<Item = Uuid>,
    now: Option<i64>,
) -> StoreResult<Vec<Uuid>> {
    let dialect = Dialect::of(on.get_database_backend());
    let rows = LOCK_EXPIRED.all(on, vec![bind::uuids(dialect, jobs), now.into()]).await?;
    rows.iter().map(|row| Row::new("job", row).uuid("id")).collect()
}
