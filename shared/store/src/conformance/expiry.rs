//! Jobs and executions that nobody starts in time.

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::job::{Disposition, JobStatus};
use domain::names::CallerKey;
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use domain::workflow::unique::UniquePolicy;

use super::children::child_of;
use super::executions::{commit, node_job, owned};
use super::fixture::{
    T0, after_secs, claim, claim_nodes, enqueue, execution, inbox, job, lease, status, version,
};
use super::parking::{committed, park, parked, take_up};
use crate::Store;
use crate::executions::{ExecutionCommit, InboxEntry, NewExecution, UniqueStart, UniqueStarted};
use crate::jobs::{NewJob, Settlement};

const ALL: TenantScope = TenantScope::All;

fn expiring() -> NewJob {
    NewJob { expires_at: Some(after_secs(10)), ..job() }
}

fn expiring_execution() -> NewExecution {
    let mut new = execution("w");
    new.job.expires_at = Some(after_secs(10));
    new
}

/// What nobody started ends as CANCELLED with the code `expired`; what was started in time goes on.
pub async fn a_job_that_nobody_started_expires(store: &dyn Store) {
    let late = NewJob { run_at: after_secs(60), expires_at: Some(after_secs(70)), ..job() };
    let batch = [expiring(), expiring(), late.clone(), job()];
    enqueue(store, &batch).await;
    let taken = claim_nodes(store, 1, after_secs(9)).await;
    assert_eq!(taken[0].id, batch[0].id);
    assert_eq!(store.expire_unstarted(after_secs(9), 10).await.expect("expire works").jobs, []);
    let expired = store.expire_unstarted(after_secs(10), 10).await.expect("expire works");
    assert_eq!((expired.jobs.len(), expired.jobs[0].queue, expired.more), (1, QueueName::Node, false));
    let record = store.job(&ALL, batch[1].id).await.expect("read works").expect("there");
    assert_eq!(record.status, JobStatus::Cancelled);
    assert_eq!(record.error.and_then(|error| error.code).as_deref(), Some("expired"));
    assert_eq!(record.completed_at, Some(after_secs(10)));
    assert_eq!(status(store, batch[0].id).await, JobStatus::Processing);
    assert_eq!(status(store, late.id).await, JobStatus::Scheduled);
    assert_eq!(status(store, batch[3].id).await, JobStatus::Queued);
    store.expire_unstarted(after_secs(70), 10).await.expect("expire works");
    assert_eq!(status(store, late.id).await, JobStatus::Cancelled, "though it was never queued");
}

/// A claim leaves expired jobs out before upkeep has found them, and serves those behind them.
pub async fn a_claim_never_starts_an_expired_job(store: &dyn Store) {
    let batch =
        [expiring(), job(), expiring(), job(), NewJob { tenant: super::fixture::tenant("b"), ..expiring() }];
    enqueue(store, &batch).await;
    let one = claim_nodes(store, 1, after_secs(10)).await;
    assert_eq!(one.iter().map(|job| job.id).collect::<Vec<_>>(), [batch[1].id]);
    let rest = claim_nodes(store, 10, after_secs(10)).await;
    assert_eq!(rest.iter().map(|job| job.id).collect::<Vec<_>>(), [batch[3].id]);
    for expired in [&batch[0], &batch[2], &batch[4]] {
        assert_eq!(status(store, expired.id).await, JobStatus::Queued);
    }
    assert_eq!(store.expire_unstarted(after_secs(10), 10).await.expect("expire works").jobs.len(), 3);
    assert!(claim_nodes(store, 10, after_secs(11)).await.is_empty());
}

/// A retry is no start: it comes whenever it comes. A lease that was given back was none.
pub async fn what_was_started_once_is_tried_again(store: &dyn Store) {
    let (failed, given_back) = (expiring(), expiring());
    enqueue(store, &[failed.clone(), given_back.clone()]).await;
    let claimed = claim_nodes(store, 2, T0).await;
    let disposition = Disposition::RetryAt { at: after_secs(20), error: JobError::coded("x", "failed") };
    store.settle(&[Settlement { lease: lease(&claimed[0]), disposition }], T0).await.expect("settle works");
    store.release(&[lease(&claimed[1])], after_secs(1)).await.expect("release works");
    let expired = store.expire_unstarted(after_secs(15), 10).await.expect("expire works");
    assert_eq!(expired.jobs.len(), 1);
    assert_eq!(status(store, given_back.id).await, JobStatus::Cancelled);
    store.promote_due(&[], after_secs(20), 10).await.expect("promote works");
    assert_eq!(store.expire_unstarted(after_secs(20), 10).await.expect("expire works").jobs, []);
    let again = claim_nodes(store, 10, after_secs(21)).await;
    assert_eq!(again.iter().map(|job| job.id).collect::<Vec<_>>(), [failed.id]);
}

