//! What brings ended work back, and what refuses to.

use domain::failure::DeadLetterStatus;
use domain::id::JobId;
use domain::job::{Disposition, JobStatus};
use domain::names::CallerKey;
use domain::queue::QueueName;
use domain::workflow::execution::{ExecutionError, ExecutionStatus};
use store::conformance::fixture::{
    T0, after_secs, claim, claim_nodes, complete, enqueue, inbox, job, lease, status,
};
use store::dead_letters::{DeadLetterChange, DeadLetterStore as _};
use store::executions::{Appended, CommandStatus, ExecutionStore as _, InboxEntry};
use store::jobs::{JobStore as _, LeaseRef, NewJob, Settlement};
use store_sql::SqlStore;
use testkit::database::TestStore;

use crate::fixture::{ALL, append, commit, die, only_letter, requeue, step, with_leased_node};

pub(crate) async fn a_taken_unique_key_refuses_the_requeue(test: &TestStore) {
    let store = &test.store;
    let keyed = || NewJob { unique_key: Some(CallerKey::trusted("k")), ..job() };
    enqueue(store.as_ref(), &[keyed()]).await;
    die(store, &claim_nodes(store.as_ref(), 1, T0).await[0]).await;
    let letter = only_letter(store).await;
    enqueue(store.as_ref(), &[keyed()]).await;
    assert!(matches!(requeue(store, letter).await, DeadLetterChange::Refused { .. }));
    let record = store.dead_letter(&ALL, letter).await.expect("read works").expect("there");
    assert_eq!((record.status, record.attempts.len()), (DeadLetterStatus::Open, 1), "nothing was changed");
    let other = claim_nodes(store.as_ref(), 1, T0).await;
    complete(store.as_ref(), &other[0], T0).await;
    assert!(matches!(requeue(store, letter).await, DeadLetterChange::Changed { .. }));
}

pub(crate) async fn a_cancelled_execution_refuses_the_requeue(test: &TestStore) {
    let store = &test.store;
    let (new, owner, node) = with_leased_node(store).await;
    die(store, &node).await;
    commit(store, &step(&new, lease(&owner), ExecutionStatus::Cancelled)).await;
    let letter = only_letter(store).await;
    assert!(matches!(requeue(store, letter).await, DeadLetterChange::Refused { .. }));
    assert_eq!(status(store.as_ref(), node.id).await, JobStatus::DeadLetter);
}

pub(crate) async fn a_settled_node_runs_until_its_owner_knows(test: &TestStore) {
    let store = &test.store;
    let (new, ..) = with_leased_node(store).await;
    let detail = store.execution_detail(&ALL, new.id).await.expect("read works").expect("there");
    let before = detail.nodes[0].clone();
    assert_eq!((before.status.as_str(), before.attempts), ("RUNNING", 1));
    let node =
        store.job(&ALL, before.job_id.expect("it has a job")).await.expect("read works").expect("there");
    let token = tokens_of(store, &node.id).await;
    let settlement = Settlement { lease: token, disposition: Disposition::Complete(None) };
    store.settle(&[settlement], T0).await.expect("settle works");
    let detail = store.execution_detail(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!(detail.nodes[0], before);
}

/// The lease of a leased job, from the list of those that will have expired.
async fn tokens_of(store: &SqlStore, id: &JobId) -> LeaseRef {
    let expired = store.expired_leases(after_secs(600), 10).await.expect("read works");
    expired.iter().map(|expired| expired.leased.lease).find(|lease| lease.id == *id).expect("it is leased")
}

pub(crate) async fn a_failed_owner_leaves_the_entries_for_the_next(test: &TestStore) {
    let store = &test.store;
    let (new, owner, node) = with_leased_node(store).await;
    complete(store.as_ref(), &node, T0).await;
    let cancel = InboxEntry::Cancel { reason: None, compensate: false };
    let Appended::At(command) = store
        .append_command(&ALL, new.id, store::conformance::fixture::id(), &cancel, T0)
        .await
        .expect("append works")
    else {
        panic!("the execution is there")
    };
    die(store, &owner).await;
    let error = ExecutionError { node: None, message: "lost".into(), code: None };
    assert!(store.fail_execution(new.id, &error, T0).await.expect("fail works"));
    let command = store.command(&ALL, command).await.expect("read works").expect("there");
    assert!(matches!(command.status, CommandStatus::Refused(_)));
    assert_eq!(append(store, &new, &InboxEntry::Retry).await, CommandStatus::Pending);
    let next = store.claim(&claim(QueueName::Execution, 1, after_secs(1))).await.expect("claim works");
    assert_eq!(next[0].id, owner.id);
    let kinds: Vec<&str> =
        inbox(store.as_ref(), new.id).await.expect("read works").iter().map(|row| row.entry.kind()).collect();
    assert_eq!(kinds, ["node_settled", "retry"]);
}
