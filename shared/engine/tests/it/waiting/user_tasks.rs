//! User tasks: opened, shown, handed on, done.

use std::sync::Arc;

use domain::access::Role;
use domain::names::NodeId;
use domain::search::{SearchList, Term, TermValue};
use domain::time::DurationMs;
use domain::workflow::execution::UserTaskStatus;
use engine::{Caller, EngineError, ListRequest, Membership};
use serde_json::{Value, json};
use store::executions::CommandStatus;
use testkit::{EngineHarness, eventually};

use super::harness::{conflict, failure, fate, is_parked, output, run, waits};

fn approval() -> Value {
    json!([{
        "id": "approve", "type": "USER_TASK", "group": "finance", "input": {"total": "${input.total}"},
        "dueIn": "1d", "timeout": "3d", "escalation": {"after": "2d", "assignee": "boss"},
        "form": {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
    }])
}

async fn a_person_does_a_task(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let id = run(&harness, approval(), &json!({"total": 7})).await;
    is_parked(&harness, id).await;
    assert_eq!(waits(&harness, id, "approve").await.reason, "user_task");
    let (admin, node) = (harness.admin(), NodeId::trusted("approve"));
    let of_group = Term::is("group", TermValue::Text("finance".into()));
    let mut request = ListRequest::all(SearchList::UserTasks, 100);
    request.search.terms.push(of_group);
    let tasks = harness.engine.search_user_tasks(&admin, &request).await.unwrap().items;
    assert_eq!(tasks.len(), 1);
    assert_eq!((tasks[0].execution_id, tasks[0].status), (id, UserTaskStatus::Open));
    assert_eq!(tasks[0].input.as_deref(), Some("{\"total\":7}"));
    let stranger = harness.bound("umbrella", Role::Operator);
    let hidden = harness.engine.complete_user_task(&stranger, id, &node, None, "{\"ok\":true}".into()).await;
    assert!(matches!(hidden, Err(EngineError::NotFound { .. })), "{hidden:?}");
    let wrong = harness.engine.complete_user_task(&admin, id, &node, None, "{\"ok\":\"yes\"}".into()).await;
    let Err(EngineError::Invalid(faults)) = wrong else { panic!("the form is checked: {wrong:?}") };
    assert_eq!(faults[0].pointer, "/output/ok");
    let position =
        harness.engine.complete_user_task(&admin, id, &node, None, "{\"ok\":true}".into()).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"approve": {"ok": true}}));
    assert_eq!(fate(&harness, position).await, CommandStatus::Applied);
    let task = harness.engine.user_task(&admin, id, &node).await.unwrap();
    assert_eq!((task.status, task.completed_by.as_deref()), (UserTaskStatus::Completed, Some("test")));
    let again = harness.engine.complete_user_task(&admin, id, &node, None, "{\"ok\":true}".into()).await;
    assert_eq!(conflict(again), "user_task_not_open");
}

async fn a_task_is_handed_on_and_times_out(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let id = run(&harness, approval(), &json!({"total": 7})).await;
    is_parked(&harness, id).await;
    let (admin, node) = (harness.admin(), NodeId::trusted("approve"));
    harness.engine.claim_user_task(&admin, id, &node, None).await.unwrap();
    harness.clock.advance(DurationMs::from_secs(2 * 24 * 3_600));
    eventually("the task is handed on", || async {
        let task = harness.engine.user_task(&admin, id, &node).await.unwrap();
        task.assignee.as_deref() == Some("boss") && task.escalated_at.is_some()
    })
    .await;
    is_parked(&harness, id).await;
    harness.clock.advance(DurationMs::from_secs(24 * 3_600));
    assert_eq!(failure(&harness, id).await, "timeout");
    let task = harness.engine.user_task(&admin, id, &node).await.unwrap();
    assert_eq!(task.status, UserTaskStatus::TimedOut);
    assert_eq!(task.claimed_by, None, "the claim ended when it was handed on");
}

/// A key of the tenant `default` that stands for somebody.
fn somebody(harness: &EngineHarness, person: Option<&str>, groups: &[&str]) -> Caller {
    let groups = groups.iter().map(|group| (*group).to_owned()).collect();
    let membership = Some(Arc::new(Membership { person: person.map(str::to_owned), groups }));
    let actor = person.map_or_else(|| "key_of_nobody".to_owned(), |person| format!("key_of_{person}"));
    Caller { membership, actor, ..harness.bound("default", Role::Client) }
}

async fn a_task_is_done_by_somebody_of_its_group(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let id = run(&harness, approval(), &json!({"total": 7})).await;
    is_parked(&harness, id).await;
    let node = NodeId::trusted("approve");
    let (ann, bob) =
        (somebody(&harness, Some("ann"), &["finance"]), somebody(&harness, Some("bob"), &["finance"]));
    let machine = somebody(&harness, None, &[]);
    let worker = Caller { role: Role::Worker, ..ann.clone() };
    let done = "{\"ok\":true}";
    for stranger in [&machine, &somebody(&harness, Some("eve"), &["sales"]), &worker] {
        let refused = harness.engine.complete_user_task(stranger, id, &node, None, done.into()).await;
        assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "{refused:?}");
        let refused = harness.engine.claim_user_task(stranger, id, &node, None).await;
        assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "{refused:?}");
    }
    let task = harness.engine.claim_user_task(&ann, id, &node, Some(1)).await.unwrap();
    assert_eq!(task.claimed_by.as_deref(), Some("ann"));
    harness.engine.claim_user_task(&ann, id, &node, None).await.unwrap();
    let taken = |refused: Result<_, EngineError>| assert_eq!(conflict(refused), "user_task_claimed");
    taken(harness.engine.claim_user_task(&bob, id, &node, None).await.map(|_| 0));
    taken(harness.engine.release_user_task(&bob, id, &node, None).await.map(|_| 0));
    taken(harness.engine.complete_user_task(&bob, id, &node, None, done.into()).await);
    let other = harness.engine.complete_user_task(&ann, id, &node, Some(2), done.into()).await;
    assert_eq!(conflict(other), "user_task_round");
    let task = harness.engine.release_user_task(&ann, id, &node, None).await.unwrap();
    assert_eq!(task.claimed_by, None);
    harness.engine.claim_user_task(&bob, id, &node, None).await.unwrap();
    // An operator takes off anybody's claim.
    harness
        .engine
        .release_user_task(&harness.bound("default", Role::Operator), id, &node, None)
        .await
        .unwrap();
    harness.engine.complete_user_task(&bob, id, &node, Some(1), done.into()).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"approve": {"ok": true}}));
    let lines = harness.audit(&harness.admin()).await;
    let claims = lines.iter().filter(|line| line.action == "user_task.claim").count();
    assert_eq!(claims, 3, "what was refused is not recorded as done");
    assert_eq!(
        conflict(harness.engine.claim_user_task(&bob, id, &node, None).await.map(|_| 0)),
        "user_task_not_open"
    );
}

async fn the_task_of_a_cancelled_execution_is_closed(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let id = run(&harness, approval(), &json!({"total": 7})).await;
    is_parked(&harness, id).await;
    harness.engine.cancel_execution(&harness.admin(), id, None, false).await.unwrap();
    harness.ended(id).await;
    let task = harness.engine.user_task(&harness.admin(), id, &NodeId::trusted("approve")).await.unwrap();
    assert_eq!(task.status, UserTaskStatus::Cancelled);
}

on_both_databases!(
    a_person_does_a_task,
    a_task_is_done_by_somebody_of_its_group,
    a_task_is_handed_on_and_times_out,
    the_task_of_a_cancelled_execution_is_closed,
);
