//! HTTP nodes call public addresses only, unless the settings allow others, and follow no redirect to a refused one.

use serde_json::{Value, json};

use crate::harness::{Client, Database, Server, Target, on_both_databases};

on_both_databases!(private_addresses_are_refused, a_redirect_opens_no_door);

/// Runs a workflow of one call to its end.
async fn call(client: &Client, name: &str, url: &str) -> Value {
    let workflow = json!({"name": name, "version": 1, "nodes": [
        {"id": "call", "type": "HTTP", "request": {"method": "GET", "url": "${input.url}"}, "timeout": "5s"},
    ], "output": "${nodes.call.output.body}"});
    client.post("/v1/workflows", &workflow).await;
    let body = json!({"workflow": name, "input": {"url": url}});
    client.post("/v1/executions?wait=true&timeout=20s", &body).await
}

async fn private_addresses_are_refused(database: Database) {
    let target = Target::open().await;
    let server = Server::start(&database).await;
    let client = server.client();
    let port = target.allow().rsplit_once(':').expect("a port").1.to_owned();
    for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "0x7f.1", "2130706433"] {
        let ended = call(&client, "caller", &format!("http://{host}:{port}/")).await;
        assert_eq!(
            (&ended["status"], &ended["error"]["code"]),
            (&json!("FAILED"), &json!("egress_refused")),
            "{host}"
        );
    }
    for url in ["http://169.254.169.254/latest/meta-data", "http://10.0.0.1/", "http://[fd00::1]/"] {
        let ended = call(&client, "caller", url).await;
        assert_eq!(
            (&ended["status"], &ended["error"]["code"]),
            (&json!("FAILED"), &json!("egress_refused")),
            "{url}"
        );
    }
    assert_eq!(target.calls(), 0, "nothing reached the target");
    let letters = client.all("/v1/dead-letters").await;
    assert!(
        letters.iter().all(|letter| letter["attemptCount"] == 1),
        "trying again would be no use: {letters:?}"
    );
}

async fn a_redirect_opens_no_door(database: Database) {
    let (front, inside) = (Target::open().await, Target::open().await);
    let server = Server::start_with(&database, &[("TRUNKLINE_EGRESS__ALLOW", &front.allow())]).await;
    let client = server.client();
    let fine = call(&client, "caller", &format!("{}/", front.url())).await;
    assert_eq!((&fine["status"], &fine["output"]["fine"]), (&json!("COMPLETED"), &json!(true)), "{fine}");
    let ended = call(&client, "caller", &format!("{}/redirect/{}", front.url(), inside.allow())).await;
    assert_eq!(
        (&ended["status"], &ended["error"]["code"]),
        (&json!("FAILED"), &json!("egress_refused")),
        "{ended}"
    );
    assert_eq!(inside.calls(), 0, "the redirect was not followed");
}
