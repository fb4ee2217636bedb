//! Rate limits of endpoints: exact on one node, shared by all nodes through Redis, and per node while Redis is gone.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::endpoint::{Endpoint, SECRET, create_github, register_workflow};
use super::sender::{Delivery, Sender, is_held};
use crate::harness::{Client, Database, Server, free_port, on_both_databases, until};

/// How long it may take until Redis has answered all calls of one try in time.
const SHARED_WITHIN: Duration = Duration::from_mins(2);

/// How many requests the endpoints take.
const QUOTA: usize = 10;

on_both_databases!(an_endpoint_over_its_rate_holds_what_comes);

async fn an_endpoint_over_its_rate_holds_what_comes(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    register_workflow(&client).await;
    let limited = limited(&client, "limited").await;
    let sender = Sender::to(&server);
    assert_eq!(accepted(&[&sender], &limited).await, QUOTA);
    // Only what is verified is held.
    let unsigned = sender.send(&limited.path, &Delivery::of(b"{}".to_vec())).await;
    assert_eq!(unsigned.status, 401, "{}", unsigned.text);
    let other = create_github(&client, "other", json!({})).await;
    sender.accepted(&other.path, &Delivery::signed(SECRET, "free", b"{}")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_makes_the_rate_one_for_all_nodes_and_is_not_needed() {
    let database = Database::postgres().await;
    let mut redis = Redis::start().await;
    let url = redis.url();
    let settings = [("REDIS_URL", url.as_str())];
    let (one, two) =
        (Server::start_with(&database, &settings).await, Server::start_with(&database, &settings).await);
    let client = one.client();
    register_workflow(&client).await;
    let senders = [&Sender::to(&one), &Sender::to(&two)];
    // A busy machine may leave Redis too little time for an answer; then a node counts for itself, for a second.
    the_nodes_share(&client, &senders, "shared").await;

    redis.kill();
    let alone = limited(&client, "alone").await;
    assert_eq!(accepted(&senders, &alone).await, 2 * QUOTA, "each node counts for itself");
    let warned = |server: &Server| server.log().lines().filter(|line| line.contains("Redis")).count();
    assert!(warned(&one) > 0 && warned(&two) > 0, "the log says so");

    redis.restart().await;
    the_nodes_share(&client, &senders, "again").await;
}

/// Waits until an endpoint takes as many over all nodes as it may take.
async fn the_nodes_share(client: &Client, senders: &[&Sender], name: &str) {
    let mut tries = 0;
    until("the nodes share the rate", SHARED_WITHIN, || {
        tries += 1;
        let name = format!("{name}-{tries}");
        async move {
            let endpoint = limited(client, &name).await;
            (accepted(senders, &endpoint).await == QUOTA).then_some(())
        }
    })
    .await;
}

/// An endpoint that takes few requests, and no more within the test.
async fn limited(client: &Client, name: &str) -> Endpoint {
    let limit = json!({"requests": QUOTA, "per": "1h"});
    create_github(client, name, json!({ "rateLimit": limit })).await
}

/// How many of many requests are accepted at once, sent to the servers in turns. The others are held.
async fn accepted(senders: &[&Sender], endpoint: &Endpoint) -> usize {
    let mut accepted = 0;
    for number in 0..2 * QUOTA + 4 {
        let id = format!("{}-{number}", endpoint.id);
        let delivery = Delivery::signed(SECRET, &id, id.as_bytes());
        let answer = senders[number % senders.len()].send(&endpoint.path, &delivery).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        accepted += usize::from(!is_held(&answer));
    }
    accepted
}

/// A Redis of this test.
#[derive(Debug)]
struct Redis {
    port: u16,
    directory: TempDir,
    child: Option<Child>,
}

impl Redis {
    async fn start() -> Self {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let mut redis = Self { port: free_port(), directory, child: None };
        redis.restart().await;
        redis
    }

    async fn restart(&mut self) {
        let port = self.port.to_string();
        let child = Command::new("redis-server")
            .args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .current_dir(self.directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.child = Some(child.expect("scripts/test.sh installs redis-server"));
        until("Redis listens", Duration::from_secs(20), || async {
            tokio::net::TcpStream::connect(("127.0.0.1", self.port)).await.ok().map(drop)
        })
        .await;
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("the process is ours");
            child.wait().expect("the process is ours");
        }
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}
