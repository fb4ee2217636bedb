//! Three servers on one database: a provider that reaches another one with each try has one delivery all the same.

use futures::future::join_all;
use serde_json::json;

use super::endpoint::{SECRET, create_github, execution_count, register_workflow};
use super::sender::{Delivery, Sender, delivery_id};
use super::traffic::{self, Traffic};
use crate::harness::{Database, Server};

/// Deliveries that all three are sent at the same time.
const EVENTS: usize = 40;

const SETTINGS: [(&str, &str); 3] = [
    ("TRUNKLINE_QUEUES__WORKFLOW_WEBHOOK__LEASE", "1s"),
    ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LEASE", "1s"),
    ("TRUNKLINE_UPKEEP__REAP_EVERY", "100ms"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i07_three_nodes_know_each_others_deliveries() {
    let database = Database::postgres().await;
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Server::start_with(&database, &SETTINGS).await);
    }
    let client = nodes[0].client();
    let senders: Vec<Sender> = nodes.iter().map(Sender::to).collect();
    register_workflow(&client).await;
    let endpoint = create_github(&client, "shared", json!({})).await;
    let tries = (0..EVENTS).map(|number| {
        let (senders, path) = (&senders, &endpoint.path);
        async move {
            let id = format!("event-{number}");
            let delivery = Delivery::signed(SECRET, &id, json!({ "event": id }).to_string().as_bytes());
            let answers = join_all(senders.iter().map(|sender| sender.send(path, &delivery))).await;
            let first = delivery_id(&answers[0]);
            for answer in &answers {
                assert!([200, 202].contains(&answer.status), "{}: {}", answer.status, answer.text);
                assert_eq!(delivery_id(answer), first, "all nodes tell of the same delivery");
            }
            assert_eq!(answers.iter().filter(|answer| answer.status == 202).count(), 1, "{id}");
        }
    });
    join_all(tries).await;
    assert_eq!(execution_count(&client).await, EVENTS);

    // The same while nodes are killed.
    let endpoint = create_github(&client, "shared under load", json!({})).await;
    let traffic = Traffic::start(&senders, &endpoint, "shared", 5);
    for victim in [1, 2, 1] {
        traffic.more(15).await;
        nodes[victim].kill_nine();
        traffic.more(15).await;
        nodes[victim].restart().await;
    }
    let promised = traffic.finish().await;
    traffic::check_deliveries(&client, &endpoint, &promised).await;
    assert_eq!(execution_count(&client).await, EVENTS + promised.len());
}
