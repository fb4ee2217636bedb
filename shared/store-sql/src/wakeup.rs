//! Hints within the process and between the nodes of a deployment.
//!
//! Hints only save time: whoever waits for something also polls, so that a lost hint costs a moment and nothing else.

mod listen;
mod payload;
mod postgres;

use std::error::Error;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::queue::QueueName;
use parking_lot::Mutex;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use store::StoreResult;
use store::wakeup::{Hint, Wakeup};
use tokio::sync::{Notify, broadcast};
use uuid::Uuid;

use crate::connect::postgres_options;
use crate::memory::Memory;
use crate::transaction_pooling;
use payload::Gathered;

pub use postgres::PostgresWakeup;

// Hints between the nodes of a deployment, by NOTIFY and LISTEN.
//
// Two tasks with a connection each: one sends what gathered while the last notification was under way, the other
// listens, where that can work. Both connect again by themselves; what is lost meanwhile is covered by polling.

/// The channel of all nodes on one database.
const CHANNEL: &str = "trunkline";

/// What the tasks share. Not `Debug`: the options hold the password in clear text.
struct Shared {
    /// This node.
    node: Uuid,
    /// Where to connect.
    place: Place,
    /// Receivers in this process.
    local: LocalWakeup,
    /// The arrivals of this node, to be announced, and the rings that record those of other nodes.
    memory: Arc<Memory>,
    /// Hints to send.
    gathered: Mutex<Gathered>,
    /// Wakes the sender.
    has_gathered: Notify,
}

impl Shared {
    /// Passes on a hint of another node.
    fn pass_on(&self, hint: Hint) {
        if let Hint::Queue(queue) = hint {
            self.memory.mark_stale(queue);
        }
        self.local.send(&[hint]);
    }

    /// Notifies receivers that hints may have been lost. Who waits for one execution polls, and is not notified.
    fn pass_on_everything(&self) {
        self.memory.mark_all_stale();
        self.local.send(&QueueName::ALL.map(Hint::Queue));
        self.local.send(&[Hint::Settings, Hint::Alerts, Hint::Intake]);
    }
}

/// Waits longer after each failure in a row, and never in step with other nodes.
pub(crate) async fn back_off(failures: u32) {
    let longest_ms = 100_u64 << failures.min(6);
    // The hasher's seed is random: enough to part nodes.
    let jitter = RandomState::new().build_hasher().finish() % 256;
    tokio::time::sleep(Duration::from_millis(longest_ms / 2 + longest_ms * jitter / 512)).await;
}

// Hints within the process.

/// How many hints a receiver may be behind before it loses some.
const CAPACITY: usize = 1024;

/// Sends each hint to every receiver in the process.
#[derive(Debug)]
pub struct LocalWakeup {
    hints: broadcast::Sender<Hint>,
}

impl LocalWakeup {
    /// Nobody listens yet.
    pub fn new() -> Self {
        Self { hints: broadcast::Sender::new(CAPACITY) }
    }
}

impl Default for LocalWakeup {
    fn default() -> Self {
        Self::new()
    }
}

impl Wakeup for LocalWakeup {
    fn send(&self, hints: &[Hint]) {
        for &hint in hints {
            // Without a receiver there is nobody to wake.
            let _ = self.hints.send(hint.as_heard());
        }
    }

    fn subscribe(&self) -> broadcast::Receiver<Hint> {
        self.hints.subscribe()
    }
}

// Where notifications are sent and listened for.

/// Where notifications are sent, and whether they can be heard there. Not `Debug`: it holds the password in clear text.
pub(crate) struct Place {
    /// How to connect.
    options: PgConnectOptions,
    /// Whether a notification can arrive. A pooler that lends connections out by transaction takes what is listened
    /// for away with the session.
    is_heard: bool,
}

