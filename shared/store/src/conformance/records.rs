//! What an execution reads as, said by who wrote it: a start that its own process takes up, and the end that a caller
//! waits for, are not read again.

use domain::access::TenantScope;
use domain::names::{CallerKey, Tag};
use domain::queue::{QueueName, Tier};
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionError, ExecutionStatus};

use super::children::child_of;
use super::executions::commit;
use super::fixture::{T0, after_secs, claim, commit_one, execution, lease, load_one, version};
use crate::Store;
use crate::executions::{ExecutionCommit, ExecutionRecord, NewExecution, OwnerNext, Trigger};
use crate::jobs::{ClaimedJob, LeaseAnswer, NewJob};

const ALL: TenantScope = TenantScope::All;

/// One with whatever can be said of an execution.
fn with_everything() -> NewExecution {
    let plain = execution("w");
    let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned();
    NewExecution {
        job: NewJob { tier: Tier::High, traceparent: Some(traceparent), ..plain.job },
        trigger: Trigger { kind: "webhook".to_owned(), detail: Some(r#"{"deliveryId":"7"}"#.to_owned()) },
        input: format!(r#"{{"text": "{}"}}"#, "ä".repeat(5_000)),
        correlation_id: Some(CallerKey::trusted("order-7")),
        tags: vec![Tag::trusted("eu"), Tag::trusted("beta")],
        ..plain
    }
}

/// Plain, with everything, and a child.
fn variants() -> [NewExecution; 3] {
    let (plain, full) = (execution("w"), with_everything());
    let child = child_of(&plain, "n");
    [plain, full, child]
}

/// Creates one and takes it up, as the only one there is.
async fn taken_up(store: &dyn Store, new: &NewExecution, at: Timestamp) -> ClaimedJob {
    store.create_executions(std::slice::from_ref(new), at).await.expect("create works");
    let claimed = store.claim(&claim(QueueName::Execution, 1, at)).await.expect("claim works");
    let owner = claimed.into_iter().next().expect("it waits");
    assert_eq!(owner.execution_id, Some(new.id));
    owner
}

async fn read(store: &dyn Store, new: &NewExecution) -> ExecutionRecord {
    store.execution(&ALL, new.id).await.expect("read works").expect("there")
}

async fn committed(store: &dyn Store, step: &ExecutionCommit, at: Timestamp) {
    let answer = commit_one(store, step, at).await.expect("commit works");
    assert!(matches!(answer, LeaseAnswer::Ok(_)), "{answer:?}");
}

fn last(new: &NewExecution, owner: &ClaimedJob, status: ExecutionStatus) -> ExecutionCommit {
    ExecutionCommit {
        next: OwnerNext::Finish,
        is_child: new.parent.is_some(),
        ..commit(new.id, lease(owner), status)
    }
}

/// To whoever looks at it, and to its first owner.
pub async fn a_new_execution_reads_as_it_was_created(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    for (new, secs) in variants().iter().zip(1..) {
        let owner = taken_up(store, new, after_secs(secs)).await;
        assert_eq!(read(store, new).await, new.record(after_secs(secs)));
        let loaded = load_one(store, new.id, lease(&owner)).await.expect("load works");
        assert_eq!(loaded, LeaseAnswer::Ok(new.loaded(version("w").content, after_secs(secs))));
        committed(store, &last(new, &owner, ExecutionStatus::Completed), after_secs(secs)).await;
    }
}

/// Whether it ends with its first step or a later one, with or without an output. Any other end is for the store to say.
pub async fn a_completed_execution_reads_as_its_last_step_says(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    for (place, output) in [None, Some(r#"{"n": [1, 2.50]}"#.to_owned())].into_iter().enumerate() {
        for new in variants() {
            let owner = taken_up(store, &new, T0).await;
            if place > 0 {
                committed(store, &commit(new.id, lease(&owner), ExecutionStatus::Running), after_secs(1))
                    .await;
            }
            let before = read(store, &new).await;
            let ending = ExecutionCommit {
                output: output.clone(),
                started_at: Some(after_secs(1)),
                ..last(&new, &owner, ExecutionStatus::Completed)
            };
            committed(store, &ending, after_secs(2)).await;
            assert_eq!(ending.completes(&before, after_secs(2)), Some(read(store, &new).await));
        }
    }
    let new = execution("w");
    let owner = taken_up(store, &new, T0).await;
    let before = read(store, &new).await;
    let error = ExecutionError { node: None, message: "it broke".to_owned(), code: None };
    let failing = ExecutionCommit { error: Some(error), ..last(&new, &owner, ExecutionStatus::Failed) };
    assert_eq!(failing.completes(&before, T0), None);
    let going_on = commit(new.id, lease(&owner), ExecutionStatus::Running);
    assert_eq!(going_on.completes(&before, T0), None);
}
