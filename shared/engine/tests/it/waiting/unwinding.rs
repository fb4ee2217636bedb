//! What was accepted before a failure stays done; what a failure undoes, and what goes on after it, with the executions
//! above and below.

use domain::id::{DeadLetterId, ExecutionId};
use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use engine::EngineError;
use serde_json::{Value, json};
use store::PageRequest;
use store::dead_letters::{DeadLetterFilter, RequeueEdit};
use store::executions::{ExecutionFilter, ExecutionRecord};
use testkit::{EngineBench, eventually};

use super::bench::{conflict, output, run, statuses};

const PAGE: PageRequest = PageRequest { limit: 100, after: None };

fn task(id: &str) -> Value {
    json!({"id": id, "type": "SERVICE_TASK", "jobType": id, "retryCount": 0})
}

fn undoable(id: &str, undo: &str) -> Value {
    let mut node = task(id);
    node["compensate"] = json!({"type": "SERVICE_TASK", "jobType": undo});
    node
}

async fn register_child(bench: &EngineBench) {
    let mut slow = task("slow");
    slow["dependsOn"] = json!(["charge"]);
    let nodes = json!([undoable("charge", "refund"), slow]);
    bench.register(&json!({"name": "child", "version": 1, "nodes": nodes})).await.unwrap();
}

async fn children_of(bench: &EngineBench, id: ExecutionId) -> Vec<ExecutionRecord> {
    let filter = ExecutionFilter { parent_id: Some(id), ..ExecutionFilter::default() };
    bench.engine.list_executions(&bench.admin(), &filter, PAGE).await.unwrap().items
}

async fn dead_letter(bench: &EngineBench) -> DeadLetterId {
    let filter = DeadLetterFilter::default();
    let letters = bench.engine.list_dead_letters(&bench.admin(), &filter, PAGE).await.unwrap().items;
    assert_eq!(letters.len(), 1, "{letters:?}");
    letters[0].id
}

async fn i08_what_completed_beside_a_failure_does_not_run_again(bench: EngineBench) {
    let nodes = json!([task("bad"), undoable("good", "undo")]);
    let id = run(&bench, nodes, &json!({})).await;
    let owner = bench.own_next().await;
    let (bad, good) = (bench.take("bad").await, bench.take("good").await);
    owner.stop.cancel();
    owner.end.await.unwrap();
    // Nobody owns the execution: both reports wait in its inbox, the failure first.
    bench.fail(&bad, false).await.unwrap();
    assert_eq!(bench.complete(&good, &json!("done")).await.unwrap(), engine::LeaseOutcome::Ok);
    bench.engine.release(vec![owner.lease]).await.unwrap();
    let _pool = bench.run_executions(4);
    let undo = bench.take("undo").await;
    assert!(statuses(&bench, id).await.contains(&("good".to_owned(), NodeStatus::Completed)));
    bench.complete(&undo, &json!(null)).await.unwrap();
    assert_eq!(bench.ended(id).await.status, ExecutionStatus::Failed);
}

async fn children_undo_what_they_did_with_their_parent(bench: EngineBench) {
    register_child(&bench).await;
    let _pool = bench.run_executions(8);
    for is_cancelled in [false, true] {
        let nodes = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "child"}, task("other")]);
        let name = if is_cancelled { "cancelled" } else { "failed" };
        bench.register(&json!({"name": name, "version": 1, "nodes": nodes})).await.unwrap();
        let id = bench.start(name, &json!({})).await.unwrap();
        let charge = bench.take("charge").await;
        bench.complete(&charge, &json!("paid")).await.unwrap();
        let (slow, other) = (bench.take("slow").await, bench.take("other").await);
        if is_cancelled {
            bench.engine.cancel_execution(&bench.admin(), id, None, true).await.unwrap();
        } else {
            bench.fail(&other, false).await.unwrap();
        }
        let refund = bench.take("refund").await;
        let status = bench.engine.execution(&bench.admin(), id).await.unwrap().status;
        assert!(!status.is_terminal(), "it waits for its child: {status:?}");
        assert_eq!(bench.complete(&slow, &json!(1)).await.unwrap(), engine::LeaseOutcome::Cancelled);
        bench.complete(&refund, &json!(null)).await.unwrap();
        let ended = if is_cancelled { ExecutionStatus::Cancelled } else { ExecutionStatus::Failed };
        assert_eq!(bench.ended(id).await.status, ended);
        let child = &children_of(&bench, id).await[0];
        assert_eq!(child.status, ExecutionStatus::Cancelled);
    }
}

async fn a_child_that_never_started_is_not_waited_for(bench: EngineBench) {
    register_child(&bench).await;
    let nodes = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "child"}, task("other")]);
    let id = run(&bench, nodes, &json!({})).await;
    let owner = bench.own_next().await;
    let other = bench.take("other").await;
    bench.fail(&other, false).await.unwrap();
    assert_eq!(bench.ended(id).await.status, ExecutionStatus::Failed);
    assert_eq!(children_of(&bench, id).await[0].status, ExecutionStatus::Cancelled);
    owner.end.await.unwrap();
}

