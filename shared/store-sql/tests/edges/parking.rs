//! Parking against appends, and children that end while their parent is cancelled: whatever the order, nothing is lost
//! and nobody waits for somebody who waits for him.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::id::ExecutionId;
use domain::job::JobStatus;
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use store::conformance::children::child_of;
use store::conformance::fixture::{T0, claim, commit_one, execution, inbox, lease, status, version};
use store::executions::{
    ExecutionCommit, ExecutionStore as _, InboxEntry, InboxResult, InboxRow, NewExecution, OwnerNext,
};
use store::jobs::{ClaimedJob, JobStore as _, LeaseAnswer};
use store::workflows::WorkflowStore as _;
use store_sql::SqlStore;
use testkit::database::TestStore;

use super::fixture::{ALL, commit, step};
use super::webhooks::deadlocks;

/// How long anything here may take.
const TIME_LIMIT: Duration = Duration::from_mins(1);

fn applied(rows: &[InboxRow]) -> Vec<InboxResult> {
    rows.iter().map(|row| InboxResult { position: row.position, refused: None }).collect()
}

/// Between the commit that takes an execution up and its record in the memory of claims, a claim may miss it.
async fn take_up(store: &SqlStore, new: &NewExecution) -> ClaimedJob {
    let deadline = Instant::now() + TIME_LIMIT;
    loop {
        if let Some(owner) =
            store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works").pop()
        {
            assert_eq!(owner.id, new.job.id);
            return owner;
        }
        assert!(Instant::now() < deadline, "nobody can take the execution up");
        tokio::task::yield_now().await;
    }
}

/// Signals arrive while the owner tries to park, again and again: each is applied, and the execution is never parked
/// with an entry in its inbox.
pub(crate) async fn i08_no_signal_falls_beside_a_parking(test: &TestStore) {
    const SIGNALS: usize = 60;
    let store = &test.store;
    store.register_workflow(&version("w")).await.expect("register works");
    let new = execution("w");
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let mut owner = take_up(store, &new).await;
    let sender = tokio::spawn(send(Arc::clone(store), new.id, SIGNALS));
    let (mut seen, mut parkings) = (0, 0);
    let deadline = Instant::now() + TIME_LIMIT;
    while seen < SIGNALS {
        assert!(Instant::now() < deadline, "{seen} signals after {parkings} parkings");
        let rows = inbox(store.as_ref(), new.id).await.expect("read works");
        seen += rows.len();
        let park = ExecutionCommit {
            inbox: applied(&rows),
            next: OwnerNext::Park { due_at: None },
            ..step(&new, lease(&owner), ExecutionStatus::Running)
        };
        let LeaseAnswer::Ok(done) = commit_one(store.as_ref(), &park, T0).await.expect("commit works") else {
            panic!("the lease holds");
        };
        if !done.parked {
            continue;
        }
        parkings += 1;
        // Only the signals take it up: nobody looks after it here.
        while seen < SIGNALS && status(store.as_ref(), new.job.id).await == JobStatus::Waiting {
            assert!(Instant::now() < deadline, "parked with {seen} signals seen");
            tokio::task::yield_now().await;
        }
        if seen < SIGNALS {
            owner = take_up(store, &new).await;
        }
    }
    sender.await.expect("all signals were sent");
    assert!(inbox(store.as_ref(), new.id).await.expect("read works").is_empty());
}

async fn send(store: Arc<SqlStore>, id: ExecutionId, count: usize) {
    for number in 0..count {
        let signal = InboxEntry::Signal { name: format!("s{number}"), payload: "null".into() };
        store
            .append_command(&ALL, id, store::conformance::fixture::id(), &signal, T0)
            .await
            .expect("append works");
        tokio::task::yield_now().await;
    }
}

