//! Unique keys of executions: exact, whichever nodes start them at once.

use std::collections::HashSet;

use domain::id::ExecutionId;
use domain::names::{CallerKey, WorkflowName};
use domain::problem::ProblemCode;
use domain::workflow::execution::ExecutionStatus;
use domain::workflow::unique::{UNIQUE_QUEUE_MAX, UniquePolicy};
use engine::{CreatedExecution, EngineError, ExecutionRequest};
use serde_json::json;
use testkit::{EngineHarness, eventually};

const STARTS: usize = 24;

fn request(policy: UniquePolicy) -> ExecutionRequest {
    ExecutionRequest {
        unique: Some((CallerKey::trusted("order-7"), policy)),
        ..ExecutionRequest::new(WorkflowName::trusted("flow"), "{}")
    }
}

async fn register(harness: &EngineHarness, more: serde_json::Value) {
    let nodes = json!([{"id": "wait", "type": "SIGNAL", "signal": "go"}]);
    let mut definition = json!({"name": "flow", "version": 1, "nodes": nodes});
    definition.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    harness.register(&definition).await.unwrap();
}

async fn start(harness: &EngineHarness, request: ExecutionRequest) -> Result<CreatedExecution, EngineError> {
    harness.engine.start_executions(&harness.admin(), vec![request]).await.map(|mut all| all.remove(0))
}

/// Starts many at once on three nodes.
async fn at_once(
    harness: &EngineHarness,
    policy: UniquePolicy,
) -> Vec<Result<CreatedExecution, EngineError>> {
    let nodes = [harness.node(11), harness.node(12), harness.node(13)];
    let starts = (0..STARTS).map(|index| start(&nodes[index % nodes.len()], request(policy)));
    futures::future::join_all(starts).await
}

async fn go(harness: &EngineHarness, id: ExecutionId) {
    let go = CallerKey::trusted("go");
    harness.engine.signal_execution(&harness.admin(), id, &go, "1".into()).await.unwrap();
}

async fn i07_starts_at_once_join_one_execution(harness: EngineHarness) {
    register(&harness, json!({})).await;
    let answers = at_once(&harness, UniquePolicy::Join).await;
    let created: Vec<CreatedExecution> = answers.into_iter().map(Result::unwrap).collect();
    let ids: HashSet<ExecutionId> = created.iter().map(|one| one.id).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(created.iter().filter(|one| !one.existing).count(), 1);
}

