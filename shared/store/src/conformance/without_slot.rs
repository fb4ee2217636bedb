//! Steps of executions that nobody owns: they take no slot, and the work that follows from them waits for one.

use domain::access::TenantScope;
use domain::id::LeaseToken;
use domain::job::JobStatus;
use domain::workflow::execution::ExecutionStatus;
use uuid::Uuid;

use super::executions::{commit, node_job, owned};
use super::fixture::{T0, after_secs, claim_nodes, inbox, lease, load_one, status};
use super::parking::{committed, parked, take_up};
use crate::Store;
use crate::executions::{ExecutionCommit, InboxEntry, InboxResult, NewExecution, OwnerNext};
use crate::jobs::{LeaseAnswer, LeaseRef};

const ALL: TenantScope = TenantScope::All;

/// A step of an execution that nobody owns, as it is now.
async fn step(store: &dyn Store, new: &NewExecution, next: OwnerNext) -> ExecutionCommit {
    let loaded = store.load_unowned(&[new.id]).await.expect("read works").remove(0);
    let loaded = loaded.expect("nobody owns it");
    let rows = inbox(store, new.id).await.expect("read works");
    let token = LeaseToken(Uuid::from_u128(0x5107));
    ExecutionCommit {
        step: loaded.step,
        inbox: rows.iter().map(|row| InboxResult { position: row.position, refused: None }).collect(),
        next,
        ..commit(new.id, LeaseRef { id: new.job.id, token }, ExecutionStatus::Running)
    }
}

/// A parked execution with an entry that nobody has applied.
async fn with_entry(store: &dyn Store) -> NewExecution {
    let new = parked(store).await;
    let entry = InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    store
        .append_command(&ALL, new.id, super::fixture::id(), &entry, after_secs(1))
        .await
        .expect("append works");
    new
}

/// What came is applied, and the execution is parked again, as it was.
pub async fn a_step_without_a_slot_parks_again(store: &dyn Store) {
    let new = with_entry(store).await;
    assert!(store.executions_to_look_at(T0, 10).await.expect("read works").is_empty(), "not yet");
    assert_eq!(store.executions_to_look_at(after_secs(1), 10).await.expect("read works"), [new.id]);
    let first = step(store, &new, OwnerNext::Park { due_at: None }).await;
    let answers =
        store.commit_unowned(std::slice::from_ref(&first), &[None], after_secs(2)).await.expect("works");
    assert!(answers[0].as_ref().is_some_and(|committed| committed.parked), "{answers:?}");
    assert_eq!(status(store, new.job.id).await, JobStatus::Waiting);
    assert!(inbox(store, new.id).await.expect("read works").is_empty());
    assert!(store.executions_to_look_at(after_secs(9), 10).await.expect("read works").is_empty());
    let again = store.commit_unowned(&[first], &[None], after_secs(2)).await.expect("works");
    assert_eq!(again, [None], "another step was committed since");
    let last =
        ExecutionCommit { status: ExecutionStatus::Cancelled, ..step(store, &new, OwnerNext::Finish).await };
    let ended = store.commit_unowned(&[last], &[None], after_secs(3)).await.expect("works");
    assert!(ended[0].is_some());
    assert_eq!(status(store, new.job.id).await, JobStatus::Cancelled);
}

/// Jobs that such a step makes are claimable once their execution has a slot.
pub async fn i03_work_of_a_step_without_a_slot_is_held(store: &dyn Store) {
    let new = with_entry(store).await;
    let node = node_job(&new, "n");
    let first = ExecutionCommit { enqueue: vec![node.clone()], ..step(store, &new, OwnerNext::Keep).await };
    let due_at = Some(after_secs(5));
    let answers = store.commit_unowned(&[first], &[due_at], after_secs(2)).await.expect("works");
    assert!(answers[0].is_some());
    assert_eq!(status(store, new.job.id).await, JobStatus::Queued);
    assert_eq!(status(store, node.id).await, JobStatus::Queued);
    assert!(claim_nodes(store, 10, after_secs(2)).await.is_empty(), "it has no slot");
    assert!(store.executions_to_look_at(after_secs(4), 10).await.expect("read works").is_empty());
    assert_eq!(store.executions_to_look_at(after_secs(5), 10).await.expect("read works"), [new.id]);
    let owner = take_up(store, after_secs(6)).await.expect("a slot is free");
    let LeaseAnswer::Ok(loaded) = load_one(store, new.id, lease(&owner)).await.expect("works") else {
        panic!("the lease holds");
    };
    assert!(loaded.has_held);
    let taken =
        ExecutionCommit { releases_held: true, ..commit(new.id, lease(&owner), ExecutionStatus::Running) };
    committed(store, &taken).await;
    let claimed = claim_nodes(store, 10, after_secs(6)).await;
    assert_eq!(claimed.iter().map(|job| job.id).collect::<Vec<_>>(), [node.id]);
    let LeaseAnswer::Ok(loaded) = load_one(store, new.id, lease(&owner)).await.expect("works") else {
        panic!("the lease holds");
    };
    assert!(!loaded.has_held);
}

