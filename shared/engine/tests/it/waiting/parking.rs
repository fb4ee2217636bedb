//! Parked executions hold no slots, and go on wherever there is a free slot.

use domain::names::{CallerKey, WorkflowName};
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use engine::{LimitEdit, LimitPart, LimitTarget};
use serde_json::json;
use store::workflows::WorkflowPause;
use testkit::{EngineHarness, eventually};

use super::harness::{conflict, is_parked, output, run, were_done};

async fn parked_executions_hold_no_slots(harness: EngineHarness) {
    let name = WorkflowName::trusted("flow");
    let nodes = json!([
        {"id": "wait", "type": "SIGNAL", "signal": "go"},
        {"id": "work", "type": "SERVICE_TASK", "jobType": "work", "dependsOn": ["wait"]}
    ]);
    let first = run(&harness, nodes, &json!({})).await;
    let edit = LimitEdit { queue: QueueName::Execution, part: LimitPart::Own, max_concurrent: Some(Some(1)) };
    harness.engine.set_limits(&harness.admin(), LimitTarget::Workflow(name), vec![edit]).await.unwrap();
    let pool = harness.run_executions(8);
    let mut all = vec![first];
    for _ in 1..50 {
        all.push(harness.start("flow", &json!({})).await.unwrap());
    }
    for &id in &all {
        is_parked(&harness, id).await;
    }
    // One that has given its slot back may still be on its way out of this process.
    assert!(pool.owned_max() <= 3, "the limit held all the while: {}", pool.owned_max());
    eventually("nobody is owned", || async { pool.owned() == 0 }).await;
    let worker = harness.run_jobs(&["work"], |_| Some(json!("done")));
    for &id in &all {
        let go = CallerKey::trusted("go");
        harness.engine.signal_execution(&harness.admin(), id, &go, "null".into()).await.unwrap();
    }
    for &id in &all {
        assert_eq!(output(&harness, id).await, json!({"work": "done"}));
    }
    assert!(pool.owned_max() <= 3, "the limit held all the while: {}", pool.owned_max());
    were_done(&worker, 50).await;
}

async fn a_lost_hint_does_not_leave_a_parked_execution_behind(harness: EngineHarness) {
    let _pool = harness.run_executions(2);
    let id = run(&harness, json!([{"id": "wait", "type": "SIGNAL", "signal": "go"}]), &json!({})).await;
    is_parked(&harness, id).await;
    assert!(!harness.engine.wake_parked_tick().await.unwrap(), "nothing has come");
    // Written past the engine: nobody is hinted.
    let signal = store::executions::InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    let now = harness.engine.now();
    harness
        .store
        .append_command(
            &domain::access::TenantScope::All,
            id,
            domain::id::Id::derive(id.uuid(), &["signal"]),
            &signal,
            now,
        )
        .await
        .unwrap();
    assert_eq!(output(&harness, id).await, json!({"wait": 1}));
}

async fn a_paused_workflow_queues_new_runs_or_refuses_them(harness: EngineHarness) {
    let _pool = harness.run_executions(2);
    let (admin, name) = (harness.admin(), WorkflowName::trusted("flow"));
    let first = run(&harness, json!([{"id": "a", "type": "TRANSFORM", "output": 1}]), &json!({})).await;
    output(&harness, first).await;
    harness.engine.pause_workflow(&admin, &name, Some(WorkflowPause::Refuse)).await.unwrap();
    assert_eq!(conflict(harness.start("flow", &json!({})).await), "workflow_paused");
    harness.engine.pause_workflow(&admin, &name, Some(WorkflowPause::Queue)).await.unwrap();
    let id = harness.start("flow", &json!({})).await.unwrap();
    let why = harness.engine.why_execution(&admin, id).await.unwrap();
    assert_eq!(why.status, ExecutionStatus::Pending);
    let job = why.job.expect("its job is held");
    assert_eq!((job.reason.as_str(), job.detail.as_str()), ("queue_paused", "The workflow flow is paused."));
    harness.engine.pause_workflow(&admin, &name, None).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"a": 1}));
}

on_both_databases!(
    parked_executions_hold_no_slots,
    a_lost_hint_does_not_leave_a_parked_execution_behind,
    a_paused_workflow_queues_new_runs_or_refuses_them,
);
