//! Starting executions: what is refused, what is repeated, and for whom they exist.

use std::collections::HashSet;

use domain::access::Role;
use domain::names::{TenantName, WorkflowName};
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use engine::{Caller, EngineError, ExecutionRequest};
use serde_json::json;
use testkit::{EngineHarness, eventually};
use uuid::Uuid;

use crate::executions::diamond;

async fn inputs_are_checked_against_the_schema(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let request = |input: &str| ExecutionRequest::new(WorkflowName::trusted("video"), input);
    let requests = vec![request("{\"file\":\"a\"}"), request("{\"file\":7}")];
    let answer = harness.engine.start_executions(&harness.admin(), requests).await;
    let Err(EngineError::Invalid(faults)) = answer else { panic!("{answer:?}") };
    assert_eq!(faults[0].pointer, "/executions/1/input/file");
    let check = harness.engine.check_execution(&harness.admin(), &request("{}")).await;
    let Err(EngineError::Invalid(faults)) = check else { panic!("{check:?}") };
    assert!(faults[0].pointer.starts_with("/input"), "{faults:?}");
    assert!(harness.executions("").await.is_empty(), "nothing is stored");
    let unknown = harness.start("nothing", &json!({})).await;
    assert!(matches!(unknown, Err(EngineError::NotFound { what: "workflow", .. })), "{unknown:?}");
}

async fn a_repeated_start_makes_one_execution(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let caller = Caller { seed: Some(Uuid::from_u128(5)), ..harness.admin() };
    let request = ExecutionRequest::new(WorkflowName::trusted("video"), "{\"file\":\"a\"}");
    let first = harness.engine.start_executions(&caller, vec![request.clone()]).await.unwrap().remove(0);
    let second = harness.engine.start_executions(&caller, vec![request]).await.unwrap().remove(0);
    assert_eq!((first.id, first.job_id), (second.id, second.job_id));
    assert_eq!((first.existing, second.existing), (false, true));
    assert_eq!(harness.executions("").await.len(), 1);
}

/// Starts that come together share commits: each caller learns of its own execution, and a call that comes twice at the
/// same moment makes one.
async fn starts_that_come_together_are_answered_apart(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let start = |number: u128| {
        let caller = Caller { seed: Some(Uuid::from_u128(number / 2)), ..harness.admin() };
        let input = format!("{{\"file\":\"{}\"}}", number / 2);
        let request = ExecutionRequest::new(WorkflowName::trusted("video"), input);
        let engine = &harness.engine;
        async move { engine.start_executions(&caller, vec![request]).await.unwrap().remove(0) }
    };
    let created = futures::future::join_all((0..40).map(start)).await;
    for (number, pair) in created.chunks(2).enumerate() {
        assert_eq!((pair[0].id, pair[0].job_id), (pair[1].id, pair[1].job_id));
        assert_eq!(pair.iter().filter(|created| !created.existing).count(), 1);
        let record = harness.engine.execution(&harness.admin(), pair[0].id).await.unwrap();
        assert_eq!(record.input, format!("{{\"file\":\"{number}\"}}"));
    }
    let distinct: HashSet<_> = created.iter().map(|created| created.id).collect();
    assert_eq!(distinct.len(), 20);
}

async fn i13_executions_of_others_do_not_exist(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let acme = harness.bound("acme", Role::Client);
    let request = ExecutionRequest::new(WorkflowName::trusted("video"), "{\"file\":\"a\"}");
    let id = harness.engine.start_executions(&acme, vec![request.clone()]).await.unwrap()[0].id;
    assert_eq!(harness.engine.execution(&acme, id).await.unwrap().tenant, TenantName::trusted("acme"));
    let umbrella = harness.bound("umbrella", Role::Operator);
    let is_hidden = |error: Option<EngineError>| assert!(matches!(error, Some(EngineError::NotFound { .. })));
    is_hidden(harness.engine.execution(&umbrella, id).await.err());
    is_hidden(harness.engine.execution_nodes(&umbrella, id).await.err());
    is_hidden(harness.engine.execution_events(&umbrella, id, 0, 10).await.err());
    is_hidden(harness.engine.cancel_execution(&umbrella, id, None, false).await.err());
    is_hidden(harness.engine.retry_execution(&umbrella, id).await.err());
    is_hidden(harness.engine.wait_execution(&umbrella, id, DurationMs(10)).await.err());
    let foreign = ExecutionRequest { tenant: Some(TenantName::trusted("acme")), ..request };
    let refused = harness.engine.start_executions(&umbrella, vec![foreign]).await;
    assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "{refused:?}");
}

