//! Children on three servers: what a parent cancels ends wherever it is owned, and callers wait on any server.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Client, Database, Server, until};

const DEADLINE: Duration = Duration::from_secs(40);

async fn three_nodes() -> (Vec<Server>, Vec<Client>) {
    let database = Database::postgres().await;
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Server::start(&database).await);
    }
    let clients = nodes.iter().map(Server::client).collect();
    (nodes, clients)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancel_follows_to_children_on_three_nodes() {
    let (_nodes, clients) = three_nodes().await;
    let leaf = json!({"name": "leaf", "version": 1, "nodes": [
        {"id": "job", "type": "SERVICE_TASK", "jobType": "nobody-does-this"},
        {"id": "person", "type": "USER_TASK", "group": "all"},
    ]});
    let middle = json!({"name": "middle", "version": 1, "nodes": [
        {"id": "each", "type": "MAP", "items": [1, 2, 3], "node": {"type": "WORKFLOW", "workflow": "leaf"}},
    ]});
    let root = json!({"name": "root", "version": 1, "nodes": [
        {"id": "left", "type": "WORKFLOW", "workflow": "middle"},
        {"id": "right", "type": "WORKFLOW", "workflow": "middle"},
    ]});
    for workflow in [&leaf, &middle, &root] {
        clients[0].post("/v1/workflows", workflow).await;
    }
    let many = json!({"maxConcurrent": 100, "tenantMaxConcurrent": 100, "workflowMaxConcurrent": 100});
    clients[0].put("/v1/limits", &json!({ "workflow-execution": many })).await;
    let id = clients[0].post("/v1/executions", &json!({"workflow": "root"})).await["id"].clone();
    let id = id.as_str().expect("an id");
    until("all tasks are open", DEADLINE, || async {
        (clients[1].all("/v1/user-tasks?workflow=leaf").await.len() == 6).then_some(())
    })
    .await;
    let children = clients[2].all(&format!("/v1/executions?parent={id}")).await;
    assert_eq!(children.len(), 2, "{children:?}");
    let child = &children[0];
    assert_eq!((&child["trigger"]["kind"], &child["parent"]["executionId"]), (&json!("parent"), &json!(id)));

    clients[2].post(&format!("/v1/executions/{id}/cancel"), &json!({"reason": "enough"})).await;
    let ended = clients[1].get(&format!("/v1/executions/{id}?wait=true")).await;
    assert_eq!(ended["status"], "CANCELLED", "{ended}");
    until("everything is cancelled", DEADLINE, || async {
        let all = clients[0].all("/v1/executions").await;
        (all.len() == 9 && all.iter().all(|one| one["status"] == "CANCELLED")).then_some(())
    })
    .await;
    assert_eq!(clients[0].all("/v1/user-tasks").await, [] as [Value; 0]);
    let jobs = clients[0].all("/v1/jobs?jobType=nobody-does-this").await;
    assert!(jobs.iter().all(|job| job["status"] == "CANCELLED"), "{jobs:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_wait_on_any_node() {
    let (_nodes, clients) = three_nodes().await;
    let child = json!({"name": "child", "version": 1, "output": "${nodes.go.output}", "nodes": [
        {"id": "go", "type": "SIGNAL", "signal": "go"}]});
    let parent = json!({"name": "parent", "version": 1, "output": "${nodes.run.output}", "nodes": [
        {"id": "run", "type": "WORKFLOW", "workflow": "child"}]});
    for workflow in [&child, &parent] {
        clients[0].post("/v1/workflows", workflow).await;
    }
    let starting = {
        let client = clients[1].clone();
        tokio::spawn(async move {
            client.post("/v1/executions?wait=true&timeout=30s", &json!({"workflow": "parent"})).await
        })
    };
    let child = until("the child waits", DEADLINE, || async {
        clients[2].all("/v1/executions?workflow=child&status=WAITING").await.pop()
    })
    .await;
    let id = child["parent"]["executionId"].as_str().expect("a parent").to_owned();
    let waiting: Vec<_> = clients
        .iter()
        .flat_map(|client| {
            let path = format!("/v1/executions/{id}?wait=true&timeout=30s");
            (0..20).map(move |_| {
                let (client, path) = (client.clone(), path.clone());
                tokio::spawn(async move { client.get(&path).await })
            })
        })
        .collect();
    let child = child["id"].as_str().expect("an id");
    clients[0].post(&format!("/v1/executions/{child}/signals/go"), &json!({"payload": "went"})).await;
    for answer in waiting.into_iter().chain([starting]) {
        let execution = answer.await.expect("no panic");
        assert_eq!(
            (&execution["status"], &execution["output"]),
            (&json!("COMPLETED"), &json!("went")),
            "{execution}"
        );
    }
}
