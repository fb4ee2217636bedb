//! Parking: an execution that only waits gives everything back, and nothing that comes for it is lost.

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::job::JobStatus;
use domain::names::NodeId;
use domain::queue::{QueueName, Tier};
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;

use super::executions::{commit, node_job, owned};
use super::fixture::{
    T0, after_secs, claim, claim_nodes, commit_one, complete, execution, inbox, lease, load_one, status,
    version,
};
use crate::Store;
use crate::executions::{
    Appended, Committed, ExecutionCommit, InboxEntry, InboxResult, InboxRow, NewExecution, OwnerNext,
};
use crate::jobs::{ClaimedJob, LeaseAnswer};
use crate::workflows::WorkflowVersion;

const ALL: TenantScope = TenantScope::All;

/// A step after which the execution only waits.
pub(super) fn park(new: &NewExecution, owner: &ClaimedJob, due_at: Option<Timestamp>) -> ExecutionCommit {
    ExecutionCommit {
        next: OwnerNext::Park { due_at },
        ..commit(new.id, lease(owner), ExecutionStatus::Running)
    }
}

/// Commits a step of a held lease.
pub(super) async fn committed(store: &dyn Store, step: &ExecutionCommit) -> Committed {
    match commit_one(store, step, T0).await.expect("commit works") {
        LeaseAnswer::Ok(committed) => committed,
        other => panic!("a held lease commits: {other:?}"),
    }
}

/// An execution that is parked.
pub(super) async fn parked(store: &dyn Store) -> NewExecution {
    let (new, owner) = owned(store).await;
    assert!(committed(store, &park(&new, &owner, None)).await.parked);
    new
}

/// Takes the next execution up, if there is one.
pub(super) async fn take_up(store: &dyn Store, now: Timestamp) -> Option<ClaimedJob> {
    store.claim(&claim(QueueName::Execution, 1, now)).await.expect("claim works").into_iter().next()
}

