//! The database going away: senders are asked to retry, whatever they sent, and lose nothing if they do.

use std::time::Duration;

use serde_json::json;

use super::endpoint::{SECRET, create_github, execution_count, finished, register_workflow};
use super::sender::{Delivery, Sender, assert_later, delivery_id};
use crate::harness::{Admin, Database, Server, until};

const DEADLINE: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_during_an_outage_is_503_and_is_accepted_afterwards() {
    let database = Database::postgres().await;
    let server = Server::start(&database).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let endpoint = create_github(&client, "patient", json!({})).await;
    let delivery = |id: &str| Delivery::signed(SECRET, id, json!({ "id": id }).to_string().as_bytes());
    let before = sender.accepted(&endpoint.path, &delivery("before")).await;
    finished(&client, &before).await;

    let mut admin = Admin::of(&database).await;
    admin.take_away().await;
    // The very first ones may still find a connection that is being cut.
    let mut sent = 0;
    let refusal = until("a refusal", DEADLINE, || {
        sent += 1;
        let delivery = delivery(&format!("early-{sent}"));
        let (sender, path) = (&sender, &endpoint.path);
        async move { Some(sender.send(path, &delivery).await).filter(|answer| answer.status != 202) }
    })
    .await;
    assert_later(&refusal, 503);
    let early = sent - 1;
    for _ in 0..3 {
        assert_later(&sender.send(&endpoint.path, &delivery("during")).await, 503);
    }
    // Whether an endpoint is there is not known without the database either: 404 would be for good.
    let unknown = format!("{}0", &endpoint.path[..endpoint.path.len() - 1]);
    let other =
        if unknown == endpoint.path { format!("{}1", &unknown[..unknown.len() - 1]) } else { unknown };
    assert_later(&sender.send(&other, &delivery("during")).await, 503);

    admin.give_back().await;
    let accepted = until("it is accepted", DEADLINE, || async {
        let answer = sender.send(&endpoint.path, &delivery("during")).await;
        if answer.status == 503 {
            return None;
        }
        Some(answer)
    })
    .await;
    // 200: one of the tries was stored although its answer said otherwise.
    assert!(accepted.status == 202 || accepted.status == 200, "{}: {}", accepted.status, accepted.text);
    let (record, _) = finished(&client, &delivery_id(&accepted)).await;
    assert_eq!(record["providerEventId"], "during", "{record}");
    // The refused early one was not sent again; it counts only if its answer was lost after its commit.
    let executions = execution_count(&client).await;
    assert!(
        (2 + early..=3 + early).contains(&executions),
        "{executions} executions, {early} early deliveries"
    );
}