/// A call ends a bounded number, the longest overdue first, and says whether there may be more.
pub async fn expiry_is_bounded(store: &dyn Store) {
    let batch: Vec<NewJob> =
        (0..5).map(|number| NewJob { expires_at: Some(after_secs(10 - number)), ..job() }).collect();
    enqueue(store, &batch).await;
    let mut counts = Vec::new();
    loop {
        let expired = store.expire_unstarted(after_secs(20), 2).await.expect("expire works");
        counts.push(expired.jobs.len());
        if counts.len() == 1 {
            assert_eq!(status(store, batch[4].id).await, JobStatus::Cancelled);
            assert_eq!(status(store, batch[0].id).await, JobStatus::Queued);
        }
        if !expired.more {
            break;
        }
    }
    assert_eq!(counts, [2, 2, 1]);
}

/// The next job of a concurrency key starts when the one that held it expired, and a unique key is free.
pub async fn an_expired_job_frees_its_keys(store: &dyn Store) {
    let key = CallerKey::trusted("k");
    let first = NewJob { concurrency_key: Some(key.clone()), unique_key: Some(key.clone()), ..expiring() };
    let second = NewJob { concurrency_key: Some(key.clone()), ..job() };
    enqueue(store, &[first.clone(), second.clone()]).await;
    store.expire_unstarted(after_secs(10), 10).await.expect("expire works");
    let next = claim_nodes(store, 10, after_secs(10)).await;
    assert_eq!(next.iter().map(|job| job.id).collect::<Vec<_>>(), [second.id]);
    let again = store.enqueue(&[NewJob { unique_key: Some(key), ..job() }], after_secs(11)).await;
    assert!(!again.expect("enqueue works")[0].existing);
}

/// An enqueue that is repeated keeps the first one's time.
pub async fn a_repeated_enqueue_keeps_the_expiry(store: &dyn Store) {
    let first = expiring();
    enqueue(store, std::slice::from_ref(&first)).await;
    let later = NewJob { expires_at: Some(after_secs(99)), ..first.clone() };
    let plain = NewJob { expires_at: None, ..first.clone() };
    for again in [later, plain] {
        assert!(enqueue(store, &[again]).await[0].existing);
    }
    store.expire_unstarted(after_secs(10), 10).await.expect("expire works");
    assert_eq!(status(store, first.id).await, JobStatus::Cancelled);
}

/// The execution of a node's job hears that it expired.
pub async fn i08_an_expired_node_reaches_its_execution(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let node = NewJob { expires_at: Some(after_secs(10)), ..node_job(&new, "charge") };
    let step = ExecutionCommit { enqueue: vec![node.clone()], ..park(&new, &owner, None) };
    assert!(committed(store, &step).await.parked);
    let expired = store.expire_unstarted(after_secs(10), 10).await.expect("expire works");
    assert_eq!(expired.inboxes, [new.id]);
    let rows = inbox(store, new.id).await.expect("read works");
    let [row] = rows.as_slice() else { panic!("one entry: {rows:?}") };
    let InboxEntry::NodeSettled { job_id, result: Err(error), .. } = &row.entry else {
        panic!("a node failed: {row:?}");
    };
    assert_eq!((*job_id, error.code.as_deref()), (node.id, Some("expired")));
}

/// An execution that nobody started is CANCELLED with the code `expired`; one that is parked, or under way, goes on.
pub async fn an_execution_that_nobody_started_expires(store: &dyn Store) {
    let waiting = parked(store).await;
    let (mut early, new) = (expiring_execution(), expiring_execution());
    early.job.expires_at = Some(after_secs(5));
    store.create_executions(&[early.clone(), new.clone()], T0).await.expect("create works");
    let owner = take_up(store, after_secs(1)).await.expect("it is there");
    assert_eq!(owner.execution_id, Some(early.id));
    let step = ExecutionCommit { ..commit(early.id, lease(&owner), ExecutionStatus::Running) };
    let step = ExecutionCommit { next: park(&early, &owner, None).next, ..step };
    assert!(committed(store, &step).await.parked);
    let expired = store.expire_unstarted(after_secs(10), 10).await.expect("expire works");
    assert_eq!((expired.executions.as_slice(), expired.jobs.len()), ([new.id].as_slice(), 0));
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!((record.status, record.completed_at), (ExecutionStatus::Cancelled, Some(after_secs(10))));
    assert_eq!(record.error.and_then(|error| error.code).as_deref(), Some("expired"));
    assert_eq!(status(store, new.job.id).await, JobStatus::Cancelled);
    for kept in [&waiting, &early] {
        let record = store.execution(&ALL, kept.id).await.expect("read works").expect("there");
        assert_eq!(record.status, ExecutionStatus::Waiting);
    }
    let signal = InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    store
        .append_command(&ALL, early.id, super::fixture::id(), &signal, after_secs(11))
        .await
        .expect("append works");
    assert_eq!(
        take_up(store, after_secs(11)).await.map(|job| job.id),
        Some(early.job.id),
        "it is woken late"
    );
}

