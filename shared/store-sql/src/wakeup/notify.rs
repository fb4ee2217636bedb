//! The sender: one notification at a time, with everything that gathered during the last one.

use std::sync::Arc;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use super::postgres::{CHANNEL, Shared, back_off};

/// A notification that takes longer is given up, with its connection.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends hints until the task is ended.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut connection: Option<PgConnection> = None;
    let mut failures = 0;
    loop {
        shared.has_gathered.notified().await;
        let gathered = std::mem::take(&mut *shared.gathered.lock());
        if gathered.is_empty() {
            continue;
        }
        for payload in gathered.payloads(shared.node, |queue| shared.memory.queue(queue).arrivals.take()) {
            match send(&shared, &mut connection, &payload).await {
                Ok(()) => failures = 0,
                Err(error) => {
                    tracing::debug!(error = &error as &dyn std::error::Error, "wake-up hints were not sent");
                    connection = None;
                    failures += 1;
                    back_off(failures).await;
                    break;
                }
            }
        }
    }
}

async fn send(shared: &Shared, open: &mut Option<PgConnection>, payload: &str) -> Result<(), sqlx::Error> {
    let sent = async {
        let connection = match open.take() {
            Some(connection) => open.insert(connection),
            None => open.insert(PgConnection::connect_with(&shared.place.options).await?),
        };
        notify(connection, payload).await
    };
    tokio::time::timeout(SEND_TIMEOUT, sent).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// Sends one notification. By a plain statement, because a prepared one is not there any more behind some poolers; a
/// payload is made of ids and codes, so there is nothing to escape.
pub(super) async fn notify(connection: &mut PgConnection, payload: &str) -> Result<(), sqlx::Error> {
    // Both are one transaction. Hints may be lost, so that nobody need wait until this one is on the disk; what it is
    // about was flushed before.
    let statement =
        AssertSqlSafe(format!("SET LOCAL synchronous_commit = off; NOTIFY {CHANNEL}, '{payload}'"));
    connection.execute(statement).await.map(|_| ())
}
