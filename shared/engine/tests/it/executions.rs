//! Executions end to end, with a worker made by hand.

use domain::job::JobStatus;
use domain::names::NodeId;
use domain::problem::ProblemCode;
use domain::queue::{QueueName, Tier};
use domain::time::DurationMs;
use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use engine::{EngineError, OwnerEnd, Policy};
use serde_json::{Value, json};
use store::dead_letters::{DeadLetterFilter, RequeueEdit};
use store::executions::CommandStatus;
use testkit::EngineHarness;

/// validate → metadata, thumbnail → publish.
pub(crate) fn diamond() -> Value {
    json!({
        "name": "video", "version": 1,
        "input": {"type": "object", "required": ["file"], "properties": {"file": {"type": "string"}}},
        "nodes": [
            {"id": "validate", "type": "SERVICE_TASK", "jobType": "validate", "input": {"file": "${input.file}"}},
            {"id": "metadata", "type": "SERVICE_TASK", "jobType": "metadata", "dependsOn": ["validate"]},
            {"id": "thumbnail", "type": "SERVICE_TASK", "jobType": "thumbnail", "dependsOn": ["validate"],
             "retryCount": 0},
            {"id": "publish", "type": "SERVICE_TASK", "jobType": "publish", "dependsOn": ["metadata", "thumbnail"],
             "input": {"seconds": "${nodes.metadata.output.seconds}", "image": "${nodes.thumbnail.output}"}}
        ],
        "output": {"url": "${nodes.publish.output.url}"}
    })
}

async fn a_diamond_runs_to_its_end(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = harness.own_next().await;
    let validate = harness.take("validate").await;
    assert_eq!(validate.data, "{\"file\":\"a.mp4\"}");
    assert_eq!((validate.execution_id, validate.tier), (Some(id), Tier::High));
    harness.complete(&validate, &json!(true)).await.unwrap();
    let metadata = harness.take("metadata").await;
    let thumbnail = harness.take("thumbnail").await;
    harness.complete(&metadata, &json!({"seconds": 12.5})).await.unwrap();
    harness.complete(&thumbnail, &json!("a.png")).await.unwrap();
    let publish = harness.take("publish").await;
    assert_eq!(
        serde_json::from_str::<Value>(&publish.data).unwrap(),
        json!({"seconds": 12.5, "image": "a.png"})
    );
    harness.complete(&publish, &json!({"url": "https://cdn.example/a"})).await.unwrap();
    let record = harness.ended(id).await;
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    assert_eq!(record.status, ExecutionStatus::Completed);
    assert_eq!(record.output.as_deref(), Some("{\"url\":\"https://cdn.example/a\"}"));
    let job = harness.engine.job(&harness.admin(), record.job_id).await.unwrap();
    assert_eq!((job.status, job.queue), (JobStatus::Completed, QueueName::Execution));
    let nodes = harness.engine.execution_nodes(&harness.admin(), id).await.unwrap();
    let seen: Vec<_> = nodes.iter().map(|node| (node.node_id.as_str(), node.status, node.attempts)).collect();
    let done = |node| (node, NodeStatus::Completed, 1);
    assert_eq!(seen, ["validate", "metadata", "thumbnail", "publish"].map(done));
    let events = harness.engine.execution_events(&harness.admin(), id, 0, 100).await.unwrap();
    let kinds: Vec<_> = events.iter().map(|event| event.line.kind.as_str()).collect();
    assert_eq!((kinds[0], *kinds.last().unwrap()), ("execution_started", "execution_completed"));
    assert_eq!(kinds.iter().filter(|kind| **kind == "node_completed").count(), 4);
    let (states, next) = harness.engine.execution_states(&harness.admin(), id, 0, 100).await.unwrap();
    assert_eq!(next, None);
    assert_eq!(states.iter().map(|line| &line.event).collect::<Vec<_>>(), events.iter().collect::<Vec<_>>());
    let last = &states.last().unwrap().state;
    assert_eq!((last.status, last.nodes.len()), (ExecutionStatus::Completed, 4));
    assert!(last.nodes.values().all(|status| *status == NodeStatus::Completed));
    let third = states[2].event.position;
    let (rest, next) = harness.engine.execution_states(&harness.admin(), id, third, 2).await.unwrap();
    assert_eq!((rest.as_slice(), next), (&states[3..5], Some(states[4].event.position)));
}

