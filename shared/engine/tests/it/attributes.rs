//! Searchable attributes of executions and of the jobs of their nodes: from inputs, payloads, results and outputs.

use domain::attribute::{AttributePath, AttributeType};
use domain::names::{AttributeName, JobType, WorkflowName};
use engine::AttributeTarget;
use serde_json::json;
use store::attributes::AttributeChange;
use testkit::EngineHarness;

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
    harness.complete(&thumbnail, &json!("a.png")).await.unwrap();
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
    assert_eq!(of(objects[3]), None);
}

async fn values_that_do_not_fit_are_left_out(harness: EngineHarness) {
    harness.register(&diamond()).await.unwrap();
    let video = AttributeTarget::Workflow(WorkflowName::trusted("video"), None);
    declare(&harness, video, &[change("file", AttributeType::Integer, "input.file")]).await;
    let id = harness.start("video", &json!({"file": "a.mp4"})).await.unwrap();
    assert!(harness.engine.shown_attributes(&harness.admin(), [id.uuid()]).await.unwrap().is_empty());
}

on_both_databases!(executions_and_their_jobs_carry_attributes, values_that_do_not_fit_are_left_out);
