//! Commits that stall inside PostgreSQL longer than their callers wait, and are written in the end.

use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use serde_json::json;
use store::StoreError;
use store::conformance::executions::commit;
use store::conformance::fixture::{T0, claim, execution, lease, version};
use store::executions::{ExecutionCommit, ExecutionStore as _, LoadedExecution, NewExecution};
use store::jobs::{ClaimedJob, JobStore as _, LeaseAnswer};
use store::workflows::WorkflowStore as _;
use store_sql::SqlStore;
use testkit::database::{HeldBack, postgres};
use testkit::{EngineHarness, OwnerEnd, eventually, lease_of};

async fn loaded(store: &SqlStore, new: &NewExecution, owner: &ClaimedJob) -> LoadedExecution {
    match store.load_executions(&[(new.id, lease(owner))]).await.expect("load works").remove(0) {
        LeaseAnswer::Ok(loaded) => loaded,
        other => panic!("the lease holds: {other:?}"),
    }
}

async fn waits(held: &mut HeldBack, statements: i64) {
    let held = tokio::sync::Mutex::new(held);
    eventually("statements wait for the execution", || async {
        held.lock().await.waiting().await >= statements
    })
    .await;
}

/// The owner gives the commit up, reads the state as it was before, and commits the next step under the same lease: one of
/// the two is written, whichever comes first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i01_a_late_commit_is_not_written_over() {
    for comes_second in [false, true] {
        let test = postgres().await;
        let store = &test.store;
        store.register_workflow(&version("w")).await.expect("register works");
        let new = execution("w");
        store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
        let owner = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works").remove(0);
        let step = |state: u8| ExecutionCommit {
            state: vec![state],
            ..commit(new.id, lease(&owner), ExecutionStatus::Running)
        };
        let mut held = HeldBack::execution(&test.url, new.id).await;
        let late = tokio::spawn({
            let (store, step) = (store.clone(), step(1));
            async move { store.commit_executions(&[step], T0).await }
        });
        waits(&mut held, 1).await;
        late.abort();
        let before = loaded(store, &new, &owner).await;
        assert_eq!((before.state, before.step), (None, 0), "nothing is to be seen of it yet");
        let next = tokio::spawn({
            let (store, step) = (store.clone(), step(2));
            async move { store.commit_executions(&[step], T0).await }
        });
        if comes_second {
            waits(&mut held, 2).await;
        }
        held.let_go().await;
        let answer = next.await.expect("it does not panic");
        let is_written = match &answer {
            Ok(answers) => matches!(answers[0], LeaseAnswer::Ok(_)),
            Err(StoreError::Outdated { .. }) => false,
            Err(error) => panic!("{error:?}"),
        };
        eventually("one of the two is written", || async { loaded(store, &new, &owner).await.step > 0 })
            .await;
        let after = loaded(store, &new, &owner).await;
        assert_eq!((after.state, after.step), (Some(vec![if is_written { 2 } else { 1 }]), 1));
    }
}

/// An owner that does not know the outcome of its commit ends its lease before anybody reads the state.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i01_an_owner_that_does_not_know_gives_the_execution_back() {
    let test = postgres().await;
    let harness = EngineHarness::new(test.store.clone());
    let node = |id: &str, after: &[&str]| json!({"id": id, "type": "SERVICE_TASK", "jobType": id, "retryCount": 0, "dependsOn": after});
    let chain = json!({"name": "chain", "version": 1, "nodes": [node("a", &[]), node("b", &["a"])]});
    harness.register(&chain).await.expect("registered");
    let id = harness.start("chain", &json!({})).await.expect("started");
    let owned = harness.own_next().await;
    let a = harness.take("a").await;
    let mut held = HeldBack::execution(&test.url, id).await;
    let ack = harness.engine.deliver_to_owner(lease_of(&a), Some("7")).expect("the owner is here");
    waits(&mut held, 1).await;
    held.end_waiting().await;
    let end = owned.end.await.expect("it does not panic");
    assert!(matches!(end, OwnerEnd::Released), "{end:?}");
    assert!(!ack.is_written().await);
    held.let_go().await;
    harness.engine.release(vec![owned.lease]).await.expect("given back");
    harness.complete(&a, &json!(7)).await.expect("completed");
    let next = harness.own_next().await;
    let b = harness.take("b").await;
    harness.complete(&b, &json!(8)).await.expect("completed");
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Completed);
    assert!(matches!(next.end.await.expect("it does not panic"), OwnerEnd::Finished));
}
