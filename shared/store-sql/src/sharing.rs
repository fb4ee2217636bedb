//! Connections to PostgreSQL that are not our own: a pooler in between lends them out, one transaction at a time.
//!
//! Behind such a pooler (PgBouncer with `pool_mode = transaction`) two statements of one connection may run in two
//! sessions of the server, and each session serves others in between. So nothing may outlive a transaction: every
//! statement is part of one, which begins by making the settings it needs and by dropping what whoever had the session
//! before has left there. Notifications never arrive, so nothing is listened to.

use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, TransactionTrait};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection, Row as _};

/// How the planner is told to work. Every statement has its index, and its plan must not depend on statistics that
/// were taken (or not yet taken) when the tables were empty, so: one generic plan for each statement, index scans,
/// nested loops.
///
/// A node that stops in the middle of a transaction (a paused machine) gives its locks back after a while, instead of
/// keeping every other node from the queue.
macro_rules! settings {
    ($set:literal) => {
        concat!(
            $set,
            " plan_cache_mode = force_generic_plan; ",
            $set,
            " enable_seqscan = off; ",
            $set,
            " enable_hashjoin = off; ",
            $set,
            " enable_mergejoin = off; ",
            $set,
            " jit = off; ",
            $set,
            " idle_in_transaction_session_timeout = '10s'; ",
        )
    };
}

/// See [`FORGET`].
macro_rules! forget {
    () => {
        "DEALLOCATE ALL; UNLISTEN *"
    };
}

/// Sets up a connection of our own. A node that vanished is noticed by the keep-alive.
pub(crate) const OWN_SETUP: &str = concat!(
    settings!("SET"),
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
);

/// Sets up a transaction on a shared connection.
const SHARED_SETUP: &str = concat!(settings!("SET LOCAL"), forget!());

/// Begins a transaction on a shared connection.
pub(crate) const SHARED_BEGIN: &str = concat!("BEGIN; ", settings!("SET LOCAL"), forget!());

/// Drops what others have left in the session: prepared statements, whose names would collide with ours, and channels
/// that are listened to, whose notifications would come in the middle of our answers.
pub(crate) const FORGET: &str = forget!();

/// How often two connections are compared. One look is enough where nobody else uses the pooler.
const LOOKS: usize = 4;

/// Whether connections are shared: two that are open at once meet the same session, or one meets two.
pub(crate) async fn is_shared(options: &PgConnectOptions) -> Result<bool, sqlx::Error> {
    let mut one = PgConnection::connect_with(options).await?;
    let mut other = PgConnection::connect_with(options).await?;
    let first = (session(&mut one).await?, session(&mut other).await?);
    let mut is_shared = first.0 == first.1;
    for look in 1..LOOKS {
        if is_shared {
            break;
        }
        // In turns, because a pooler that goes round its sessions could keep in step with us.
        let met = if look % 2 == 0 {
            (session(&mut one).await?, session(&mut other).await?)
        } else {
            let of_other = session(&mut other).await?;
            (session(&mut one).await?, of_other)
        };
        is_shared = met != first;
    }
    one.close().await?;
    other.close().await?;
    Ok(is_shared)
}

/// The process that serves the connection. Not by a prepared statement, because those are what may not work.
async fn session(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    sqlx::raw_sql("SELECT pg_backend_pid()").fetch_one(connection).await?.try_get(0)
}

/// Begins a transaction on a shared connection.
pub(crate) async fn begin(connection: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let transaction = connection.begin().await?;
    transaction.execute_unprepared(SHARED_SETUP).await?;
    Ok(transaction)
}
