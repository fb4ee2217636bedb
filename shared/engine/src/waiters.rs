//! Who waits for what in this process. One listener feeds it (see `Engine::listen`), so that a thousand waiters
//! cost one receiver of hints. Hints may be lost: whoever waits for an execution is looked after by the sweep, and long
//! polls look again by themselves.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use domain::id::{ExecutionId, JobId};
use domain::names::{CallerKey, JobType, TenantName};
use parking_lot::Mutex;
use store::executions::ExecutionRecord;
use store::wakeup::Hint;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

use crate::executions::DeliveredResult;

/// Owners of larger states take results through the inbox only.
const DELIVERED_STATE_BYTES_MAX: usize = 16 * 1_024;

/// All waiters of this process.
#[derive(Default)]
pub(crate) struct Waiters {
    executions: Mutex<HashMap<ExecutionId, Arc<Watched>>>,
    polls: Mutex<HashMap<PollKey, Arc<PollGroup>>>,
    /// Somebody waits for an execution, or hints were lost.
    sweep: Notify,
    /// Those who wait for the ends of jobs, with how many they are.
    jobs: Mutex<HashMap<JobId, (Arc<Notify>, usize)>>,
    /// Somebody waits for a job, or a job may have ended.
    look_for_jobs: Notify,
}

#[derive(Default)]
struct Watched {
    /// The one owner waits here; a stored permit makes a hint that comes while it is busy count.
    inbox: Notify,
    owners: AtomicUsize,
    /// Results for the owner; none without one.
    results: Mutex<Vec<DeliveredResult>>,
    delivered: Notify,
    /// Whether each step writes much: results then come through the inbox, many to a step.
    is_large: AtomicBool,
    /// Everybody who waits for the end.
    finished: Notify,
    callers: AtomicUsize,
    /// Whether a hint came that it ended.
    may_have_ended: AtomicBool,
    /// What is read of it since it ended as COMPLETED, which is final, where its owner was here.
    completed: Mutex<Option<Arc<ExecutionRecord>>>,
}

/// The executions that somebody waits for, for those who look after hints that were lost.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Awaited {
    /// Their owners are here.
    pub(crate) owned: Vec<ExecutionId>,
    /// Somebody waits for their end.
    pub(crate) ends: Vec<ExecutionId>,
}

/// What somebody waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum For {
    Inbox,
    End,
}

impl Watched {
    /// Wakes those who wait for the end.
    fn end(&self) {
        // First: whoever registers for the wake-up asks for this afterwards.
        self.may_have_ended.store(true, Ordering::SeqCst);
        self.finished.notify_waiters();
    }

    const fn count(&self, what: For) -> &AtomicUsize {
        match what {
            For::Inbox => &self.owners,
            For::End => &self.callers,
        }
    }
}

/// What a long poll asks for. Polls that ask for the same share their wake-ups and their looks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PollKey {
    pub(crate) tenant: Option<TenantName>,
    pub(crate) job_types: Vec<JobType>,
    pub(crate) build: Option<CallerKey>,
}

/// The long polls that ask for the same. A hint wakes one of them; whoever found jobs wakes the next.
#[derive(Default)]
pub(crate) struct PollGroup {
    wake: Notify,
    looked_at: Mutex<Option<Instant>>,
}

impl PollGroup {
    pub(crate) fn wake_one(&self) {
        self.wake.notify_one();
    }

    pub(crate) async fn woken(&self) {
        self.wake.notified().await;
    }

    /// Records that somebody polled and found nothing.
    pub(crate) fn record_look(&self) {
        *self.looked_at.lock() = Some(Instant::now());
    }

    /// Whether somebody looked within `span`, so that another look is not worth it.
    pub(crate) fn was_looked_at_within(&self, span: Duration) -> bool {
        self.looked_at.lock().is_some_and(|at| at.elapsed() < span)
    }
}

/// A place among the waiters of an execution.
pub(crate) struct ExecutionWaiter {
    id: ExecutionId,
    what: For,
    watched: Arc<Watched>,
    waiters: Arc<Waiters>,
}