fn signal(name: &str) -> InboxEntry {
    InboxEntry::Signal { name: name.into(), payload: r#"{"n": 1}"#.into() }
}

async fn append(store: &dyn Store, id: ExecutionId, entry: &InboxEntry) -> i64 {
    match store
        .append_command(&ALL, id, super::fixture::id(), entry, after_secs(1))
        .await
        .expect("append works")
    {
        Appended::At(position) => position,
        Appended::NotFound | Appended::Full => panic!("the execution is there"),
    }
}

fn all_applied(rows: &[InboxRow]) -> Vec<InboxResult> {
    rows.iter().map(|row| InboxResult { position: row.position, refused: None }).collect()
}

async fn status_of(store: &dyn Store, id: ExecutionId) -> ExecutionStatus {
    store.execution(&ALL, id).await.expect("read works").expect("there").status
}

/// Lease, slot and attempt are given back; the job is WAITING, and nobody claims it.
pub async fn a_parked_execution_gives_everything_back(store: &dyn Store) {
    let narrow = WorkflowVersion { max_concurrent: Some(1), ..version("w") };
    store.register_workflow(&narrow).await.expect("register works");
    let (first, second) = (execution("w"), execution("w"));
    store.create_executions(&[first.clone(), second.clone()], T0).await.expect("create works");
    let owner = take_up(store, T0).await.expect("the first is there");
    assert_eq!(owner.id, first.job.id);
    assert!(take_up(store, T0).await.is_none(), "the workflow is at its limit");
    assert!(committed(store, &park(&first, &owner, None)).await.parked);
    assert_eq!(status(store, first.job.id).await, JobStatus::Waiting);
    assert_eq!(status_of(store, first.id).await, ExecutionStatus::Waiting);
    assert_eq!(take_up(store, T0).await.map(|job| job.id), Some(second.job.id), "the slot is free");
    let stale = commit_one(store, &commit(first.id, lease(&owner), ExecutionStatus::Running), T0).await;
    assert_eq!(stale.expect("answers"), LeaseAnswer::LeaseLost);
    let figures = store.queue_figures(&ALL, QueueName::Execution, T0).await.expect("figures work");
    let normal = figures.tiers.iter().find(|tier| tier.tier == Tier::Normal).expect("there");
    assert_eq!((normal.waiting, normal.queued, normal.processing), (1, 0, 1));
}

/// A hundred parkings take no attempt.
pub async fn parking_takes_no_attempts(store: &dyn Store) {
    let (new, mut owner) = owned(store).await;
    for round in 0..100 {
        assert!(committed(store, &park(&new, &owner, None)).await.parked);
        append(store, new.id, &signal("again")).await;
        owner = take_up(store, T0).await.expect("the signal took it up");
        assert_eq!((owner.attempt, owner.facts.crashes), (1, 0), "round {round}");
        let rows = inbox(store, new.id).await.expect("read works");
        let step = ExecutionCommit {
            inbox: all_applied(&rows),
            ..commit(new.id, lease(&owner), ExecutionStatus::Running)
        };
        committed(store, &step).await;
        assert_eq!(status_of(store, new.id).await, ExecutionStatus::Running);
    }
}

/// An entry that was there first refuses the parking, and only that.
pub async fn i08_an_entry_before_the_parking_refuses_it(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let seen = append(store, new.id, &signal("one")).await;
    append(store, new.id, &signal("two")).await;
    let step = ExecutionCommit {
        inbox: vec![InboxResult { position: seen, refused: None }],
        state: vec![9],
        ..park(&new, &owner, None)
    };
    let answer = committed(store, &step).await;
    assert!(!answer.parked, "the second signal waits");
    assert_eq!(status(store, new.job.id).await, JobStatus::Processing);
    assert_eq!(status_of(store, new.id).await, ExecutionStatus::Running);
    let rows = inbox(store, new.id).await.expect("read works");
    assert_eq!(rows.iter().map(|row| row.entry.clone()).collect::<Vec<_>>(), [signal("two")]);
    let LeaseAnswer::Ok(loaded) = load_one(store, new.id, lease(&owner)).await.expect("load works") else {
        panic!("the lease goes on");
    };
    assert_eq!(loaded.state, Some(vec![9]), "the rest of the step was written");
    let step = ExecutionCommit { inbox: all_applied(&rows), ..park(&new, &owner, None) };
    assert!(committed(store, &step).await.parked);
}

/// Every kind of entry takes a parked execution up, at the place that it had.
pub async fn i08_an_entry_takes_a_parked_execution_up(store: &dyn Store) {
    let new = parked(store).await;
    let younger = execution("w");
    store.create_executions(std::slice::from_ref(&younger), T0).await.expect("create works");
    let node_id = NodeId::trusted("n");
    let entries = [
        signal("paid"),
        InboxEntry::UserTaskCompleted {
            node_id: node_id.clone(),
            round: Some(2),
            output: "{}".into(),
            actor: "ann".into(),
        },
        InboxEntry::Callback { node_id, round: None, payload: "null".into() },
        InboxEntry::Cancel { reason: None, compensate: true },
    ];
    for entry in entries {
        append(store, new.id, &entry).await;
        assert_eq!(status(store, new.job.id).await, JobStatus::Queued, "{entry:?}");
        let owners = store.claim(&claim(QueueName::Execution, 1, after_secs(1))).await.expect("claim works");
        assert_eq!(owners[0].id, new.job.id, "it is older than the other: {entry:?}");
        let rows = inbox(store, new.id).await.expect("read works");
        assert_eq!(rows.iter().map(|row| row.entry.clone()).collect::<Vec<_>>(), [entry]);
        let step = ExecutionCommit { inbox: all_applied(&rows), ..park(&new, &owners[0], None) };
        assert!(committed(store, &step).await.parked);
    }
}

/// The clock takes a parked execution up when it is due, and not before.
pub async fn a_parked_execution_is_taken_up_when_due(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    assert!(committed(store, &park(&new, &owner, Some(after_secs(10)))).await.parked);
    let early = store.promote_due(&[], after_secs(9), 10).await.expect("promote works");
    assert!(early.by_queue.is_empty(), "{early:?}");
    let due = store.promote_due(&[], after_secs(10), 10).await.expect("promote works");
    assert_eq!(due.by_queue, [(QueueName::Execution, 1)]);
    let owner = take_up(store, after_secs(10)).await.expect("it is due");
    assert_eq!((owner.id, owner.attempt), (new.job.id, 1));
    assert!(committed(store, &park(&new, &owner, None)).await.parked);
    let parked = store.job(&ALL, new.job.id).await.expect("read works").expect("there");
    assert_eq!(Timestamp::parse(&parked.run_at.to_string()), Some(parked.run_at), "it can be shown");
    let never = store.promote_due(&[], Timestamp(parked.run_at.0 - 1), 10).await.expect("promote works");
    assert!(never.by_queue.is_empty(), "only its inbox takes it up");
    assert!(parked.run_at > after_secs(1_000 * 366 * 24 * 3_600), "{}", parked.run_at);
}

/// Entries that did not see the execution parked are found by upkeep.
pub async fn i08_upkeep_finds_parked_executions_with_entries(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let step = ExecutionCommit { enqueue: vec![node_job(&new, "n")], ..park(&new, &owner, None) };
    assert!(committed(store, &step).await.parked);
    assert_eq!(store.wake_parked(10, T0).await.expect("works"), 0);
    let node = claim_nodes(store, 1, T0).await;
    complete(store, &node[0], T0).await;
    assert_eq!(store.wake_parked(10, T0).await.expect("works"), 1);
    assert_eq!(take_up(store, T0).await.map(|job| job.id), Some(new.job.id));
    assert_eq!(store.wake_parked(10, T0).await.expect("works"), 0);
}

/// Upkeep comes to all of them, however few it looks at in one call.
pub async fn upkeep_walks_through_all_parked_executions(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let new: Vec<NewExecution> = (0..5).map(|_| execution("w")).collect();
    store.create_executions(&new, T0).await.expect("create works");
    let owners = store.claim(&claim(QueueName::Execution, 5, T0)).await.expect("claim works");
    for (new, owner) in new.iter().zip(&owners) {
        let step = ExecutionCommit { enqueue: vec![node_job(new, "n")], ..park(new, owner, None) };
        assert!(committed(store, &step).await.parked);
    }
    for node in claim_nodes(store, 5, T0).await {
        complete(store, &node, T0).await;
    }
    let mut woken = 0;
    for _ in 0..5 {
        woken += store.wake_parked(2, T0).await.expect("works");
    }
    assert_eq!(woken, 5);
}
