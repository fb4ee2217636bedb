//! What autoscalers and dashboards read is the same on each of three nodes.

use std::time::Duration;

use serde_json::json;

use crate::harness::{Client, Database, Server, until};

const DEADLINE: Duration = Duration::from_secs(30);

/// A gauge of `workflow-node`, summed over its tiers.
async fn gauge(metrics: &Client, name: &str) -> Option<f64> {
    let text = metrics.try_get("/metrics").await.text;
    let begin = format!("trunkline_{name}{{");
    let lines = text.lines().filter(|line| line.starts_with(&begin) && line.contains("\"workflow-node\""));
    let values: Vec<f64> =
        lines.filter_map(|line| line.rsplit(' ').next()).filter_map(|value| value.parse().ok()).collect();
    (!values.is_empty()).then(|| values.iter().sum())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_nodes_ask_for_the_same_workers_and_show_the_same_gauges() {
    let database = Database::postgres().await;
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Server::start(&database).await);
    }
    nodes[0].client().put("/v1/limits", &json!({"workflow-node": {"maxConcurrent": 3}})).await;
    for number in 0..6 {
        let job_type = if number == 5 { "nobody" } else { "encode" };
        nodes[number % 3].client().post("/v1/jobs", &json!({"jobType": job_type, "data": number})).await;
    }
    let poll = json!({"workerId": "encoder", "jobTypes": ["encode"], "maxJobs": 1, "wait": "10s"});
    let taken = nodes[1].client().post("/v1/jobs/poll", &poll).await;
    assert_eq!(taken["jobs"].as_array().map(Vec::len), Some(1), "{taken}");

    let expected = [
        ("desired", 3),
        ("processing", 1),
        ("offered", 0),
        ("queued", 5),
        ("startable", 2),
        ("heldByLimit", 3),
        ("noWorker", 1),
        ("workers", 1),
    ];
    for node in &nodes {
        let (client, metrics) = (node.client(), Client::new(&node.metrics_url(), None));
        until("the node answers as the others", DEADLINE, || async {
            let seen = client.get("/v1/queues/workflow-node/scaling").await;
            expected.iter().all(|&(name, value)| seen[name] == value).then_some(())
        })
        .await;
        for (name, value) in [("queue_depth", 5.0), ("queue_in_flight", 1.0), ("queue_held_by_limit", 3.0)] {
            until("the node shows the gauge as the others", DEADLINE, || async {
                (gauge(&metrics, name).await == Some(value)).then_some(())
            })
            .await;
        }
    }
}