/// Three levels: the innermost has failed, and so have those above it.
async fn fail_three_levels(bench: &EngineBench) -> ExecutionId {
    bench
        .register(&json!({"name": "inner", "version": 1, "nodes": [task("before"), {
            "id": "work", "type": "SERVICE_TASK", "jobType": "work", "retryCount": 0, "dependsOn": ["before"]
        }]}))
        .await
        .unwrap();
    let middle = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "inner"}]);
    bench.register(&json!({"name": "middle", "version": 1, "nodes": middle})).await.unwrap();
    let nodes = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "middle"}]);
    let id = run(bench, nodes, &json!({})).await;
    let before = bench.take("before").await;
    bench.complete(&before, &json!(1)).await.unwrap();
    let work = bench.take("work").await;
    bench.fail(&work, false).await.unwrap();
    assert_eq!(bench.ended(id).await.status, ExecutionStatus::Failed);
    id
}

async fn a_requeued_dead_letter_brings_the_executions_above_back(bench: EngineBench) {
    let _pool = bench.run_executions(8);
    let id = fail_three_levels(&bench).await;
    let letter = dead_letter(&bench).await;
    bench.engine.requeue_dead_letter(&bench.admin(), letter, RequeueEdit::default()).await.unwrap();
    let status = bench.engine.execution(&bench.admin(), id).await.unwrap().status;
    assert!(!status.is_terminal(), "{status:?}");
    let work = bench.take("work").await;
    bench.complete(&work, &json!("late")).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"sub": {"sub": {"work": "late"}}}));
    assert_eq!(children_of(&bench, id).await.len(), 1);
}

async fn a_retry_goes_on_with_the_same_children(bench: EngineBench) {
    let _pool = bench.run_executions(8);
    let id = fail_three_levels(&bench).await;
    bench.engine.retry_execution(&bench.admin(), id).await.unwrap();
    let work = bench.take("work").await;
    assert!(bench.poll(&["before"], 1).await.unwrap().is_empty(), "what completed does not run again");
    bench.complete(&work, &json!("late")).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"sub": {"sub": {"work": "late"}}}));
    let children = children_of(&bench, id).await;
    assert_eq!(children.len(), 1);
    assert_eq!(children_of(&bench, children[0].id).await.len(), 1);
}

async fn a_retry_of_a_child_brings_its_parent_back(bench: EngineBench) {
    let _pool = bench.run_executions(8);
    let id = fail_three_levels(&bench).await;
    let child = children_of(&bench, id).await[0].id;
    bench.engine.retry_execution(&bench.admin(), child).await.unwrap();
    let work = bench.take("work").await;
    bench.complete(&work, &json!("late")).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"sub": {"sub": {"work": "late"}}}));
}

async fn a_dead_letter_does_not_run_on_what_is_undone(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let mut ship = task("ship");
    ship["dependsOn"] = json!(["charge"]);
    let id = run(&bench, json!([undoable("charge", "refund"), ship]), &json!({})).await;
    let charge = bench.take("charge").await;
    bench.complete(&charge, &json!("paid")).await.unwrap();
    let ship = bench.take("ship").await;
    bench.fail(&ship, false).await.unwrap();
    let refund = bench.take("refund").await;
    bench.complete(&refund, &json!(null)).await.unwrap();
    bench.ended(id).await;
    let letter = dead_letter(&bench).await;
    let refused = bench.engine.requeue_dead_letter(&bench.admin(), letter, RequeueEdit::default()).await;
    match &refused {
        Err(EngineError::Conflict { message, .. }) => {
            assert!(message.contains("retry the execution"), "{message}");
        }
        other => panic!("it would run on what is undone: {other:?}"),
    }
    assert_eq!(conflict(refused), "dead_letter_refused");
    bench.engine.retry_execution(&bench.admin(), id).await.unwrap();
    for job_type in ["charge", "ship"] {
        let job = bench.take(job_type).await;
        bench.complete(&job, &json!(job_type)).await.unwrap();
    }
    assert_eq!(output(&bench, id).await, json!({"ship": "ship"}));
}

async fn a_dead_letter_that_is_requeued_before_its_failure_is_applied(bench: EngineBench) {
    let mut ship = task("ship");
    ship["dependsOn"] = json!(["charge"]);
    let id = run(&bench, json!([undoable("charge", "refund"), ship]), &json!({})).await;
    let owner = bench.own_next().await;
    let charge = bench.take("charge").await;
    bench.complete(&charge, &json!("paid")).await.unwrap();
    let ship = bench.take("ship").await;
    owner.stop.cancel();
    owner.end.await.unwrap();
    bench.fail(&ship, false).await.unwrap();
    let letter = dead_letter(&bench).await;
    bench.engine.requeue_dead_letter(&bench.admin(), letter, RequeueEdit::default()).await.unwrap();
    bench.engine.release(vec![owner.lease]).await.unwrap();
    let _pool = bench.run_executions(4);
    let refund = bench.take("refund").await;
    eventually("the requeued job is stopped", || async {
        bench.poll(&["ship"], 1).await.unwrap().is_empty()
    })
    .await;
    bench.complete(&refund, &json!(null)).await.unwrap();
    for job_type in ["charge", "ship"] {
        let job = bench.take(job_type).await;
        bench.complete(&job, &json!(job_type)).await.unwrap();
    }
    assert_eq!(output(&bench, id).await, json!({"ship": "ship"}));
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