async fn i07_starts_at_once_are_rejected_but_one(harness: EngineHarness) {
    register(&harness, json!({})).await;
    let answers = at_once(&harness, UniquePolicy::Reject).await;
    let (started, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!((started.len(), refused.len()), (1, STARTS - 1));
    let open = started.into_iter().next().unwrap().unwrap().id;
    for refused in refused {
        let Err(EngineError::ExecutionExists { existing }) = refused else {
            panic!("not refused: {refused:?}")
        };
        assert_eq!(existing, open);
    }
}

async fn i04_starts_at_once_run_one_after_the_other(harness: EngineHarness) {
    let _pool = harness.run_executions(8);
    register(&harness, json!({})).await;
    let answers = at_once(&harness, UniquePolicy::Queue).await;
    let mut created: Vec<CreatedExecution> = answers.into_iter().map(Result::unwrap).collect();
    created.sort_by_key(|one| one.position);
    for (index, one) in created.iter().enumerate() {
        harness.reaches(one.id, ExecutionStatus::Waiting).await;
        for later in &created[index + 1..] {
            let record = harness.engine.execution(&harness.admin(), later.id).await.unwrap();
            assert_eq!(record.status, ExecutionStatus::Pending, "it waits for its turn");
            assert!(record.is_held);
        }
        go(&harness, one.id).await;
        assert_eq!(harness.ended(one.id).await.status, ExecutionStatus::Completed);
    }
}

async fn the_queue_of_a_key_is_bounded(harness: EngineHarness) {
    register(&harness, json!({})).await;
    let admin = harness.admin();
    let all = (0..=UNIQUE_QUEUE_MAX).map(|_| request(UniquePolicy::Queue)).collect();
    let started = harness.engine.start_executions(&admin, all).await.unwrap();
    assert_eq!(started.len(), UNIQUE_QUEUE_MAX + 1, "one is open, the others wait for it");
    let refused = start(&harness, request(UniquePolicy::Queue)).await;
    assert!(matches!(refused, Err(EngineError::TooMany { code: ProblemCode::QueueFull, .. })), "{refused:?}");
    harness.engine.cancel_execution(&admin, started[7].id, None, false).await.unwrap();
    let again = start(&harness, request(UniquePolicy::Queue)).await;
    assert!(again.is_ok_and(|one| !one.existing), "one of them has gone");
}

async fn a_start_replaces_what_is_open(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    register(&harness, json!({})).await;
    let first = start(&harness, request(UniquePolicy::Replace)).await.unwrap();
    harness.reaches(first.id, ExecutionStatus::Waiting).await;
    let second = start(&harness, request(UniquePolicy::Replace)).await.unwrap();
    assert_eq!(second.replaces, [first.id]);
    assert_eq!(harness.ended(first.id).await.status, ExecutionStatus::Cancelled);
    harness.reaches(second.id, ExecutionStatus::Waiting).await;
    harness.engine.cancel_execution(&harness.admin(), second.id, None, false).await.unwrap();
    assert_eq!(harness.ended(second.id).await.status, ExecutionStatus::Cancelled);
    assert!(start(&harness, request(UniquePolicy::Reject)).await.is_ok(), "the key is free");
}

async fn upkeep_lets_go_what_nobody_did(harness: EngineHarness) {
    register(&harness, json!({})).await;
    let first = start(&harness, request(UniquePolicy::Queue)).await.unwrap();
    let second = start(&harness, request(UniquePolicy::Queue)).await.unwrap();
    // The first ends, and what would let the second go is lost.
    let entry = store::executions::InboxEntry::Cancel { reason: None, compensate: false };
    let all = domain::access::TenantScope::All;
    let command = domain::id::Id::from_uuid(uuid::Uuid::from_u128(7));
    harness.store.append_command(&all, first.id, command, &entry, harness.engine.now()).await.unwrap();
    harness.engine.wake_parked_tick().await.unwrap();
    let _pool = harness.run_executions(4);
    harness.reaches(second.id, ExecutionStatus::Waiting).await;
}

async fn a_signal_starts_what_it_is_for(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    register(&harness, json!({})).await;
    let signal = |payload: &str| ExecutionRequest {
        signal: Some((CallerKey::trusted("go"), payload.to_owned())),
        ..request(UniquePolicy::Join)
    };
    let first = start(&harness, signal("\"first\"")).await.unwrap();
    assert!(first.command_position.is_some());
    let output = harness.ended(first.id).await.output.unwrap();
    assert_eq!(output, r#"{"wait":"first"}"#);
    let open = start(&harness, request(UniquePolicy::Join)).await.unwrap();
    harness.reaches(open.id, ExecutionStatus::Waiting).await;
    let joined = start(&harness, signal("\"second\"")).await.unwrap();
    assert!(joined.existing && joined.id == open.id && joined.command_position.is_some());
    assert_eq!(harness.ended(open.id).await.output.unwrap(), r#"{"wait":"second"}"#);
    for wrong in [
        ExecutionRequest { unique: None, ..signal("1") },
        ExecutionRequest { unique: request(UniquePolicy::Queue).unique, ..signal("1") },
    ] {
        assert!(matches!(start(&harness, wrong).await, Err(EngineError::Invalid(_))));
    }
}

async fn a_definition_makes_keys_of_inputs(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    register(&harness, json!({"unique": {"key": "${input.order}", "policy": "join"}})).await;
    let of = |input: &str| ExecutionRequest::new(WorkflowName::trusted("flow"), input);
    let first = start(&harness, of(r#"{"order": 7}"#)).await.unwrap();
    let same = start(&harness, of(r#"{"order": 7, "more": 1}"#)).await.unwrap();
    let other = start(&harness, of(r#"{"order": 8}"#)).await.unwrap();
    assert!(same.id == first.id && same.existing && other.id != first.id);
    let record = harness.engine.execution(&harness.admin(), first.id).await.unwrap();
    assert_eq!(record.unique_key.map(|key| key.to_string()).as_deref(), Some("7"));
    let Err(EngineError::Invalid(faults)) = start(&harness, of("{}")).await else { panic!("it has no key") };
    assert_eq!(faults[0].pointer, "/input");
    let Err(EngineError::Invalid(faults)) = start(&harness, request(UniquePolicy::Join)).await else {
        panic!("the definition makes the keys")
    };
    assert_eq!(faults[0].pointer, "/uniqueKey");
    eventually("the first waits", || async {
        harness.engine.execution(&harness.admin(), first.id).await.unwrap().status == ExecutionStatus::Waiting
    })
    .await;
}

on_both_databases!(
    i07_starts_at_once_join_one_execution,
    i07_starts_at_once_are_rejected_but_one,
    i04_starts_at_once_run_one_after_the_other,
    the_queue_of_a_key_is_bounded,
    a_start_replaces_what_is_open,
    upkeep_lets_go_what_nobody_did,
    a_signal_starts_what_it_is_for,
    a_definition_makes_keys_of_inputs,
);
