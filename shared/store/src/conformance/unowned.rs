//! Cancelling executions that were taken up before and that nobody owns now.

use domain::access::TenantScope;
use domain::job::JobStatus;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::workflow::execution::{ExecutionError, ExecutionStatus, UserTaskStatus};

use super::executions::{commit, node_job, owned};
use super::fixture::{T0, after_secs, claim, inbox, lease, status, workflow};
use super::parking::{committed, parked, take_up};
use crate::Store;
use crate::executions::{
    Appended, CommandStatus, ExecutionCommit, InboxEntry, NewExecution, OpenedTask, OwnerNext, UserTaskChange,
};
use crate::jobs::LeaseAnswer;
use crate::workflows::WorkflowPause;

const ALL: TenantScope = TenantScope::All;

/// An execution with a queued node and an open user task whose owner gave its lease back.
async fn drained(store: &dyn Store) -> (NewExecution, domain::id::JobId) {
    let (new, owner) = owned(store).await;
    let node = node_job(&new, "n");
    let task = OpenedTask {
        node: NodeId::trusted("approve"),
        round: 1,
        assignee: Some("ann".into()),
        group: None,
        form: None,
        input: None,
        due_at: None,
        opened_at: T0,
    };
    let step = ExecutionCommit {
        enqueue: vec![node.clone()],
        user_tasks: vec![UserTaskChange::Open(task)],
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    committed(store, &step).await;
    let released = store.release(&[lease(&owner)], T0).await.expect("release works");
    assert_eq!(released, [LeaseAnswer::Ok(())]);
    (new, node.id)
}

async fn cancel(store: &dyn Store, new: &NewExecution, compensate: bool) -> CommandStatus {
    let entry = InboxEntry::Cancel { reason: Some("enough".into()), compensate };
    let Appended::At(position) = store
        .append_command(&ALL, new.id, super::fixture::id(), &entry, after_secs(1))
        .await
        .expect("append works")
    else {
        panic!("the execution is there");
    };
    store.command(&ALL, position).await.expect("read works").expect("the command is there").status
}

/// It is cancelled at once, though its workflow is paused, with everything that belongs to it.
pub async fn an_execution_without_owner_is_cancelled_at_once(store: &dyn Store) {
    let (new, node) = drained(store).await;
    store.pause_workflow(&workflow("w"), Some(WorkflowPause::Queue), T0).await.expect("pause works");
    let signal = InboxEntry::Signal { name: "late".into(), payload: "1".into() };
    let Appended::At(position) =
        store.append_command(&ALL, new.id, super::fixture::id(), &signal, T0).await.expect("append works")
    else {
        panic!("the execution is there");
    };
    assert_eq!(cancel(store, &new, false).await, CommandStatus::Applied);
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!((record.status, record.completed_at), (ExecutionStatus::Cancelled, Some(after_secs(1))));
    assert_eq!(status(store, new.job.id).await, JobStatus::Cancelled);
    assert_eq!(status(store, node).await, JobStatus::Cancelled);
    let task = store.user_task(&ALL, new.id, &NodeId::trusted("approve")).await.expect("read works");
    assert_eq!(task.map(|task| task.status), Some(UserTaskStatus::Cancelled));
    let signal = store.command(&ALL, position).await.expect("read works").expect("there").status;
    assert!(matches!(signal, CommandStatus::Refused(_)), "{signal:?}");
    let events = store.execution_events(&ALL, new.id, 0, 10).await.expect("read works").expect("there");
    assert!(events.iter().any(|event| event.line.kind == "execution_cancelled"));
}

/// An execution that fails without its owner can be retried, and then its people are still asked.
pub async fn the_user_tasks_of_a_lost_execution_stay_open(store: &dyn Store) {
    let (new, _) = drained(store).await;
    let owner = take_up(store, T0).await.expect("it is queued");
    let error = ExecutionError { node: None, message: "lost".into(), code: Some("worker_lost".into()) };
    assert!(store.fail_execution(new.id, &error, after_secs(1)).await.expect("works"));
    let task = store.user_task(&ALL, new.id, &NodeId::trusted("approve")).await.expect("read works");
    assert_eq!(task.map(|task| task.status), Some(UserTaskStatus::Open));
    let retry = InboxEntry::Retry;
    store
        .append_command(&ALL, new.id, super::fixture::id(), &retry, after_secs(2))
        .await
        .expect("append works");
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    assert_eq!(record.status, ExecutionStatus::Running);
    let stop = commit(new.id, lease(&owner), ExecutionStatus::Cancelled);
    committed(store, &ExecutionCommit { next: OwnerNext::Finish, ..stop }).await;
}

/// To undo what completed takes an owner.
pub async fn a_compensating_cancel_waits_for_an_owner(store: &dyn Store) {
    let (new, _) = drained(store).await;
    assert_eq!(cancel(store, &new, true).await, CommandStatus::Pending);
    assert_eq!(status(store, new.job.id).await, JobStatus::Queued);
    let owner = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works");
    assert_eq!(owner[0].id, new.job.id);
    assert_eq!(inbox(store, new.id).await.expect("read works").len(), 1);
}

/// A parked execution is cancelled at once: there may be no slot for an owner for long.
pub async fn a_parked_execution_is_cancelled_at_once(store: &dyn Store) {
    let new = parked(store).await;
    assert_eq!(cancel(store, &new, false).await, CommandStatus::Applied);
    assert_eq!(status(store, new.job.id).await, JobStatus::Cancelled);
}
