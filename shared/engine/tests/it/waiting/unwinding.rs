//! What was accepted before a failure stays done; what a failure undoes, and what goes on after it, with the executions
//! above and below.

use domain::id::{DeadLetterId, ExecutionId};
use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use engine::EngineError;
use serde_json::{Value, json};
use store::PageRequest;
use store::dead_letters::{DeadLetterFilter, RequeueEdit};
use store::executions::ExecutionRecord;
use testkit::{EngineHarness, eventually};

use super::harness::{conflict, output, run, statuses};

const PAGE: PageRequest = PageRequest { limit: 100, after: None };

fn task(id: &str) -> Value {
    json!({"id": id, "type": "SERVICE_TASK", "jobType": id, "retryCount": 0})
}

fn undoable(id: &str, undo: &str) -> Value {
    let mut node = task(id);
    node["compensate"] = json!({"type": "SERVICE_TASK", "jobType": undo});
    node
}

async fn register_child(harness: &EngineHarness) {
    let mut slow = task("slow");
    slow["dependsOn"] = json!(["charge"]);
    let nodes = json!([undoable("charge", "refund"), slow]);
    harness.register(&json!({"name": "child", "version": 1, "nodes": nodes})).await.unwrap();
}

async fn children_of(harness: &EngineHarness, id: ExecutionId) -> Vec<ExecutionRecord> {
    harness.executions(&format!("parent:{id}")).await
}

async fn dead_letter(harness: &EngineHarness) -> DeadLetterId {
    let filter = DeadLetterFilter::default();
    let letters = harness.engine.list_dead_letters(&harness.admin(), &filter, PAGE).await.unwrap().items;
    assert_eq!(letters.len(), 1, "{letters:?}");
    letters[0].id
}

async fn i08_what_completed_beside_a_failure_does_not_run_again(harness: EngineHarness) {
    let nodes = json!([task("bad"), undoable("good", "undo")]);
    let id = run(&harness, nodes, &json!({})).await;
    let owner = harness.own_next().await;
    let (bad, good) = (harness.take("bad").await, harness.take("good").await);
    owner.stop.cancel();
    owner.end.await.unwrap();
    // Nobody owns the execution: both reports wait in its inbox, the failure first.
    harness.fail(&bad, false).await.unwrap();
    assert_eq!(harness.complete(&good, &json!("done")).await.unwrap(), store::jobs::LeaseAnswer::Ok(()));
    harness.engine.release(vec![owner.lease]).await.unwrap();
    let _pool = harness.run_executions(4);
    let undo = harness.take("undo").await;
    assert!(statuses(&harness, id).await.contains(&("good".to_owned(), NodeStatus::Completed)));
    harness.complete(&undo, &json!(null)).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Failed);
}

async fn children_undo_what_they_did_with_their_parent(harness: EngineHarness) {
    register_child(&harness).await;
    let _pool = harness.run_executions(8);
    for is_cancelled in [false, true] {
        let nodes = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "child"}, task("other")]);
        let name = if is_cancelled { "cancelled" } else { "failed" };
        harness.register(&json!({"name": name, "version": 1, "nodes": nodes})).await.unwrap();
        let id = harness.start(name, &json!({})).await.unwrap();
        let charge = harness.take("charge").await;
        harness.complete(&charge, &json!("paid")).await.unwrap();
        let (slow, other) = (harness.take("slow").await, harness.take("other").await);
        if is_cancelled {
            harness.engine.cancel_execution(&harness.admin(), id, None, true).await.unwrap();
        } else {
            harness.fail(&other, false).await.unwrap();
        }
        let refund = harness.take("refund").await;
        let status = harness.engine.execution(&harness.admin(), id).await.unwrap().status;
        assert!(!status.is_terminal(), "it waits for its child: {status:?}");
        assert_eq!(harness.complete(&slow, &json!(1)).await.unwrap(), store::jobs::LeaseAnswer::Cancelled);
        harness.complete(&refund, &json!(null)).await.unwrap();
        let ended = if is_cancelled { ExecutionStatus::Cancelled } else { ExecutionStatus::Failed };
        assert_eq!(harness.ended(id).await.status, ended);
        let child = &children_of(&harness, id).await[0];
        assert_eq!(child.status, ExecutionStatus::Cancelled);
    }
}

async fn a_child_that_never_started_is_not_waited_for(harness: EngineHarness) {
    register_child(&harness).await;
    let nodes = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "child"}, task("other")]);
    let id = run(&harness, nodes, &json!({})).await;
    let owner = harness.own_next().await;
    let other = harness.take("other").await;
    harness.fail(&other, false).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Failed);
    assert_eq!(children_of(&harness, id).await[0].status, ExecutionStatus::Cancelled);
    owner.end.await.unwrap();
}

/// Three levels: the innermost has failed, and so have those above it.
async fn fail_three_levels(harness: &EngineHarness) -> ExecutionId {
    harness
        .register(&json!({"name": "inner", "version": 1, "nodes": [task("before"), {
            "id": "work", "type": "SERVICE_TASK", "jobType": "work", "retryCount": 0, "dependsOn": ["before"]
        }]}))
        .await
        .unwrap();
    let middle = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "inner"}]);
    harness.register(&json!({"name": "middle", "version": 1, "nodes": middle})).await.unwrap();
    let nodes = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "middle"}]);
    let id = run(harness, nodes, &json!({})).await;
    let before = harness.take("before").await;
    harness.complete(&before, &json!(1)).await.unwrap();
    let work = harness.take("work").await;
    harness.fail(&work, false).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Failed);
    id
}

