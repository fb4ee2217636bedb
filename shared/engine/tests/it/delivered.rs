//! Results that go straight to the owner of an execution, and those that cannot.

use std::collections::BTreeMap;

use domain::failure::JobError;
use domain::job::{JobStatus, Outcome};
use domain::time::DurationMs;
use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use engine::OwnerEnd;
use serde_json::{Value, json};
use store::jobs::LeaseAnswer;
use testkit::{EngineHarness, lease_of};

use crate::executions::diamond;

/// a → b.
fn chain() -> Value {
    json!({
        "name": "chain", "version": 1,
        "nodes": [
            {"id": "a", "type": "SERVICE_TASK", "jobType": "a", "retryCount": 0},
            {"id": "b", "type": "SERVICE_TASK", "jobType": "b", "dependsOn": ["a"], "input": "${nodes.a.output}"}
        ],
        "output": "${nodes.b.output}"
    })
}

async fn i08_a_result_ends_its_job_with_the_owners_step(harness: EngineHarness) {
    harness.register(&chain()).await.unwrap();
    let id = harness.start("chain", &json!({})).await.unwrap();
    let owned = harness.own_next().await;
    let a = harness.take("a").await;
    harness.clock.advance(DurationMs::from_secs(2));
    let ack = harness.engine.deliver_to_owner(lease_of(&a), Some("7")).expect("the owner is here");
    assert!(ack.is_written().await);
    let job = harness.engine.job(&harness.admin(), a.id).await.unwrap();
    assert_eq!((job.status, job.result.as_deref()), (JobStatus::Completed, Some("7")));
    assert!(harness.engine.deliver_to_owner(lease_of(&a), Some("7")).is_none(), "once");
    assert_eq!(harness.complete(&a, &json!(7)).await.unwrap(), LeaseAnswer::AlreadyDone);
    let b = harness.take("b").await;
    assert_eq!(b.data, "7");
    let ack = harness.engine.deliver_to_owner(lease_of(&b), None).expect("the owner is here");
    assert!(ack.is_written().await);
    let record = harness.ended(id).await;
    assert_eq!((record.status, record.output.as_deref()), (ExecutionStatus::Completed, Some("null")));
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    let nodes = harness.engine.execution_nodes(&harness.admin(), id).await.unwrap();
    for (node, job) in nodes.iter().zip([&a, &b]) {
        let job = harness.engine.job(&harness.admin(), job.id).await.unwrap();
        assert_eq!((node.status, node.attempts), (NodeStatus::Completed, 1));
        assert_eq!(node.started_at, job.processed_at, "as the store has it");
    }
}

async fn a_batch_goes_to_owners_and_to_the_store(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = harness.own_next().await;
    let validate = harness.take("validate").await;
    harness.complete(&validate, &json!(true)).await.unwrap();
    let (metadata, thumbnail) = (harness.take("metadata").await, harness.take("thumbnail").await);
    let alone = harness
        .enqueue(engine::JobRequest::new(domain::names::JobType::trusted("alone"), "{}"))
        .await
        .unwrap();
    let other = harness.take("alone").await;
    assert_eq!(alone.id, other.id);
    let item = |job: &store::jobs::ClaimedJob, result: Value| engine::CompleteItem {
        lease: lease_of(job),
        result: Some(result.to_string()),
        attributes: BTreeMap::new(),
    };
    let stale =
        engine::CompleteItem { lease: lease_of(&validate), result: None, attributes: BTreeMap::new() };
    let items = vec![
        item(&metadata, json!({"seconds": 1})),
        stale,
        item(&other, json!(1)),
        item(&thumbnail, json!("x")),
    ];
    let answers = harness.engine.complete(&harness.admin(), items).await.unwrap();
    let ok = LeaseAnswer::Ok(());
    assert_eq!(answers, [ok, LeaseAnswer::AlreadyDone, ok, ok].map(Ok));
    let publish = harness.take("publish").await;
    assert_eq!(harness.settle(&publish, Outcome::Completed(None)).await.unwrap(), ok, "through the inbox");
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Completed);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