/// An execution that somebody owns is that owner's.
pub async fn i02_a_step_without_a_slot_leaves_owned_executions_alone(store: &dyn Store) {
    let new = with_entry(store).await;
    let early = step(store, &new, OwnerNext::Park { due_at: None }).await;
    let owner = take_up(store, after_secs(2)).await.expect("it is taken up");
    let answers = store.commit_unowned(&[early], &[None], after_secs(2)).await.expect("works");
    assert_eq!(answers, [None]);
    assert_eq!(store.load_unowned(&[new.id]).await.expect("read works"), [None]);
    committed(store, &commit(new.id, lease(&owner), ExecutionStatus::Running)).await;
    let (fresh, _owner) = owned(store).await;
    assert!(
        !store.executions_to_look_at(after_secs(9), 10).await.expect("read works").contains(&fresh.id),
        "only those that wait for a slot are looked at"
    );
}

/// One that cannot be moved on now makes room for those behind it.
pub async fn an_execution_is_looked_at_later(store: &dyn Store) {
    let new = with_entry(store).await;
    store.look_later(&[new.id], after_secs(5)).await.expect("works");
    assert!(store.executions_to_look_at(after_secs(4), 10).await.expect("read works").is_empty());
    assert_eq!(store.executions_to_look_at(after_secs(5), 10).await.expect("read works"), [new.id]);
    store.look_later(&[new.id], after_secs(3)).await.expect("works");
    assert!(
        store.executions_to_look_at(after_secs(4), 10).await.expect("read works").is_empty(),
        "not sooner"
    );
    assert!(take_up(store, after_secs(2)).await.is_some(), "it keeps its place in the queue");
    store.look_later(&[new.id], after_secs(9)).await.expect("owned ones are left alone");
    store.look_later(&[], after_secs(9)).await.expect("works");
}

/// How often an evaluation ended with its process is counted without an owner, too: by whoever was first, and until a step is
/// committed.
pub async fn an_evaluation_without_a_slot_is_on_record(store: &dyn Store) {
    let new = with_entry(store).await;
    let loaded = store.load_unowned(&[new.id]).await.expect("read works").remove(0).expect("nobody owns it");
    let record = async |step: i64, before: u32, after: u32| {
        store.record_unowned_evaluations_lost(new.id, step, before, after).await.expect("write works")
    };
    assert!(record(loaded.step, 0, 1).await);
    assert!(!record(loaded.step, 0, 1).await, "somebody else was first");
    assert!(!record(loaded.step + 1, 1, 2).await, "another step was committed");
    let loaded = store.load_unowned(&[new.id]).await.expect("read works").remove(0).expect("nobody owns it");
    assert_eq!(loaded.evaluations_lost, 1);
    let first = step(store, &new, OwnerNext::Keep).await;
    let answers = store.commit_unowned(&[first], &[None], after_secs(2)).await.expect("works");
    assert!(answers[0].is_some());
    let loaded = store.load_unowned(&[new.id]).await.expect("read works").remove(0).expect("nobody owns it");
    assert_eq!(loaded.evaluations_lost, 0, "a step is progress");
    let owner = take_up(store, after_secs(3)).await.expect("a slot is free");
    assert!(!record(loaded.step, 0, 1).await, "it has an owner");
    drop(owner);
}
