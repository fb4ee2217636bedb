//! Commands to executions: cancel, retry, and a requeued dead letter that brings one back.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::job::{Disposition, JobStatus};
use domain::queue::QueueName;
use domain::workflow::execution::{ExecutionError, ExecutionStatus};

use super::executions::{commit, node_job, owned};
use super::fixture::{
    T0, after_secs, claim, claim_nodes, commit_one, execution, id, inbox, lease, load_one, status, tenant,
    version,
};
use crate::Store;
use crate::dead_letters::{DeadLetterChange, DeadLetterFilter, RequeueEdit};
use crate::executions::{
    Appended, CommandStatus, ExecutionCommit, InboxEntry, InboxResult, LostExecution, OwnerNext,
};
use crate::jobs::{LeaseAnswer, LeaseExtension, Settlement};
use crate::page::PageRequest;

const ALL: TenantScope = TenantScope::All;

fn cancel() -> InboxEntry {
    InboxEntry::Cancel { reason: Some("enough".into()), compensate: false }
}

async fn append(store: &dyn Store, id: domain::id::ExecutionId, entry: &InboxEntry) -> i64 {
    match store
        .append_command(&ALL, id, super::fixture::id(), entry, after_secs(1))
        .await
        .expect("append works")
    {
        Appended::At(position) => position,
        Appended::NotFound | Appended::Full => panic!("the execution is there"),
    }
}

async fn command_status(store: &dyn Store, position: i64) -> CommandStatus {
    store.command(&ALL, position).await.expect("read works").expect("the command is there").status
}

/// A cancel waits in the inbox of an owned execution until it is applied.
pub async fn a_command_waits_for_the_owner(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let position = append(store, new.id, &cancel()).await;
    assert_eq!(command_status(store, position).await, CommandStatus::Pending);
    let rows = inbox(store, new.id).await.expect("read works");
    assert_eq!(
        rows.iter().map(|row| (row.position, row.entry.clone())).collect::<Vec<_>>(),
        [(position, cancel())]
    );
    let refused = append(store, new.id, &InboxEntry::Retry).await;
    assert!(
        matches!(command_status(store, refused).await, CommandStatus::Refused(_)),
        "only a FAILED one is retried"
    );
    let last = ExecutionCommit {
        inbox: vec![InboxResult { position, refused: None }],
        next: OwnerNext::Finish,
        ..commit(new.id, lease(&owner), ExecutionStatus::Cancelled)
    };
    commit_one(store, &last, after_secs(2)).await.expect("commit works");
    assert_eq!(command_status(store, position).await, CommandStatus::Applied);
    assert_eq!(status(store, new.job.id).await, JobStatus::Cancelled);
    let late = append(store, new.id, &cancel()).await;
    assert!(matches!(command_status(store, late).await, CommandStatus::Refused(_)));
}

/// An execution that nobody took up is cancelled on the spot.
pub async fn a_pending_execution_is_cancelled_at_once(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    let new = execution("w");
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let position = append(store, new.id, &cancel()).await;
    assert_eq!(command_status(store, position).await, CommandStatus::Applied);
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!((record.status, record.completed_at), (ExecutionStatus::Cancelled, Some(after_secs(1))));
    assert_eq!(status(store, new.job.id).await, JobStatus::Cancelled);
    assert!(store.claim(&claim(QueueName::Execution, 10, T0)).await.expect("claim works").is_empty());
}

/// Commands stay within the tenant.
pub async fn i13_commands_stay_within_the_tenant(store: &dyn Store) {
    let (new, _) = owned(store).await;
    let other = TenantScope::One(tenant("b"));
    assert_eq!(
        store.append_command(&other, new.id, super::fixture::id(), &cancel(), T0).await.expect("answers"),
        Appended::NotFound
    );
    assert_eq!(
        store.append_command(&ALL, id(), super::fixture::id(), &cancel(), T0).await.expect("answers"),
        Appended::NotFound
    );
    let position = append(store, new.id, &cancel()).await;
    assert_eq!(store.command(&other, position).await.expect("answers"), None);
}

