//! Starting executions: what is refused, what is repeated, and for whom they exist.

use std::collections::HashSet;

use domain::access::Role;
use domain::names::{TenantName, WorkflowName};
use domain::time::DurationMs;
use engine::{Caller, EngineError, ExecutionRequest};
use serde_json::json;
use store::executions::ExecutionFilter;
use testkit::EngineHarness;
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
    let page = store::PageRequest { limit: 10, after: None };
    let stored =
        harness.engine.list_executions(&harness.admin(), &ExecutionFilter::default(), page).await.unwrap();
    assert!(stored.items.is_empty(), "nothing is stored");
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
    let page = store::PageRequest { limit: 10, after: None };
    let stored =
        harness.engine.list_executions(&harness.admin(), &ExecutionFilter::default(), page).await.unwrap();
    assert_eq!(stored.items.len(), 1);
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

on_both_databases!(
    inputs_are_checked_against_the_schema,
    a_repeated_start_makes_one_execution,
    starts_that_come_together_are_answered_apart,
    i13_executions_of_others_do_not_exist,
);