impl ExecutionWaiter {
    /// The next hint that something was appended to the inbox.
    pub(crate) fn inbox(&self) -> Notified<'_> {
        self.watched.inbox.notified()
    }

    /// The next hint that the execution ended. Counts from this call on, not from the first poll.
    pub(crate) fn finished(&self) -> Notified<'_> {
        self.watched.finished.notified()
    }

    /// Whether a hint came since the first of those who wait here did that it ended.
    pub(crate) fn may_have_ended(&self) -> bool {
        self.watched.may_have_ended.load(Ordering::SeqCst)
    }

    /// What is read of it, where its owner was here and it ended as COMPLETED.
    pub(crate) fn completed(&self) -> Option<Arc<ExecutionRecord>> {
        self.watched.completed.lock().clone()
    }

    /// Whether somebody waits for the end.
    pub(crate) fn is_awaited(&self) -> bool {
        self.watched.callers.load(Ordering::Relaxed) > 0
    }

    /// Answers those who wait for the end with what is read of it from now on.
    pub(crate) fn complete(&self, record: ExecutionRecord) {
        *self.watched.completed.lock() = Some(Arc::new(record));
        self.watched.end();
    }

    /// Says how many bytes the owner's state takes, which each of its steps writes. Workers that report one result
    /// after the other would wait for a step each.
    pub(crate) fn record_state(&self, bytes: usize) {
        self.watched.is_large.store(bytes > DELIVERED_STATE_BYTES_MAX, Ordering::Relaxed);
    }

    /// The next time that a result is delivered. One that is there already counts.
    pub(crate) fn delivered(&self) -> Notified<'_> {
        self.watched.delivered.notified()
    }

    /// Takes up to `count` results, the first ones first. Those that are left count as delivered now.
    pub(crate) fn take_delivered(&self, count: usize) -> Vec<DeliveredResult> {
        let mut results = self.watched.results.lock();
        if results.len() <= count {
            return std::mem::take(&mut *results);
        }
        let rest = results.split_off(count);
        self.watched.delivered.notify_one();
        std::mem::replace(&mut *results, rest)
    }
}

impl Drop for ExecutionWaiter {
    fn drop(&mut self) {
        let mut executions = self.waiters.executions.lock();
        let before = self.watched.count(self.what).fetch_sub(1, Ordering::Relaxed);
        if self.what == For::Inbox && before == 1 {
            // With nobody to take them, whoever delivered them must not wait.
            self.watched.results.lock().clear();
        }
        // One count is ours and one the map's.
        if Arc::strong_count(&self.watched) <= 2 {
            executions.remove(&self.id);
        }
    }
}

/// A place among those who wait for a job's end.
pub(crate) struct JobWaiter {
    id: JobId,
    end: Arc<Notify>,
    waiters: Arc<Waiters>,
}

impl JobWaiter {
    /// The next time that the job is known to have ended. Counts from this call on, not from the first poll.
    pub(crate) fn ended(&self) -> Notified<'_> {
        self.end.notified()
    }
}

impl Drop for JobWaiter {
    fn drop(&mut self) {
        let mut jobs = self.waiters.jobs.lock();
        if let Some((_, count)) = jobs.get_mut(&self.id) {
            *count -= 1;
            if *count == 0 {
                jobs.remove(&self.id);
            }
        }
    }
}

/// A place among the long polls.
pub(crate) struct PollWaiter {
    key: PollKey,
    group: Arc<PollGroup>,
    waiters: Arc<Waiters>,
}

impl PollWaiter {
    pub(crate) fn group(&self) -> &PollGroup {
        &self.group
    }
}

impl Drop for PollWaiter {
    fn drop(&mut self) {
        let mut polls = self.waiters.polls.lock();
        if Arc::strong_count(&self.group) <= 2 {
            polls.remove(&self.key);
        }
    }
}

impl Waiters {
    /// The place of an execution's owner.
    pub(crate) fn own(self: &Arc<Self>, id: ExecutionId) -> ExecutionWaiter {
        self.watch(id, For::Inbox)
    }

    /// A place among those who wait for an execution's end.
    pub(crate) fn await_end(self: &Arc<Self>, id: ExecutionId) -> ExecutionWaiter {
        self.watch(id, For::End)
    }

    fn watch(self: &Arc<Self>, id: ExecutionId, what: For) -> ExecutionWaiter {
        let watched = {
            let mut executions = self.executions.lock();
            let watched = Arc::clone(executions.entry(id).or_default());
            watched.count(what).fetch_add(1, Ordering::Relaxed);
            watched
        };
        self.sweep.notify_one();
        ExecutionWaiter { id, what, watched, waiters: Arc::clone(self) }
    }

    /// Delivers a result to an execution's owner; answers whether that is here and takes results. The owner is woken by
    /// [`Waiters::wake_owners`], so that what comes together is taken together.
    pub(crate) fn deliver_to_owner(&self, id: ExecutionId, result: impl FnOnce() -> DeliveredResult) -> bool {
        let executions = self.executions.lock();
        let owned = executions.get(&id).filter(|watched| {
            watched.owners.load(Ordering::Relaxed) > 0 && !watched.is_large.load(Ordering::Relaxed)
        });
        let Some(watched) = owned else {
            return false;
        };
        watched.results.lock().push(result());
        true
    }

    /// Wakes owners to whom results were delivered.
    pub(crate) fn wake_owners(&self, ids: impl Iterator<Item = ExecutionId>) {
        let executions = self.executions.lock();
        for watched in ids.filter_map(|id| executions.get(&id)) {
            watched.delivered.notify_one();
        }
    }

