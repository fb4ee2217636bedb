//! Failure: what completed is undone in reverse, then `onFailure` runs, then the execution fails.

use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use serde_json::{Value, json};
use store::executions::CommandStatus;
use testkit::EngineHarness;

use super::harness::{fate, lines, output, statuses};

/// book → charge → ship, of which the first two can be undone.
fn order() -> Value {
    let task = |job_type: &str| json!({"type": "SERVICE_TASK", "jobType": job_type, "input": {"why": "${error.code}"}});
    json!({
        "name": "order", "version": 1,
        "nodes": [
            {"id": "book", "type": "SERVICE_TASK", "jobType": "book", "compensate": task("unbook")},
            {"id": "charge", "type": "SERVICE_TASK", "jobType": "charge", "dependsOn": ["book"],
             "compensate": task("refund")},
            {"id": "ship", "type": "SERVICE_TASK", "jobType": "ship", "dependsOn": ["charge"], "retryCount": 0}
        ],
        "onFailure": [{"id": "tell", "type": "SERVICE_TASK", "jobType": "tell", "input": {"node": "${error.node}"}}]
    })
}

/// Runs an order up to the node `ship`.
async fn up_to_ship(harness: &EngineHarness) -> (domain::id::ExecutionId, store::jobs::ClaimedJob) {
    harness.register(&order()).await.unwrap();
    let id = harness.start("order", &json!({})).await.unwrap();
    for job_type in ["book", "charge"] {
        let job = harness.take(job_type).await;
        harness.complete(&job, &json!(job_type)).await.unwrap();
    }
    (id, harness.take("ship").await)
}

async fn what_completed_is_undone_in_reverse(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let (id, ship) = up_to_ship(&harness).await;
    harness.fail(&ship, false).await.unwrap();
    let refund = harness.take("refund").await;
    assert_eq!(refund.data, "{\"why\":\"boom\"}");
    harness.reaches(id, ExecutionStatus::Compensating).await;
    assert!(harness.poll(&["unbook", "tell"], 10).await.unwrap().is_empty(), "one after the other");
    harness.complete(&refund, &json!(null)).await.unwrap();
    let unbook = harness.take("unbook").await;
    harness.fail(&unbook, false).await.unwrap();
    let tell = harness.take("tell").await;
    assert_eq!(tell.data, "{\"node\":\"ship\"}");
    harness.complete(&tell, &json!(null)).await.unwrap();
    let record = harness.ended(id).await;
    assert_eq!(record.status, ExecutionStatus::Failed);
    assert_eq!(record.error.and_then(|error| error.code).as_deref(), Some("boom"), "the first error stands");
    assert_eq!(lines(&harness, id, "node_compensated").await, ["charge"]);
    assert_eq!(lines(&harness, id, "compensation_failed").await, ["book"]);
    let shown = statuses(&harness, id).await;
    assert!(shown.contains(&("charge:compensate".to_owned(), NodeStatus::Completed)), "{shown:?}");
}

async fn a_retry_does_again_what_was_undone(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let (id, ship) = up_to_ship(&harness).await;
    harness.fail(&ship, false).await.unwrap();
    for job_type in ["refund", "unbook", "tell"] {
        let job = harness.take(job_type).await;
        harness.complete(&job, &json!(null)).await.unwrap();
    }
    harness.ended(id).await;
    let position = harness.engine.retry_execution(&harness.admin(), id).await.unwrap();
    for job_type in ["book", "charge", "ship"] {
        let job = harness.take(job_type).await;
        harness.complete(&job, &json!("again")).await.unwrap();
    }
    assert_eq!(output(&harness, id).await, json!({"ship": "again"}));
    assert_eq!(fate(&harness, position).await, CommandStatus::Applied);
}

async fn a_cancel_can_undo_what_completed(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let (id, _ship) = up_to_ship(&harness).await;
    harness.engine.cancel_execution(&harness.admin(), id, Some("enough".into()), true).await.unwrap();
    for job_type in ["refund", "unbook"] {
        let job = harness.take(job_type).await;
        harness.complete(&job, &json!(null)).await.unwrap();
    }
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Cancelled);
    assert!(harness.poll(&["tell"], 1).await.unwrap().is_empty(), "nothing has failed");
}

async fn a_plain_cancel_ends_the_undoing(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let (id, ship) = up_to_ship(&harness).await;
    harness.fail(&ship, false).await.unwrap();
    let refund = harness.take("refund").await;
    harness.engine.cancel_execution(&harness.admin(), id, None, false).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Cancelled);
    let lost = harness.complete(&refund, &json!(null)).await.unwrap();
    assert_eq!(lost, store::jobs::LeaseAnswer::Cancelled);
}

on_both_databases!(
    what_completed_is_undone_in_reverse,
    a_retry_does_again_what_was_undone,
    a_cancel_can_undo_what_completed,
    a_plain_cancel_ends_the_undoing,
);
