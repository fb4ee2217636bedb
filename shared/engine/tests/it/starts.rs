//! Starting executions: what is refused, what is repeated, and for whom they exist.

use domain::access::Role;
use domain::names::{TenantName, WorkflowName};
use domain::time::DurationMs;
use engine::{Caller, EngineError, ExecutionRequest};
use serde_json::json;
use store::executions::ExecutionFilter;
use testkit::EngineBench;
use uuid::Uuid;

use crate::executions::diamond;

async fn inputs_are_checked_against_the_schema(bench: EngineBench) {
    bench.register(&diamond()).await.unwrap();
    let request = |input: &str| ExecutionRequest::new(WorkflowName::trusted("video"), input);
    let requests = vec![request("{\"file\":\"a\"}"), request("{\"file\":7}")];
    let answer = bench.engine.start_executions(&bench.admin(), requests).await;
    let Err(EngineError::Invalid(faults)) = answer else { panic!("{answer:?}") };
    assert_eq!(faults[0].pointer, "/executions/1/input/file");
    let check = bench.engine.check_execution(&bench.admin(), &request("{}")).await;
    let Err(EngineError::Invalid(faults)) = check else { panic!("{check:?}") };
    assert!(faults[0].pointer.starts_with("/input"), "{faults:?}");
    let page = store::PageRequest { limit: 10, after: None };
    let stored =
        bench.engine.list_executions(&bench.admin(), &ExecutionFilter::default(), page).await.unwrap();
    assert!(stored.items.is_empty(), "nothing is stored");
    let unknown = bench.start("nothing", &json!({})).await;
    assert!(matches!(unknown, Err(EngineError::NotFound { what: "workflow", .. })), "{unknown:?}");
}

async fn a_repeated_start_makes_one_execution(bench: EngineBench) {
    bench.register(&diamond()).await.unwrap();
    let caller = Caller { seed: Some(Uuid::from_u128(5)), ..bench.admin() };
    let request = ExecutionRequest::new(WorkflowName::trusted("video"), "{\"file\":\"a\"}");
    let first = bench.engine.start_executions(&caller, vec![request.clone()]).await.unwrap().remove(0);
    let second = bench.engine.start_executions(&caller, vec![request]).await.unwrap().remove(0);
    assert_eq!((first.id, first.job_id), (second.id, second.job_id));
    assert_eq!((first.existing, second.existing), (false, true));
    let page = store::PageRequest { limit: 10, after: None };
    let stored =
        bench.engine.list_executions(&bench.admin(), &ExecutionFilter::default(), page).await.unwrap();
    assert_eq!(stored.items.len(), 1);
}

async fn i13_executions_of_others_do_not_exist(bench: EngineBench) {
    bench.register(&diamond()).await.unwrap();
    let acme = bench.bound("acme", Role::Client);
    let request = ExecutionRequest::new(WorkflowName::trusted("video"), "{\"file\":\"a\"}");
    let id = bench.engine.start_executions(&acme, vec![request.clone()]).await.unwrap()[0].id;
    assert_eq!(bench.engine.execution(&acme, id).await.unwrap().tenant, TenantName::trusted("acme"));
    let umbrella = bench.bound("umbrella", Role::Operator);
    let is_hidden = |error: Option<EngineError>| assert!(matches!(error, Some(EngineError::NotFound { .. })));
    is_hidden(bench.engine.execution(&umbrella, id).await.err());
    is_hidden(bench.engine.execution_nodes(&umbrella, id).await.err());
    is_hidden(bench.engine.execution_events(&umbrella, id, 0, 10).await.err());
    is_hidden(bench.engine.cancel_execution(&umbrella, id, None, false).await.err());
    is_hidden(bench.engine.retry_execution(&umbrella, id).await.err());
    is_hidden(bench.engine.wait_execution(&umbrella, id, DurationMs(10)).await.err());
    let foreign = ExecutionRequest { tenant: Some(TenantName::trusted("acme")), ..request };
    let refused = bench.engine.start_executions(&umbrella, vec![foreign]).await;
    assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "{refused:?}");
}

on_both_databases!(
    inputs_are_checked_against_the_schema,
    a_repeated_start_makes_one_execution,
    i13_executions_of_others_do_not_exist,
);