async fn an_open_execution_shows_no_states(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let refused = harness.engine.execution_states(&harness.admin(), id, 0, 10).await.unwrap_err();
    assert_eq!(refused.code(), "execution_open");
}

async fn nodes_in_place_need_no_worker(harness: EngineHarness) {
    let definition = json!({
        "name": "sum", "version": 1,
        "nodes": [
            {"id": "double", "type": "TRANSFORM", "output": {"n": "${input.n * 2}"}},
            {"id": "big", "type": "TRANSFORM", "dependsOn": ["double"], "when": "nodes.double.output.n > 10",
             "output": "big"}
        ],
        "output": "${nodes.double.output}"
    });
    harness.register(&definition).await.unwrap();
    let id = harness.start("sum", &json!({"n": 4})).await.unwrap();
    let owned = harness.own_next().await;
    let record = harness.ended(id).await;
    assert_eq!((record.status, record.output.as_deref()), (ExecutionStatus::Completed, Some("{\"n\":8}")));
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    let nodes = harness.engine.execution_nodes(&harness.admin(), id).await.unwrap();
    assert_eq!(nodes[1].status, NodeStatus::Skipped);
}

async fn a_cancelled_execution_takes_its_jobs_with_it(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = harness.own_next().await;
    let validate = harness.take("validate").await;
    let admin = harness.admin();
    let position =
        harness.engine.cancel_execution(&admin, id, Some("changed my mind".into()), false).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Cancelled);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    assert_eq!(harness.engine.command(&admin, position).await.unwrap().status, CommandStatus::Applied);
    assert_eq!(harness.engine.job(&admin, validate.id).await.unwrap().status, JobStatus::Cancelled);
    let lost = harness.complete(&validate, &json!(true)).await.unwrap();
    assert_eq!(lost, store::jobs::LeaseAnswer::Cancelled);
    let again = harness.engine.cancel_execution(&admin, id, None, false).await;
    assert!(
        matches!(again, Err(EngineError::Conflict { code: ProblemCode::ExecutionFinished, .. })),
        "{again:?}"
    );
}

async fn cancelling_the_job_cancels_the_execution(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let job = harness.engine.execution(&harness.admin(), id).await.unwrap().job_id;
    let status = harness.engine.cancel_job(&harness.admin(), job).await.unwrap();
    assert_eq!(status, JobStatus::Cancelled);
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Cancelled);
}

/// Brings an execution of the diamond to the failure of `thumbnail`.
async fn fail_thumbnail(harness: &EngineHarness) -> domain::id::ExecutionId {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = harness.own_next().await;
    let validate = harness.take("validate").await;
    harness.complete(&validate, &json!(true)).await.unwrap();
    let metadata = harness.take("metadata").await;
    harness.complete(&metadata, &json!({"seconds": 1})).await.unwrap();
    let node = harness.take("thumbnail").await;
    // Settled in order: the metadata have to be in before the failure ends the execution.
    testkit::eventually("metadata is done", || async {
        let nodes = harness.engine.execution_nodes(&harness.admin(), id).await.unwrap();
        nodes.iter().any(|node| node.node_id.as_str() == "metadata" && node.status == NodeStatus::Completed)
    })
    .await;
    harness.fail(&node, true).await.unwrap();
    let record = harness.ended(id).await;
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    assert_eq!(record.status, ExecutionStatus::Failed);
    assert_eq!(record.error.and_then(|error| error.node), Some(NodeId::trusted("thumbnail")));
    id
}

