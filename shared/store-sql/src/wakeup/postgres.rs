//! Hints between the nodes of a deployment, by NOTIFY and LISTEN.
//!
//! Two tasks with a connection each: one sends what gathered while the last notification was under way, the other
//! listens, where that can work. Both connect again by themselves; what is lost meanwhile is covered by polling.

use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use domain::queue::QueueName;
use parking_lot::Mutex;
use sqlx::postgres::PgConnectOptions;
use store::wakeup::{Hint, Wakeup};
use tokio::sync::{Notify, broadcast};
use tokio::task::AbortHandle;
use uuid::Uuid;

use super::local::LocalWakeup;
use super::payload::Gathered;
use super::place::Place;
use super::{listen, notify, payload};
use crate::memory::Memory;

/// The channel of all nodes on one database.
pub(super) const CHANNEL: &str = "trunkline";

/// Local hints, and those of other nodes.
pub struct PostgresWakeup {
    shared: Arc<Shared>,
    tasks: Vec<AbortHandle>,
}

/// What the tasks share. Not `Debug`: the options hold the password in clear text.
pub(super) struct Shared {
    /// This node.
    pub(super) node: Uuid,
    /// Where to connect.
    pub(super) place: Place,
    /// Receivers in this process.
    pub(super) local: LocalWakeup,
    /// The arrivals of this node, to be announced, and the rings that record those of other nodes.
    pub(super) memory: Arc<Memory>,
    /// Hints to send.
    pub(super) gathered: Mutex<Gathered>,
    /// Wakes the sender.
    pub(super) has_gathered: Notify,
}

impl PostgresWakeup {
    /// Starts the tasks on the present runtime.
    #[expect(
        clippy::disallowed_methods,
        reason = "distinguishes this process from others and is no id of anything"
    )]
    pub(crate) fn start(place: Place, memory: &Arc<Memory>) -> Arc<Self> {
        let node = Uuid::new_v4();
        for queue in QueueName::ALL {
            memory.queue(queue).arrivals.tell_others(payload::head_of_arrival(node, queue));
        }
        let shared = Arc::new(Shared {
            node,
            place,
            local: LocalWakeup::new(),
            memory: Arc::clone(memory),
            gathered: Mutex::default(),
            has_gathered: Notify::new(),
        });
        let mut tasks = vec![tokio::spawn(notify::run(Arc::clone(&shared))).abort_handle()];
        if shared.place.is_heard {
            tasks.push(tokio::spawn(listen::run(Arc::clone(&shared))).abort_handle());
        }
        Arc::new(Self { shared, tasks })
    }

    /// How to connect, where a session stays with its connection.
    pub(crate) fn direct_options(&self) -> Option<PgConnectOptions> {
        self.shared.place.is_heard.then(|| self.shared.place.options.clone())
    }

    /// Ends the tasks and their connections.
    pub(crate) fn stop(&self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl fmt::Debug for PostgresWakeup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresWakeup").field("node", &self.shared.node).finish_non_exhaustive()
    }
}

impl Drop for PostgresWakeup {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Wakeup for PostgresWakeup {
    fn send(&self, hints: &[Hint]) {
        if hints.is_empty() {
            return;
        }
        self.shared.local.send(hints);
        let mut gathered = self.shared.gathered.lock();
        for &hint in hints {
            gathered.add(hint);
        }
        drop(gathered);
        self.shared.has_gathered.notify_one();
    }

    fn subscribe(&self) -> broadcast::Receiver<Hint> {
        self.shared.local.subscribe()
    }
}

impl Shared {
    /// Passes on a hint of another node.
    pub(super) fn pass_on(&self, hint: Hint) {
        if let Hint::Queue(queue) = hint {
            self.memory.mark_stale(queue);
        }
        self.local.send(&[hint]);
    }

    /// Notifies receivers that hints may have been lost. Who waits for one execution polls, and is not notified.
    pub(super) fn pass_on_everything(&self) {
        self.memory.mark_all_stale();
        self.local.send(&QueueName::ALL.map(Hint::Queue));
        self.local.send(&[Hint::Settings, Hint::Intake]);
    }
}

/// Waits longer after each failure in a row, and never in step with other nodes.
pub(crate) async fn back_off(failures: u32) {
    let longest_ms = 100_u64 << failures.min(6);
    // The hasher's seed is random: enough to part nodes.
    let jitter = RandomState::new().build_hasher().finish() % 256;
    tokio::time::sleep(Duration::from_millis(longest_ms / 2 + longest_ms * jitter / 512)).await;
}
