//! Roles that are split over processes still run a workflow together.

use std::time::Duration;

use serde_json::json;

use crate::harness::{Client, Database, Output, Record, Server, Target, Worker, WorkerSetup, within};

const DEADLINE: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn roles_split_over_nodes_run_a_workflow_together() {
    let database = Database::postgres().await;
    let target = Target::open().await;
    let allow = target.allow();
    let api = Server::start_with(&database, &[("TRUNKLINE_ROLES", "api")]).await;
    let _execution = Server::start_with(&database, &[("TRUNKLINE_ROLES", "scheduler,execution")]).await;
    let node_roles = [("TRUNKLINE_ROLES", "node"), ("TRUNKLINE_EGRESS__ALLOW", allow.as_str())];
    let node = Server::start_with(&database, &node_roles).await;
    let client = api.client();
    let request = json!({"method": "GET", "url": format!("{}/${{input.thing}}", target.url())});
    let workflow = json!({"name": "split", "version": 1, "nodes": [
        {"id": "ask", "type": "HTTP", "request": request},
        {"id": "work", "type": "SERVICE_TASK", "jobType": "side", "dependsOn": ["ask"],
         "input": {"status": "${nodes.ask.output.status}"}},
    ], "output": {"status": "${nodes.work.output.status}"}});
    client.post("/v1/workflows", &workflow).await;
    let worker = Worker::start(client.clone(), WorkerSetup::echo("worker", &["side"]), Record::new());
    let body = json!({"workflow": "split", "input": {"thing": "stock"}});
    let ended = client.post("/v1/executions?wait=true&timeout=30s", &body);
    let ended = within("the execution ends", DEADLINE, ended).await;
    assert_eq!((&ended["status"], &ended["output"]["status"]), (&json!("COMPLETED"), &json!(200)), "{ended}");
    assert_eq!(target.calls(), 1);
    worker.stop().await;
    // A node without the role answers for its health only.
    let refused = Client::new(&node.url(), None).call(reqwest::Method::GET, "/readyz").send().await;
    assert!(refused.is_err(), "a node without the api role does not serve REST: {refused:?}");
    for (server, variable, address) in
        [(&api, "TRUNKLINE_HTTP", api.url()), (&node, "TRUNKLINE_METRICS", node.metrics_url())]
    {
        let mut health = server.verb(&["health"]);
        health.env(variable, address.trim_start_matches("http://"));
        tokio::task::block_in_place(|| Output::of(&mut health)).prints(&["ready"]);
        health.arg("--json");
        let shown = tokio::task::block_in_place(|| Output::of(&mut health)).json();
        assert_eq!((&shown["ready"], &shown["status"]), (&json!(true), &json!(200)), "{shown}");
    }
}