    /// Whether the owners of executions are here, in order.
    pub(crate) fn owned(&self, ids: impl Iterator<Item = Option<ExecutionId>>) -> Vec<bool> {
        let executions = self.executions.lock();
        let is_owned = |id: ExecutionId| {
            executions.get(&id).is_some_and(|watched| watched.owners.load(Ordering::Relaxed) > 0)
        };
        ids.map(|id| id.is_some_and(is_owned)).collect()
    }

    /// The executions that somebody waits for.
    pub(crate) fn awaited(&self) -> Awaited {
        let mut awaited = Awaited::default();
        for (&id, watched) in &*self.executions.lock() {
            if watched.owners.load(Ordering::Relaxed) > 0 {
                awaited.owned.push(id);
            }
            if watched.callers.load(Ordering::Relaxed) > 0 {
                awaited.ends.push(id);
            }
        }
        awaited
    }

    /// Resolves when there is a reason to look after hints that were lost.
    pub(crate) async fn sweep_wanted(&self) {
        self.sweep.notified().await;
    }

    /// A place among those who wait for a job's end.
    pub(crate) fn await_job(self: &Arc<Self>, id: JobId) -> JobWaiter {
        let end = {
            let mut jobs = self.jobs.lock();
            let (end, count) = jobs.entry(id).or_default();
            *count += 1;
            Arc::clone(end)
        };
        self.look_for_jobs.notify_one();
        JobWaiter { id, end, waiters: Arc::clone(self) }
    }

    /// The jobs that somebody waits for.
    pub(crate) fn awaited_jobs(&self) -> Vec<JobId> {
        self.jobs.lock().keys().copied().collect()
    }

    /// Wakes those who wait for this job.
    pub(crate) fn job_ended(&self, id: JobId) {
        if let Some((end, _)) = self.jobs.lock().get(&id) {
            end.notify_waiters();
        }
    }

    /// Resolves when there is a reason to look whether jobs have ended.
    pub(crate) async fn look_for_jobs(&self) {
        self.look_for_jobs.notified().await;
    }

    pub(crate) fn join_poll(self: &Arc<Self>, key: PollKey) -> PollWaiter {
        let group = Arc::clone(self.polls.lock().entry(key.clone()).or_default());
        PollWaiter { key, group, waiters: Arc::clone(self) }
    }

    /// Wakes one long poll of each group for which jobs may wait: a hint says that jobs of the queue came or slots
    /// became free, and `may_hold` whether any is for the group.
    pub(crate) fn wake_polls(&self, may_hold: impl Fn(&PollKey) -> bool) {
        for (key, group) in &*self.polls.lock() {
            if may_hold(key) {
                group.wake_one();
            }
        }
    }

    /// Wakes those whom a hint concerns, except long polls.
    pub(crate) fn deliver(&self, hint: Hint) {
        if matches!(hint, Hint::Queue(_)) && !self.jobs.lock().is_empty() {
            // A slot became free: a job of the queue may have ended.
            self.look_for_jobs.notify_one();
        }
        match hint {
            Hint::Inbox(id) => {
                if let Some(watched) = self.executions.lock().get(&id) {
                    watched.inbox.notify_one();
                }
            }
            Hint::Finished(id) => {
                if let Some(watched) = self.executions.lock().get(&id) {
                    watched.end();
                }
            }
            Hint::Queue(_)
            | Hint::Enqueued(_)
            | Hint::Freed(_)
            | Hint::Logged(_)
            | Hint::Settings
            | Hint::Alerts
            | Hint::Intake => {}
        }
    }

    /// Hints were lost: wakes owners and polls, and has the ends looked up for all who wait for them at once.
    pub(crate) fn deliver_to_all(&self) {
        for watched in self.executions.lock().values() {
            watched.inbox.notify_one();
        }
        self.sweep.notify_one();
        self.look_for_jobs.notify_one();
        self.wake_polls(|_| true);
    }
}

#[cfg(test)]
mod tests {
    use domain::id::{ExecutionId, JobId, LeaseToken};
    use domain::names::NodeId;
    use domain::time::Timestamp;
    use store::jobs::LeaseRef;
    use tokio::sync::oneshot;
    use tokio::sync::oneshot::error::TryRecvError;
    use uuid::Uuid;

    use super::*;

    fn execution(number: u128) -> ExecutionId {
        ExecutionId::from_uuid(Uuid::from_u128(number))
    }

    #[tokio::test]
    async fn a_hint_that_comes_while_the_owner_is_busy_counts() {
        let waiters = Arc::new(Waiters::default());
        let waiter = waiters.own(execution(1));
        waiters.deliver(Hint::Inbox(execution(1)));
        waiter.inbox().await;
    }

