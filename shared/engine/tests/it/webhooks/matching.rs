//! Which triggers want a delivery, and what becomes of those that cannot be decided or started.

use domain::queue::Tier;
use domain::webhook::{DeliveryStatus, TriggerConfig};
use serde_json::{Value, json};
use store::webhooks::DeliveryOutcome;
use testkit::EngineHarness;

use super::harness::{accepted, executions, github, register, trigger, work};

async fn filters_choose_and_inputs_are_made(harness: EngineHarness) {
    register(&harness, "deploy").await;
    register(&harness, "notify").await;
    let main = TriggerConfig {
        events: vec!["pu*".to_owned()],
        filter: Some("body.ref == 'refs/heads/main' && headers['x-github-event'] == event".to_owned()),
        input: Some(json!({"commit": "${body.after}", "text": "by ${delivery.webhook}"})),
        priority: Some(Tier::Low),
        ..trigger("deploy")
    };
    let releases = TriggerConfig { events: vec!["release".to_owned()], ..trigger("notify") };
    let sender = github(&harness, "repo", vec![main, releases]).await;
    let wanted = json!({"ref": "refs/heads/main", "after": "c0ffee"});
    let matched_id = accepted(&harness, sender.id, sender.push("1", &wanted)).await;
    let other_id = accepted(&harness, sender.id, sender.push("2", &json!({"ref": "refs/heads/dev"}))).await;
    let statuses: Vec<_> = work(&harness).await.into_iter().map(|matched| matched.status).collect();
    assert_eq!(statuses, [DeliveryStatus::Matched, DeliveryStatus::Unmatched]);
    let started = executions(&harness).await;
    assert_eq!(started.len(), 1);
    let detail = harness
        .store
        .execution_detail(&domain::access::TenantScope::All, started[0].id)
        .await
        .unwrap()
        .unwrap();
    let input: Value = serde_json::from_str(&detail.record.input).unwrap();
    assert_eq!(input, json!({"commit": "c0ffee", "text": "by repo"}));
    assert_eq!(started[0].tier, Tier::Low);
    let outcome = |text: Option<String>| serde_json::from_str::<Value>(&text.unwrap()).unwrap();
    let record = harness.engine.delivery(&harness.admin(), matched_id).await.unwrap();
    let lines = outcome(record.outcome);
    assert_eq!(lines[0]["result"], "started");
    assert_eq!(lines[0]["executionId"], json!(started[0].id));
    assert_eq!(lines[1], json!({"triggerId": "notify", "workflow": "notify", "result": "no_match"}));
    let record = harness.engine.delivery(&harness.admin(), other_id).await.unwrap();
    assert_eq!((record.status, record.reason), (DeliveryStatus::Unmatched, None));
}

async fn what_cannot_be_decided_is_parked_and_others_start(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let strict = json!({
        "name": "strict", "version": 1,
        "input": {"type": "object", "required": ["file"]},
        "nodes": [{"id": "work", "type": "SERVICE_TASK", "jobType": "work"}]
    });
    harness.register(&strict).await.unwrap();
    let broken = TriggerConfig {
        id: Some("broken".to_owned()),
        filter: Some("body.missing.field == 1".to_owned()),
        ..trigger("deploy")
    };
    let sender = github(&harness, "repo", vec![broken, trigger("strict"), trigger("deploy")]).await;
    let id = accepted(&harness, sender.id, sender.push("1", &json!({"ref": "x"}))).await;
    let matched = work(&harness).await;
    assert_eq!(matched[0].status, DeliveryStatus::Parked);
    assert_eq!(executions(&harness).await.len(), 1, "the third trigger starts all the same");
    let record = harness.engine.delivery(&harness.admin(), id).await.unwrap();
    assert_eq!(record.reason.as_deref(), Some("filter_failed"));
    assert_eq!(record.executions, matched[0].executions);
    let lines: Value = serde_json::from_str(&record.outcome.unwrap()).unwrap();
    assert_eq!(lines[0]["error"]["code"], "filter_failed");
    assert_eq!(lines[1]["error"]["code"], "input_invalid");
    assert_eq!(lines[2]["result"], "started");
}

/// A process that dies after the executions are committed leaves a delivery that looks unmatched: it is matched again.
async fn i07_a_delivery_that_is_matched_twice_starts_one_execution(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let sender = github(&harness, "repo", vec![trigger("deploy")]).await;
    let id = accepted(&harness, sender.id, sender.push("1", &json!({}))).await;
    let first = harness.engine.match_delivery(id, false, None).await.unwrap();
    let undone = DeliveryOutcome {
        id,
        status: DeliveryStatus::Accepted,
        reason: None,
        outcome: "[]".to_owned(),
        executions: Vec::new(),
    };
    harness.store.finish_delivery(&undone, harness.engine.now()).await.unwrap();
    let record = harness.engine.delivery(&harness.admin(), id).await.unwrap();
    assert_eq!(record.status, DeliveryStatus::Accepted, "as it was before the first match ended");
    let second = harness.node(2).engine.match_delivery(id, false, None).await.unwrap();
    assert_eq!(first, second);
    assert_eq!(executions(&harness).await.len(), 1);
    assert_eq!(
        harness.engine.match_delivery(id, false, None).await.unwrap(),
        first,
        "a third time nothing is looked at"
    );
}

async fn without_its_endpoint_a_delivery_is_parked(harness: EngineHarness) {
    let sender = github(&harness, "repo", Vec::new()).await;
    let id = accepted(&harness, sender.id, sender.push("1", &json!({}))).await;
    harness.engine.delete_webhook(&harness.admin(), sender.id).await.unwrap();
    assert_eq!(harness.engine.match_delivery(id, false, None).await.unwrap().status, DeliveryStatus::Parked);
    let record = harness.engine.delivery(&harness.admin(), id).await.unwrap();
    assert_eq!(record.reason.as_deref(), Some("webhook_deleted"));
}

async fn a_zipped_body_is_verified_as_received_and_read_unzipped(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let wanted = TriggerConfig { filter: Some("body.ref == 'main'".to_owned()), ..trigger("deploy") };
    let sender = github(&harness, "repo", vec![wanted]).await;
    let zipped = gzip(br#"{"ref":"main"}"#);
    let headers = [("Content-Encoding", "gzip"), ("X-GitHub-Event", "push")];
    let id = accepted(&harness, sender.id, sender.signed(&headers, &zipped, harness.engine.now())).await;
    assert_eq!(harness.engine.match_delivery(id, false, None).await.unwrap().status, DeliveryStatus::Matched);
    assert_eq!(harness.engine.delivery_body(&harness.admin(), id).await.unwrap(), Some(zipped));
}

fn gzip(body: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

on_both_databases!(
    filters_choose_and_inputs_are_made,
    what_cannot_be_decided_is_parked_and_others_start,
    i07_a_delivery_that_is_matched_twice_starts_one_execution,
    without_its_endpoint_a_delivery_is_parked,
    a_zipped_body_is_verified_as_received_and_read_unzipped,
);
