//! User tasks: opened, shown, handed on, done.

use domain::access::Role;
use domain::names::NodeId;
use domain::time::DurationMs;
use engine::EngineError;
use serde_json::{Value, json};
use store::PageRequest;
use store::executions::CommandStatus;
use store::user_tasks::{UserTaskFilter, UserTaskStatus};
use testkit::{EngineBench, eventually};

use super::bench::{conflict, failure, fate, is_parked, output, run, waits};

const ALL: PageRequest = PageRequest { limit: 100, after: None };

fn approval() -> Value {
    json!([{
        "id": "approve", "type": "USER_TASK", "group": "finance", "input": {"total": "${input.total}"},
        "dueIn": "1d", "timeout": "3d", "escalation": {"after": "2d", "assignee": "boss"},
        "form": {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
    }])
}

async fn a_person_does_a_task(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let id = run(&bench, approval(), &json!({"total": 7})).await;
    is_parked(&bench, id).await;
    assert_eq!(waits(&bench, id, "approve").await.reason, "user_task");
    let (admin, node) = (bench.admin(), NodeId::trusted("approve"));
    let filter = UserTaskFilter { group: Some("finance".into()), ..UserTaskFilter::default() };
    let tasks = bench.engine.list_user_tasks(&admin, &filter, ALL).await.unwrap().items;
    assert_eq!(tasks.len(), 1);
    assert_eq!((tasks[0].execution_id, tasks[0].status), (id, UserTaskStatus::Open));
    assert_eq!(tasks[0].input.as_deref(), Some("{\"total\":7}"));
    let stranger = bench.bound("umbrella", Role::Operator);
    let hidden = bench.engine.complete_user_task(&stranger, id, &node, "{\"ok\":true}".into()).await;
    assert!(matches!(hidden, Err(EngineError::NotFound { .. })), "{hidden:?}");
    let wrong = bench.engine.complete_user_task(&admin, id, &node, "{\"ok\":\"yes\"}".into()).await;
    let Err(EngineError::Invalid(faults)) = wrong else { panic!("the form is checked: {wrong:?}") };
    assert_eq!(faults[0].pointer, "/output/ok");
    let position = bench.engine.complete_user_task(&admin, id, &node, "{\"ok\":true}".into()).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"approve": {"ok": true}}));
    assert_eq!(fate(&bench, position).await, CommandStatus::Applied);
    let task = bench.engine.user_task(&admin, id, &node).await.unwrap();
    assert_eq!((task.status, task.completed_by.as_deref()), (UserTaskStatus::Completed, Some("test")));
    let again = bench.engine.complete_user_task(&admin, id, &node, "{\"ok\":true}".into()).await;
    assert_eq!(conflict(again), "user_task_not_open");
}

async fn a_task_is_handed_on_and_times_out(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let id = run(&bench, approval(), &json!({"total": 7})).await;
    is_parked(&bench, id).await;
    let (admin, node) = (bench.admin(), NodeId::trusted("approve"));
    bench.clock.advance(DurationMs::from_secs(2 * 24 * 3_600));
    eventually("the task is handed on", || async {
        let task = bench.engine.user_task(&admin, id, &node).await.unwrap();
        task.assignee.as_deref() == Some("boss") && task.escalated_at.is_some()
    })
    .await;
    is_parked(&bench, id).await;
    bench.clock.advance(DurationMs::from_secs(24 * 3_600));
    assert_eq!(failure(&bench, id).await, "timeout");
    let task = bench.engine.user_task(&admin, id, &node).await.unwrap();
    assert_eq!(task.status, UserTaskStatus::TimedOut);
}

async fn the_task_of_a_cancelled_execution_is_closed(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let id = run(&bench, approval(), &json!({"total": 7})).await;
    is_parked(&bench, id).await;
    bench.engine.cancel_execution(&bench.admin(), id, None, false).await.unwrap();
    bench.ended(id).await;
    let task = bench.engine.user_task(&bench.admin(), id, &NodeId::trusted("approve")).await.unwrap();
    assert_eq!(task.status, UserTaskStatus::Cancelled);
}

on_both_databases!(
    a_person_does_a_task,
    a_task_is_handed_on_and_times_out,
    the_task_of_a_cancelled_execution_is_closed,
);
