//! An alert over three server processes: it fires once, into a receiver that checks the signature by the library of Standard
//! Webhooks.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::harness::{Database, Server, free_port, until};
use crate::webhooks::signers::standard_accepts;

const DEADLINE: Duration = Duration::from_mins(1);

/// What came in, after its signature was checked: its id and its body.
type Received = Arc<Mutex<Vec<(String, Value)>>>;

#[derive(Clone)]
struct Inbox {
    secret: String,
    received: Received,
}

/// A receiver of Standard Webhooks. Ends when it is dropped.
struct Receiver {
    received: Received,
    task: JoinHandle<()>,
}

impl Receiver {
    fn listen(listener: TcpListener, secret: &str) -> Self {
        let received = Received::default();
        let inbox = Inbox { secret: secret.to_owned(), received: Arc::clone(&received) };
        let router = Router::new().route("/alerts", post(take)).with_state(inbox);
        let task = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("the receiver serves");
        });
        Self { received, task }
    }

    fn of_kind(&self, kind: &str) -> Vec<(String, Value)> {
        let received = self.received.lock().expect("nobody panics with it");
        received.iter().filter(|(_, body)| body["type"] == kind).cloned().collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(State(inbox): State<Inbox>, headers: HeaderMap, body: String) -> StatusCode {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let signed = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| (name, header(name)));
    if !standard_accepts(&inbox.secret, &signed, &body).await {
        return StatusCode::UNAUTHORIZED;
    }
    // The library looks at the body.
    assert!(!standard_accepts(&inbox.secret, &signed, &format!("{body} ")).await, "it takes anything");
    let id = header("webhook-id").to_owned();
    let body = serde_json::from_str(&body).expect("JSON");
    inbox.received.lock().expect("nobody panics with it").push((id, body));
    StatusCode::NO_CONTENT
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_alert_fires_once_into_a_receiver_that_checks_the_signature() {
    let database = Database::postgres().await;
    let port = free_port();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.expect("the port is free");
    let allow = format!("127.0.0.1:{port}");
    let settings = [("TRUNKLINE_ALERTS__EVALUATE_EVERY", "1s"), ("TRUNKLINE_EGRESS__ALLOW", &allow)];
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Server::start_with(&database, &settings).await);
    }
    let client = nodes[0].client();
    let route = json!({"type": "webhook", "url": format!("http://127.0.0.1:{port}/alerts")});
    let made = client.put("/v1/alerts/routes/on-call", &route).await;
    let receiver = Receiver::listen(listener, made["secret"].as_str().expect("it is shown once"));
    let known = client.get("/v1/alerts/routes").await;
    assert!(!known.to_string().contains("whsec_"), "and never again: {known}");

    client.post("/v1/alerts/routes/on-call/test", &json!({})).await;
    until("the test arrives", DEADLINE, || async {
        (!receiver.of_kind("alert.test").is_empty()).then_some(())
    })
    .await;
    let rule =
        json!({"metric": "depth", "above": 2, "for": "0s", "severity": "critical", "routes": ["on-call"]});
    client.put("/v1/alerts/rules/deep", &rule).await;
    for number in 0..4 {
        client.post("/v1/jobs", &json!({"jobType": "nobody", "data": number})).await;
    }
    let firing =
        until("the alert fires", DEADLINE, || async { receiver.of_kind("alert.firing").into_iter().next() })
            .await;
    assert_eq!(firing.1["data"]["rule"], "deep", "{firing:?}");
    assert_eq!(firing.1["data"]["labels"], json!({"queue": "workflow-node", "tier": "normal"}));
    for node in &nodes {
        let firing = node.client().get("/v1/alerts?status=firing&rule=deep").await;
        assert_eq!(firing["items"].as_array().map(Vec::len), Some(1), "one over all nodes: {firing}");
    }

    for job in client.all("/v1/jobs?jobType=nobody").await {
        let id = job["id"].as_str().expect("an id");
        client.post(&format!("/v1/jobs/{id}/cancel"), &json!({})).await;
    }
    until("the alert resolves", DEADLINE, || async { receiver.of_kind("alert.resolved").into_iter().next() })
        .await;
    let all = client.all("/v1/alerts/notifications").await;
    let own: Vec<&Value> = all.iter().filter(|of| of["route"] == "on-call").collect();
    assert_eq!(own.len(), 3, "a test, a beginning, an end: {own:?}");
    let arrived = receiver.received.lock().expect("nobody panics with it").len();
    assert_eq!(arrived, 3, "each arrived once");
}
