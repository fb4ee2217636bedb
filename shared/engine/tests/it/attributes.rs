//! Searchable attributes of executions and of the jobs of their nodes: from inputs, payloads, results and outputs.

use domain::attribute::{AttributePath, AttributeType};
use domain::names::{AttributeName, CallerKey, JobType, TenantName, WorkflowName};
use domain::time::DurationMs;
use engine::{AttributeTarget, CompleteItem, EngineError, ExecutionRequest, JobRequest};
use serde_json::json;
use store::attributes::AttributeChange;
use store::jobs::LeaseAnswer;
use testkit::{EngineHarness, eventually, lease_of};

use crate::executions::diamond;

fn change(name: &str, kind: AttributeType, path: &str) -> AttributeChange {
    let path = AttributePath::parse(path).unwrap();
    AttributeChange { name: AttributeName::trusted(name), declared: Some((kind, Some(path))) }
}

async fn declare(harness: &EngineHarness, target: AttributeTarget, changes: &[AttributeChange]) {
    harness.engine.declare_attributes(&harness.admin(), &target, changes).await.unwrap();
}

fn of_type(name: &str) -> AttributeTarget {
    AttributeTarget::JobType(JobType::trusted(name), None)
}

async fn executions_and_their_jobs_carry_attributes(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let video = AttributeTarget::Workflow(WorkflowName::trusted("video"), None);
    let of_video = [
        change("file", AttributeType::Text, "input.file"),
        change("url", AttributeType::Text, "output.url"),
        change("given", AttributeType::Text, "data.file"),
        change("image", AttributeType::Text, "result.image"),
        AttributeChange {
            name: AttributeName::trusted("region"),
            declared: Some((AttributeType::Text, None)),
        },
    ];
    declare(&harness, video, &of_video).await;
    declare(&harness, of_type("metadata"), &[change("seconds", AttributeType::Number, "result.seconds")])
        .await;
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    let owned = harness.own_next().await;
    let validate = harness.take("validate").await;
    harness.complete(&validate, &json!(true)).await.unwrap();
    let metadata = harness.take("metadata").await;
    let thumbnail = harness.take("thumbnail").await;
    harness.complete(&metadata, &json!({"seconds": 12.5})).await.unwrap();
    // What the workflow declares is set on the jobs of its nodes as well.
    let item = CompleteItem {
        lease: lease_of(&thumbnail),
        result: Some("{\"image\":\"a.png\"}".to_owned()),
        attributes: serde_json::from_value(json!({"region": "eu"})).unwrap(),
    };
    let outcomes = harness.engine.complete(&harness.admin(), vec![item]).await.unwrap();
    assert_eq!(outcomes, [Ok(LeaseAnswer::Ok(()))]);
    let publish = harness.take("publish").await;
    harness.complete(&publish, &json!({"url": "https://cdn.example/a"})).await.unwrap();
    harness.ended(id).await;
    owned.end.await.unwrap();
    let objects = [id.uuid(), validate.id.uuid(), metadata.id.uuid(), thumbnail.id.uuid()];
    let shown = harness.engine.shown_attributes(&harness.admin(), objects).await.unwrap();
    let of = |object: uuid::Uuid| shown.get(&object).map(|attributes| json!(attributes));
    assert_eq!(of(objects[0]), Some(json!({"file": "a.mp4", "url": "https://cdn.example/a"})));
    assert_eq!(of(objects[1]), Some(json!({"given": "a.mp4"})));
    assert_eq!(of(objects[2]), Some(json!({"seconds": 12.5})));
    assert_eq!(of(objects[3]), Some(json!({"image": "a.png", "region": "eu"})));
}