impl Place {
    /// The place for a store with these connections. Warns where notifications cannot be heard, and where connections
    /// are shared.
    pub(crate) async fn of(
        store: &PgConnectOptions,
        is_shared: bool,
        listen_url: Option<&str>,
    ) -> StoreResult<Self> {
        let place = match listen_url {
            Some(url) => Self::at(postgres_options(url)?).await,
            None => Self { options: store.clone(), is_heard: !is_shared },
        };
        if is_shared {
            let wakeups = match (place.is_heard, listen_url) {
                (true, _) => "notifications bypass it",
                (false, Some(_)) => "notifications do not arrive",
                (false, None) => {
                    "work of other nodes is found by polling, because database.listen_url, the address of the server \
                     itself, is not set"
                }
            };
            tracing::warn!(
                wakeups,
                "connections to PostgreSQL are pooled by transaction (by a pooler such as PgBouncer), which makes \
                 statements slower"
            );
        }
        Ok(place)
    }

    /// Looks before anything listens there: a session that listens for one of its users disturbs all of them.
    async fn at(options: PgConnectOptions) -> Self {
        let is_heard = match transaction_pooling::is_shared(&options).await {
            Ok(is_shared) => !is_shared,
            Err(error) => {
                // It may be there later, and then the probe finds out.
                tracing::warn!(error = &error as &dyn Error, "database.listen_url does not respond");
                true
            }
        };
        if !is_heard {
            tracing::warn!(
                "database.listen_url leads to a pooler in transaction mode, which delivers no notifications; work of other \
                 nodes is found by polling"
            );
        }
        Self { options, is_heard }
    }
}

// The sender: one notification at a time, with everything that gathered during the last one.

/// A notification that takes longer is given up, with its connection.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// So many notifications go out at once, and one each so often from then on: under load they are a transaction for each end
/// of an execution otherwise, and each is heard by every node. What gathers meanwhile goes together.
const BURST: u32 = 16;
const GAP: Duration = Duration::from_millis(4);

/// When the next notification may go out.
#[derive(Debug, Default)]
struct Pace {
    /// When it would be its turn if all went out evenly.
    due_at: Option<Instant>,
}

impl Pace {
    /// How long the next one is put off.
    fn next(&mut self, now: Instant) -> Duration {
        let due_at = self.due_at.map_or(now, |due_at| due_at.max(now));
        self.due_at = Some(due_at + GAP);
        due_at.saturating_duration_since(now).saturating_sub(GAP * (BURST - 1))
    }
}

/// Sends hints until the task is ended.
async fn run(shared: Arc<Shared>) {
    let mut connection: Option<PgConnection> = None;
    let (mut failures, mut pace) = (0, Pace::default());
    loop {
        shared.has_gathered.notified().await;
        let put_off = pace.next(Instant::now());
        if !put_off.is_zero() {
            tokio::time::sleep(put_off).await;
        }
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
        send_gathered(connection, payload).await
    };
    tokio::time::timeout(SEND_TIMEOUT, sent).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// Sends one notification. By a plain statement, because a prepared one is not there any more behind some poolers; a
/// payload is made of ids and codes, so there is nothing to escape.
async fn send_gathered(connection: &mut PgConnection, payload: &str) -> Result<(), sqlx::Error> {
    // Both are one transaction. Hints may be lost, so that nobody need wait until this one is on the disk; what it is
    // about was flushed before.
    let statement =
        AssertSqlSafe(format!("SET LOCAL synchronous_commit = off; NOTIFY {CHANNEL}, '{payload}'"));
    connection.execute(statement).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many go out within a second by one who always has the next one ready.
    #[test]
    fn notifications_are_few_under_load_and_at_once_otherwise() {
        let (began_at, mut pace) = (Instant::now(), Pace::default());
        let mut now = began_at;
        let mut sent = 0;
        while now < began_at + Duration::from_secs(1) {
            let put_off = pace.next(now);
            assert_eq!(put_off.is_zero(), sent < BURST, "number {sent} is put off by {put_off:?}");
            assert!(put_off <= GAP);
            now += put_off;
            sent += 1;
        }
        assert!((250..=250 + BURST).contains(&sent), "{sent}");
        // At half of that pace the burst comes back.
        for _ in 0..2 * BURST {
            now += 2 * GAP;
            pace.next(now);
        }
        now += GAP;
        assert!((0..BURST).all(|_| pace.next(now).is_zero()));
        assert!(!pace.next(now).is_zero());
    }
}