/// Children end side by side, some by themselves and some because somebody cancels them, while their parent commits,
/// parks and cancels them: every call works, and each child ended once.
pub(crate) async fn children_end_beside_their_parents_cancel(test: &TestStore) {
    const CHILDREN: u32 = 16;
    let store = &test.store;
    store.register_workflow(&version("w")).await.expect("register works");
    let parent = execution("w");
    store.create_executions(std::slice::from_ref(&parent), T0).await.expect("create works");
    let owner = take_up(store, &parent).await;
    let children: Vec<NewExecution> =
        (0..CHILDREN).map(|nth| child_of(&parent, &format!("items[{nth}]"))).collect();
    let running = step(&parent, lease(&owner), ExecutionStatus::Running);
    commit(store, &ExecutionCommit { children: children.clone(), ..running.clone() }).await;
    let owners = store.claim(&claim(QueueName::Execution, CHILDREN / 2, T0)).await.expect("claim works");
    let mut tasks = tokio::task::JoinSet::new();
    for (child, owner) in children.iter().zip(owners) {
        tasks.spawn(finish(Arc::clone(store), child.clone(), owner));
    }
    for child in children.iter().skip(CHILDREN as usize / 2).step_by(2) {
        tasks.spawn(cancel(Arc::clone(store), child.id));
    }
    let all: Vec<ExecutionId> = children.iter().map(|child| child.id).collect();
    let deadline = Instant::now() + TIME_LIMIT;
    loop {
        assert!(Instant::now() < deadline, "children go on");
        let rows = inbox(store.as_ref(), parent.id).await.expect("read works");
        let next = ExecutionCommit { inbox: applied(&rows), cancel_children: all.clone(), ..running.clone() };
        commit(store, &next).await;
        if store.ended_executions(&all).await.expect("read works").len() == all.len() {
            break;
        }
        tokio::task::yield_now().await;
    }
    tasks.join_all().await;
    let last = ExecutionCommit {
        next: OwnerNext::Finish,
        ..step(&parent, lease(&owner), ExecutionStatus::Completed)
    };
    commit(store, &last).await;
    assert!(inbox(store.as_ref(), parent.id).await.expect("read works").is_empty());
}

/// The owner of a child ends it as asked, sooner or later.
async fn finish(store: Arc<SqlStore>, child: NewExecution, owner: ClaimedJob) {
    let last = ExecutionCommit {
        output: Some("1".into()),
        ..step(&child, lease(&owner), ExecutionStatus::Completed)
    };
    let answers = store.commit_executions(std::slice::from_ref(&last), T0).await.expect("commit works");
    assert!(matches!(answers[0], LeaseAnswer::Ok(_)), "{answers:?}");
}

async fn cancel(store: Arc<SqlStore>, id: ExecutionId) {
    let entry = InboxEntry::Cancel { reason: None, compensate: false };
    store
        .append_command(&ALL, id, store::conformance::fixture::id(), &entry, T0)
        .await
        .expect("append works");
}

/// Two families end in batches that name them in opposite orders, again and again.
pub(crate) async fn batches_in_opposite_orders_do_not_deadlock(test: &TestStore) {
    const ROUNDS: usize = 10;
    let store = &test.store;
    store.register_workflow(&version("w")).await.expect("register works");
    for _ in 0..ROUNDS {
        let parents = [execution("w"), execution("w")];
        store.create_executions(&parents, T0).await.expect("create works");
        let owners = store.claim(&claim(QueueName::Execution, 2, T0)).await.expect("claim works");
        let mut children: Vec<NewExecution> = Vec::new();
        for (parent, owner) in parents.iter().zip(&owners) {
            let two = [child_of(parent, "a"), child_of(parent, "b")];
            let park = ExecutionCommit {
                children: two.to_vec(),
                next: OwnerNext::Park { due_at: None },
                ..step(parent, lease(owner), ExecutionStatus::Running)
            };
            commit(store, &park).await;
            children.extend(two);
        }
        let owners = store.claim(&claim(QueueName::Execution, 4, T0)).await.expect("claim works");
        let end = |nth: usize| step(&children[nth], lease(&owners[nth]), ExecutionStatus::Completed);
        let (one, other) = (vec![end(0), end(2)], vec![end(3), end(1)]);
        let (first, second) =
            tokio::join!(store.commit_executions(&one, T0), store.commit_executions(&other, T0),);
        for answer in first.expect("commit works").iter().chain(&second.expect("commit works")) {
            assert!(matches!(answer, LeaseAnswer::Ok(_)), "{answer:?}");
        }
        for (parent, owner) in
            parents.iter().zip(store.claim(&claim(QueueName::Execution, 2, T0)).await.expect("claim works"))
        {
            assert_eq!(inbox(store.as_ref(), parent.id).await.expect("read works").len(), 2);
            commit(store, &step(parent, lease(&owner), ExecutionStatus::Completed)).await;
        }
    }
    if store.is_postgres() {
        assert_eq!(deadlocks(test).await, 0);
    }
}
