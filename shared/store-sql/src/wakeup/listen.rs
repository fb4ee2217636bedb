//! The listener: a connection of its own, watched, and made again when it breaks.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::{Connection as _, Executor as _, PgConnection};
use store::wakeup::{Hint, Wakeup as _};
use tokio::time::{Instant, timeout};

use super::payload::{self, Word};
use super::{CHANNEL, Shared, back_off, send_gathered};

/// After so long without a notification the connection is tried out: a peer that vanished says nothing.
const SILENCE: Duration = Duration::from_secs(15);

/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the first notification to ourselves may take before we say that something swallows them.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// Listens until the task is ended.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut failures = 0;
    let mut is_probed = false;
    let mut is_first = true;
    loop {
        match connect(&shared).await {
            Ok(mut listener) => {
                failures = 0;
                // Listening by now, so whatever happens from here on is heard; what happened before may not have been.
                if !is_first {
                    shared.pass_on_everything();
                }
                is_first = false;
                if !is_probed {
                    is_probed = true;
                    probe(&shared, &mut listener).await;
                }
                let error = listen(&shared, &mut listener).await;
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "the connection for notifications was lost"
                );
            }
            Err(error) => {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "the connection for notifications could not be opened"
                );
            }
        }
        failures += 1;
        back_off(failures).await;
    }
}

async fn connect(shared: &Shared) -> Result<PgListener, sqlx::Error> {
    let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(ANSWER_TIMEOUT);
    let pool = pool.connect_with(shared.place.options.clone()).await?;
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

/// Notifies ourselves. Poolers that lend connections out by transaction lose what is listened for, without an error.
async fn probe(shared: &Shared, listener: &mut PgListener) {
    if timeout(ANSWER_TIMEOUT, send_probe(shared)).await.is_ok_and(|sent| sent.is_ok()) {
        let until = Instant::now() + PROBE_TIMEOUT;
        while let Ok(Ok(Some(notification))) = tokio::time::timeout_at(until, listener.try_recv()).await {
            if receive(shared, notification.payload()) {
                return;
            }
        }
    }
    tracing::warn!(
        "notifications from PostgreSQL do not arrive (is there a pooler in transaction mode in between?); work of other \
         nodes is found by polling only"
    );
}

/// On a connection of its own: the listener's own statement could meet, by chance, the session in which it listens.
async fn send_probe(shared: &Shared) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect_with(&shared.place.options).await?;
    send_gathered(&mut connection, &payload::probe(shared.node)).await?;
    connection.close().await
}

/// Passes notifications on until the connection breaks; answers why it did.
async fn listen(shared: &Shared, listener: &mut PgListener) -> sqlx::Error {
    loop {
        match timeout(SILENCE, listener.try_recv()).await {
            Ok(Ok(Some(notification))) => {
                receive(shared, notification.payload());
            }
            Ok(Ok(None)) => return sqlx::Error::PoolClosed,
            Ok(Err(error)) => return error,
            Err(_) => match timeout(ANSWER_TIMEOUT, listener.execute("SELECT 1")).await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return error,
                Err(_) => return sqlx::Error::PoolTimedOut,
            },
        }
    }
}

/// Passes on what other nodes say. Answers whether it was our own probe.
fn receive(shared: &Shared, text: &str) -> bool {
    let Some((node, words)) = payload::read(text) else {
        return false;
    };
    if node == shared.node {
        return words.contains(&Word::Probe);
    }
    let mut wakes = BTreeSet::new();
    for word in words {
        match word {
            Word::Hint(hint) => shared.pass_on(hint),
            Word::Arrived(queue, arrival) => {
                shared.memory.on_remote_arrival(queue, arrival);
                wakes.insert(queue);
            }
            Word::Freed(queue) => drop(wakes.insert(queue)),
            Word::Everything => shared.pass_on_everything(),
            Word::Probe => {}
        }
    }
    for queue in wakes {
        shared.local.send(&[Hint::Queue(queue)]);
    }
    false
}