    #[tokio::test]
    async fn everybody_is_notified_of_an_end() {
        let waiters = Arc::new(Waiters::default());
        let (one, other) = (waiters.await_end(execution(1)), waiters.await_end(execution(1)));
        let both = (one.finished(), other.finished());
        waiters.deliver(Hint::Finished(execution(1)));
        both.0.await;
        both.1.await;
    }

    #[tokio::test]
    async fn an_end_between_the_start_and_the_wait_counts() {
        let waiters = Arc::new(Waiters::default());
        let caller = waiters.await_end(execution(1));
        assert!(!caller.may_have_ended());
        waiters.deliver(Hint::Finished(execution(2)));
        assert!(!caller.may_have_ended());
        waiters.deliver(Hint::Finished(execution(1)));
        assert!(caller.may_have_ended());
        assert!(caller.completed().is_none(), "its owner was not here");
    }

    fn result() -> (DeliveredResult, oneshot::Receiver<()>) {
        let (written, answer) = oneshot::channel();
        let uuid = Uuid::from_u128(7);
        let delivered = DeliveredResult {
            lease: LeaseRef { id: JobId::from_uuid(uuid), token: LeaseToken(uuid) },
            node_id: NodeId::trusted("n"),
            attempts: 1,
            started_at: Timestamp(0),
            result: None,
            written,
            facts: crate::metrics::LeaseFacts::of(&crate::jobs::sample_job::sample_job(LeaseToken(uuid))),
        };
        (delivered, answer)
    }

    #[tokio::test]
    async fn results_wait_for_their_owner_and_go_back_when_it_leaves() {
        let waiters = Arc::new(Waiters::default());
        let id = execution(1);
        let caller = waiters.await_end(id);
        assert!(!waiters.deliver_to_owner(id, || panic!("nobody takes it")));
        let (owner, other) = (waiters.own(id), waiters.own(id));
        assert_eq!(waiters.owned([Some(id), None, Some(execution(2))].into_iter()), [true, false, false]);
        let (delivered, answers): (Vec<_>, Vec<_>) = (0..3).map(|_| result()).unzip();
        for delivered in delivered {
            assert!(waiters.deliver_to_owner(id, || delivered));
        }
        waiters.wake_owners([id].into_iter());
        owner.delivered().await;
        assert_eq!(owner.take_delivered(2).len(), 2);
        owner.delivered().await;
        owner.record_state(DELIVERED_STATE_BYTES_MAX + 1);
        assert!(!waiters.deliver_to_owner(id, || panic!("its steps write much")));
        drop(other);
        let mut answers = answers.into_iter().rev();
        let mut last = answers.next().expect("three results");
        assert!(last.try_recv().is_err_and(|error| error == TryRecvError::Empty), "one owner is left");
        drop(owner);
        assert!(last.await.is_err(), "nobody waits for an owner that left");
        drop(caller);
        assert!(waiters.executions.lock().is_empty());
    }

    #[tokio::test]
    async fn polls_are_woken_only_where_jobs_may_wait_for_them() {
        let waiters = Arc::new(Waiters::default());
        let key = |number: u32| PollKey {
            tenant: None,
            job_types: vec![JobType::trusted(format!("type{number}"))],
            build: None,
        };
        let polls: Vec<PollWaiter> = (0..400).map(|number| waiters.join_poll(key(number))).collect();
        waiters.wake_polls(|asked| *asked == key(7));
        let woken = polls.iter().map(|poll| futures::FutureExt::now_or_never(poll.group().woken()).is_some());
        let woken: Vec<usize> =
            woken.enumerate().filter(|(_, is_woken)| *is_woken).map(|(number, _)| number).collect();
        assert_eq!(woken, [7]);
        waiters.deliver_to_all();
        assert!(futures::FutureExt::now_or_never(polls[8].group().woken()).is_some(), "hints were lost");
    }

    #[tokio::test]
    async fn nothing_is_kept_for_those_who_left() {
        let waiters = Arc::new(Waiters::default());
        let (one, other) = (waiters.own(execution(1)), waiters.await_end(execution(1)));
        let both = Awaited { owned: vec![execution(1)], ends: vec![execution(1)] };
        assert_eq!(waiters.awaited(), both);
        drop(one);
        assert_eq!(waiters.awaited(), Awaited { owned: vec![], ..both });
        drop(other);
        assert!(waiters.executions.lock().is_empty());
        let key = PollKey { tenant: None, job_types: vec![], build: None };
        drop(waiters.join_poll(key));
        assert!(waiters.polls.lock().is_empty());
        let job = JobId::from_uuid(Uuid::from_u128(1));
        let (one, other) = (waiters.await_job(job), waiters.await_job(job));
        drop(one);
        assert_eq!(waiters.awaited_jobs(), [job]);
        let ended = other.ended();
        waiters.job_ended(job);
        ended.await;
        drop(other);
        assert!(waiters.awaited_jobs().is_empty());
    }
}
