//! Failure: what completed is undone in reverse, then `onFailure` runs, then the execution fails.

use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use serde_json::{Value, json};
use store::executions::CommandStatus;
use testkit::EngineBench;

use super::bench::{fate, lines, output, statuses};

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
async fn up_to_ship(bench: &EngineBench) -> (domain::id::ExecutionId, store::jobs::ClaimedJob) {
    bench.register(&order()).await.unwrap();
    let id = bench.start("order", &json!({})).await.unwrap();
    for job_type in ["book", "charge"] {
        let job = bench.take(job_type).await;
        bench.complete(&job, &json!(job_type)).await.unwrap();
    }
    (id, bench.take("ship").await)
}

async fn what_completed_is_undone_in_reverse(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let (id, ship) = up_to_ship(&bench).await;
    bench.fail(&ship, false).await.unwrap();
    let refund = bench.take("refund").await;
    assert_eq!(refund.data, "{\"why\":\"boom\"}");
    bench.reaches(id, ExecutionStatus::Compensating).await;
    assert!(bench.poll(&["unbook", "tell"], 10).await.unwrap().is_empty(), "one after the other");
    bench.complete(&refund, &json!(null)).await.unwrap();
    let unbook = bench.take("unbook").await;
    bench.fail(&unbook, false).await.unwrap();
    let tell = bench.take("tell").await;
    assert_eq!(tell.data, "{\"node\":\"ship\"}");
    bench.complete(&tell, &json!(null)).await.unwrap();
    let record = bench.ended(id).await;
    assert_eq!(record.status, ExecutionStatus::Failed);
    assert_eq!(record.error.and_then(|error| error.code).as_deref(), Some("boom"), "the first error stands");
    assert_eq!(lines(&bench, id, "node_compensated").await, ["charge"]);
    assert_eq!(lines(&bench, id, "compensation_failed").await, ["book"]);
    let shown = statuses(&bench, id).await;
    assert!(shown.contains(&("charge:compensate".to_owned(), NodeStatus::Completed)), "{shown:?}");
}

async fn a_retry_does_again_what_was_undone(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let (id, ship) = up_to_ship(&bench).await;
    bench.fail(&ship, false).await.unwrap();
    for job_type in ["refund", "unbook", "tell"] {
        let job = bench.take(job_type).await;
        bench.complete(&job, &json!(null)).await.unwrap();
    }
    bench.ended(id).await;
    let position = bench.engine.retry_execution(&bench.admin(), id).await.unwrap();
    for job_type in ["book", "charge", "ship"] {
        let job = bench.take(job_type).await;
        bench.complete(&job, &json!("again")).await.unwrap();
    }
    assert_eq!(output(&bench, id).await, json!({"ship": "again"}));
    assert_eq!(fate(&bench, position).await, CommandStatus::Applied);
}

async fn a_cancel_can_undo_what_completed(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let (id, _ship) = up_to_ship(&bench).await;
    bench.engine.cancel_execution(&bench.admin(), id, Some("enough".into()), true).await.unwrap();
    for job_type in ["refund", "unbook"] {
        let job = bench.take(job_type).await;
        bench.complete(&job, &json!(null)).await.unwrap();
    }
    assert_eq!(bench.ended(id).await.status, ExecutionStatus::Cancelled);
    assert!(bench.poll(&["tell"], 1).await.unwrap().is_empty(), "nothing has failed");
}

async fn a_plain_cancel_ends_the_undoing(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let (id, ship) = up_to_ship(&bench).await;
    bench.fail(&ship, false).await.unwrap();
    let refund = bench.take("refund").await;
    bench.engine.cancel_execution(&bench.admin(), id, None, false).await.unwrap();
    assert_eq!(bench.ended(id).await.status, ExecutionStatus::Cancelled);
    let lost = bench.complete(&refund, &json!(null)).await.unwrap();
    assert_eq!(lost, engine::LeaseOutcome::Cancelled);
}

on_both_databases!(
    what_completed_is_undone_in_reverse,
    a_retry_does_again_what_was_undone,
    a_cancel_can_undo_what_completed,
    a_plain_cancel_ends_the_undoing,
);