/// What starts later, and what waits too long, as its own call, its definition or its node says.
async fn starts_wait_for_their_time_and_not_for_ever(harness: EngineHarness) {
    let definition = json!({
        "name": "later", "version": 1, "expiresIn": "10m",
        "nodes": [
            {"id": "call", "type": "SERVICE_TASK", "jobType": "call", "expiresIn": "30s", "onError": "continue"},
            {"id": "end", "type": "TRANSFORM", "dependsOn": ["call"], "output": "${nodes.call.output.error.code}"}
        ],
        "output": "${nodes.end.output}"
    });
    harness.register(&definition).await.unwrap();
    let request = || ExecutionRequest::new(WorkflowName::trusted("later"), "{}");
    let later = ExecutionRequest { delay: Some(DurationMs::from_secs(3_600)), ..request() };
    let soon = ExecutionRequest { expires_in: Some(DurationMs::from_secs(60)), ..request() };
    let created =
        harness.engine.start_executions(&harness.admin(), vec![later, soon, request()]).await.unwrap();
    let why = harness.engine.why_execution(&harness.admin(), created[0].id).await.unwrap();
    assert_eq!(why.job.map(|why| why.reason.as_str()), Some("not_due"));
    let status = async |id| harness.engine.execution(&harness.admin(), id).await.unwrap();
    harness.clock.advance(DurationMs::from_secs(60));
    assert!(!harness.engine.expire_tick().await.unwrap());
    let ended = status(created[1].id).await;
    assert_eq!(ended.status, ExecutionStatus::Cancelled);
    assert_eq!(ended.error.and_then(|error| error.code).as_deref(), Some("expired"));

    // The third is started in time; the job of its node is not, and `onError` holds.
    let owned = harness.own_next().await;
    harness.reaches(created[2].id, ExecutionStatus::Running).await;
    harness.clock.advance(DurationMs::from_secs(30));
    eventually("the job of the node expires", || async {
        harness.engine.expire_tick().await.unwrap();
        status(created[2].id).await.status == ExecutionStatus::Completed
    })
    .await;
    assert_eq!(harness.ended(created[2].id).await.output.as_deref(), Some("\"expired\""));
    owned.end.await.unwrap();

    harness.clock.advance(DurationMs::from_secs(3_600));
    harness.engine.promote_tick().await.unwrap();
    let owned = harness.own_next().await;
    harness.reaches(created[0].id, ExecutionStatus::Running).await;
    let taken = harness.take("call").await;
    harness.complete(&taken, &json!({"error": {"code": "none"}})).await.unwrap();
    harness.ended(created[0].id).await;
    owned.end.await.unwrap();
    let both = ExecutionRequest {
        run_at: Some(harness.engine.now()),
        delay: Some(DurationMs(1)),
        expires_in: Some(DurationMs(0)),
        ..request()
    };
    let refused = harness.engine.start_executions(&harness.admin(), vec![both]).await;
    let Err(EngineError::Invalid(faults)) = refused else { panic!("{refused:?}") };
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["/delay", "/expiresIn"]);
}

on_both_databases!(
    starts_wait_for_their_time_and_not_for_ever,
    inputs_are_checked_against_the_schema,
    a_repeated_start_makes_one_execution,
    starts_that_come_together_are_answered_apart,
    i13_executions_of_others_do_not_exist,
);