async fn a_definition_sets_what_its_executions_are_found_by(harness: EngineHarness) {
    let mut definition = diamond();
    definition["attributes"] = json!({
        "file": {"type": "text", "value": "${input.file}"},
        "seconds": {"type": "number"},
        "size": {"type": "integer", "value": "${input.file}"},
    });
    definition["nodes"][1]["attributes"] = json!({"seconds": "${nodes.metadata.output.seconds}"});
    harness.register(&definition).await.unwrap();
    let video = AttributeTarget::Workflow(WorkflowName::trusted("video"), None);
    let lines = harness.engine.declared_attributes(&harness.admin(), &video).await.unwrap();
    let lines: Vec<_> = lines.iter().map(|line| (line.name.as_str(), line.source)).collect();
    assert_eq!(lines, [("file", "definition"), ("seconds", "definition"), ("size", "definition")]);
    // The workflow is one for all tenants: another one knows its names once its executions set them.
    let acme = Some(TenantName::trusted("acme"));
    let request = ExecutionRequest {
        tenant: acme.clone(),
        ..ExecutionRequest::new(WorkflowName::trusted("video"), "{\"file\":\"a.mp4\"}")
    };
    let id = harness.engine.start_executions(&harness.admin(), vec![request]).await.unwrap()[0].id;
    let owned = harness.own_next().await;
    let validate = harness.take("validate").await;
    let shown = async || {
        let shown = harness.engine.shown_attributes(&harness.admin(), [id.uuid()]).await.unwrap();
        shown.get(&id.uuid()).map(|attributes| json!(attributes))
    };
    assert_eq!(shown().await, Some(json!({"file": "a.mp4"})), "what does not fit is left out");
    harness.complete(&validate, &json!(true)).await.unwrap();
    let metadata = harness.take("metadata").await;
    let thumbnail = harness.take("thumbnail").await;
    harness.complete(&metadata, &json!({"seconds": 12.5})).await.unwrap();
    harness.complete(&thumbnail, &json!("a.png")).await.unwrap();
    let publish = harness.take("publish").await;
    assert_eq!(shown().await, Some(json!({"file": "a.mp4", "seconds": 12.5})));
    harness.complete(&publish, &json!({"url": "https://cdn.example/a"})).await.unwrap();
    harness.ended(id).await;
    owned.end.await.unwrap();
    let of_acme = AttributeTarget::Workflow(WorkflowName::trusted("video"), acme);
    let lines = harness.engine.declared_attributes(&harness.admin(), &of_acme).await.unwrap();
    assert_eq!(lines.len(), 3);
}

async fn a_definition_declares_in_the_place_of_its_earlier_version(harness: EngineHarness) {
    let version = |number: u32, attributes: serde_json::Value| {
        let mut definition = diamond();
        definition["version"] = json!(number);
        definition["attributes"] = attributes;
        definition
    };
    let of_type = AttributeTarget::JobType(JobType::trusted("mail"), None);
    declare(&harness, of_type, &[change("taken", AttributeType::Text, "data.x")]).await;
    let refused = harness.register(&version(1, json!({"taken": {"type": "integer"}}))).await;
    let Err(EngineError::Invalid(faults)) = refused else { panic!("{refused:?}") };
    assert_eq!(faults[0].pointer, "/attributes/taken/type");
    harness.register(&version(1, json!({"one": {"type": "text"}, "two": {"type": "text"}}))).await.unwrap();
    harness.register(&version(2, json!({"two": {"type": "number"}}))).await.unwrap();
    let video = AttributeTarget::Workflow(WorkflowName::trusted("video"), None);
    let lines = harness.engine.declared_attributes(&harness.admin(), &video).await.unwrap();
    let lines: Vec<_> = lines.iter().map(|line| (line.name.as_str(), line.kind)).collect();
    assert_eq!(lines, [("two", AttributeType::Number)]);
}

