//! Who guesses addresses learns nothing, and costs no row.

use serde_json::json;

use super::endpoint::{SECRET, create_github, execution_count, register_workflow};
use super::sender::{Delivery, Sender, assert_refused};
use crate::harness::{Database, Server, on_both_databases, until};

on_both_databases!(unknown_endpoints_are_refused_without_a_trace);

async fn unknown_endpoints_are_refused_without_a_trace(database: Database) {
    let server = Server::start(&database).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let removed = create_github(&client, "removed", json!({})).await;
    let path = format!("/v1/webhooks/{}", removed.id);
    client.call(reqwest::Method::DELETE, &path).answer().await.success();
    let delivery = Delivery::signed(SECRET, "guessed", b"{}");
    let unknown = "/hooks/whk_0193456789ab7def8123456789abcdef";
    for path in [
        unknown,
        removed.path.as_str(),
        "/hooks/whk_x",
        "/hooks/1",
        "/hooks/job_0193456789ab7def8123456789abcdef",
    ] {
        assert_refused(&sender.send(path, &delivery).await, 404, "unknown", path);
        let unsigned = delivery.clone().without("X-Hub-Signature-256");
        assert_refused(&sender.send(path, &unsigned).await, 404, "unknown", path);
    }
    assert!(client.all("/v1/deliveries").await.is_empty(), "guesses are not kept");

    // A bad signature at an endpoint that is there is kept for its owner, with what was wrong.
    let known = create_github(&client, "known", json!({})).await;
    let forged = Delivery::signed("no secret of ours", "forged", b"{}");
    assert_refused(&sender.send(&known.path, &forged).await, 401, "signature", "a forgery");
    let rejected = until("it is in the log", super::endpoint::DEADLINE, || async {
        known.deliveries(&client, "rejected").await.pop()
    })
    .await;
    assert_eq!(rejected["reason"], "signature_mismatch", "{rejected}");
    assert_eq!(execution_count(&client).await, 0);
}
