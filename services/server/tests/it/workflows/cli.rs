//! The verbs for workflows that wait: files without a server, user tasks, signals, reruns.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Database, Output, Server, on_both_databases, trunkline, until};

const DEADLINE: Duration = Duration::from_secs(20);

on_both_databases!(cli_people_and_signals, cli_workflows_are_paused_and_run_again, cli_items_are_listed);

const FLOW: &str = "
name: flow
version: 1
nodes:
  - {id: draft, type: TRANSFORM, output: '${input.text}'}
  - {id: sign, type: USER_TASK, dependsOn: [draft], group: board, form: {type: object, required: [ok]}}
  - {id: go, type: SIGNAL, dependsOn: [sign], signal: go ahead}
  - {id: hook, type: WAIT_WEBHOOK, dependsOn: [draft], timeout: 1h, onError: continue}
output: {text: '${nodes.draft.output}', go: '${nodes.go.output}'}
";

async fn cli_people_and_signals(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    std::fs::write(server.directory().join("flow.workflow.yaml"), FLOW).expect("can be written");
    run(&["workflow", "push", "flow.workflow.yaml"]).prints(&["registered"]);
    let drawn = run(&["workflow", "graph", "flow"]).prints(&["flowchart TD", "USER_TASK board", "n0 --> n1"]);
    assert_eq!(run(&["workflow", "graph", "flow.workflow.yaml"]).exits(0).stdout, drawn.stdout);
    assert_eq!(
        run(&["workflow", "graph", "flow", "--version", "1", "--json"]).json()["mermaid"],
        drawn.stdout
    );

    let started = run(&["run", "flow", "--input", r#"{"text": "a"}"#, "--json"]).json();
    let id = started["id"].as_str().expect("an id").to_owned();
    until("the task", DEADLINE, || async {
        let listed = run(&["user-task", "list", "--group", "board", "--json"]).json();
        (listed["items"][0]["nodeId"] == "sign").then_some(())
    })
    .await;
    run(&["user-task", "list"]).prints(&["EXECUTION", &id, "sign", "flow", "open", "board"]);
    run(&["user-task", "list", "--status", "completed"]).prints(&["(none)"]);
    run(&["user-task", "show", &id, "sign"]).prints(&["group", "board", "required"]);
    run(&["execution", "why", &id]).prints(&["waiting", "sign", "user_task", "hook", "callback"]);
    assert_eq!(run(&["execution", "why", &id, "--json"]).json()["waitsFor"][0]["nodeId"], "sign");
    run(&["execution", "nodes", &id]).prints(&["NODE", "WAITING", "hook accepts requests at /callbacks/"]);
    let refused = run(&["user-task", "complete", &id, "sign", "--output", "{}"]).exits(1);
    assert!(refused.stderr.contains("/output"), "{}", refused.stderr);
    run(&["user-task", "complete", &id, "sign", "--output", r#"{"ok": 1}"#]).prints(&["sent (command"]);
    let sent = run(&["execution", "signal", &id, "go ahead", "--payload", "7", "--json"]).json();
    assert!(sent["commandPosition"].is_number(), "{sent}");
    until("it only waits for its hook", DEADLINE, || async {
        let why = run(&["execution", "why", &id, "--json"]).json();
        let waits = why["waitsFor"].as_array().expect("a list").clone();
        (waits.len() == 1 && waits[0]["reason"] == "callback").then_some(())
    })
    .await;
    run(&["execution", "rerun", &id, "--from", "sign"]).exits(1);
    run(&["execution", "cancel", &id, "--compensate", "--reason", "enough"]).prints(&["sent"]);
    until("it is cancelled", DEADLINE, || async {
        (run(&["execution", "show", &id, "--json"]).json()["status"] == "CANCELLED").then_some(())
    })
    .await;
    let again =
        run(&["execution", "rerun", &id, "--from", "go", "--input", r#"{"text": "b"}"#, "--json"]).json();
    let again = again["id"].as_str().expect("an id");
    assert_ne!(again, id);
    run(&["execution", "signal", again, "go ahead"]).exits(0);
    run(&["execution", "show", again]).prints(&["started by", "user", "Nodes", "sign", "Timeline"]);
    run(&["execution", "rerun", &id, "--from", "nothing"]).exits(1);
}

async fn cli_workflows_are_paused_and_run_again(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    std::fs::write(server.directory().join("flow.workflow.yaml"), FLOW).expect("can be written");
    run(&["workflow", "push", "flow.workflow.yaml"]).exits(0);
    run(&["workflow", "pause", "flow", "--refuse"]).prints(&["paused, new executions are rejected"]);
    run(&["workflow", "list"]).prints(&["NEW EXECUTIONS", "refuse"]);
    let refused = run(&["run", "flow", "--input", r#"{"text": "a"}"#]).exits(1);
    assert!(refused.stderr.contains("workflow_paused"), "{}", refused.stderr);
    assert_eq!(run(&["workflow", "pause", "flow", "--json"]).json()["newRuns"], "queue");
    run(&["run", "flow", "--input", r#"{"text": "a"}"#]).prints(&["PENDING"]);
    run(&["workflow", "resume", "flow"]).prints(&["resumed"]);
}

async fn cli_items_are_listed(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let each = json!({"id": "each", "type": "MAP", "items": [1, 2, 3],
        "node": {"type": "TRANSFORM", "output": "${item * 2}"}});
    let definition = json!({"name": "items", "version": 1, "nodes": [each]}).to_string();
    std::fs::write(server.directory().join("items.json"), definition).expect("can be written");
    run(&["workflow", "push", "items.json"]).exits(0);
    let started = run(&["run", "items", "--json"]).json();
    let id = started["id"].as_str().expect("an id").to_owned();
    until("all items are done", DEADLINE, || async {
        (run(&["execution", "show", &id, "--json"]).json()["status"] == "COMPLETED").then_some(())
    })
    .await;
    run(&["execution", "items", &id, "each"]).prints(&[
        "NODE",
        "each[0]",
        "each[2]",
        "TRANSFORM",
        "COMPLETED",
    ]);
    let first = run(&["execution", "items", &id, "each", "--limit", "2", "--json"]).json();
    let cursor = first["nextCursor"].as_str().expect("there is more");
    let rest = run(&["execution", "items", &id, "each", "--cursor", cursor, "--json"]).json();
    let count = |page: &Value| page["items"].as_array().map(Vec::len);
    assert_eq!((count(&first), count(&rest)), (Some(2), Some(1)), "{first} {rest}");
    run(&["execution", "items", &id, "nothing"]).exits(5);
}

/// No server, no profile, no key.
fn alone(directory: &std::path::Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments).env_clear().env("TRUNKLINE_URL", "http://127.0.0.1:9").current_dir(directory);
    Output::of(&mut command)
}

#[test]
fn cli_definitions_are_checked_and_drawn_without_a_server() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let write =
        |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("can be written");
    write("good.workflow.yaml", FLOW);
    let bad = json!({"name": "bad name", "version": 0, "nodes": [
        {"id": "a", "type": "TIMERR", "duration": "1s"},
        {"id": "b", "type": "SIGNAL", "dependOn": ["a"], "signal": "x"},
        {"id": "c", "type": "TRANSFORM", "dependsOn": ["bb"], "output": "${input.}"},
    ]});
    write("bad.json", &bad.to_string());
    let run = |arguments: &[&str]| alone(directory.path(), arguments);
    run(&["workflow", "validate", "good.workflow.yaml"]).prints(&["flow version 1 is valid"]);
    run(&["workflow", "validate", "."]).prints(&["flow version 1 is valid"]);
    run(&["workflow", "graph", "good.workflow.yaml"]).prints(&["flowchart TD", "n0(\"draft"]);
    run(&["workflow", "graph", "bad.json"]).exits(1);
    let schema = run(&["workflow", "schema"]).json();
    assert!(schema["$id"].is_string() && schema["$defs"]["node"].is_object(), "{schema}");

    let faults = run(&["workflow", "validate", "bad.json", "good.workflow.yaml"]).exits(1);
    for word in
        ["/name", "/version", "/nodes/0/type", "did you mean `TIMER`", "/nodes/1/dependOn", "dependsOn"]
    {
        assert!(faults.stderr.contains(word), "no {word} in {}", faults.stderr);
    }
    assert!(faults.stdout.contains("is valid"), "the other file is checked all the same");
    let faults = run(&["workflow", "validate", "bad.json", "--json"]).exits(1);
    let answer: Value = serde_json::from_str(&faults.stdout).expect("JSON");
    assert_eq!((&answer[0]["file"], &answer[0]["valid"]), (&json!("bad.json"), &json!(false)));
    assert!(answer[0]["errors"].as_array().is_some_and(|errors| errors.len() >= 5), "{answer}");
    let good = run(&["workflow", "validate", "good.workflow.yaml", "--json"]).json();
    assert_eq!((&good[0]["name"], &good[0]["valid"]), (&json!("flow"), &json!(true)));
}
