//! What changes, for those who follow it.
//!
//! Hints that come close together are gathered once for the whole process, however many follow. Whose the changed executions and
//! jobs are is read once as well, for all followers that are bound to a tenant: what a tenant does costs the same beside a
//! thousand streams of others as beside one.

mod follow;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use domain::id::{ExecutionId, JobId};
use domain::names::TenantName;
use domain::queue::QueueName;
use store::wakeup::Hint;
use tokio::sync::OnceCell;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// Changes that come within this time are passed on together.
const GATHER: Duration = Duration::from_millis(200);

/// Of more changed executions and jobs at once nothing is read: anything may have changed.
const CHANGED_MAX: usize = 2_000;

/// How many times in a row a follower may be late before it misses changes.
const CAPACITY: usize = 32;

/// Executions and jobs that changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The executions, and whether they ended.
    pub executions: BTreeMap<ExecutionId, bool>,
    /// The jobs that have new log lines.
    pub logged: BTreeSet<JobId>,
}

impl Changed {
    /// How many they are.
    pub fn len(&self) -> usize {
        self.executions.len() + self.logged.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Changes that came close together.
#[derive(Debug, Default)]
pub struct Changes {
    /// The queues whose jobs or slots changed.
    pub queues: BTreeSet<QueueName>,
    /// Whether limits, pauses or keys changed.
    pub settings: bool,
    /// Whether an alert began, fires or is resolved. Alerts are of all tenants.
    pub alerts: bool,
    /// Whether there were others that are not known: everything is to be read again.
    pub missed: bool,
    /// Those of all tenants.
    changed: Changed,
    /// The same by whose they are, once somebody had to know.
    by_tenant: OnceCell<HashMap<TenantName, Changed>>,
}

impl Changes {
    fn record(&mut self, hint: Hint) {
        match hint {
            Hint::Queue(queue) | Hint::Enqueued(queue) | Hint::Freed(queue) => {
                self.queues.insert(queue);
            }
            Hint::Inbox(execution) => {
                self.changed.executions.entry(execution).or_insert(false);
            }
            Hint::Finished(execution) => {
                self.changed.executions.insert(execution, true);
            }
            Hint::Logged(job) => {
                self.changed.logged.insert(job);
            }
            Hint::Settings => self.settings = true,
            Hint::Alerts => self.alerts = true,
            Hint::Intake => {}
        }
        if self.changed.len() > CHANGED_MAX {
            self.missed = true;
            self.changed = Changed::default();
        }
    }

    fn is_empty(&self) -> bool {
        let is_marked = self.settings || self.alerts || self.missed;
        !is_marked && self.queues.is_empty() && self.changed.is_empty()
    }
}

/// Passes changes on to all who follow them, once somebody does.
pub(crate) type ChangeFeed = OnceLock<Sender<Arc<Changes>>>;

/// Somebody who follows what changes.
#[derive(Debug)]
pub struct Follower(Receiver<Arc<Changes>>);

impl Follower {
    /// The next changes; `None` once the engine is gone. Loses none where it is not waited for.
    pub async fn next(&mut self) -> Option<Arc<Changes>> {
        match self.0.recv().await {
            Ok(changes) => Some(changes),
            Err(RecvError::Lagged(_)) => Some(Arc::new(Changes { missed: true, ..Changes::default() })),
            Err(RecvError::Closed) => None,
        }
    }
}

/// Gathers hints for all followers, until `closed` is set.
async fn gather(mut hints: Receiver<Hint>, followers: Sender<Arc<Changes>>, closed: CancellationToken) {
    loop {
        let first = tokio::select! {
            () = closed.cancelled() => return,
            hint = hints.recv() => hint,
        };
        // Whoever follows from now on learns of what comes from now on.
        if first.is_ok() && followers.receiver_count() == 0 {
            continue;
        }
        let until = Instant::now() + GATHER;
        let mut changes = Changes::default();
        let mut next = Ok(first);
        while let Ok(hint) = next {
            match hint {
                Ok(hint) => changes.record(hint),
                Err(RecvError::Lagged(_)) => changes.missed = true,
                Err(RecvError::Closed) => return,
            }
            next = timeout_at(until, hints.recv()).await;
        }
        if !changes.is_empty() {
            // The last follower may have left meanwhile.
            drop(followers.send(Arc::new(changes)));
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    /// How many hints wait for whoever gathers them.
    const HINTS_MAX: usize = 8;

    fn execution(number: u128) -> ExecutionId {
        ExecutionId::from_uuid(Uuid::from_u128(number))
    }

    fn started() -> (Sender<Hint>, Follower) {
        let (hints, followers) = (Sender::new(HINTS_MAX), Sender::new(CAPACITY));
        let follower = Follower(followers.subscribe());
        tokio::spawn(gather(hints.subscribe(), followers, CancellationToken::new()));
        (hints, follower)
    }

    #[tokio::test(start_paused = true)]
    async fn hints_that_come_close_together_are_passed_on_as_one() {
        let (hints, mut follower) = started();
        let job = JobId::from_uuid(Uuid::from_u128(7));
        for hint in [
            Hint::Intake,
            Hint::Queue(QueueName::Node),
            Hint::Finished(execution(1)),
            Hint::Inbox(execution(1)),
            Hint::Inbox(execution(2)),
            Hint::Logged(job),
            Hint::Alerts,
        ] {
            hints.send(hint).expect("they are gathered");
        }
        let changes = follower.next().await.expect("the engine is there");
        assert_eq!(changes.queues, BTreeSet::from([QueueName::Node]));
        assert_eq!((changes.settings, changes.alerts, changes.missed), (false, true, false));
        let executions = BTreeMap::from([(execution(1), true), (execution(2), false)]);
        assert_eq!(changes.changed, Changed { executions, logged: BTreeSet::from([job]) });
        hints.send(Hint::Settings).expect("they are gathered");
        let changes = follower.next().await.expect("the engine is there");
        assert!(changes.settings && changes.changed.is_empty(), "each once");
    }

    #[tokio::test(start_paused = true)]
    async fn hints_that_are_lost_are_missed() {
        let (hints, mut follower) = started();
        for number in 0..=HINTS_MAX as u128 {
            hints.send(Hint::Inbox(execution(number))).expect("they are gathered");
        }
        assert!(follower.next().await.expect("the engine is there").missed);
    }

    #[test]
    fn too_many_at_once_are_missed() {
        let mut changes = Changes::default();
        (0..CHANGED_MAX as u128).for_each(|number| changes.record(Hint::Inbox(execution(number))));
        assert!(!changes.missed && changes.changed.len() == CHANGED_MAX);
        changes.record(Hint::Finished(execution(CHANGED_MAX as u128)));
        assert!(changes.missed && changes.changed.is_empty());
    }

    #[tokio::test]
    async fn a_slow_follower_misses_changes() {
        let followers = Sender::new(1);
        let mut follower = Follower(followers.subscribe());
        for _ in 0..2 {
            followers.send(Arc::new(Changes::default())).expect("somebody follows");
        }
        assert!(follower.next().await.expect("the engine is there").missed);
        assert!(!follower.next().await.expect("the engine is there").missed, "and goes on");
    }
}
