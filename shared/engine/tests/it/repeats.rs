//! Calls that are made again under the same idempotency key, because their answers were lost.

use domain::job::JobStatus;
use domain::names::{CallerKey, NodeId};
use domain::problem::ProblemCode;
use domain::workflow::execution::ExecutionStatus;
use engine::{Caller, EngineError, OwnerEnd};
use serde_json::json;
use testkit::EngineHarness;
use uuid::Uuid;

use crate::executions::diamond;

/// The call's seed, as the reservation of its key holds it.
fn under(harness: &EngineHarness, key: u128) -> Caller {
    Caller { seed: Some(Uuid::from_u128(key)), ..harness.admin() }
}

async fn a_signal_and_a_cancel_are_there_once(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = harness.own_next().await;
    harness.take("validate").await;
    let go = CallerKey::parse("go").unwrap();
    let signal = async |caller: Caller| harness.engine.signal_execution(&caller, id, &go, "1".into()).await;
    let first = signal(under(&harness, 1)).await.unwrap();
    assert_eq!(signal(under(&harness, 1)).await.unwrap(), first);
    assert_ne!(signal(under(&harness, 2)).await.unwrap(), first);
    let cancel = async |caller: Caller| harness.engine.cancel_execution(&caller, id, None, false).await;
    let position = cancel(under(&harness, 3)).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Cancelled);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    assert_eq!(cancel(under(&harness, 3)).await.unwrap(), position, "though it has ended since");
    assert_eq!(signal(under(&harness, 1)).await.unwrap(), first);
    assert!(matches!(cancel(under(&harness, 4)).await, Err(EngineError::Conflict { .. })), "another call");
    assert!(matches!(cancel(harness.admin()).await, Err(EngineError::Conflict { .. })));
    let events = harness.engine.execution_events(&harness.admin(), id, 0, 100).await.unwrap();
    assert_eq!(events.iter().filter(|event| event.line.kind == "signal_received").count(), 2);
}

async fn a_cancel_of_the_job_of_an_execution_is_there_once(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = harness.own_next().await;
    let job = harness.engine.execution(&harness.admin(), id).await.unwrap().job_id;
    let cancel = async |key: u128| harness.engine.cancel_job(&under(&harness, key), job).await;
    cancel(1).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Cancelled);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    assert!(cancel(1).await.unwrap().is_terminal(), "though it has ended since");
    assert!(matches!(cancel(2).await, Err(EngineError::Conflict { .. })), "another call");
}

async fn a_retry_is_there_once(harness: EngineHarness) {
    let one = json!({"name": "one", "version": 1,
        "nodes": [{"id": "a", "type": "SERVICE_TASK", "jobType": "a", "retryCount": 0}]});
    harness.register(&one).await.unwrap();
    let id = harness.start("one", &json!({})).await.unwrap();
    let owned = harness.own_next().await;
    harness.fail(&harness.take("a").await, false).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Failed);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    let position = harness.engine.retry_execution(&under(&harness, 1), id).await.unwrap();
    assert_eq!(harness.engine.retry_execution(&under(&harness, 1), id).await.unwrap(), position);
    let owned = harness.own_next().await;
    let again = harness.take("a").await;
    assert!(matches!(
        harness.engine.retry_execution(&under(&harness, 2), id).await,
        Err(EngineError::Conflict { .. })
    ));
    harness.complete(&again, &json!(1)).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Completed);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    assert_eq!(harness.engine.job(&harness.admin(), again.id).await.unwrap().status, JobStatus::Completed);
}

/// Two people submit the same task; the second submission is not taken for the next round.
async fn i07_a_user_task_is_done_once_a_round(harness: EngineHarness) {
    let ask = json!({"name": "ask", "version": 1, "nodes": [
        {"id": "ask", "type": "USER_TASK", "group": "all",
            "repeat": {"until": "nodes.ask.output.done == true", "max": 5}}]});
    harness.register(&ask).await.unwrap();
    let id = harness.start("ask", &json!({})).await.unwrap();
    let node = NodeId::trusted("ask");
    let own_until_parked = async || {
        let owned = harness.own_next().await;
        assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Parked));
    };
    own_until_parked().await;
    let submit = async |key: u128, done: bool| {
        let output = json!({"done": done}).to_string();
        harness.engine.complete_user_task(&under(&harness, key), id, &node, None, output).await
    };
    let first = submit(1, false).await.unwrap();
    let second = submit(2, true).await.unwrap();
    assert_eq!(submit(1, false).await.unwrap(), first);
    own_until_parked().await;
    let status = async |position| harness.engine.command(&harness.admin(), position).await.unwrap().status;
    assert_eq!(status(first).await, store::executions::CommandStatus::Applied);
    assert!(matches!(status(second).await, store::executions::CommandStatus::Refused(_)));
    let open = harness.engine.user_task(&harness.admin(), id, &node).await.unwrap();
    assert_eq!((open.round, open.status), (2, domain::workflow::execution::UserTaskStatus::Open));
    submit(3, true).await.unwrap();
    let owned = harness.own_next().await;
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Completed);
    assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Finished));
    assert!(submit(3, true).await.is_ok(), "a repeat of what was applied");
}

/// The answer to a submission is lost, and until it is repeated the next round has opened, for somebody else.
async fn a_submission_is_answered_again_though_the_next_round_is_open(harness: EngineHarness) {
    let ask = json!({"name": "ask", "version": 1, "nodes": [
        {"id": "ask", "type": "USER_TASK", "group": "all",
            "repeat": {"until": "nodes.ask.output.done == true", "max": 5}}]});
    harness.register(&ask).await.unwrap();
    let id = harness.start("ask", &json!({})).await.unwrap();
    let node = NodeId::trusted("ask");
    let own_until_parked = async || {
        let owned = harness.own_next().await;
        assert!(matches!(owned.end.await.unwrap(), OwnerEnd::Parked));
    };
    own_until_parked().await;
    let submit = async |key: u128| {
        let output = json!({"done": false}).to_string();
        harness.engine.complete_user_task(&under(&harness, key), id, &node, Some(1), output).await
    };
    let first = submit(1).await.unwrap();
    own_until_parked().await;
    let open = harness.engine.user_task(&harness.admin(), id, &node).await.unwrap();
    assert_eq!(open.round, 2);
    assert_eq!(submit(1).await.unwrap(), first, "a repeat of what was applied");
    assert!(matches!(submit(2).await, Err(EngineError::Conflict { code: ProblemCode::UserTaskRound, .. })));
    harness.engine.cancel_execution(&harness.admin(), id, None, false).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Cancelled);
}

on_both_databases!(
    a_submission_is_answered_again_though_the_next_round_is_open,
    a_signal_and_a_cancel_are_there_once,
    a_cancel_of_the_job_of_an_execution_is_there_once,
    a_retry_is_there_once,
    i07_a_user_task_is_done_once_a_round,
);
