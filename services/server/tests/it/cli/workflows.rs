//! `workflow`, `run` and `execution`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{
    Database, Record, Report, Server, Worker, WorkerSetup, on_both_databases, trunkline, until,
};

const DEADLINE: Duration = Duration::from_secs(20);

on_both_databases!(
    cli_workflows_are_pushed_run_and_shown,
    cli_executions_are_cancelled_and_retried,
    cli_a_run_with_a_key_finds_the_open_one,
);

const GREETING: &str = "
name: greeting
version: 1
input: {type: object, required: [who], properties: {who: {type: string}}}
nodes:
  - {id: greet, type: TRANSFORM, output: {text: \"Hello, ${input.who}\"}}
output: {said: \"${nodes.greet.output.text}\"}
";

async fn cli_workflows_are_pushed_run_and_shown(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let write = |name: &str, text: &str| {
        let path = server.directory().join(name);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("can be made");
        std::fs::write(path, text).expect("can be written");
    };
    write("flows/greeting.workflow.yaml", GREETING);
    write("bad.json", r#"{"name": "bad", "version": 1, "nodes": [{"id": "a", "type": "TELEPORT"}]}"#);
    run(&["workflow", "validate", "flows"]).prints(&["greeting version 1 is valid"]);
    run(&["workflow", "list"]).prints(&["(none)"]);
    run(&["workflow", "push", "flows"]).prints(&["greeting version 1 registered"]);
    run(&["workflow", "push", "flows/greeting.workflow.yaml"]).prints(&["is already registered"]);
    for verb in ["push", "validate"] {
        let refused = run(&["workflow", verb, "bad.json"]).exits(1);
        assert!(refused.stderr.contains("/nodes/0/type"), "{}", refused.stderr);
    }
    write("flows/greeting.workflow.yaml", &GREETING.replace("Hello", "Goodbye"));
    let conflict = run(&["workflow", "push", "flows"]).exits(1);
    assert!(conflict.stderr.contains("workflow_version_conflict"), "{}", conflict.stderr);
    run(&["workflow", "push", "no-such-file.json"]).exits(1);
    run(&["workflow", "list"]).prints(&["NAME", "greeting", "1"]);
    assert_eq!(run(&["workflow", "show", "greeting", "--version", "1"]).json()["name"], "greeting");
    run(&["workflow", "versions", "greeting"]).prints(&["VERSION", "1"]);
    run(&["workflow", "show", "ghost"]).exits(5);

    let ended = run(&["run", "greeting", "--input", r#"{"who": "Ada"}"#, "--wait"]);
    assert_eq!(ended.json(), json!({"said": "Hello, Ada"}));
    let started = run(&["run", "greeting", "--input", r#"{"who": "Bob"}"#, "--json"]).json();
    let id = started["id"].as_str().expect("an id");
    until("it ends", DEADLINE, || async {
        let shown = run(&["execution", "show", id, "--json"]).json();
        (shown["status"] == "COMPLETED").then_some(())
    })
    .await;
    let refused = run(&["run", "greeting", "--input", "{}"]).exits(1);
    assert!(refused.stderr.contains("/input"), "{}", refused.stderr);
    run(&["execution", "show", id]).prints(&[
        id,
        "COMPLETED",
        "Nodes",
        "greet",
        "TRANSFORM",
        "Timeline",
        "node_completed",
    ]);
    run(&["execution", "list", "--workflow", "greeting"]).prints(&["WORKFLOW", id, "COMPLETED"]);
    let listed = run(&["execution", "list", "--json", "--limit", "1"]).json();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));
    assert!(listed["nextCursor"].is_string(), "{listed}");
    run(&["workflow", "pause", "greeting"]).prints(&["paused"]);
    run(&["workflow", "resume", "greeting"]).prints(&["resumed"]);
}

async fn cli_executions_are_cancelled_and_retried(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let client = server.client();
    let workflow = json!({"name": "shaky", "version": 1, "nodes": [
        {"id": "steady", "type": "TRANSFORM", "output": 1},
        {"id": "shaky", "type": "SERVICE_TASK", "jobType": "shaky", "dependsOn": ["steady"], "retryCount": 0},
    ], "output": {"result": "${nodes.shaky.output}"}});
    client.post("/v1/workflows", &workflow).await;
    let waiting = run(&["run", "shaky", "--json"]).json()["id"].as_str().expect("an id").to_owned();
    let sent = run(&["execution", "cancel", &waiting, "--reason", "not needed", "--json"]).json();
    assert!(sent["commandPosition"].is_number(), "{sent}");
    ends(&server, &waiting, "CANCELLED").await;
    let position = sent["commandPosition"].to_string();
    run(&["execution", "command", &position]).prints(&[&waiting, "cancel", "applied"]);
    run(&["execution", "command", "999999"]).exits(5);

    // The first run fails for good, and the verb says so; the retry goes on from the failed node.
    let record = Record::new();
    let counted = record.clone();
    let handler = move |_| {
        let is_first = counted.runs().len() == 1;
        async move {
            if is_first {
                return Report::Fail { message: "bad day".to_owned(), retryable: false };
            }
            Report::Complete(json!("good day"))
        }
    };
    let worker = Worker::start(client.clone(), WorkerSetup::new("w", &["shaky"], handler), record.clone());
    let failed = run(&["run", "shaky", "--wait", "--timeout-secs", "20"]).exits(4);
    assert!(failed.stderr.contains("FAILED") && failed.stderr.contains("bad day"), "{}", failed.stderr);
    let executions = run(&["execution", "list", "--status", "FAILED", "--json"]).json();
    let id = executions["items"][0]["id"].as_str().expect("an id").to_owned();
    run(&["execution", "retry", &id]).prints(&["sent (command"]);
    ends(&server, &id, "COMPLETED").await;
    worker.stop().await;
    assert_eq!(record.runs().len(), 2);
    run(&["execution", "cancel", &id]).exits(1);
}

async fn cli_a_run_with_a_key_finds_the_open_one(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let workflow = json!({"name": "parcel", "version": 1, "nodes": [
        {"id": "paid", "type": "SIGNAL", "signal": "paid"},
    ], "output": {"amount": "${nodes.paid.output.amount}"}});
    server.client().post("/v1/workflows", &workflow).await;
    let keyed = |more: &[&str]| run(&[&["run", "parcel", "--unique-key", "order-7"][..], more].concat());
    let first = keyed(&["--json"]).json();
    let id = first["id"].as_str().expect("an id");
    let joined = keyed(&["--unique-policy", "join", "--json"]).json();
    assert_eq!((&joined["id"], &joined["existing"]), (&json!(id), &json!(true)), "{joined}");
    let refused = keyed(&["--unique-policy", "reject"]).exits(1);
    assert!(refused.stderr.contains("execution_exists"), "{}", refused.stderr);
    keyed(&["--unique-policy", "sometimes"]).exits(2);
    let signalled = keyed(&["--signal", r#"paid={"amount": 5}"#, "--json"]).json();
    assert_eq!(signalled["id"], id, "{signalled}");
    ends(&server, id, "COMPLETED").await;
    assert_eq!(run(&["execution", "show", id, "--json"]).json()["output"], json!({"amount": 5}));
    // The key is free again: the signal comes with the start.
    let second = keyed(&["--signal", r#"paid={"amount": 6}"#, "--json"]).json();
    assert_ne!(second["id"], id, "{second}");
    ends(&server, second["id"].as_str().expect("an id"), "COMPLETED").await;
    for option in ["--unique-policy", "--signal"] {
        run(&["run", "parcel", option, "join"]).exits(2);
    }
}

async fn ends(server: &Server, id: &str, status: &str) {
    let client = server.client();
    let path = format!("/v1/executions/{id}");
    let what = format!("{id} is {status}");
    let _: Value = until(&what, DEADLINE, || async {
        Some(client.get(&path).await).filter(|one| one["status"] == status)
    })
    .await;
}
