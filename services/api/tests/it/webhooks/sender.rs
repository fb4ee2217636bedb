//! An endpoint and its sender, who signs as the provider does.

use axum::body::Body;
use axum::http::Request;
use domain::id::DeliveryId;
use domain::webhook::{Provider, RequestParts, SchemeConfig, Signer, sign};
use engine::MatchedDelivery;
use serde_json::{Value, json};
use store::Clock;

use crate::harness::{Answer, Client, Harness, send};
use crate::workflows::register;

/// The text that stands for a secret, and may stand in no answer.
pub(super) const CANARY: &str = "canary-9b1f6a-of-the-sender-and-us";

/// A server with the workflow `greeter`.
pub(crate) async fn started() -> (Harness, Client) {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "greeter").await;
    (harness, admin)
}

/// An endpoint of a provider, whose deliveries start `greeter`.
pub(super) fn endpoint(provider: &str) -> Value {
    json!({
        "name": format!("from-{provider}"), "provider": provider, "secrets": [CANARY],
        "triggers": [{"workflow": "greeter", "input": {"who": "${body.who}"}}]
    })
}

/// Who sends to one endpoint.
pub(crate) struct Sender {
    provider: Provider,
    secret: String,
    pub(super) id: String,
    pub(super) path: String,
}

impl Sender {
    /// Creates the endpoint and takes its sender's part.
    pub(super) async fn of(client: &Client, body: &Value) -> Self {
        let made = client.post("/v1/webhooks", body).await.expect(201);
        let secret = body["secrets"][0].as_str().or(made.body["secret"].as_str()).unwrap_or_default();
        Self {
            provider: Provider::parse(made.str("provider")).expect("a known provider"),
            secret: secret.to_owned(),
            id: made.str("id").to_owned(),
            path: made.str("url").to_owned(),
        }
    }

    /// A GitHub endpoint's sender.
    pub(crate) async fn github(client: &Client) -> Self {
        Self::of(client, &endpoint("github")).await
    }

    /// A signed request.
    pub(super) fn signed(&self, harness: &Harness, headers: &[(&str, &str)], body: &[u8]) -> Request<Body> {
        self.signed_by(&self.secret, harness, headers, body)
    }

    /// A request that is signed by another secret.
    pub(super) fn signed_by(
        &self,
        secret: &str,
        harness: &Harness,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Request<Body> {
        let borrowed: Vec<(&str, &[u8])> =
            headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        let parts = RequestParts::new("POST", &self.path, &borrowed, body);
        let scheme = SchemeConfig::preset(self.provider);
        let now = harness.engine.clock.now();
        let signature =
            sign(&scheme, Signer::Secret(secret), "msg_1", &parts, now).expect("it can be signed");
        let mut request = Request::builder().method("POST").uri(&self.path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        for (name, value) in signature {
            request = request.header(name, value);
        }
        request.body(Body::from(body.to_vec())).expect("a request")
    }

    /// Sends a signed JSON body, with a delivery id of GitHub's kind.
    pub(crate) async fn send(&self, harness: &Harness, id: &str, body: &Value) -> Answer {
        let headers =
            [("content-type", "application/json"), ("x-github-event", "push"), ("x-github-delivery", id)];
        send(&harness.router, self.signed(harness, &headers, body.to_string().as_bytes())).await
    }

    /// Sends one and answers its delivery's id, after it was matched.
    pub(crate) async fn matched(&self, harness: &Harness, id: &str, body: &Value) -> String {
        let id = self.send(harness, id, body).await.expect(202).str("deliveryId").to_owned();
        match_delivery(harness, &id).await;
        id
    }
}

/// Does what the pool does with a delivery.
pub(super) async fn match_delivery(harness: &Harness, id: &str) -> MatchedDelivery {
    let id = DeliveryId::parse(id).expect("an id of a delivery");
    harness.engine.engine.match_delivery(id, false, None).await.expect("the store works")
}
