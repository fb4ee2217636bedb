//! Steps that end jobs of their nodes: as a settlement would, but with the step and without entries in the inbox.

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::job::{Disposition, JobStatus};
use domain::limits::LimitScope;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;

use super::commits::many;
use super::executions::{commit, node_job, owned};
use super::fixture::{
    T0, after_secs, claim_nodes, commit_all, commit_one, enqueue, inbox, job, lease, status, token,
};
use super::parking::committed;
use crate::executions::{CompletedJob, EventLine, ExecutionCommit, NewExecution, OwnerNext};
use crate::jobs::{ClaimedJob, JobRecord, LeaseAnswer, LeaseRef, NewJob, Settlement};
use crate::limits::LimitChange;
use crate::{Store, StoreError};

const ALL: TenantScope = TenantScope::All;

/// A result that no row of a job would carry along as its payload.
fn result() -> String {
    format!(r#"{{"text":"{}"}}"#, "7".repeat(5_000))
}

fn completed(node: &ClaimedJob) -> CompletedJob {
    CompletedJob { lease: lease(node), result: Some(result()) }
}

fn line() -> EventLine {
    EventLine { kind: "node_completed".into(), node_id: None, detail: None, at: T0 }
}

/// An owner's step after which it does that.
fn step(new: &NewExecution, owner: &ClaimedJob, next: OwnerNext) -> ExecutionCommit {
    let is_end = next == OwnerNext::Finish;
    let status = if is_end { ExecutionStatus::Completed } else { ExecutionStatus::Running };
    ExecutionCommit { events: vec![line()], next, ..commit(new.id, lease(owner), status) }
}

/// An owned execution, and the leased jobs of its nodes `n` and `m`.
async fn with_two_nodes(store: &dyn Store) -> (NewExecution, ClaimedJob, Vec<ClaimedJob>) {
    let (new, owner) = owned(store).await;
    let enqueue = vec![node_job(&new, "n"), node_job(&new, "m")];
    committed(store, &ExecutionCommit { enqueue, ..step(&new, &owner, OwnerNext::Keep) }).await;
    let nodes = claim_nodes(store, 2, after_secs(1)).await;
    assert_eq!(nodes.len(), 2);
    (new, owner, nodes)
}

/// What is left of a job when its own names are taken off.
async fn what_is_left(store: &dyn Store, job: &ClaimedJob) -> JobRecord {
    let record = store.job(&ALL, job.id).await.expect("read works").expect("there");
    JobRecord {
        id: job.execution_id.map_or(job.id, |id| domain::id::Id::from_uuid(id.uuid())),
        position: 0,
        node_id: None,
        ..record
    }
}

async fn settle(store: &dyn Store, node: &ClaimedJob) -> LeaseAnswer<JobStatus> {
    let disposition = Disposition::Complete(Some(result()));
    let settlement = Settlement { lease: lease(node), disposition };
    match store.settle(&[settlement], after_secs(2)).await.expect("settle works").remove(0) {
        LeaseAnswer::Ok(settled) => LeaseAnswer::Ok(settled.status),
        LeaseAnswer::AlreadyDone => LeaseAnswer::AlreadyDone,
        LeaseAnswer::Cancelled => LeaseAnswer::Cancelled,
        LeaseAnswer::LeaseLost => LeaseAnswer::LeaseLost,
    }
}

/// However a step goes on, a job that ends with it is what a settlement would have made of it; nothing is in the inbox;
/// and a later report of the same attempt is known.
async fn ends_as_settled(store: &dyn Store, next: OwnerNext) {
    let (new, owner, nodes) = with_two_nodes(store).await;
    assert_eq!(settle(store, &nodes[1]).await, LeaseAnswer::Ok(JobStatus::Completed));
    let entries = inbox(store, new.id).await.expect("read works");
    assert_eq!(entries.len(), 1, "of the one that was settled");
    let ending =
        ExecutionCommit { completed: vec![completed(&nodes[0])], ..step(&new, &owner, next.clone()) };
    let answer = commit_one(store, &ending, after_secs(2)).await.expect("commit works");
    assert!(matches!(&answer, LeaseAnswer::Ok(done) if done.freed_node_slots), "{answer:?}");
    assert_eq!(what_is_left(store, &nodes[0]).await, what_is_left(store, &nodes[1]).await);
    let record = what_is_left(store, &nodes[0]).await;
    assert_eq!((record.status, record.result), (JobStatus::Completed, Some(result())));
    assert_eq!((record.completed_at, record.attempts.len()), (Some(after_secs(2)), 1));
    let left = inbox(store, new.id).await.expect("read works");
    assert_eq!(left, if next == OwnerNext::Finish { Vec::new() } else { entries });
    assert_eq!(settle(store, &nodes[0]).await, LeaseAnswer::AlreadyDone);
    assert_eq!(inbox(store, new.id).await.expect("read works"), left, "a repeat adds no entry");
}

/// With a step that goes on.
pub async fn i08_a_step_ends_the_job_of_its_node(store: &dyn Store) {
    ends_as_settled(store, OwnerNext::Keep).await;
}

/// With the last step.
pub async fn i08_the_last_step_ends_the_job_of_its_node(store: &dyn Store) {
    ends_as_settled(store, OwnerNext::Finish).await;
}

/// With a step that wants to park, where other entries keep it.
pub async fn i08_a_parking_step_ends_the_job_of_its_node(store: &dyn Store) {
    ends_as_settled(store, OwnerNext::Park { due_at: None }).await;
}

/// The last step is known when it is repeated, with the jobs that ended with it.
pub async fn i01_a_repeated_last_step_is_known(store: &dyn Store) {
    let (new, owner, nodes) = with_two_nodes(store).await;
    let jobs = nodes.iter().map(completed).collect();
    let last = ExecutionCommit { completed: jobs, ..step(&new, &owner, OwnerNext::Finish) };
    committed(store, &last).await;
    let again = commit_one(store, &last, T0).await.expect("commit works");
    assert_eq!(again, LeaseAnswer::AlreadyDone);
    assert_eq!(settle(store, &nodes[1]).await, LeaseAnswer::AlreadyDone);
}

/// The slots of jobs that end with steps are free for the next claim, each of them once.
pub async fn i03_a_job_that_ends_with_a_step_frees_its_slot(store: &dyn Store) {
    let limit =
        LimitChange { queue: QueueName::Node, scope: LimitScope::Global, max_concurrent: Some(Some(2)) };
    store.change_limits_and_rates(&[limit], &[], T0).await.expect("change works");
    let (new, owner, nodes) = with_two_nodes(store).await;
    enqueue(store, &[job(), job(), job(), job()]).await;
    assert!(claim_nodes(store, 10, after_secs(1)).await.is_empty());
    let first = ExecutionCommit {
        completed: vec![completed(&nodes[0])],
        enqueue: vec![node_job(&new, "o")],
        ..step(&new, &owner, OwnerNext::Keep)
    };
    committed(store, &first).await;
    assert_eq!(claim_nodes(store, 10, after_secs(1)).await.len(), 1);
    let last =
        ExecutionCommit { completed: vec![completed(&nodes[1])], ..step(&new, &owner, OwnerNext::Finish) };
    committed(store, &last).await;
    assert_eq!(claim_nodes(store, 10, after_secs(1)).await.len(), 1);
    assert!(claim_nodes(store, 10, after_secs(1)).await.is_empty());
}

/// A concurrency key is given on to the next job that waits for it.
pub async fn a_job_that_ends_with_a_step_gives_its_key_on(store: &dyn Store) {
    for next in [OwnerNext::Keep, OwnerNext::Finish] {
        let (new, owner) = owned(store).await;
        let keyed = |node: &str| NewJob {
            concurrency_key: Some(domain::names::CallerKey::trusted("k")),
            ..node_job(&new, node)
        };
        let enqueue = vec![keyed("n"), keyed("m")];
        committed(store, &ExecutionCommit { enqueue, ..step(&new, &owner, OwnerNext::Keep) }).await;
        let first = claim_nodes(store, 10, after_secs(1)).await;
        assert_eq!(first.len(), 1, "one at a time");
        let completed = first.iter().map(completed).collect();
        committed(store, &ExecutionCommit { completed, ..step(&new, &owner, next) }).await;
        let second = claim_nodes(store, 10, after_secs(1)).await;
        assert_eq!(
            second.iter().map(|job| job.node_id.clone()).collect::<Vec<_>>(),
            [Some(NodeId::trusted("m"))]
        );
        assert_eq!(settle(store, &second[0]).await, LeaseAnswer::Ok(JobStatus::Completed));
    }
}

/// A job that a step both ends and cancels has ended.
pub async fn a_completed_job_is_not_cancelled(store: &dyn Store) {
    let (new, owner, nodes) = with_two_nodes(store).await;
    let both = ExecutionCommit {
        completed: vec![completed(&nodes[0])],
        cancel: nodes.iter().map(|node| node.id).collect(),
        ..step(&new, &owner, OwnerNext::Keep)
    };
    committed(store, &both).await;
    assert_eq!(status(store, nodes[0].id).await, JobStatus::Completed);
    assert_eq!(status(store, nodes[1].id).await, JobStatus::Cancelled);
}

/// A step that ends a job which is not leased under that token, or is another execution's, is refused as a whole, and
/// with it those beside it. They go through without it.
pub async fn i02_a_step_that_ends_what_is_not_leased_is_refused(store: &dyn Store) {
    let all = many(store, 2).await;
    let (steady, other) = (&all[0], &all[1]);
    let start = |(new, owner): &(NewExecution, ClaimedJob)| {
        let enqueue = vec![node_job(new, "n")];
        ExecutionCommit { enqueue, ..commit(new.id, lease(owner), ExecutionStatus::Running) }
    };
    let starts: Vec<ExecutionCommit> = all.iter().map(start).collect();
    commit_all(store, &starts, T0).await.expect("commit works");
    let nodes = claim_nodes(store, 2, after_secs(1)).await;
    let of =
        |id: ExecutionId| nodes.iter().find(|job| job.execution_id == Some(id)).expect("its node is leased");
    let (good, theirs) = (completed(of(steady.0.id)), completed(of(other.0.id)));
    let stale = CompletedJob { lease: LeaseRef { token: token(), ..theirs.lease }, result: None };
    let unleased = CompletedJob { lease: lease(&other.1), result: None };
    for next in [OwnerNext::Keep, OwnerNext::Finish, OwnerNext::Park { due_at: None }] {
        let neighbor =
            ExecutionCommit { completed: vec![good.clone()], ..step(&steady.0, &steady.1, next.clone()) };
        let own = |completed: Vec<CompletedJob>| ExecutionCommit {
            completed,
            enqueue: if next == OwnerNext::Finish { Vec::new() } else { vec![node_job(&other.0, "m")] },
            ..step(&other.0, &other.1, next.clone())
        };
        let bad = [
            own(vec![stale.clone()]),
            own(vec![theirs.clone(), stale.clone()]),
            own(vec![good.clone()]),
            own(vec![unleased.clone()]),
        ];
        for bad in bad {
            let refused = commit_all(store, &[neighbor.clone(), bad.clone()], T0).await;
            assert!(matches!(refused, Err(StoreError::Outdated { .. })), "{refused:?} of {bad:?}");
            let refused = commit_one(store, &bad, T0).await;
            assert!(matches!(refused, Err(StoreError::Outdated { .. })), "{refused:?} of {bad:?}");
        }
    }
    for (new, owner) in &all {
        let events = store.execution_events(&ALL, new.id, 0, 10).await.expect("read works").expect("there");
        assert_eq!(events, [], "nothing was written");
        assert_eq!(status(store, owner.id).await, JobStatus::Processing);
        assert_eq!(status(store, of(new.id).id).await, JobStatus::Processing);
    }
    assert!(claim_nodes(store, 10, after_secs(1)).await.is_empty());
    let end = ExecutionCommit { completed: vec![good], ..step(&steady.0, &steady.1, OwnerNext::Finish) };
    committed(store, &end).await;
    let lost = LeaseRef { token: token(), ..lease(&other.1) };
    let late =
        ExecutionCommit { lease: lost, completed: vec![theirs], ..step(&other.0, &other.1, OwnerNext::Keep) };
    assert_eq!(commit_one(store, &late, T0).await.expect("commit works"), LeaseAnswer::LeaseLost);
    assert_eq!(
        status(store, of(other.0.id).id).await,
        JobStatus::Processing,
        "whose owner is another one now"
    );
}