/// Fails an owned execution through a node that died; answers the dead letter.
async fn failed(store: &dyn Store) -> (crate::executions::NewExecution, domain::id::DeadLetterId) {
    let (new, owner) = owned(store).await;
    let step = ExecutionCommit {
        enqueue: vec![node_job(&new, "c")],
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    commit_one(store, &step, T0).await.expect("commit works");
    let node = claim_nodes(store, 1, T0).await;
    let disposition = Disposition::Die { reason: DeadReason::NonRetryable, error: JobError::coded("x", "x") };
    store.settle(&[Settlement { lease: lease(&node[0]), disposition }], T0).await.expect("settle works");
    let rows = inbox(store, new.id).await.expect("read works");
    let error = ExecutionError { node: node[0].node_id.clone(), message: "x".into(), code: Some("x".into()) };
    let last = ExecutionCommit {
        inbox: rows.iter().map(|row| InboxResult { position: row.position, refused: None }).collect(),
        error: Some(error.clone()),
        next: OwnerNext::Finish,
        ..commit(new.id, lease(&owner), ExecutionStatus::Failed)
    };
    commit_one(store, &last, T0).await.expect("commit works");
    assert_eq!(status(store, new.job.id).await, JobStatus::Failed);
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!(record.error, Some(error));
    let page = PageRequest { limit: 10, after: None };
    let letters =
        store.list_dead_letters(&ALL, &DeadLetterFilter::default(), page).await.expect("list works");
    assert_eq!(letters.items.len(), 1);
    (new, letters.items[0].id)
}

/// A retry brings a failed execution back to its owner, with the command in the inbox.
pub async fn a_retry_revives_a_failed_execution(store: &dyn Store) {
    let (new, letter) = failed(store).await;
    let position = append(store, new.id, &InboxEntry::Retry).await;
    assert_eq!(command_status(store, position).await, CommandStatus::Pending);
    let owner = store.claim(&claim(QueueName::Execution, 1, after_secs(1))).await.expect("claim works");
    assert_eq!((owner[0].id, owner[0].attempt), (new.job.id, 2));
    let rows = inbox(store, new.id).await.expect("read works");
    assert_eq!(rows.iter().map(|row| row.entry.clone()).collect::<Vec<_>>(), [InboxEntry::Retry]);
    let change = store
        .requeue_dead_letter(&ALL, letter, &RequeueEdit::default(), after_secs(1))
        .await
        .expect("answers");
    assert!(matches!(change, DeadLetterChange::Refused { .. }), "the retry starts the node anew: {change:?}");
}

/// Requeueing a node's dead letter brings the node's job and a failed execution back.
pub async fn i10_a_requeued_node_revives_its_execution(store: &dyn Store) {
    let (new, letter) = failed(store).await;
    let change = store
        .requeue_dead_letter(&ALL, letter, &RequeueEdit::default(), after_secs(1))
        .await
        .expect("requeue works");
    assert!(
        matches!(change, DeadLetterChange::Changed { execution_id: Some(id), .. } if id == new.id),
        "{change:?}"
    );
    assert_eq!(claim_nodes(store, 10, after_secs(1)).await.len(), 1);
    let owner = store.claim(&claim(QueueName::Execution, 1, after_secs(1))).await.expect("claim works");
    assert_eq!(owner[0].id, new.job.id);
    let rows = inbox(store, new.id).await.expect("read works");
    assert!(matches!(rows[0].entry, InboxEntry::NodeRequeued { .. }), "{rows:?}");
    assert!(matches!(
        load_one(store, new.id, lease(&owner[0])).await.expect("load works"),
        LeaseAnswer::Ok(_)
    ));
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!((record.status, record.completed_at), (ExecutionStatus::Running, None));
}

/// What completed is undone while its execution fails, and not while it runs again.
pub async fn a_compensation_is_requeued_only_while_its_execution_fails(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let step = ExecutionCommit {
        enqueue: vec![node_job(&new, "c:compensate")],
        ..commit(new.id, lease(&owner), ExecutionStatus::Compensating)
    };
    commit_one(store, &step, T0).await.expect("commit works");
    let node = claim_nodes(store, 1, T0).await;
    let disposition = Disposition::Die { reason: DeadReason::NonRetryable, error: JobError::coded("x", "x") };
    store.settle(&[Settlement { lease: lease(&node[0]), disposition }], T0).await.expect("settle works");
    let page = PageRequest { limit: 10, after: None };
    let letters =
        store.list_dead_letters(&ALL, &DeadLetterFilter::default(), page).await.expect("list works");
    let requeue = || async {
        store
            .requeue_dead_letter(&ALL, letters.items[0].id, &RequeueEdit::default(), T0)
            .await
            .expect("answers")
    };
    let again = commit(new.id, lease(&owner), ExecutionStatus::Running);
    commit_one(store, &again, T0).await.expect("commit works");
    let change = requeue().await;
    assert!(matches!(change, DeadLetterChange::Refused { .. }), "{change:?}");
    assert_eq!(status(store, node[0].id).await, JobStatus::DeadLetter, "and its job does not run");
    let failed = ExecutionCommit {
        error: Some(ExecutionError { node: None, message: "x".into(), code: None }),
        next: OwnerNext::Finish,
        ..commit(new.id, lease(&owner), ExecutionStatus::Failed)
    };
    commit_one(store, &failed, T0).await.expect("commit works");
    let change = requeue().await;
    assert!(matches!(change, DeadLetterChange::Changed { .. }), "{change:?}");
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!(
        record.status,
        ExecutionStatus::Compensating,
        "others of its compensations can be requeued as well"
    );
}

/// A requeue that is answered just before the owner commits the failure is not lost.
pub async fn i10_a_requeue_beside_the_failing_commit_counts(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let step = ExecutionCommit {
        enqueue: vec![node_job(&new, "c")],
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    commit_one(store, &step, T0).await.expect("commit works");
    let node = claim_nodes(store, 1, T0).await;
    let disposition = Disposition::Die { reason: DeadReason::NonRetryable, error: JobError::coded("x", "x") };
    store.settle(&[Settlement { lease: lease(&node[0]), disposition }], T0).await.expect("settle works");
    let seen = inbox(store, new.id).await.expect("read works");
    let page = PageRequest { limit: 10, after: None };
    let letters =
        store.list_dead_letters(&ALL, &DeadLetterFilter::default(), page).await.expect("list works");
    let change = store.requeue_dead_letter(&ALL, letters.items[0].id, &RequeueEdit::default(), T0).await;
    assert!(matches!(change.expect("requeue works"), DeadLetterChange::Changed { .. }));
    let last = ExecutionCommit {
        inbox: seen.iter().map(|row| InboxResult { position: row.position, refused: None }).collect(),
        next: OwnerNext::Finish,
        ..commit(new.id, lease(&owner), ExecutionStatus::Failed)
    };
    let answer = commit_one(store, &last, T0).await.expect("commit works");
    assert!(matches!(answer, LeaseAnswer::Ok(done) if done.goes_on), "whoever counts ends does not count it");
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!((record.status, record.completed_at), (ExecutionStatus::Running, None));
    let next = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works");
    assert_eq!(next[0].id, new.job.id);
    let rows = inbox(store, new.id).await.expect("read works");
    assert!(matches!(rows[0].entry, InboxEntry::NodeRequeued { .. }), "{rows:?}");
}

/// An execution whose own job died is failed by upkeep, once.
pub async fn an_execution_can_be_failed_from_outside(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let disposition =
        Disposition::Die { reason: DeadReason::WorkerLost, error: JobError::coded("worker_lost", "lost") };
    store
        .reap(&[Settlement { lease: lease(&owner), disposition }], after_secs(31))
        .await
        .expect("reap works");
    let error = ExecutionError { node: None, message: "lost".into(), code: Some("worker_lost".into()) };
    assert!(store.fail_execution(new.id, &error, after_secs(31)).await.expect("answers"));
    assert!(!store.fail_execution(new.id, &error, after_secs(32)).await.expect("answers"));
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!((record.status, record.error), (ExecutionStatus::Failed, Some(error)));
}

/// The reaper fails an execution only while its lease has expired: its owner may come back at the last moment.
pub async fn an_execution_is_not_lost_while_its_lease_holds(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let error = ExecutionError { node: None, message: "lost".into(), code: Some("worker_lost".into()) };
    let renewal = LeaseExtension { lease: lease(&owner), extend: None, progress: None };
    store.extend_leases(&[renewal], after_secs(20)).await.expect("a heartbeat works");
    let failed =
        async |secs| store.fail_lost_execution(new.id, &error, after_secs(secs)).await.expect("answers");
    assert_eq!(failed(31).await, LostExecution::Owned);
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert!(!record.status.is_terminal());
    assert_eq!(failed(51).await, LostExecution::Failed);
    assert_eq!(failed(52).await, LostExecution::Ended);
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!((record.status, record.error), (ExecutionStatus::Failed, Some(error.clone())));
}