async fn a_step_without_a_slot_sets_attributes_too(harness: EngineHarness) {
    let definition = json!({
        "name": "waits", "version": 1,
        "attributes": {"answer": {"type": "text"}},
        "nodes": [{"id": "go", "type": "SIGNAL", "signal": "go", "attributes": {"answer": "${nodes.go.output}"}}],
        "output": {"said": "${nodes.go.output}"}
    });
    harness.register(&definition).await.unwrap();
    let waits = AttributeTarget::Workflow(WorkflowName::trusted("waits"), None);
    declare(&harness, waits, &[change("said", AttributeType::Text, "output.said")]).await;
    let id = harness.start("waits", &json!({})).await.unwrap();
    let owned = harness.own_next().await;
    assert!(matches!(owned.end.await.unwrap(), engine::OwnerEnd::Parked));
    let name = CallerKey::trusted("go");
    harness.engine.signal_execution(&harness.admin(), id, &name, "\"yes\"".to_owned()).await.unwrap();
    // Nobody owns it: upkeep applies the signal.
    eventually("the execution ends", || async {
        harness.clock.advance(DurationMs::from_secs(1));
        harness.engine.apply_unowned_tick().await.unwrap();
        harness.engine.execution(&harness.admin(), id).await.unwrap().status.is_terminal()
    })
    .await;
    let shown = harness.engine.shown_attributes(&harness.admin(), [id.uuid()]).await.unwrap();
    assert_eq!(json!(shown[&id.uuid()]), json!({"answer": "yes", "said": "yes"}));
}

async fn a_completion_sets_attributes_of_its_job(harness: EngineHarness) {
    let pay = of_type("pay");
    let declared = Some((AttributeType::Text, None));
    let region = AttributeChange { name: AttributeName::trusted("region"), declared };
    declare(&harness, pay, &[region, change("total", AttributeType::Integer, "result.total")]).await;
    let request = JobRequest::new(JobType::trusted("pay"), "{}");
    harness.engine.enqueue(&harness.admin(), vec![request; 2]).await.unwrap();
    let jobs = harness.poll(&["pay"], 2).await.unwrap();
    let item = |job: &store::jobs::ClaimedJob, attributes: serde_json::Value| CompleteItem {
        lease: lease_of(job),
        result: Some("{\"total\":7}".to_owned()),
        attributes: serde_json::from_value(attributes).unwrap(),
    };
    let wrong = item(&jobs[0], json!({"region": 1, "colour": "red"}));
    let items = vec![wrong, item(&jobs[1], json!({"region": ["eu", "us"]}))];
    let outcomes = harness.engine.complete(&harness.admin(), items).await.unwrap();
    let Err(rejection) = &outcomes[0] else { panic!("it is refused: {outcomes:?}") };
    assert!(rejection.reason.contains("attributes.colour: is not declared"), "{}", rejection.reason);
    assert!(rejection.reason.contains("attributes.region: expected a value of the type text"));
    assert_eq!(outcomes[1], Ok(LeaseAnswer::Ok(())));
    let ids = jobs.iter().map(|job| job.id.uuid());
    let shown = harness.engine.shown_attributes(&harness.admin(), ids).await.unwrap();
    assert_eq!(shown.get(&jobs[0].id.uuid()), None, "nothing of it was written");
    assert_eq!(json!(shown[&jobs[1].id.uuid()]), json!({"region": ["eu", "us"], "total": 7}));
}

async fn values_that_do_not_fit_are_left_out(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let video = AttributeTarget::Workflow(WorkflowName::trusted("video"), None);
    declare(&harness, video, &[change("file", AttributeType::Integer, "input.file")]).await;
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    assert!(harness.engine.shown_attributes(&harness.admin(), [id.uuid()]).await.unwrap().is_empty());
}

on_both_databases!(
    executions_and_their_jobs_carry_attributes,
    a_definition_sets_what_its_executions_are_found_by,
    a_definition_declares_in_the_place_of_its_earlier_version,
    a_step_without_a_slot_sets_attributes_too,
    a_completion_sets_attributes_of_its_job,
    values_that_do_not_fit_are_left_out,
);
