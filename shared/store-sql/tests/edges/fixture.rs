//! What cases share: an owned execution with a leased node, and calls that are expected to work.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::id::DeadLetterId;
use domain::job::Disposition;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use store::PageRequest;
use store::conformance::fixture::{
    T0, after_secs, claim, claim_nodes, commit_one, execution, job, lease, version, workflow,
};
use store::dead_letters::{DeadLetterChange, DeadLetterFilter, DeadLetterStore as _, RequeueEdit};
use store::executions::{
    Appended, CommandStatus, EventLine, ExecutionCommit, ExecutionStore as _, InboxEntry, NewExecution,
    OwnerNext,
};
use store::jobs::{ClaimedJob, JobStore as _, LeaseAnswer, LeaseRef, NewJob, Settlement};
use store::workflows::WorkflowStore as _;
use store_sql::SqlStore;

pub(crate) const ALL: TenantScope = TenantScope::All;

pub(crate) async fn die(store: &SqlStore, job: &ClaimedJob) {
    let disposition = Disposition::Die { reason: DeadReason::NonRetryable, error: JobError::coded("x", "x") };
    let settled =
        store.settle(&[Settlement { lease: lease(job), disposition }], T0).await.expect("settle works");
    assert!(matches!(settled[0], LeaseAnswer::Ok(_)), "{settled:?}");
}

pub(crate) async fn only_letter(store: &SqlStore) -> DeadLetterId {
    let page = PageRequest { limit: 10, after: None };
    let letters =
        store.list_dead_letters(&ALL, &DeadLetterFilter::default(), page).await.expect("list works");
    assert_eq!(letters.items.len(), 1);
    letters.items[0].id
}

pub(crate) async fn requeue(store: &SqlStore, id: DeadLetterId) -> DeadLetterChange {
    store
        .requeue_dead_letter(&ALL, id, &RequeueEdit::default(), after_secs(1))
        .await
        .expect("requeue answers")
}

pub(crate) fn step(new: &NewExecution, lease: LeaseRef, status: ExecutionStatus) -> ExecutionCommit {
    ExecutionCommit {
        id: new.id,
        tenant: new.job.tenant.clone(),
        lease,
        step: 0,
        status,
        state: vec![1],
        started_at: Some(T0),
        records: Vec::new(),
        events: vec![EventLine { kind: "execution_started".into(), node_id: None, detail: None, at: T0 }],
        enqueue: Vec::new(),
        cancel: Vec::new(),
        children: Vec::new(),
        cancel_children: Vec::new(),
        undo_children: Vec::new(),
        retry_children: Vec::new(),
        releases_held: false,
        event_waits: Vec::new(),
        user_tasks: Vec::new(),
        inbox: Vec::new(),
        completed: Vec::new(),
        output: None,
        error: None,
        next: if status.is_terminal() { OwnerNext::Finish } else { OwnerNext::Keep },
        attributes: Vec::new(),
        is_child: false,
    }
}

pub(crate) async fn commit(store: &SqlStore, step: &ExecutionCommit) {
    let answer = commit_one(store, step, T0).await.expect("commit works");
    assert!(matches!(answer, LeaseAnswer::Ok(_)), "{answer:?}");
}

/// An owned execution whose node `c` is leased.
pub(crate) async fn with_leased_node(store: &SqlStore) -> (NewExecution, ClaimedJob, ClaimedJob) {
    store.register_workflow(&version("w")).await.expect("register works");
    let new = execution("w");
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let owner = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works").remove(0);
    let node = NewJob {
        workflow: Some(workflow("w")),
        execution_id: Some(new.id),
        node_id: Some(NodeId::trusted("c")),
        ..job()
    };
    let first =
        ExecutionCommit { enqueue: vec![node], ..step(&new, lease(&owner), ExecutionStatus::Running) };
    commit(store, &first).await;
    let node = claim_nodes(store, 1, T0).await.remove(0);
    (new, owner, node)
}

pub(crate) async fn append(store: &SqlStore, new: &NewExecution, entry: &InboxEntry) -> CommandStatus {
    match store
        .append_command(&ALL, new.id, store::conformance::fixture::id(), entry, after_secs(1))
        .await
        .expect("append works")
    {
        Appended::At(position) => {
            store.command(&ALL, position).await.expect("read works").expect("there").status
        }
        Appended::NotFound | Appended::Full => panic!("the execution is there"),
    }
}
