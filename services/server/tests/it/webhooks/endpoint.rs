//! Endpoints and what became of their deliveries, over REST.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Client, found, until};

/// The secret of endpoints that need no other.
pub(super) const SECRET: &str = "a secret of the tests, 4f0c1b";

/// The workflow that endpoints start: its output is its input.
const WORKFLOW: &str = "keep";

/// How long what was accepted may take to end.
pub(super) const DEADLINE: Duration = Duration::from_mins(1);

/// An endpoint.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    pub(super) id: String,
    pub(super) path: String,
}

/// Registers the workflow.
pub(super) async fn register_workflow(client: &Client) {
    let workflow = json!({
        "name": WORKFLOW, "version": 1, "output": "${nodes.hold.output}",
        "nodes": [{"id": "hold", "type": "TRANSFORM", "output": "${input}"}],
    });
    client.post("/v1/workflows", &workflow).await;
}

/// Creates an endpoint that starts the workflow for every delivery.
pub(super) async fn create(client: &Client, name: &str, fields: &Value) -> Endpoint {
    let mut body = json!({"name": name, "triggers": [{"id": "all", "workflow": WORKFLOW}]});
    for (field, value) in fields.as_object().expect("an object") {
        body[field] = value.clone();
    }
    let made = client.post("/v1/webhooks", &body).await;
    Endpoint { id: text(&made["id"]), path: text(&made["url"]) }
}

/// Creates an endpoint that GitHub could send to.
pub(super) async fn create_github(client: &Client, name: &str, fields: Value) -> Endpoint {
    let mut all = json!({"provider": "github", "secrets": [SECRET]});
    for (field, value) in fields.as_object().expect("an object") {
        all[field] = value.clone();
    }
    create(client, name, &all).await
}

impl Endpoint {
    /// Its deliveries with this status.
    pub(super) async fn deliveries(&self, client: &Client, status: &str) -> Vec<Value> {
        client.all(&format!("/v1/webhooks/{}/deliveries?status={status}", self.id)).await
    }

    /// Does something to it, such as `pause`.
    pub(super) async fn act(&self, client: &Client, verb: &str) {
        client.call(reqwest::Method::POST, &format!("/v1/webhooks/{}/{verb}", self.id)).done().await;
    }

    /// How it is shown.
    pub(super) async fn shown(&self, client: &Client) -> Value {
        client.get(&format!("/v1/webhooks/{}", self.id)).await
    }
}

/// The delivery once it is matched, and the execution that it started once that has ended. Panics unless there is
/// exactly one.
pub(super) async fn finished(client: &Client, delivery_id: &str) -> (Value, Value) {
    let path = format!("/v1/deliveries/{delivery_id}");
    let delivery = until(&format!("{delivery_id} is matched"), DEADLINE, || async {
        let delivery = client.get(&path).await;
        (delivery["status"] != "accepted").then_some(delivery)
    })
    .await;
    assert_eq!(delivery["status"], "matched", "{delivery}");
    let executions = delivery["executions"].as_array().expect("a list");
    assert_eq!(executions.len(), 1, "{delivery}");
    let path = format!("/v1/executions/{}", text(&executions[0]));
    let execution = until(&format!("the execution of {delivery_id} ends"), DEADLINE, || async {
        let execution = client.get(&path).await;
        (execution["status"] == "COMPLETED").then_some(execution)
    })
    .await;
    (delivery, execution)
}

/// How many executions there are, once all that was accepted is matched.
pub(super) async fn execution_count(client: &Client) -> usize {
    all_matched(client).await;
    client.all(&format!("/v1/executions?workflow={WORKFLOW}")).await.len()
}

/// Waits until every delivery that was accepted is matched. Says what became of one that is not.
pub(super) async fn all_matched(client: &Client) {
    let waiting = || client.all("/v1/deliveries?status=accepted");
    let matched = found(DEADLINE, || async { waiting().await.is_empty().then_some(()) }).await;
    if matched.is_none()
        && let Some(delivery) = waiting().await.pop()
    {
        let job = client.try_get(&format!("/v1/jobs/{}", text(&delivery["jobId"]))).await;
        panic!("a delivery is not matched within {DEADLINE:?}: {delivery}\nits job: {}", job.text);
    }
}

/// A text of an answer. Panics on anything else.
#[track_caller]
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
