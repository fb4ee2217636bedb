//! What these tests share.

use domain::id::{DeliveryId, ExecutionId};
use domain::names::{CallerKey, EventName, TriggerName, WorkerId, WorkflowName};
use domain::queue::QueueName;
use engine::{EventRequest, MatchedDelivery, PoolClaim, SentEvent, TriggerRequest};
use serde_json::{Value, json};
use store::webhooks::DeliveryRecord;
use testkit::EngineHarness;

/// An event with data.
pub(super) fn event(name: &str, data: &Value) -> EventRequest {
    EventRequest {
        name: EventName::parse(name).unwrap(),
        id: None,
        data: data.to_string(),
        tenant: None,
        traceparent: None,
    }
}

/// The same with an id of its sender's.
pub(super) fn event_with_id(name: &str, id: &str, data: &Value) -> EventRequest {
    EventRequest { id: Some(CallerKey::parse(id).unwrap()), ..event(name, data) }
}

/// Sends an event.
pub(super) async fn send(harness: &EngineHarness, event: EventRequest) -> SentEvent {
    harness.engine.send_events(&harness.admin(), vec![event]).await.unwrap()[0]
}

/// A trigger of events.
pub(super) fn trigger(name: &str, events: &[&str], workflow: &str) -> TriggerRequest {
    TriggerRequest {
        name: TriggerName::parse(name).unwrap(),
        tenant: None,
        events: events.iter().map(|&event| event.to_owned()).collect(),
        workflow: WorkflowName::trusted(workflow),
        version: None,
        filter: None,
        input: None,
        priority: None,
        debounce: None,
        throttle: None,
        batch: None,
        is_paused: None,
    }
}

/// Registers a workflow that gives its input back.
pub(super) async fn register(harness: &EngineHarness, name: &str) {
    let nodes = json!([{"id": "echo", "type": "TRANSFORM", "output": "${input}"}]);
    harness.register(&json!({"name": name, "version": 1, "nodes": nodes})).await.unwrap();
}

/// Does all jobs of `workflow-webhook`, as the pool does.
pub(super) async fn work(harness: &EngineHarness) -> Vec<MatchedDelivery> {
    let claim = PoolClaim {
        queue: QueueName::Webhook,
        jobs_max: 1_000,
        worker_id: WorkerId::trusted("webhook-pool"),
        job_types: None,
    };
    let mut matched = Vec::new();
    for job in harness.engine.claim(claim).await.unwrap() {
        let data: Value = serde_json::from_str(&job.data).unwrap();
        let id = DeliveryId::parse(data["deliveryId"].as_str().unwrap()).unwrap();
        matched.push(harness.engine.match_delivery(id, false, None).await.unwrap());
        harness.settle(&job, domain::job::Outcome::Completed(None)).await.unwrap();
    }
    matched
}

pub(super) async fn delivery(harness: &EngineHarness, id: DeliveryId) -> DeliveryRecord {
    harness.engine.delivery(&harness.admin(), id).await.unwrap()
}

/// The input of an execution.
pub(super) async fn input(harness: &EngineHarness, id: ExecutionId) -> Value {
    let record = harness.engine.execution(&harness.admin(), id).await.unwrap();
    serde_json::from_str(&record.input).unwrap()
}
