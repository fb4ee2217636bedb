//! Parked executions hold no slots, and go on wherever there is a free hand.

use domain::names::{CallerKey, WorkflowName};
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use engine::{LimitEdit, LimitPart, LimitTarget};
use serde_json::json;
use store::workflows::WorkflowPause;
use testkit::{EngineBench, eventually};

use super::bench::{conflict, is_parked, output, run};

async fn parked_executions_hold_no_slots(bench: EngineBench) {
    let name = WorkflowName::trusted("flow");
    let nodes = json!([
        {"id": "wait", "type": "SIGNAL", "signal": "go"},
        {"id": "work", "type": "SERVICE_TASK", "jobType": "work", "dependsOn": ["wait"]}
    ]);
    let first = run(&bench, nodes, &json!({})).await;
    let edit = LimitEdit { queue: QueueName::Execution, part: LimitPart::Own, max_concurrent: Some(Some(1)) };
    bench.engine.set_limits(&bench.admin(), LimitTarget::Workflow(name), vec![edit]).await.unwrap();
    let pool = bench.run_executions(8);
    let mut all = vec![first];
    for _ in 1..50 {
        all.push(bench.start("flow", &json!({})).await.unwrap());
    }
    for &id in &all {
        is_parked(&bench, id).await;
    }
    // One that has given its slot back may still be on its way out of this process.
    assert!(pool.owned_max() <= 3, "the limit held all the while: {}", pool.owned_max());
    eventually("nobody is owned", || async { pool.owned() == 0 }).await;
    let worker = bench.run_jobs(&["work"], |_| Some(json!("done")));
    for &id in &all {
        let go = CallerKey::trusted("go");
        bench.engine.signal_execution(&bench.admin(), id, &go, "null".into()).await.unwrap();
    }
    for &id in &all {
        assert_eq!(output(&bench, id).await, json!({"work": "done"}));
    }
    assert!(pool.owned_max() <= 3, "the limit held all the while: {}", pool.owned_max());
    assert_eq!(worker.done(), 50);
}

async fn a_lost_hint_does_not_leave_a_parked_execution_behind(bench: EngineBench) {
    let _pool = bench.run_executions(2);
    let id = run(&bench, json!([{"id": "wait", "type": "SIGNAL", "signal": "go"}]), &json!({})).await;
    is_parked(&bench, id).await;
    assert!(!bench.engine.wake_parked_tick().await.unwrap(), "nothing has come");
    // Written past the engine: nobody is hinted.
    let signal = store::executions::InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    let now = bench.engine.now();
    bench
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
    assert_eq!(output(&bench, id).await, json!({"wait": 1}));
}

async fn a_paused_workflow_queues_new_runs_or_refuses_them(bench: EngineBench) {
    let _pool = bench.run_executions(2);
    let (admin, name) = (bench.admin(), WorkflowName::trusted("flow"));
    let first = run(&bench, json!([{"id": "a", "type": "TRANSFORM", "output": 1}]), &json!({})).await;
    output(&bench, first).await;
    bench.engine.pause_workflow(&admin, &name, Some(WorkflowPause::Refuse)).await.unwrap();
    assert_eq!(conflict(bench.start("flow", &json!({})).await), "workflow_paused");
    bench.engine.pause_workflow(&admin, &name, Some(WorkflowPause::Queue)).await.unwrap();
    let id = bench.start("flow", &json!({})).await.unwrap();
    let why = bench.engine.why_execution(&admin, id).await.unwrap();
    assert_eq!(why.status, ExecutionStatus::Pending);
    let job = why.job.expect("its job is held");
    assert_eq!((job.reason, job.detail.as_str()), ("queue_paused", "The workflow flow is paused."));
    bench.engine.pause_workflow(&admin, &name, None).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"a": 1}));
}

on_both_databases!(
    parked_executions_hold_no_slots,
    a_lost_hint_does_not_leave_a_parked_execution_behind,
    a_paused_workflow_queues_new_runs_or_refuses_them,
);