/// An execution that has started is passed over only until upkeep has seen that it has.
pub async fn a_started_execution_that_is_given_back_goes_on(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let (new, later) = (expiring_execution(), execution("w"));
    store.create_executions(&[new.clone(), later.clone()], T0).await.expect("create works");
    let owner = take_up(store, after_secs(1)).await.expect("it is there");
    committed(store, &commit(new.id, lease(&owner), ExecutionStatus::Running)).await;
    store.release(&[lease(&owner)], after_secs(2)).await.expect("release works");
    let other = take_up(store, after_secs(11)).await.expect("the one behind it");
    assert_eq!(other.execution_id, Some(later.id));
    let expired = store.expire_unstarted(after_secs(11), 10).await.expect("expire works");
    assert_eq!((expired.executions.as_slice(), expired.more), (&[][..], false));
    assert_eq!(take_up(store, after_secs(11)).await.map(|job| job.id), Some(new.job.id));
}

/// A parent hears of a child that nobody started.
pub async fn i08_an_expired_child_reaches_its_parent(store: &dyn Store) {
    let (parent, owner) = owned(store).await;
    let mut child = child_of(&parent, "ship");
    child.job.expires_at = Some(after_secs(10));
    let step = ExecutionCommit { children: vec![child.clone()], ..park(&parent, &owner, None) };
    assert!(committed(store, &step).await.parked);
    let expired = store.expire_unstarted(after_secs(10), 10).await.expect("expire works");
    assert_eq!((expired.executions, expired.inboxes), (vec![child.id], vec![parent.id]));
    assert_eq!(take_up(store, after_secs(11)).await.map(|job| job.id), Some(parent.job.id));
    let rows = inbox(store, parent.id).await.expect("read works");
    let InboxEntry::ChildSettled { child_id, result: Err(error), .. } = &rows[0].entry else {
        panic!("a child ended: {rows:?}");
    };
    assert_eq!(*child_id, child.id);
    assert!(domain::job::is_unstarted(error), "{error:?}");
}

/// An execution with a unique key that is due later waits for its time even when nothing is before it any more.
pub async fn a_held_execution_waits_for_its_time(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let start = |execution: NewExecution| UniqueStart {
        execution,
        key: CallerKey::trusted("k"),
        policy: UniquePolicy::Queue,
        signal: None,
        is_over_quota: false,
    };
    let (first, mut second) = (execution("w"), execution("w"));
    second.job.run_at = after_secs(60);
    for (new, held) in [(first.clone(), false), (second.clone(), true)] {
        match store.start_unique(&start(new), T0).await.expect("start works") {
            UniqueStarted::Started { is_held, .. } => assert_eq!(is_held, held),
            other => panic!("it starts: {other:?}"),
        }
    }
    store.promote_due(&[], after_secs(61), 10).await.expect("promote works");
    let claimed = store.claim(&claim(QueueName::Execution, 10, after_secs(61))).await.expect("claim works");
    assert_eq!(claimed.iter().map(|job| job.id).collect::<Vec<_>>(), [first.job.id], "the second waits");
    let step = ExecutionCommit {
        next: crate::executions::OwnerNext::Finish,
        ..commit(first.id, lease(&claimed[0]), ExecutionStatus::Completed)
    };
    committed(store, &step).await;
    let keys = store.unique_keys_left(10).await.expect("read works");
    assert_eq!(keys.len(), 1);
    assert!(store.admit_unique(&keys[0], after_secs(30)).await.expect("admit works"));
    assert!(take_up(store, after_secs(59)).await.is_none(), "not before its time");
    store.promote_due(&[], after_secs(60), 10).await.expect("promote works");
    assert_eq!(take_up(store, after_secs(60)).await.map(|job| job.id), Some(second.job.id));
}
