//! Versions of workflows: registered once and for all, owned or shared.

use domain::access::Role;
use domain::names::WorkflowName;
use domain::problem::ProblemCode;
use domain::workflow::parse::Format;
use engine::{EngineError, Registration};
use serde_json::{Value, json};
use store::workflows::WorkflowPause;
use testkit::EngineHarness;

fn definition(version: u32, job_type: &str) -> Value {
    json!({
        "name": "greet", "version": version,
        "nodes": [{"id": "say", "type": "SERVICE_TASK", "jobType": job_type}]
    })
}

async fn i09_a_versions_content_never_changes(harness: EngineHarness) {
    let admin = harness.admin();
    let register = async |definition: Value| {
        let body = definition.to_string();
        harness.engine.register_workflow(&admin, body.as_bytes(), Format::Json).await
    };
    let (first, stored) = register(definition(1, "hello")).await.unwrap();
    assert_eq!((first, stored.version), (Registration::Created, 1));
    assert_eq!(register(definition(1, "hello")).await.unwrap().0, Registration::Same);
    let conflict = register(definition(1, "goodbye")).await;
    assert!(
        matches!(conflict, Err(EngineError::Conflict { code: ProblemCode::WorkflowVersionConflict, .. })),
        "{conflict:?}"
    );
    assert_eq!(register(definition(2, "goodbye")).await.unwrap().0, Registration::Created);
    let name = WorkflowName::trusted("greet");
    assert_eq!(harness.engine.workflow(&admin, &name, None, None).await.unwrap().version, 2);
    assert_eq!(harness.engine.workflow(&admin, &name, Some(1), None).await.unwrap().content, stored.content);
    let versions = harness.engine.workflow_versions(&admin, &name, None, 10).await.unwrap();
    assert_eq!(versions.iter().map(|version| version.version).collect::<Vec<_>>(), [2, 1]);
    let missing = harness.engine.workflow(&admin, &name, Some(3), None).await;
    assert!(matches!(missing, Err(EngineError::NotFound { .. })), "{missing:?}");
}

async fn faults_have_pointers(harness: EngineHarness) {
    let body = json!({"name": "greet", "version": 1, "nodes": [{"id": "a", "type": "NOPE"}]}).to_string();
    let answer = harness.engine.validate_workflow(&harness.admin(), body.as_bytes(), Format::Json).await;
    let Err(EngineError::Invalid(faults)) = answer else { panic!("it is invalid") };
    assert!(faults.iter().any(|fault| fault.pointer.starts_with("/nodes/0")), "{faults:?}");
    let looker = harness.bound("acme", Role::Viewer);
    let refused = harness.engine.validate_workflow(&looker, body.as_bytes(), Format::Json).await;
    assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "who may not register has no use for it");
}

async fn i13_a_tenants_own_definition_is_its_own(harness: EngineHarness) {
    let acme = harness.bound("acme", Role::Operator);
    let body = definition(1, "hello").to_string();
    let (_, version) = harness.engine.register_workflow(&acme, body.as_bytes(), Format::Json).await.unwrap();
    assert_eq!(version.workflow.owner.as_ref().map(ToString::to_string).as_deref(), Some("acme"));
    let name = WorkflowName::trusted("greet");
    assert!(harness.engine.workflow(&acme, &name, None, None).await.is_ok());
    let umbrella = harness.bound("umbrella", Role::Operator);
    let hidden = harness.engine.workflow(&umbrella, &name, None, None).await;
    assert!(matches!(hidden, Err(EngineError::NotFound { .. })), "{hidden:?}");
    let untouchable = harness.engine.pause_workflow(&umbrella, &name, Some(WorkflowPause::Queue)).await;
    assert!(matches!(untouchable, Err(EngineError::NotFound { .. })), "{untouchable:?}");
    harness.engine.pause_workflow(&acme, &name, Some(WorkflowPause::Queue)).await.unwrap();
    assert!(harness.engine.workflow(&acme, &name, None, None).await.unwrap().pause.is_some());
}

async fn shared_definitions_are_paused_by_those_who_see_all(harness: EngineHarness) {
    harness.register(&definition(1, "hello")).await.unwrap();
    let name = WorkflowName::trusted("greet");
    let bound = harness
        .engine
        .pause_workflow(&harness.bound("acme", Role::Operator), &name, Some(WorkflowPause::Queue))
        .await;
    assert!(matches!(bound, Err(EngineError::Forbidden { .. })), "{bound:?}");
    harness.engine.pause_workflow(&harness.admin(), &name, Some(WorkflowPause::Queue)).await.unwrap();
    let id = harness.start("greet", &json!({})).await.unwrap();
    let job = harness.engine.execution(&harness.admin(), id).await.unwrap().job_id;
    assert_eq!(harness.engine.why(&harness.admin(), job).await.unwrap().reason.as_str(), "queue_paused");
}

on_both_databases!(
    i09_a_versions_content_never_changes,
    faults_have_pointers,
    i13_a_tenants_own_definition_is_its_own,
    shared_definitions_are_paused_by_those_who_see_all,
);