async fn a_requeued_dead_letter_brings_the_executions_above_back(harness: EngineHarness) {
    let _pool = harness.run_executions(8);
    let id = fail_three_levels(&harness).await;
    let letter = dead_letter(&harness).await;
    harness.engine.requeue_dead_letter(&harness.admin(), letter, RequeueEdit::default()).await.unwrap();
    let status = harness.engine.execution(&harness.admin(), id).await.unwrap().status;
    assert!(!status.is_terminal(), "{status:?}");
    let work = harness.take("work").await;
    harness.complete(&work, &json!("late")).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"sub": {"sub": {"work": "late"}}}));
    assert_eq!(children_of(&harness, id).await.len(), 1);
}

async fn a_retry_goes_on_with_the_same_children(harness: EngineHarness) {
    let _pool = harness.run_executions(8);
    let id = fail_three_levels(&harness).await;
    harness.engine.retry_execution(&harness.admin(), id).await.unwrap();
    let work = harness.take("work").await;
    assert!(harness.poll(&["before"], 1).await.unwrap().is_empty(), "what completed does not run again");
    harness.complete(&work, &json!("late")).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"sub": {"sub": {"work": "late"}}}));
    let children = children_of(&harness, id).await;
    assert_eq!(children.len(), 1);
    assert_eq!(children_of(&harness, children[0].id).await.len(), 1);
}

async fn a_retry_of_a_child_brings_its_parent_back(harness: EngineHarness) {
    let _pool = harness.run_executions(8);
    let id = fail_three_levels(&harness).await;
    let child = children_of(&harness, id).await[0].id;
    harness.engine.retry_execution(&harness.admin(), child).await.unwrap();
    let work = harness.take("work").await;
    harness.complete(&work, &json!("late")).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"sub": {"sub": {"work": "late"}}}));
}

async fn a_dead_letter_does_not_run_on_what_is_undone(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let mut ship = task("ship");
    ship["dependsOn"] = json!(["charge"]);
    let id = run(&harness, json!([undoable("charge", "refund"), ship]), &json!({})).await;
    let charge = harness.take("charge").await;
    harness.complete(&charge, &json!("paid")).await.unwrap();
    let ship = harness.take("ship").await;
    harness.fail(&ship, false).await.unwrap();
    let refund = harness.take("refund").await;
    harness.complete(&refund, &json!(null)).await.unwrap();
    harness.ended(id).await;
    let letter = dead_letter(&harness).await;
    let refused = harness.engine.requeue_dead_letter(&harness.admin(), letter, RequeueEdit::default()).await;
    match &refused {
        Err(EngineError::Conflict { message, .. }) => {
            assert!(message.contains("retry the execution"), "{message}");
        }
        other => panic!("it would run on what is undone: {other:?}"),
    }
    assert_eq!(conflict(refused), "dead_letter_refused");
    harness.engine.retry_execution(&harness.admin(), id).await.unwrap();
    for job_type in ["charge", "ship"] {
        let job = harness.take(job_type).await;
        harness.complete(&job, &json!(job_type)).await.unwrap();
    }
    assert_eq!(output(&harness, id).await, json!({"ship": "ship"}));
}

async fn a_dead_letter_that_is_requeued_before_its_failure_is_applied(harness: EngineHarness) {
    let mut ship = task("ship");
    ship["dependsOn"] = json!(["charge"]);
    let id = run(&harness, json!([undoable("charge", "refund"), ship]), &json!({})).await;
    let owner = harness.own_next().await;
    let charge = harness.take("charge").await;
    harness.complete(&charge, &json!("paid")).await.unwrap();
    let ship = harness.take("ship").await;
    owner.stop.cancel();
    owner.end.await.unwrap();
    harness.fail(&ship, false).await.unwrap();
    let letter = dead_letter(&harness).await;
    harness.engine.requeue_dead_letter(&harness.admin(), letter, RequeueEdit::default()).await.unwrap();
    harness.engine.release(vec![owner.lease]).await.unwrap();
    let _pool = harness.run_executions(4);
    let refund = harness.take("refund").await;
    eventually("the requeued job is stopped", || async {
        harness.poll(&["ship"], 1).await.unwrap().is_empty()
    })
    .await;
    harness.complete(&refund, &json!(null)).await.unwrap();
    for job_type in ["charge", "ship"] {
        let job = harness.take(job_type).await;
        harness.complete(&job, &json!(job_type)).await.unwrap();
    }
    assert_eq!(output(&harness, id).await, json!({"ship": "ship"}));
}

on_both_databases!(
    i08_what_completed_beside_a_failure_does_not_run_again,
    children_undo_what_they_did_with_their_parent,
    a_child_that_never_started_is_not_waited_for,
    a_requeued_dead_letter_brings_the_executions_above_back,
    a_retry_goes_on_with_the_same_children,
    a_retry_of_a_child_brings_its_parent_back,
    a_dead_letter_does_not_run_on_what_is_undone,
    a_dead_letter_that_is_requeued_before_its_failure_is_applied,
);
