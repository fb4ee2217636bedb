//! The sender: one notification at a time, with everything that gathered during the last one.

use std::sync::Arc;
use std::time::Duration;

use sqlx::{Connection as _, PgConnection};

use super::postgres::{CHANNEL, Shared, back_off};

/// A notification that takes longer is given up, with its connection.
const PATIENCE: Duration = Duration::from_secs(5);

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
        for payload in gathered.payloads(shared.node) {
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
            None => open.insert(PgConnection::connect_with(&shared.options).await?),
        };
        sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(payload).execute(connection).await?;
        Ok(())
    };
    tokio::time::timeout(PATIENCE, sent).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}
