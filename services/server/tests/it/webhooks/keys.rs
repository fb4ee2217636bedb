//! The keys under which secrets rest: a new one takes over from the old one, and without the right one nothing is
//! refused for good.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::endpoint::{SECRET, create_github, finished, register_workflow};
use super::sender::{Delivery, Sender, assert_later, assert_refused};
use crate::harness::{Database, Server, on_both_databases, until};

const DEADLINE: Duration = Duration::from_mins(1);

const VARIABLE: &str = "TRUNKLINE_SECRETS__KEYS";

on_both_databases!(a_sealing_key_is_rotated, secrets_of_the_databases_own_key_move_to_a_configured_one);

/// A key by its name.
fn key(name: &str) -> String {
    let bytes: [u8; 32] = std::array::from_fn(|at| name.as_bytes()[at % name.len()] ^ at as u8);
    format!("{name}:{}", STANDARD.encode(bytes))
}

fn delivery(id: &str) -> Delivery {
    Delivery::signed(SECRET, id, id.as_bytes())
}

async fn a_sealing_key_is_rotated(database: Database) {
    let (old, new) = (key("old"), key("new"));
    let mut server = Server::start_with(&database, &[(VARIABLE, &old)]).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let endpoint = create_github(&client, "sealed", json!({})).await;
    sender.accepted(&endpoint.path, &delivery("old")).await;

    // Both: verified at once, and sealed anew in the background.
    server.terminate(DEADLINE).await;
    server.restart_with(&[(VARIABLE, &format!("{new},{old}"))]).await;
    let id = sender.accepted(&endpoint.path, &delivery("both")).await;
    finished(&client, &id).await;
    until("the secret is sealed anew", DEADLINE, || async {
        server.log().contains("re-encrypted").then_some(())
    })
    .await;

    // The old one is not needed any more.
    server.terminate(DEADLINE).await;
    server.restart_with(&[(VARIABLE, &new)]).await;
    sender.accepted(&endpoint.path, &delivery("new")).await;

    // Neither: no request can be verified, so that every sender is asked to retry.
    server.terminate(DEADLINE).await;
    server.restart_with(&[(VARIABLE, &key("other"))]).await;
    for genuine in [delivery("lost"), delivery("lost").without("X-Hub-Signature-256")] {
        let answer = sender.send(&endpoint.path, &genuine).await;
        assert_later(&answer, 503);
        assert_refused(&answer, 503, "unavailable", "without the key");
    }
    let log = server.log();
    let names_it = |line: &str| {
        line.contains("cannot be decrypted") && line.contains("new") && line.contains(&endpoint.id)
    };
    assert!(log.lines().any(names_it), "the log says which key is missing:\n{log}");
    let shown = endpoint.shown(&client).await;
    assert_eq!(shown["secrets"][0]["openable"], false, "{shown}");

    // With the key it is as if nothing had been.
    server.terminate(DEADLINE).await;
    server.restart_with(&[(VARIABLE, &new)]).await;
    sender.accepted(&endpoint.path, &delivery("lost")).await;
}

async fn secrets_of_the_databases_own_key_move_to_a_configured_one(database: Database) {
    let mut server = Server::start(&database).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let endpoint = create_github(&client, "sealed", json!({})).await;
    sender.accepted(&endpoint.path, &delivery("own")).await;
    server.terminate(DEADLINE).await;
    server.restart_with(&[(VARIABLE, &key("first"))]).await;
    sender.accepted(&endpoint.path, &delivery("moved")).await;
    until("the secret is sealed anew", DEADLINE, || async {
        server.log().contains("re-encrypted").then_some(())
    })
    .await;
    // The database's own key does not open it any more.
    server.terminate(DEADLINE).await;
    server.restart_with(&[(VARIABLE, "")]).await;
    assert_later(&sender.send(&endpoint.path, &delivery("without")).await, 503);
}
