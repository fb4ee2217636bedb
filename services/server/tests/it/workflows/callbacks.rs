//! Callback addresses: one request counts, whoever sends how many.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::examples::token_of;
use crate::harness::{Database, Server, on_both_databases, until};

const DEADLINE: Duration = Duration::from_secs(20);

on_both_databases!(of_many_requests_to_a_callback_address_one_counts);

async fn of_many_requests_to_a_callback_address_one_counts(database: Database) {
    let public = ("TRUNKLINE_HTTP__PUBLIC_URL", "https://flows.example");
    let server = Server::start_with(&database, &[public]).await;
    let client = server.client();
    let workflow = json!({"name": "hook", "version": 1, "nodes": [
        {"id": "wait", "type": "WAIT_WEBHOOK"},
        {"id": "more", "type": "SIGNAL", "signal": "more", "dependsOn": ["wait"]},
        {"id": "late", "type": "WAIT_WEBHOOK", "dependsOn": ["more"]},
    ], "output": {"first": "${nodes.wait.output}", "text": "${nodes.late.output.body}"}});
    client.post("/v1/workflows", &workflow).await;
    let created = client.post("/v1/executions", &json!({"workflow": "hook"})).await;
    let id = created["id"].as_str().expect("an id");
    let nodes = client.get(&format!("/v1/executions/{id}/nodes")).await;
    let url = nodes["items"][0]["callbackUrl"].as_str().expect("an address");
    assert!(url.starts_with(&format!("https://flows.example/callbacks/{id}/wait/")), "{url}");

    let stranger = client.with_key(None);
    let token = token_of(&client, id, "wait").await;
    let path = format!("/callbacks/{id}/wait/{token}");
    let wrong = token.chars().rev().collect::<String>();
    for path in [format!("/callbacks/{id}/wait/{wrong}"), format!("/callbacks/{id}/more/{token}")] {
        stranger.try_post(&path, &json!({})).await.problem(404);
    }
    let large = vec![b'x'; 1_100_000];
    let refused = stranger.call(Method::POST, &path).bytes(large, "text/plain").answer().await;
    assert_eq!(
        refused.headers["connection"], "close",
        "the rest of the body is in the way of another request"
    );
    assert_eq!(refused.problem(413)["code"], "body_too_large");

    let calls = (0..20).map(|number| {
        let (stranger, path) = (&stranger, &path);
        async move { stranger.try_post(path, &json!({ "number": number })).await }
    });
    let answers = futures::future::join_all(calls).await;
    let taken = answers.iter().filter(|answer| answer.status == 202).count();
    assert!(taken >= 1 && answers.iter().all(|answer| [202, 409].contains(&answer.status)), "{answers:?}");
    until("the node goes on", DEADLINE, || async {
        let why = client.get(&format!("/v1/executions/{id}/why")).await;
        (why["waitsFor"][0]["nodeId"] == "more").then_some(())
    })
    .await;
    assert_eq!(stranger.try_post(&path, &json!({})).await.problem(409)["code"], "node_settled");

    // It is kept, and text is taken as it is.
    let early = format!("/callbacks/{id}/late/{}", token_of(&client, id, "late").await);
    let sent = stranger.call(Method::POST, &early).bytes(b"all [fine".to_vec(), "text/plain").answer().await;
    assert_eq!(sent.status, 202, "{}", sent.text);
    client.post(&format!("/v1/executions/{id}/signals/more"), &json!({})).await;
    let ended = client.get(&format!("/v1/executions/{id}?wait=true")).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");
    let first = &ended["output"]["first"];
    assert_eq!(
        (&first["method"], &first["headers"]["content-type"]),
        (&json!("POST"), &json!("application/json"))
    );
    assert!(first["body"]["number"].is_u64(), "{ended}");
    assert_eq!(ended["output"]["text"], Value::from("all [fine"));
    assert!(!server.log().contains(&token), "the token is a secret");
}
