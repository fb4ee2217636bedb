//! Notifications of PostgreSQL: what this process sends, and the connection of its own on which it listens.

use std::fmt;
use std::sync::Arc;

use domain::queue::QueueName;
use parking_lot::Mutex;
use sqlx::postgres::PgConnectOptions;
use store::wakeup::{Hint, Wakeup};
use tokio::sync::{Notify, broadcast};
use tokio::task::AbortHandle;
use uuid::Uuid;

use super::{LocalWakeup, Place, Shared, listen, payload, run};
use crate::memory::Memory;

/// Local hints, and those of other nodes.
pub struct PostgresWakeup {
    shared: Arc<Shared>,
    tasks: Vec<AbortHandle>,
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
        let mut tasks = vec![tokio::spawn(run(Arc::clone(&shared))).abort_handle()];
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
