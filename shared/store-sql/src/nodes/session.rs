//! The session by which PostgreSQL knows that a process lives.
//!
//! The lock is shared, so that a process whose connection broke has it again at once, although the server may hold the
//! old session open for a while. The row is written by the connections that everything else goes by, and only if they
//! see the lock: an address that leads elsewhere must not make a process that lives look lost.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection};
use store::operations::NodeRecord;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use uuid::Uuid;

use crate::pool::Pool;
use crate::sql::Sql;
use crate::wakeup::back_off;

/// How often the connection is tried out. A server that sees it break sees the end of the process, too, so a broken one
/// is to be replaced sooner than it counts as lost.
const TRIED_EVERY: Duration = Duration::from_millis(500);

/// How long an answer may take, and how long it may take to connect.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// How far the waits after failures grow: to less than a second. Others take a process for lost after three.
const BACK_OFF_MAX: u32 = 3;

// What is left of processes on servers before this one goes with time: nobody knows what became of them.
// $1 process, $2 pools, $3 lock
static REGISTER: Sql = Sql::new(
    "register_node",
    "WITH here AS (
         SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint AS server,
             (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
     ), old AS (
         DELETE FROM node n USING here h
         WHERE n.server <> h.server AND n.registered_at < h.now_ms - 86400000 AND n.id <> $1
     )
     INSERT INTO node (id, pools, lock_key, server, registered_at)
     SELECT $1, $2, $3, h.server, h.now_ms FROM here h
     WHERE NOT pg_try_advisory_xact_lock($3)
     ON CONFLICT (id) DO UPDATE SET server = EXCLUDED.server, registered_at = EXCLUDED.registered_at",
);

static WITHDRAW: Sql = Sql::new("withdraw_node", "DELETE FROM node WHERE id = $1");

/// Keeps the session of a process until it is dropped.
#[derive(Debug)]
pub(crate) struct Session {
    node: Uuid,
    keeper: AbortHandle,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

impl Session {
    /// Begins on the present runtime.
    pub(super) fn start(options: PgConnectOptions, pool: Pool, node: &NodeRecord) -> Self {
        let keeper = Keeper { options, pool, node: node.nonce, pools: pools_text(node) };
        Self { node: node.nonce, keeper: tokio::spawn(keeper.run()).abort_handle() }
    }

    /// The process that it is of.
    pub(crate) fn node(&self) -> Uuid {
        self.node
    }
}

/// The names of the pools as they are stored.
pub(super) fn pools_text(node: &NodeRecord) -> String {
    let names: Vec<&str> = node.pools.iter().map(domain::names::WorkerId::as_str).collect();
    serde_json::json!(names).to_string()
}

/// The lock of a process. Its nonce is random, and so is the half of it.
fn lock_key(node: Uuid) -> i64 {
    node.as_u64_pair().1.cast_signed()
}

/// Not `Debug`: the options hold the password in clear text.
struct Keeper {
    options: PgConnectOptions,
    pool: Pool,
    node: Uuid,
    pools: String,
}

impl Keeper {
    async fn run(self) {
        let mut failures: u32 = 0;
        loop {
            match self.connect().await {
                Ok(connection) => {
                    failures = 0;
                    let error = hold(connection).await;
                    tracing::debug!(
                        error = &error as &dyn std::error::Error,
                        "the session of this process was lost"
                    );
                    continue;
                }
                Err(error) => {
                    let error = error.as_ref() as &dyn std::error::Error;
                    tracing::debug!(error, "the session of this process could not be opened");
                }
            }
            // This process lives: while others cannot see that, they are to know nothing of it.
            let withdrawn =
                timeout(ANSWER_TIMEOUT, WITHDRAW.run(self.pool.write(), vec![self.node.into()])).await;
            if let Ok(Err(error)) = withdrawn {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "the session of this process could not be deregistered"
                );
            }
            failures = failures.saturating_add(1);
            // Never for as long as others wait before they take this process for lost.
            back_off(failures.min(BACK_OFF_MAX)).await;
        }
    }

    /// A connection that holds the lock, seen by all.
    async fn connect(&self) -> Result<PgConnection, Box<dyn std::error::Error + Send + Sync>> {
        let key = lock_key(self.node);
        let mut connection = timeout(ANSWER_TIMEOUT, PgConnection::connect_with(&self.options)).await??;
        let lock = sqlx::query("SELECT 1 FROM pg_advisory_lock_shared($1)")
            .bind(key)
            .persistent(false)
            .execute(&mut connection);
        timeout(ANSWER_TIMEOUT, lock).await??;
        let values = vec![self.node.into(), self.pools.clone().into(), key.into()];
        if REGISTER.run(self.pool.write(), values).await? == 0 {
            return Err("the database's other connections do not see the session's lock".into());
        }
        Ok(connection)
    }
}

/// Tries the connection out again and again; answers why it broke.
async fn hold(mut connection: PgConnection) -> sqlx::Error {
    loop {
        tokio::time::sleep(TRIED_EVERY).await;
        match timeout(ANSWER_TIMEOUT, connection.ping()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return error,
            Err(_) => return sqlx::Error::PoolTimedOut,
        }
    }
}