async fn i08_a_result_without_its_owner_takes_the_other_way(harness: EngineHarness) {
    harness.register(&chain()).await.unwrap();
    let id = harness.start("chain", &json!({})).await.unwrap();
    let owned = harness.own_next().await;
    let a = harness.take("a").await;
    let second = harness.node(2);
    assert!(second.engine.deliver_to_owner(lease_of(&a), Some("7")).is_none(), "it was not claimed there");
    // The result is there when the owner leaves, and nobody takes it: nothing runs between these lines.
    owned.stop.cancel();
    let ack = harness.engine.deliver_to_owner(lease_of(&a), Some("7")).expect("the owner is still here");
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Released | OwnerEnd::LeaseLost));
    let was_written = ack.is_written().await;
    harness.engine.release(vec![owned.lease]).await.unwrap();
    let answer = harness.complete(&a, &json!(7)).await.unwrap();
    assert_eq!(answer, if was_written { LeaseAnswer::AlreadyDone } else { LeaseAnswer::Ok(()) });
    let next = second.own_next().await;
    let b = second.take("b").await;
    second.complete(&b, &json!(8)).await.unwrap();
    assert_eq!(second.ended(id).await.status, ExecutionStatus::Completed);
    assert!(matches!(next.end.await.unwrap(), OwnerEnd::Finished));
}

/// The lease is gone, and the owner does not know it yet: its step is refused, and it goes on with what is there.
async fn i02_a_result_of_a_lost_lease_is_not_written(harness: EngineHarness) {
    harness.register(&chain()).await.unwrap();
    let id = harness.start("chain", &json!({})).await.unwrap();
    let owned = harness.own_next().await;
    let a = harness.take("a").await;
    harness.engine.release(vec![lease_of(&a)]).await.unwrap();
    let again = harness.take("a").await;
    let ack = harness.engine.deliver_to_owner(lease_of(&a), Some("7")).expect("the owner is here");
    assert!(!ack.is_written().await);
    assert_eq!(harness.complete(&a, &json!(7)).await.unwrap(), LeaseAnswer::LeaseLost);
    assert_eq!(harness.complete(&again, &json!(8)).await.unwrap(), LeaseAnswer::Ok(()));
    let b = harness.take("b").await;
    assert_eq!(b.data, "8");
    harness.complete(&b, &json!(9)).await.unwrap();
    assert_eq!(harness.ended(id).await.output.as_deref(), Some("9"));
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

/// A node that is not awaited any more takes no result from its owner: the job ends as any other.
async fn a_result_that_comes_too_late_takes_the_other_way(harness: EngineHarness) {
    let two = json!({
        "name": "two", "version": 1, "onFailure": [{"id": "tell", "type": "SERVICE_TASK", "jobType": "tell"}],
        "nodes": [
            {"id": "a", "type": "SERVICE_TASK", "jobType": "a", "retryCount": 0},
            {"id": "b", "type": "SERVICE_TASK", "jobType": "b"}
        ]
    });
    harness.register(&two).await.unwrap();
    let id = harness.start("two", &json!({})).await.unwrap();
    let owned = harness.own_next().await;
    let (a, b) = (harness.take("a").await, harness.take("b").await);
    let boom = Outcome::Failed {
        error: JobError::coded("boom", "it went wrong"),
        retryable: false,
        retry_after: None,
    };
    harness.settle(&a, boom).await.unwrap();
    let tell = harness.take("tell").await;
    let ack = harness.engine.deliver_to_owner(lease_of(&b), Some("7")).expect("the owner is here");
    assert!(!ack.is_written().await, "it was cancelled with its execution");
    assert_eq!(harness.complete(&b, &json!(7)).await.unwrap(), LeaseAnswer::Cancelled);
    assert_eq!(harness.complete(&tell, &json!(1)).await.unwrap(), LeaseAnswer::Ok(()));
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Failed);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

on_both_databases!(
    i08_a_result_ends_its_job_with_the_owners_step,
    a_batch_goes_to_owners_and_to_the_store,
    i08_a_result_without_its_owner_takes_the_other_way,
    i02_a_result_of_a_lost_lease_is_not_written,
    a_result_that_comes_too_late_takes_the_other_way,
);
