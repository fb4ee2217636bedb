//! Owners that stop, and owners that are lost.

use domain::job::JobStatus;
use domain::names::NodeId;
use domain::time::DurationMs;
use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use engine::OwnerEnd;
use serde_json::json;
use store::executions::CommandStatus;
use testkit::EngineHarness;

use crate::executions::diamond;

async fn i08_a_new_owner_runs_nothing_again(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let lost = harness.own_next().await;
    let validate = harness.take("validate").await;
    harness.complete(&validate, &json!(true)).await.unwrap();
    let metadata = harness.take("metadata").await;
    // The owner dies, which stops its heartbeats; its task is cut off wherever it is.
    lost.end.abort();
    harness.clock.advance(DurationMs::from_secs(20));
    let extension =
        store::jobs::LeaseExtension { lease: testkit::lease_of(&metadata), extend: None, progress: None };
    harness.engine.heartbeat(&harness.admin(), vec![extension]).await.unwrap();
    harness.clock.advance(DurationMs::from_secs(11));
    assert_eq!(harness.engine.reap_tick().await.unwrap(), 1, "the lease of the execution");
    harness.complete(&metadata, &json!({"seconds": 1})).await.unwrap();
    let second = harness.node(2);
    let owned = second.own_next().await;
    let thumbnail = second.take("thumbnail").await;
    second.complete(&thumbnail, &json!("a.png")).await.unwrap();
    let publish = second.take("publish").await;
    second.complete(&publish, &json!({"url": "u"})).await.unwrap();
    assert_eq!(second.ended(id).await.status, ExecutionStatus::Completed);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    assert!(second.poll(&["validate", "metadata", "thumbnail", "publish"], 10).await.unwrap().is_empty());
    let events = second.engine.execution_events(&second.admin(), id, 0, 100).await.unwrap();
    for node in ["validate", "metadata", "thumbnail", "publish"].map(NodeId::trusted) {
        let of = |kind: &str| {
            events
                .iter()
                .filter(|event| event.line.kind == kind && event.line.node_id.as_ref() == Some(&node))
                .count()
        };
        assert_eq!((of("node_started"), of("node_completed")), (1, 1), "{node}");
    }
}

async fn a_zombie_owner_writes_nothing(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let zombie = harness.own_next().await;
    let validate = harness.take("validate").await;
    harness.clock.advance(DurationMs::from_secs(31));
    harness.engine.reap_tick().await.unwrap();
    let second = harness.node(2);
    let owned = second.own_next().await;
    // Both see the cancel; only the holder of the lease may apply it.
    second.engine.cancel_execution(&second.admin(), id, None, false).await.unwrap();
    assert_eq!(second.ended(id).await.status, ExecutionStatus::Cancelled);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    zombie.stop.cancel();
    assert!(matches!(zombie.end.await.unwrap(), OwnerEnd::LeaseLost | OwnerEnd::Released));
    let events = second.engine.execution_events(&second.admin(), id, 0, 100).await.unwrap();
    assert_eq!(events.iter().filter(|event| event.line.kind == "execution_cancelled").count(), 1);
    drop(validate);
}

async fn an_owner_that_is_asked_to_stop_gives_the_execution_back(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = harness.own_next().await;
    let validate = harness.take("validate").await;
    owned.stop.cancel();
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Released));
    harness.engine.release(vec![owned.lease]).await.unwrap();
    harness.complete(&validate, &json!(true)).await.unwrap();
    let next = harness.own_next().await;
    harness.take("metadata").await;
    harness.engine.cancel_execution(&harness.admin(), id, None, false).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Cancelled);
    assert!(matches!(next.end.await.unwrap(), OwnerEnd::Finished));
}

async fn an_execution_whose_owners_are_lost_fails_and_can_be_retried(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let admin = harness.admin();
    // As often as an execution may lose its owner in a row.
    for _ in 0..20 {
        // Claimed and never owned: nothing is committed, so nothing resets the count of crashes.
        let claim = engine::PoolClaim {
            queue: domain::queue::QueueName::Execution,
            jobs_max: 1,
            worker_id: domain::names::WorkerId::trusted("crashing"),
            job_types: None,
        };
        assert_eq!(harness.engine.claim(claim).await.unwrap().len(), 1);
        harness.clock.advance(DurationMs::from_secs(31));
        assert_eq!(harness.engine.reap_tick().await.unwrap(), 1);
    }
    let record = harness.ended(id).await;
    assert_eq!(record.status, ExecutionStatus::Failed);
    assert_eq!(record.error.as_ref().and_then(|error| error.code.as_deref()), Some("worker_lost"));
    let job = harness.engine.job(&admin, record.job_id).await.unwrap();
    assert_eq!(job.status, JobStatus::Failed, "an execution is no dead letter: it is retried");
    let position = harness.engine.retry_execution(&admin, id).await.unwrap();
    let owned = harness.own_next().await;
    harness.take("validate").await;
    // The first step starts the execution; the inbox is looked at after it.
    let status = || async { harness.engine.command(&admin, position).await.unwrap().status };
    testkit::eventually("the retry is applied", || async { status().await == CommandStatus::Applied }).await;
    let nodes = harness.engine.execution_nodes(&admin, id).await.unwrap();
    assert_eq!(nodes[0].status, NodeStatus::Running);
    harness.engine.cancel_execution(&admin, id, None, false).await.unwrap();
    harness.ended(id).await;
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

/// Two evaluations that ended with their processes are enough: a third is not made.
async fn an_execution_whose_evaluations_were_lost_fails_and_says_so(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let claim = engine::PoolClaim {
        queue: domain::queue::QueueName::Execution,
        jobs_max: 1,
        worker_id: domain::names::WorkerId::trusted("crashing"),
        job_types: None,
    };
    let claimed = harness.engine.claim(claim).await.unwrap().remove(0);
    assert!(harness.engine.store().record_evaluations_lost(id, claimed.lease(), 2).await.unwrap());
    harness.clock.advance(DurationMs::from_secs(31));
    assert_eq!(harness.engine.reap_tick().await.unwrap(), 1);
    let owned = harness.own_next().await;
    let record = harness.ended(id).await;
    assert_eq!(record.status, ExecutionStatus::Failed);
    assert_eq!(record.error.as_ref().and_then(|error| error.code.as_deref()), Some("evaluation_lost"));
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    // Whoever has found the cause may try again.
    harness.engine.retry_execution(&harness.admin(), id).await.unwrap();
    let owned = harness.own_next().await;
    harness.take("validate").await;
    harness.engine.cancel_execution(&harness.admin(), id, None, false).await.unwrap();
    harness.ended(id).await;
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

on_both_databases!(
    i08_a_new_owner_runs_nothing_again,
    a_zombie_owner_writes_nothing,
    an_owner_that_is_asked_to_stop_gives_the_execution_back,
    an_execution_whose_owners_are_lost_fails_and_can_be_retried,
    an_execution_whose_evaluations_were_lost_fails_and_says_so,
);
