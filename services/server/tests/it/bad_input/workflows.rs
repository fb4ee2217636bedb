//! Definitions with faults, and executions that do not fit their definition.

use reqwest::Method;
use serde_json::{Value, json};

use super::refusal::{points_at, refused};
use crate::harness::{Database, Server, on_both_databases};

on_both_databases!(
    i09_the_content_of_a_version_never_changes,
    bad_workflows_are_refused_with_a_pointer,
    executions_must_fit_their_workflow
);

/// Where the fault is, and the nodes.
const BAD_NODES: &str = r#"
    /nodes                  [{"id": "a", "type": "TRANSFORM", "output": 1, "dependsOn": ["b"]}, {"id": "b", "type": "TRANSFORM", "output": 1, "dependsOn": ["a"]}]
    /nodes/0                [{"id": "a", "type": "TRANSFORM", "output": 1, "dependsOn": ["a"]}]
    /nodes/0/dependsOn      [{"id": "a", "type": "TRANSFORM", "output": 1, "dependsOn": ["ghost"]}]
    /nodes/1/id             [{"id": "a", "type": "TRANSFORM", "output": 1}, {"id": "a", "type": "TRANSFORM", "output": 1}]
    /nodes/0/id             [{"id": "no spaces", "type": "TRANSFORM", "output": 1}]
    /nodes/0/type           [{"id": "a", "type": "TELEPORT"}]
    /nodes/0/dependOn       [{"id": "a", "type": "TRANSFORM", "output": 1, "dependOn": []}]
    /nodes/0/when           [{"id": "a", "type": "TRANSFORM", "output": 1, "when": "input.a >"}]
    /nodes/0/output/x/0     [{"id": "a", "type": "TRANSFORM", "output": {"x": ["${input.}"]}}]
    /nodes/1/output         [{"id": "a", "type": "TRANSFORM", "output": 1}, {"id": "b", "type": "TRANSFORM", "output": "${nodes.a.output}"}]
    /nodes/0/timeout        [{"id": "a", "type": "TRANSFORM", "output": 1, "timeout": 30}]
    /nodes/0/retryCount     [{"id": "a", "type": "TRANSFORM", "output": 1, "retryCount": -1}]
    /nodes/0                [{"id": "a", "type": "SERVICE_TASK"}]
    /nodes/0                [{"id": "a", "type": "HTTP"}]
    /nodes/0/request/method [{"id": "a", "type": "HTTP", "request": {"method": "FETCH", "url": "https://a.example"}}]
    /nodes                  []
    /nodes                  {}
"#;

async fn bad_workflows_are_refused_with_a_pointer(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    for line in BAD_NODES.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (pointer, nodes) = line.split_once(' ').expect("a line has two parts");
        let nodes: Value = serde_json::from_str(nodes.trim()).expect("the nodes are JSON");
        let body = json!({"name": "bad", "version": 1, "nodes": nodes});
        for path in ["/v1/workflows", "/v1/workflows?validate=true"] {
            let problem = refused(line, &client.try_post(path, &body).await);
            points_at(line, &problem, pointer);
        }
    }
    let step = json!({"id": "a", "type": "TRANSFORM", "output": 1});
    for (body, pointer) in [
        (json!({"name": "bad", "version": 1, "input": {"type": "objekt"}, "nodes": [step]}), "/input"),
        (json!({"name": "bad", "version": 0, "nodes": [step]}), "/version"),
        (json!({"name": "../bad", "version": 1, "nodes": [step]}), "/name"),
        (json!({"version": 1, "nodes": [step]}), ""),
        (json!({"name": "bad", "version": 1, "nodes": [step], "nodez": []}), "/nodez"),
        (json!({"name": "bad", "version": 1, "nodes": [step], "output": "${nodes.ghost.output}"}), "/output"),
    ] {
        let problem = refused(pointer, &client.try_post("/v1/workflows", &body).await);
        points_at("a definition", &problem, pointer);
    }
    let call =
        client.call(Method::POST, "/v1/workflows").bytes(b"name: [unclosed".to_vec(), "application/yaml");
    refused("broken YAML", &call.answer().await);
    assert_eq!(client.all("/v1/workflows").await.len(), 0, "nothing was registered");
}

async fn i09_the_content_of_a_version_never_changes(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let step = json!({"id": "a", "type": "TRANSFORM", "output": 1});
    let first = json!({"name": "fixed", "version": 1, "nodes": [step]});
    assert_eq!(client.try_post("/v1/workflows", &first).await.status, 201);
    let registered = client.get("/v1/workflows/fixed/versions/1").await;
    assert_eq!(
        client.try_post("/v1/workflows", &first).await.status,
        200,
        "the same content is there already"
    );
    let mut other = first.clone();
    other["nodes"][0]["output"] = json!(2);
    let conflict = client.try_post("/v1/workflows", &other).await.problem(409);
    assert_eq!(conflict["code"], "workflow_version_conflict");
    assert_eq!(client.get("/v1/workflows/fixed/versions/1").await, registered);
    other["version"] = json!(2);
    assert_eq!(client.try_post("/v1/workflows", &other).await.status, 201);
    assert_eq!(client.get("/v1/workflows/fixed/versions/1").await, registered);
    assert_eq!(client.get("/v1/workflows/fixed").await["version"], 2);
    assert_eq!(client.all("/v1/workflows/fixed/versions").await.len(), 2);
}

async fn executions_must_fit_their_workflow(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    let step = json!({"id": "a", "type": "TRANSFORM", "output": 1});
    let good = json!({"name": "good", "version": 1, "input": schema, "nodes": [step]});
    client.post("/v1/workflows", &good).await;
    for (input, pointer) in [(json!({}), "/input"), (json!({"n": "one"}), "/input/n"), (json!(7), "/input")] {
        let answer = client.try_post("/v1/executions", &json!({"workflow": "good", "input": input})).await;
        points_at("an input", &refused("an input", &answer), pointer);
    }
    let batch =
        json!({"executions": [{"workflow": "good", "input": {"n": 1}}, {"workflow": "good", "input": {}}]});
    let problem = refused("a batch", &client.try_post("/v1/executions/batch", &batch).await);
    points_at("a batch", &problem, "/executions/1/input");
    client.try_post("/v1/executions", &json!({"workflow": "ghost"})).await.problem(404);
    client.try_post("/v1/executions", &json!({"workflow": "good", "version": 9})).await.problem(404);
    assert_eq!(client.all("/v1/executions").await.len(), 0, "nothing was started");
    let jobs = client.all("/v1/jobs?queue=workflow-execution").await;
    assert_eq!(jobs.len(), 0, "nothing was enqueued");
}
