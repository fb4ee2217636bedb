//! Results that go straight to the owner of an execution, and those that cannot.

use domain::failure::JobError;
use domain::job::{JobStatus, Outcome};
use domain::time::DurationMs;
use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use engine::{LeaseOutcome, OwnerEnd};
use serde_json::{Value, json};
use testkit::{EngineBench, lease_of};

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

async fn i08_a_result_ends_its_job_with_the_owners_step(bench: EngineBench) {
    bench.register(&chain()).await.unwrap();
    let id = bench.start("chain", &json!({})).await.unwrap();
    let owned = bench.own_next().await;
    let a = bench.take("a").await;
    bench.clock.advance(DurationMs::from_secs(2));
    let handed = bench.engine.hand_over(lease_of(&a), Some("7")).expect("the owner is here");
    assert!(handed.is_written().await);
    let job = bench.engine.job(&bench.admin(), a.id).await.unwrap();
    assert_eq!((job.status, job.result.as_deref()), (JobStatus::Completed, Some("7")));
    assert!(bench.engine.hand_over(lease_of(&a), Some("7")).is_none(), "once");
    assert_eq!(bench.complete(&a, &json!(7)).await.unwrap(), LeaseOutcome::AlreadyDone);
    let b = bench.take("b").await;
    assert_eq!(b.data, "7");
    let handed = bench.engine.hand_over(lease_of(&b), None).expect("the owner is here");
    assert!(handed.is_written().await);
    let record = bench.ended(id).await;
    assert_eq!((record.status, record.output.as_deref()), (ExecutionStatus::Completed, Some("null")));
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    let nodes = bench.engine.execution_nodes(&bench.admin(), id).await.unwrap();
    for (node, job) in nodes.iter().zip([&a, &b]) {
        let job = bench.engine.job(&bench.admin(), job.id).await.unwrap();
        assert_eq!((node.status, node.attempts), (NodeStatus::Completed, 1));
        assert_eq!(node.started_at, job.processed_at, "as the store has it");
    }
}

async fn a_batch_goes_to_owners_and_to_the_store(bench: EngineBench) {
    bench.register(&diamond()).await.unwrap();
    let id = bench.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = bench.own_next().await;
    let validate = bench.take("validate").await;
    bench.complete(&validate, &json!(true)).await.unwrap();
    let (metadata, thumbnail) = (bench.take("metadata").await, bench.take("thumbnail").await);
    let alone =
        bench.enqueue(engine::JobRequest::new(domain::names::JobType::trusted("alone"), "{}")).await.unwrap();
    let other = bench.take("alone").await;
    assert_eq!(alone.id, other.id);
    let item = |job: &store::jobs::ClaimedJob, result: Value| engine::CompleteItem {
        lease: lease_of(job),
        result: Some(result.to_string()),
    };
    let stale = engine::CompleteItem { lease: lease_of(&validate), result: None };
    let items = vec![
        item(&metadata, json!({"seconds": 1})),
        stale,
        item(&other, json!(1)),
        item(&thumbnail, json!("x")),
    ];
    let answers = bench.engine.complete(&bench.admin(), items).await.unwrap();
    let ok = LeaseOutcome::Ok;
    assert_eq!(answers, [ok, LeaseOutcome::AlreadyDone, ok, ok].map(Ok));
    let publish = bench.take("publish").await;
    assert_eq!(bench.settle(&publish, Outcome::Completed(None)).await.unwrap(), ok, "through the inbox");
    assert_eq!(bench.ended(id).await.status, ExecutionStatus::Completed);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

async fn i08_a_result_without_its_owner_takes_the_other_way(bench: EngineBench) {
    bench.register(&chain()).await.unwrap();
    let id = bench.start("chain", &json!({})).await.unwrap();
    let owned = bench.own_next().await;
    let a = bench.take("a").await;
    let second = bench.node(2);
    assert!(second.engine.hand_over(lease_of(&a), Some("7")).is_none(), "it was not claimed there");
    // The result is there when the owner leaves, and nobody takes it: nothing runs between these lines.
    owned.stop.cancel();
    let handed = bench.engine.hand_over(lease_of(&a), Some("7")).expect("the owner is still here");
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Released | OwnerEnd::LeaseLost));
    let was_written = handed.is_written().await;
    bench.engine.release(vec![owned.lease]).await.unwrap();
    let answer = bench.complete(&a, &json!(7)).await.unwrap();
    assert_eq!(answer, if was_written { LeaseOutcome::AlreadyDone } else { LeaseOutcome::Ok });
    let next = second.own_next().await;
    let b = second.take("b").await;
    second.complete(&b, &json!(8)).await.unwrap();
    assert_eq!(second.ended(id).await.status, ExecutionStatus::Completed);
    assert!(matches!(next.end.await.unwrap(), OwnerEnd::Finished));
}

