//! Connections to PostgreSQL that are not our own: a pooler in between lends them out, one transaction at a time.
//!
//! Behind such a pooler (PgBouncer with `pool_mode = transaction`) two statements of one connection may run in two
//! sessions of the server, and each session serves others in between. So nothing may outlive a transaction: every
//! statement is part of one, which begins by making the settings it needs and by dropping what whoever had the session
//! before has left there. Notifications never arrive, so nothing is listened to.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection, Row as _};

use crate::schema_name::SchemaName;

/// The settings of the planner. Every statement has its index, and its plan must not depend on statistics that
/// were taken (or not yet taken) when the tables were empty, so: one generic plan for each statement, index scans,
/// nested loops. No bitmaps of pages: where many rows match, they are all read and sorted for the few that come first.
const PLANNER: [(&str, &str); 6] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("enable_bitmapscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("jit", "off"),
];

/// A node that stops in the middle of a transaction (a paused machine) gives its locks back after this, instead of
/// keeping every other node from the queue.
const IDLE_IN_TRANSACTION: &str = "2s";

/// The longest wait for a lock. Whoever holds one stands still for as long as [`IDLE_IN_TRANSACTION`] at most.
const LOCK_TIMEOUT_MAX: Duration = Duration::from_secs(4);

/// A node that vanished is noticed by the keep-alive, and one that takes nothing any more by its silence.
const SOCKET: &str = "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3; \
                      SET tcp_user_timeout = '15s'";

/// The settings of a session.
pub(crate) struct Setup<'a> {
    /// Where the tables are.
    pub(crate) schema: &'a SchemaName,
    /// How long this side waits for the answer to a statement.
    pub(crate) statement_within: Duration,
}

impl Setup<'_> {
    /// Sets up a connection of our own.
    pub(crate) fn own(&self) -> String {
        format!("{}{SOCKET}", self.settings("SET"))
    }

    /// Begins a transaction on a shared connection.
    pub(crate) fn shared_begin(&self) -> String {
        format!("BEGIN; {}{FORGET}", self.settings("SET LOCAL"))
    }

    fn settings(&self, set: &str) -> String {
        // The server gives up first, so that it says that nothing was written.
        let statement = self.statement_within.mul_f64(0.9).as_millis();
        let lock = LOCK_TIMEOUT_MAX.min(self.statement_within / 2).as_millis();
        let mut settings = format!("{set} search_path TO {}; ", self.schema);
        for (name, value) in PLANNER {
            settings = format!("{settings}{set} {name} = {value}; ");
        }
        format!(
            "{settings}{set} statement_timeout = {statement}; {set} lock_timeout = {lock}; \
             {set} idle_in_transaction_session_timeout = '{IDLE_IN_TRANSACTION}'; "
        )
    }
}

/// Drops what others have left in the session: prepared statements, whose names would collide with ours, and channels
/// that are listened to, whose notifications would come in the middle of our answers.
pub(crate) const FORGET: &str = "DEALLOCATE ALL; UNLISTEN *";

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