async fn finish_publish(harness: &EngineHarness, id: domain::id::ExecutionId) {
    let publish = harness.take("publish").await;
    harness.complete(&publish, &json!({"url": "u"})).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Completed);
    assert!(
        harness.poll(&["validate", "metadata"], 10).await.unwrap().is_empty(),
        "what was done is not done again"
    );
}

async fn a_retry_goes_on_from_the_failed_node(harness: EngineHarness) {
    let id = fail_thumbnail(&harness).await;
    let position = harness.engine.retry_execution(&harness.admin(), id).await.unwrap();
    let owned = harness.own_next().await;
    let again = harness.take("thumbnail").await;
    assert_eq!(
        harness.engine.command(&harness.admin(), position).await.unwrap().status,
        CommandStatus::Applied
    );
    harness.complete(&again, &json!("b.png")).await.unwrap();
    finish_publish(&harness, id).await;
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    let twice = harness.engine.retry_execution(&harness.admin(), id).await;
    assert!(
        matches!(twice, Err(EngineError::Conflict { code: ProblemCode::ExecutionNotFailed, .. })),
        "{twice:?}"
    );
}

async fn requeueing_the_dead_letter_resumes_the_execution(harness: EngineHarness) {
    let id = fail_thumbnail(&harness).await;
    let admin = harness.admin();
    let page = store::PageRequest { limit: 10, after: None };
    let letters =
        harness.engine.list_dead_letters(&admin, &DeadLetterFilter::default(), page).await.unwrap().items;
    assert_eq!(letters.len(), 1);
    let shown = harness.engine.shown_fingerprints([id.uuid()]).await.unwrap();
    assert_eq!(shown.get(&id.uuid()), Some(&letters[0].fingerprint));
    let job =
        harness.engine.requeue_dead_letter(&admin, letters[0].id, RequeueEdit::default()).await.unwrap();
    let again =
        harness.engine.requeue_dead_letter(&admin, letters[0].id, RequeueEdit::default()).await.unwrap();
    assert_eq!(job, again, "requeueing twice makes one job");
    let owned = harness.own_next().await;
    let node = harness.take("thumbnail").await;
    assert_eq!((node.id, node.attempt), (job, 2));
    harness.complete(&node, &json!("b.png")).await.unwrap();
    finish_publish(&harness, id).await;
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

async fn an_execution_fails_by_its_own_timeout(harness: EngineHarness) {
    let mut definition = diamond();
    definition["timeout"] = json!("1m");
    harness.register(&definition).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = harness.own_next().await;
    harness.take("validate").await;
    harness.clock.advance(DurationMs::from_secs(61));
    let record = harness.ended(id).await;
    assert_eq!(record.status, ExecutionStatus::Failed);
    assert_eq!(record.error.and_then(|error| error.code).as_deref(), Some("timeout"));
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

async fn an_execution_that_outgrows_its_bound_fails(harness: EngineHarness) {
    let policy = Policy { state_bytes_max: 4_000, ..harness.engine.policy().clone() };
    let harness = EngineHarness::with_policy(harness.store, policy);
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = harness.own_next().await;
    let validate = harness.take("validate").await;
    harness.complete(&validate, &json!("x".repeat(5_000))).await.unwrap();
    let record = harness.ended(id).await;
    assert_eq!(record.error.and_then(|error| error.code).as_deref(), Some("state_too_large"));
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
}

on_both_databases!(
    a_diamond_runs_to_its_end,
    nodes_in_place_need_no_worker,
    a_cancelled_execution_takes_its_jobs_with_it,
    cancelling_the_job_cancels_the_execution,
    a_retry_goes_on_from_the_failed_node,
    requeueing_the_dead_letter_resumes_the_execution,
    an_execution_fails_by_its_own_timeout,
    an_execution_that_outgrows_its_bound_fails,
    an_open_execution_shows_no_states,
);