/// The lease is gone, and the owner does not know it yet: its step is refused, and it goes on with what is there.
async fn i02_a_result_of_a_lost_lease_is_not_written(bench: EngineBench) {
    bench.register(&chain()).await.unwrap();
    let id = bench.start("chain", &json!({})).await.unwrap();
    let owned = bench.own_next().await;
    let a = bench.take("a").await;
    bench.engine.release(vec![lease_of(&a)]).await.unwrap();
    let again = bench.take("a").await;
    let handed = bench.engine.hand_over(lease_of(&a), Some("7")).expect("the owner is here");
    assert!(!handed.is_written().await);
    assert_eq!(bench.complete(&a, &json!(7)).await.unwrap(), LeaseOutcome::LeaseLost);
    assert_eq!(bench.complete(&again, &json!(8)).await.unwrap(), LeaseOutcome::Ok);
    let b = bench.take("b").await;
    assert_eq!(b.data, "8");
    bench.complete(&b, &json!(9)).await.unwrap();
    assert_eq!(bench.ended(id).await.output.as_deref(), Some("9"));
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

/// A node that is not awaited any more takes no result from its owner: the job ends as any other.
async fn a_result_that_comes_too_late_takes_the_other_way(bench: EngineBench) {
    let two = json!({
        "name": "two", "version": 1, "onFailure": [{"id": "tell", "type": "SERVICE_TASK", "jobType": "tell"}],
        "nodes": [
            {"id": "a", "type": "SERVICE_TASK", "jobType": "a", "retryCount": 0},
            {"id": "b", "type": "SERVICE_TASK", "jobType": "b"}
        ]
    });
    bench.register(&two).await.unwrap();
    let id = bench.start("two", &json!({})).await.unwrap();
    let owned = bench.own_next().await;
    let (a, b) = (bench.take("a").await, bench.take("b").await);
    let boom = Outcome::Failed {
        error: JobError::coded("boom", "it went wrong"),
        retryable: false,
        retry_after: None,
    };
    bench.settle(&a, boom).await.unwrap();
    let tell = bench.take("tell").await;
    let handed = bench.engine.hand_over(lease_of(&b), Some("7")).expect("the owner is here");
    assert!(!handed.is_written().await, "it was cancelled with its execution");
    assert_eq!(bench.complete(&b, &json!(7)).await.unwrap(), LeaseOutcome::Cancelled);
    assert_eq!(bench.complete(&tell, &json!(1)).await.unwrap(), LeaseOutcome::Ok);
    assert_eq!(bench.ended(id).await.status, ExecutionStatus::Failed);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

on_both_databases!(
    i08_a_result_ends_its_job_with_the_owners_step,
    a_batch_goes_to_owners_and_to_the_store,
    i08_a_result_without_its_owner_takes_the_other_way,
    i02_a_result_of_a_lost_lease_is_not_written,
    a_result_that_comes_too_late_takes_the_other_way,
);
