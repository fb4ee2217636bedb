//! A delivery in a trace: from the sender's context to the execution that it starts.

use serde_json::json;

use super::endpoint::{SECRET, create_github, finished, register_workflow};
use super::sender::{Delivery, Sender};
use crate::harness::{Collector, Database, on_both_databases};
use crate::traces::traced;

on_both_databases!(a_delivery_is_traced_to_its_execution);

const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

async fn a_delivery_is_traced_to_its_execution(database: Database) {
    let collector = Collector::http().await;
    let server = traced(&database, &collector, &[]).await;
    let client = server.client();
    register_workflow(&client).await;
    let endpoint = create_github(&client, "traced", json!({})).await;
    let delivery = Delivery::signed(SECRET, "one", b"{\"a\":1}").with("traceparent", CALLER);
    let id = Sender::to(&server).accepted(&endpoint.path, &delivery).await;
    let (shown, _) = finished(&client, &id).await;
    let kept = shown["headers"].to_string();
    assert!(kept.contains(CALLER), "headers are kept as they were sent: {kept}");

    let request = collector.one("POST /hooks/{id}", |_| true).await;
    assert_eq!(request.parent, "00f067aa0ba902b7");
    let chain = ["send workflow-webhook", "process workflow-webhook", "send workflow-execution"];
    let mut above = request;
    for name in chain {
        let span = collector.one(name, |_| true).await;
        assert_eq!((&span.trace, &span.parent), (&above.trace, &above.id), "{name} is below {}", above.name);
        above = span;
    }
    let turn = collector.one("process workflow-execution", |_| true).await;
    assert_eq!(turn.parent, above.id);
    let step = collector.one("step hold", |_| true).await;
    assert_eq!((&step.trace, &step.parent), (&turn.trace, &turn.id));
}
