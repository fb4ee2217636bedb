//! Many at once: copies of one delivery are one, and a secret is changed while deliveries arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures::future::join_all;
use serde_json::json;

use super::endpoint::{DEADLINE, SECRET, create_github, execution_count, finished, register_workflow};
use super::sender::{Delivery, Sender, delivery_id};
use crate::harness::{Database, Server, on_both_databases, until};

const COPIES: usize = 200;

/// Senders of the burst in which the secret is changed.
const SENDERS: usize = 4;

/// Deliveries of the burst before and after each change.
const DELIVERIES: usize = 30;

const NEW_SECRET: &str = "another secret of the tests, 90aa";

on_both_databases!(two_hundred_copies_at_once_are_one_delivery, a_secret_is_rotated_in_a_burst_without_a_401);

async fn two_hundred_copies_at_once_are_one_delivery(database: Database) {
    let server = Server::start(&database).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let endpoint = create_github(&client, "copied", json!({})).await;
    let delivery = Delivery::signed(SECRET, "one-id", br#"{"copies": 200}"#);
    let answers = join_all((0..COPIES).map(|_| sender.send(&endpoint.path, &delivery))).await;
    let id = delivery_id(&answers[0]);
    for answer in &answers {
        assert!(answer.status == 200 || answer.status == 202, "{}: {}", answer.status, answer.text);
        assert_eq!(delivery_id(answer), id, "all copies are told of the same delivery");
    }
    assert_eq!(answers.iter().filter(|answer| answer.status == 202).count(), 1, "one of them is the first");
    finished(&client, &id).await;
    assert_eq!(execution_count(&client).await, 1);
}

async fn a_secret_is_rotated_in_a_burst_without_a_401(database: Database) {
    let server = Server::start(&database).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let endpoint = create_github(&client, "rotated", json!({})).await;
    // The provider signs with the new secret as soon as it gets it.
    let (is_new, is_over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let accepted = Arc::new(AtomicUsize::new(0));
    let senders: Vec<_> = (0..SENDERS)
        .map(|number| {
            let (sender, path) = (sender.clone(), endpoint.path.clone());
            let (is_new, is_over, accepted) = (is_new.clone(), is_over.clone(), accepted.clone());
            tokio::spawn(async move {
                let mut sent = 0;
                while !is_over.load(Ordering::SeqCst) {
                    let id = format!("r{number}-{sent}");
                    // Half of the senders are slow to learn of the change: the overlap is for them.
                    let new = number % 2 == 0 && is_new.load(Ordering::SeqCst);
                    let secret = if new { NEW_SECRET } else { SECRET };
                    let body = json!({ "id": id }).to_string();
                    sender.accepted(&path, &Delivery::signed(secret, &id, body.as_bytes())).await;
                    accepted.fetch_add(1, Ordering::SeqCst);
                    sent += 1;
                }
            })
        })
        .collect();
    let more = async || {
        let goal = accepted.load(Ordering::SeqCst) + DELIVERIES;
        until("more deliveries", DEADLINE, || async {
            assert!(!senders.iter().any(tokio::task::JoinHandle::is_finished), "a sender was refused");
            (accepted.load(Ordering::SeqCst) >= goal).then_some(())
        })
        .await;
    };
    more().await;
    let path = format!("/v1/webhooks/{}/rotate-secret", endpoint.id);
    let rotated = client.post(&path, &json!({"secret": NEW_SECRET, "overlap": "1h"})).await;
    assert_eq!(rotated["secret"], json!(null), "a given secret is not shown: {rotated}");
    is_new.store(true, Ordering::SeqCst);
    more().await;
    is_over.store(true, Ordering::SeqCst);
    for sender in join_all(senders).await {
        sender.expect("no sender is refused");
    }
    // Without an overlap the old one ends at once.
    client.post(&path, &json!({"secret": "a third secret of the tests", "overlap": "0s"})).await;
    for secret in [SECRET, NEW_SECRET] {
        let answer = sender.send(&endpoint.path, &Delivery::signed(secret, "late", b"{}")).await;
        assert_eq!(answer.status, 401, "{}", answer.text);
    }
    assert_eq!(execution_count(&client).await, accepted.load(Ordering::SeqCst));
}
